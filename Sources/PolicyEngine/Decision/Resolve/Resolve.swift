/// Decides who is heard, and who silences whom: a function of the facts, the verdict before, the policy and the time.
extension Scene {
    /// N1: where weaker sessions may stop speech, a first pass finds out whether they do; then all is decided again
    /// with that knowledge.
    mutating func resolve() {
        decideAll()
        let speech = contestedSpeech()
        if !speech.isEmpty {
            let heard = speech.filter { isHeard($0) }
            standings = start
            heardSpeech = heard
            stoppedSpeech = speech.filter { !heard.contains($0) }
            decideAll()
            heardSpeech = []
            stoppedSpeech = []
        }
        begin()
        for place in standings.indices {
            if standings[place].cause != nil, standings[place].silence == .mute { findStronger(place) }
            let ducker = standings[place].cause == nil && !heard.isEmpty ? ducker(of: place) : nil
            if ducker != standings[place].ducker { standings[place].ducker = ducker }
            show(place)
        }
    }

    /// What others may read of a session (R77, N6, N7).
    private mutating func show(_ place: Int) {
        let isHeard =
            sums[place].running > 0 && standings[place].phase != .inactive && standings[place].described.has(.plays)
            && !isSilenced(place)
        let playing: Playing =
            !isHeard ? .nothing : standings[place].described.has(.isPrimary) ? .primary : .mixing
        if playing != standings[place].playing { standings[place].playing = playing }
        let isInputMuted = sums[place].isInputMuted
        if isInputMuted != standings[place].isInputMuted { standings[place].isInputMuted = isInputMuted }
    }

    /// First the sessions that can affect others, the strongest claim first, until nothing changes; each time also the
    /// rest, before ended sessions become something else.
    private mutating func decideAll() {
        for place in standings.indices { _ = describe(place) }
        let mayAct = standings.indices.map { self.mayAct($0) }
        actors = standings.indices.filter { mayAct[$0] }
        var passes = 0
        var isSettled = false
        while !isSettled, passes < 32 {
            passes &+= 1
            isSettled = true
            sortActors()
            heard = []
            for place in actors {
                if decide(place) { isSettled = false }
                if isHeard(place) { heard.append(place) }
            }
            heard = actors.filter { isHeard($0) }.sorted { isAbove($0, $1) }
            for place in standings.indices where !mayAct[place] { settle(place) }
            if isSettled { break }
            for place in actors where describe(place) { isSettled = false }
        }
    }

    /// A session on which no other depends.
    private mutating func settle(_ place: Int) {
        var turns = 0
        while turns < 8, decide(place) {
            _ = describe(place)
            turns &+= 1
        }
    }

    /// Whether other sessions may depend on this one; or it has become stronger than its silencer and is decided first.
    private func mayAct(_ place: Int) -> Bool {
        if let cause = standings[place].cause, isAbove(place, cause) { return true }
        guard standings[place].described.has(.acts) || start[place].described.has(.acts) else { return false }
        return standings[place].phase != .inactive || standings[place].interruption != .none || asks(place)
    }

    /// Returns whether the session has changed.
    private mutating func decide(_ place: Int) -> Bool {
        let (phase, cause, reason) = (standings[place].phase, standings[place].cause, standings[place].obstacle?.reason)
        resolveCause(of: place)
        advance(place)
        return standings[place].phase != phase || standings[place].cause != cause
            || standings[place].obstacle?.reason != reason
    }

    /// By claim; speech comes after weaker sessions that may stop it (N1).
    private mutating func sortActors() {
        actors = actors.sorted { isAbove($0, $1) }
        for place in actors.reversed() where standings[place].described.has(.isSpeech) {
            guard !heardSpeech.contains(place), let index = actors.firstIndex(of: place),
                let last = actors.lastIndex(where: { other in
                    (standings[other].phase != .inactive || asks(other))
                        && stopsStrongerSpeech(party(other), party(place))
                }), index < last
            else { continue }
            actors.remove(at: index)
            actors.insert(place, at: last)
        }
    }

    /// N1: the speech that sessions with weaker claims may stop.
    private func contestedSpeech() -> [Int] {
        standings.indices.filter { place in
            standings[place].described.has(.isSpeech)
                && actors.contains { stopsStrongerSpeech(party($0), party(place)) }
        }
    }
}
