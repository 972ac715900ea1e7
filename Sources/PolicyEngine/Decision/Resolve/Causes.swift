/// Who silences whom, and which sessions resume when nobody silences them any more (N17, R11, R31).
extension Scene {
    /// N17: the first cause remains as long as it holds the session and silences it.
    mutating func resolveCause(of place: Int) {
        // A closed session keeps its cause, which its victims inherit.
        if standings[place].driver == .closed { return }
        endObstacle(place)
        if standings[place].hasFinalObstacle {
            if standings[place].cause != nil { standings[place].cause = nil }
            return
        }
        let former = standings[place].cause
        if former == nil, heard.isEmpty, !standings[place].described.has(.isSpeech) { return }
        if let former {
            let kind = kept(by: former, place)
            if kind != .mix { return silence(place, by: former, kind) }
        }
        // A session that asks no more is notified of the end, whoever silences it now.
        if former != nil, !asks(place), !mayResume(place) { end(place) }
        let next = successor(of: former, for: place) ?? silencer(of: place)
        if let next { return silence(place, by: next, silencing(party(next), party(place))) }
        guard let former else { return }
        standings[place].cause = nil
        guard !facts.isSuspended, !resumes(place, after: former) else { return }
        forbidResuming(place, by: former)
    }

    private mutating func endObstacle(_ place: Int) {
        if standings[place].obstacle == nil { return }
        // An application that drives its session was notified, and has to activate it again.
        if !standings[place].driver.isApplication, !asks(place) { standings[place].end(.paused) }
        if isExempt(place) { standings[place].end(.exempt) }
    }

    /// R13, R36: nothing silences a call; a user interface sound does not wait.
    func isExempt(_ place: Int) -> Bool {
        standings[place].described.has(.uiSound) || standings[place].described.has(.isCall)
    }

    /// `mix` if the actor no longer silences the session.
    private func kept(by actor: Int, _ place: Int) -> Interplay.Kind {
        // N1: speech that is known to be heard is about to silence weaker claims.
        if !holds(actor) || heardSpeech.contains(place) && !isAbove(actor, place) { return .mix }
        return silencing(party(actor), party(place))
    }

    private mutating func silence(_ place: Int, by cause: Int, _ kind: Interplay.Kind) {
        let silence: Silence = kind == .mute ? .mute : kind == .pausePlayer ? .pausePlayer : .cork
        if standings[place].cause != cause { standings[place].cause = cause }
        if standings[place].silence != silence { standings[place].silence = silence }
    }

    /// N17: the interrupter of the former cause takes its place, if it silences this session too.
    private func successor(of former: Int?, for place: Int) -> Int? {
        var next = former
        for _ in standings.indices {
            guard let actor = next else { return nil }
            next = interrupter(of: actor)
            if let next, kept(by: next, place) != .mix { return next }
        }
        return nil
    }

    /// For a session that ends in the present event, the interrupter before.
    private func interrupter(of place: Int) -> Int? {
        holds(place) ? standings[place].cause : start[place].cause ?? standings[place].cause
    }

    /// Of several, the session with the strongest claim.
    private func silencer(of place: Int) -> Int? { heard(over: place).first { silences($0, place) } }

    /// Speech may also be silenced by weaker sessions, which are not decided yet.
    private func heard(over place: Int) -> [Int] {
        let mayBeWeaker = standings[place].described.has(.isSpeech) && !heardSpeech.contains(place)
        return mayBeWeaker ? actors.filter { isHeard($0) }.sorted { isAbove($0, $1) } : heard
    }

    /// A session that its cause only mutes may be stopped by another one.
    mutating func findStronger(_ place: Int) {
        let kinds = heard(over: place).map { silencing(party($0), party(place)) }
        guard let kind = kinds.first(where: { $0.silences && $0 != .mute }) else { return }
        standings[place].silence = kind == .pausePlayer ? .pausePlayer : .cork
    }

    // MARK: - Ends of interruptions

    /// Whoever silences the session now.
    private mutating func end(_ place: Int) {
        guard case .notified(let ofObstacle, let prospect) = standings[place].interruption else { return }
        standings[place].interruption = .over(ofObstacle: ofObstacle, prospect)
    }

    /// R11, R31: the cause has ended without letting the session resume.
    private mutating func forbidResuming(_ place: Int, by cause: Int) {
        let ended = FormerSession(facts.sessions[cause], standings[cause].described)
        if !standings[place].driver.isApplication {
            if asks(place), !isExempt(place) { standings[place].obstacle = .mustNotResume(after: ended) }
            return
        }
        // R34: the session is inactive already; its application learns whether to activate it again.
        guard standings[place].interruption.prospect != nil else { return }
        standings[place].interruption.prospect = .mustNotResume(after: ended.number)
        // R27: a session learns of the beginning, when silent, before it learns of the end.
        if standings[place].interruption.hasBegun, !isExempt(place) {
            standings[place].obstacle = .mustNotResume(after: ended)
        }
        end(place)
    }

    /// Who has ended in the present event so that the session must not resume.
    private func whoForbade(_ place: Int) -> Int? {
        if case .mustNotResume(let ended) = standings[place].obstacle {
            if case .mustNotResume? = former(place)?.obstacle { return nil }
            return facts.place(ended.number)
        }
        guard case .mustNotResume(let number) = standings[place].interruption.prospect,
            former(place)?.interruption.prospect == .mayResume
        else { return nil }
        return facts.place(number)
    }

    /// R11, R31, N17: the last session in the chain of causes decides.
    private func resumes(_ place: Int, after cause: Int) -> Bool {
        var last = cause
        for _ in standings.indices {
            if start[last].phase == .leaving(isLeftAlone: true) { return true }
            // The cause is still there, but no longer silences this session.
            let letsItBe =
                standings[last].phase != .inactive && standings[last].hasPassingObstacle && !silences(last, place)
            if holds(last) || letsItBe {
                guard let next = nextSilencer(after: last, of: place) else { return true }
                last = next
            } else if let ended = whoForbade(last), silences(ended, place) {
                // A session that keeps the cause itself from resuming decides, if it silences this session too.
                last = ended
            } else {
                return letsResume(last, place)
            }
        }
        return true
    }

    /// The first in the chain of a session's interrupters that silences another session.
    private func nextSilencer(after last: Int, of place: Int) -> Int? {
        var next = standings[last].cause
        for _ in standings.indices {
            guard let other = next else { return nil }
            if silences(other, place) { return other }
            next = interrupter(of: other)
        }
        return nil
    }

    /// R11, R31: an application decides for its session; else description and rules do.
    private func letsResume(_ last: Int, _ place: Int) -> Bool {
        let pair = rules.pair(standings[last].described, on: standings[place].described)
        let isNewcomer = isAbove(last, place) && facts.sessions[place].request > facts.sessions[last].request
        let byDescription =
            standings[last].described.has(.letsOthersResume)
            || (isNewcomer ? pair.newcomerResumes : pair.playingResumes)
        switch (facts.sessions[last].kind, standings[last].driver) {
        case (.system, _): return byDescription
        case (_, .deactivated(let notifiesOthers)): return notifiesOthers
        case (_, .activated), (_, .interrupted), (_, .closed): return true
        case (_, .streams):
            // A session that was never heard has interrupted nobody.
            return byDescription || !start[last].progress.wasHeard && !standings[last].progress.wasHeard
        }
    }
}
