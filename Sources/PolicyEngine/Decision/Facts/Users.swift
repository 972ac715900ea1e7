/// What users want to hear (N19), and their switches (N16).
extension Engine {
    /// N19: lets a session be heard beside its silencers; with `free` also beside sessions that lower or reject it, and
    /// in spite of obstacles and switches.
    mutating func free(_ id: StreamID, by action: UserAction, at now: Instant) {
        guard !facts.isSuspended, let index = facts.stream(id) else { return }
        let scene = scene(at: now)
        let stream = facts.streams[index]
        let place = stream.session
        // R64: a user who plays a session without its output wants to hear it elsewhere.
        let goesOnElsewhere = action == .play && scene.lacksOutput(place)
        let isAllowed = facts.rules.policy.user.allow(action)
        guard isAllowed || goesOnElsewhere, facts.isWanted(stream), scene.lack(stream) == nil,
            action == .free || stream.direction == .playback
        else { return }
        if isAllowed {
            for other in scene.oppressors(of: place, includesOthers: action == .free) {
                let number = facts.sessions[other].number
                if !facts.sessions[place].freeFrom.contains(number) { facts.sessions[place].freeFrom.append(number) }
            }
        }
        guard action == .free || goesOnElsewhere else { return }
        let standing = verdict.standings[place]
        if standing.obstacle != nil, !standing.driver.isApplication { ask(place, .requested) }
        if action == .free, scene.switchedOff(stream) != nil { facts.sessions[place].isFreeFromSwitches = true }
    }

    /// N16: a freed session is free from the switches until one of them changes.
    mutating func change(to new: Switches, at now: Instant) {
        var new = new
        if let end = new.pausedUntil, end <= now { new.pausedUntil = nil }
        var old = facts.switches
        old.pausedUntil = new.pausedUntil
        if old != new {
            for place in facts.sessions.indices { facts.sessions[place].isFreeFromSwitches = false }
        }
        facts.switches = new
    }
}

extension Scene {
    func lacksOutput(_ place: Int) -> Bool {
        switch standings[place].obstacle {
        case .lostOutput?, .missedOutput?: true
        case nil, .mutedInput?, .mustNotResume?, .rejected?, .changedRoute?: false
        }
    }

    /// N19: the silencers of a session, heard or interrupted; with `includesOthers` also those that lower or reject it.
    func oppressors(of place: Int, includesOthers: Bool) -> [Int] {
        var holders: [Int] = []
        var next = standings[place].cause
        while let other = next, holds(other), !holders.contains(other) {
            holders.append(other)
            next = standings[other].cause
        }
        return standings.indices.filter { other in
            guard other != place, isHeard(other) || holders.contains(other) else { return false }
            if includesOthers || isSilenced(place), silences(other, place) { return true }
            guard includesOthers, isHeard(other), !spares(other, place) else { return false }
            let pair = rules.pair(standings[other].described, on: standings[place].described)
            return pair.playing == .duck || pair.newcomer == .duck || pair.newcomer == .reject
        }
    }

    /// R15, R16, N16: the switch that silences a stream; `nil` for none. R13: a user interface sound counts by itself.
    func switchedOff(_ stream: Stream) -> Reason? {
        let described = stream.isUISound ? stream.described : standings[stream.session].described
        return rules.policy.switches.reason(for: described.description, while: facts.switches)
    }
}
