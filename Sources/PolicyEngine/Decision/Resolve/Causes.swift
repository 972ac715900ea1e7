/// Who silences whom, and which sessions resume when nobody silences them any more (N17, R11, R31).
extension Scene {
    /// N17: finds the cause of a session. The first cause remains as long as it holds the session and silences it.
    mutating func resolveCause(of place: Int) {
        // A closed session keeps its cause, which becomes that of those that it has silenced.
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
        // A session that does not ask any more is notified of the end, whoever silences it now.
        if former != nil, !asks(place), !mayResume(place) { end(place) }
        let next = successor(of: former, for: place) ?? silencer(of: place)
        if let next { return silence(place, by: next, silencing(party(next), party(place))) }
        guard let former else { return }
        standings[place].cause = nil
        guard !facts.isSuspended, !resumes(place, after: former) else { return }
        forbidResuming(place, by: former)
    }

    /// Ends what silences a session to which that no longer applies.
    private mutating func endObstacle(_ place: Int) {
        if standings[place].obstacle == nil { return }
        // Where an application drives its session, it was notified, and has to activate it again.
        if !standings[place].driver.isApplication, !asks(place) { standings[place].end(.paused) }
        if isExempt(place) { standings[place].end(.exempt) }
    }

    /// R13, R36: whether no obstacle silences a session. Nothing silences a call; a user interface sound does not wait.
    func isExempt(_ place: Int) -> Bool {
        standings[place].described.has(.uiSound) || standings[place].described.has(.isCall)
    }

    /// How a session still silences another one, which it had silenced; `mix` if it does not.
    private func kept(by actor: Int, _ place: Int) -> Interplay.Kind {
        // N1: speech that is known to be heard is about to silence those with weaker claims.
        if !holds(actor) || heardSpeech.contains(place) && !isAbove(actor, place) { return .mix }
        return silencing(party(actor), party(place))
    }

    /// Records who silences a session, and how.
    private mutating func silence(_ place: Int, by cause: Int, _ kind: Interplay.Kind) {
        let silence: Silence = kind == .mute ? .mute : kind == .pausePlayer ? .pausePlayer : .cork
        if standings[place].cause != cause { standings[place].cause = cause }
        if standings[place].silence != silence { standings[place].silence = silence }
    }

    /// N17: whoever had interrupted the former cause takes its place, if that one silences this session too.
    private func successor(of former: Int?, for place: Int) -> Int? {
        var next = former
        for _ in standings.indices {
            guard let actor = next else { return nil }
            next = interrupter(of: actor)
            if let next, kept(by: next, place) != .mix { return next }
        }
        return nil
    }

    /// Who had interrupted a session; of one that ends in the present event, before that.
    private func interrupter(of place: Int) -> Int? {
        holds(place) ? standings[place].cause : start[place].cause ?? standings[place].cause
    }

    /// The heard session with the strongest claim that silences a session; `nil` for none.
    private func silencer(of place: Int) -> Int? { heard(over: place).first { silences($0, place) } }

    /// The heard sessions that may silence a session. Speech may also be silenced by weaker ones, which are not decided
    /// yet.
    private func heard(over place: Int) -> [Int] {
        let mayBeWeaker = standings[place].described.has(.isSpeech) && !heardSpeech.contains(place)
        return mayBeWeaker ? actors.filter { isHeard($0) }.sorted { isAbove($0, $1) } : heard
    }

    /// Finds who stops a session that its cause only mutes.
    mutating func findStronger(_ place: Int) {
        let kinds = heard(over: place).map { silencing(party($0), party(place)) }
        guard let kind = kinds.first(where: { $0.silences && $0 != .mute }) else { return }
        standings[place].silence = kind == .pausePlayer ? .pausePlayer : .cork
    }

    // MARK: - Ends of interruptions

    /// A session is notified of the end of its interruption, whoever silences it now.
    private mutating func end(_ place: Int) {
        guard case .notified(let ofObstacle, let prospect) = standings[place].interruption else { return }
        standings[place].interruption = .over(ofObstacle: ofObstacle, prospect)
    }

    /// R11, R31: a session must not resume, because its cause has ended so.
    private mutating func forbidResuming(_ place: Int, by cause: Int) {
        let ended = FormerSession(facts.sessions[cause], standings[cause].described)
        if !standings[place].driver.isApplication {
            if asks(place), !isExempt(place) { standings[place].obstacle = .mustNotResume(after: ended) }
            return
        }
        // R34: it is inactive already; its application is notified whether to activate it again.
        guard standings[place].interruption.prospect != nil else { return }
        standings[place].interruption.prospect = .mustNotResume(after: ended.number)
        // R27: a session hears of the beginning, when it is silent, before it hears of the end.
        if standings[place].interruption.hasBegun, !isExempt(place) {
            standings[place].obstacle = .mustNotResume(after: ended)
        }
        end(place)
    }

    /// After whom a session must not resume since the present event; `nil` for nobody.
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

    /// R11, R31, N17: whether a session resumes by itself after its cause has ended.
    private func resumes(_ place: Int, after cause: Int) -> Bool {
        var last = cause
        for _ in standings.indices {
            if start[last].phase == .leaving(isLeftAlone: true) { return true }
            // The cause is still there, and only lets this session be.
            let letsItBe =
                standings[last].phase != .inactive && standings[last].hasPassingObstacle && !silences(last, place)
            if holds(last) || letsItBe {
                guard let next = nextSilencer(after: last, of: place) else { return true }
                last = next
            } else if let ended = whoForbade(last), silences(ended, place) {
                // Whoever keeps the cause itself from resuming decides, if that one silences this session too.
                last = ended
            } else {
                return letsResume(last, place)
            }
        }
        return true
    }

    /// The first of those who have interrupted a session, each the one before, that silences another one; `nil` for none.
    private func nextSilencer(after last: Int, of place: Int) -> Int? {
        var next = standings[last].cause
        for _ in standings.indices {
            guard let other = next else { return nil }
            if silences(other, place) { return other }
            next = interrupter(of: other)
        }
        return nil
    }

    /// R11, R31: whether a session that has ended lets another one resume.
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
            // What was never heard has interrupted nobody.
            return byDescription || !start[last].progress.wasHeard && !standings[last].progress.wasHeard
        }
    }
}
