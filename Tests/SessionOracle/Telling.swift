import SessionCore

/// What is done to streams, what sessions are, and what their applications are told.
extension Oracle {
    // MARK: - Told

    /// Tells what is other than it was: who is active and who is not, from the strongest claim down, then whose activation
    /// was granted, then the beginnings and ends of interruptions, in the same order as the first.
    mutating func tell(_ granted: [SessionID]) {
        let order = sessions.sorted(by: Self.isAbove).map(\.number)
        tellActivity(order)
        for id in granted { told.append(.granted(id)) }
        // What may be heard is not settled any more.
        for place in streams.indices where treatment(of: streams[place]).silence == .none {
            streams[place].isSettled = false
        }
        for number in order where !self[number].isClosed { tellInterruption(number) }
        for session in sessions where session.isClosed && session.news == .told {
            told.append(.ended(session.key, resumes: false))
        }
        for place in sessions.indices {
            sessions[place].stayedFor = nil
            sessions[place].wasBlocked = false
            sessions[place].isOver = false
            sessions[place].isLeftAlone = false
            sessions[place].hasLeft = false
            sessions[place].wasSilenced = !isSuspended && sessions[place].cause != nil
        }
        sessions.removeAll { session in
            if session.isClosed { return true }
            let isEmpty = !streams.contains { $0.session == session.number }
            return session.kind == .implicit && session.phase == .inactive && isEmpty
        }
    }

    /// Who lowers whom goes on doing so among equals.
    mutating func rememberDuckers() {
        for place in sessions.indices {
            var isInterrupted = false
            if case .session = sessions[place].cause { isInterrupted = true }
            sessions[place].ducker = isInterrupted ? nil : ducker(of: sessions[place])?.number
        }
    }

    /// Tells who is active and who is not, before anything else.
    private mutating func tellActivity(_ order: [Int]) {
        for number in order {
            let isActive = self[number].phase != .inactive
            if isActive == self[number].isToldActive { continue }
            // R30: who was told of an interruption is active when that has ended.
            if isActive && (self[number].news == .told || isSilenced(self[number])) { continue }
            tellActive(number, isActive)
        }
    }

    private mutating func tellActive(_ number: Int, _ isActive: Bool) {
        if self[number].isToldActive == isActive { return }
        self[number].isToldActive = isActive
        told.append(isActive ? .active(self[number].key) : .inactive(self[number].key))
    }

    private mutating func tellInterruption(_ number: Int) {
        let session = self[number]
        let isSilenced = isSilenced(session)
        let stays = isSilenced && session.cause == nil
        let isAudible = has(session, \.isAudible)
        let who = session.cause ?? session.obstacle?.who
        if isSilenced && session.news == .none && session.phase != .inactive {
            self[number].news = .begun
            self[number].hasGivenUp = false
        }
        if !isSilenced && self[number].news == .begun { self[number].news = .none }
        // R64: its output has gone meanwhile. Who was told to stay does not wait for it. Who was told of another output or input
        // is not told twice.
        if self[number].news == .told, isSilenced, let who, who == session.obstacle?.who, !stays,
            !isOfRoute(self[number].toldOf), !session.isOver
        {
            told.append(.ended(session.key, resumes: false))
            self[number].news = .begun
        }
        // R26, R27: it is silent and inactive when it is told.
        if self[number].news == .begun, !isAudible, let who {
            tellActive(number, false)
            begin(number, who)
        }
        guard self[number].news == .told, stays || !isSilenced || session.isOver else { return }
        self[number].news = .none
        let mayResume = session.isDriven ? !self[number].hasGivenUp : asks(session)
        let resumes = mayResume && !stays
        told.append(.ended(session.key, resumes: resumes))
        // N17: for so long those that it has interrupted wait for it.
        if session.isDriven, resumes, !session.isActivated {
            self[number].mayResumeUntil = now.advanced(by: policy.interruptions.resumesWithin)
        }
        // R34: what its streams drive goes on.
        if self[number].phase != .inactive && !stays { tellActive(number, true) }
    }

    private func isOfRoute(_ who: Who?) -> Bool {
        switch who {
        case .output, .input, .route: true
        case .session, .policy, nil: false
        }
    }

    private mutating func begin(_ number: Int, _ who: Who) {
        self[number].news = .told
        self[number].toldOf = who
        told.append(.began(self[number].key, by: who))
        if self[number].isDriven {
            // R26, R34: it is inactive, and its application activates it again.
            self[number].isActivated = false
            self[number].phase = .inactive
            self[number].deadline = nil
        }
        if let place = sessions.firstIndex(where: { $0.number == number }) { endOverride(place) }
    }

    // MARK: - What is done to streams

    /// What is done to one stream.
    public struct Verdict: Sendable, Equatable {
        /// How it is silenced.
        public var silence = Silence.none
        /// How far it is lowered.
        public var gain = LinearGain.unity
        /// Why.
        public var reason = Reason.none
        /// Who causes that.
        public var who: Who?
    }

    /// What is done to a stream; `nil` for one that is not known.
    public func verdict(on id: StreamID) -> Verdict? {
        streams.first { $0.id == id }.map { treatment(of: $0) }
    }

    func treatment(of stream: Stream) -> Verdict {
        let session = self[stream.session]
        // N16: while the policy is suspended, nothing is done to anybody.
        if isSuspended { return Verdict() }
        // R23
        if session.description.category == .audioProcessing && !stream.isUISound {
            return Verdict(silence: .cork, reason: .noDevice, who: .policy)
        }
        if let lack = lack(of: stream, in: session) { return Verdict(silence: .cork, reason: lack, who: .policy) }
        if isSilenced(session), let verdict = silence(of: stream, session) { return verdict }
        // R26
        if session.isDriven && !session.isActivated && !stream.isUISound {
            return Verdict(silence: .cork, reason: .inactive, who: .policy)
        }
        if stream.direction == .playback,
            let reason = switchedOff(stream.isUISound ? stream.description : session.description)
        {
            return Verdict(silence: .mute, reason: reason, who: .policy)
        }
        // R37
        if session.phase == .holding {
            return Verdict(silence: .cork, reason: .handover, who: .policy)
        }
        if stream.direction == .playback, let ducker = ducker(of: session) {
            return Verdict(
                gain: Pairs.gain(ducker.description, on: session.description, policy), reason: .ducked,
                who: .session(ducker.number))
        }
        return Verdict()
    }

    private func silence(of stream: Stream, _ session: Session) -> Verdict? {
        var verdict = Verdict(silence: .cork, who: session.cause ?? session.obstacle?.who)
        switch session.cause {
        case .session(let number):
            verdict.reason = .interrupted
            var kind = self.session(number).map { act($0, on: session) }
            // What is muted by one may be stopped by another.
            if kind == .mute {
                kind = silencers(of: session).lazy.map { act($0, on: session) }.first { $0 != .mute } ?? .mute
            }
            if kind == .mute { verdict.silence = .mute }
            if kind == .pausePlayer { verdict.silence = .pausePlayer }
        case .output, .route, .policy: verdict.reason = .routeDisconnected
        case .input: verdict.reason = .inputMuted
        case nil:
            // R13: a sound of the interface is silent as long as the interruption lasts and no longer.
            if stream.isUISound { return nil }
            if case .rejected = session.obstacle {
                verdict.reason = .rejected
            } else {
                // R64: what its route has stopped hears of that; what its output has left for good was told to stay.
                verdict.reason = verdict.who == .route ? .routeDisconnected : .superseded
            }
        }
        // R13: and it is dropped, not kept for later.
        if stream.isUISound { verdict.silence = .mute }
        return verdict
    }

    /// R15, R16, N16: which switch keeps it silent. R36: none a phone or an alarm.
    private func switchedOff(_ description: SessionDescription) -> Reason? {
        if Pairs.overrules(description) { return nil }
        if switches.isSilent && policy.switches.silent.contains(description.category) { return .silentSwitch }
        if switches.isLocked && policy.switches.locked.contains(description.category) { return .screenLock }
        if switches.isUndisturbed && policy.switches.undisturbed.contains(description.category) {
            return .doNotDisturb
        }
        return nil
    }

    /// R45: all that is heard is lowered, whoever came first; but of two that lower each other only the weaker one. N10: they
    /// do not add up; the deepest counts.
    private func ducker(of session: Session) -> Session? {
        let duckers = sessions.filter { other in
            guard other.number != session.number, isHeard(other), act(other, on: session) == .duck else { return false }
            let lowersBack = [false, true].contains { isNewcomer in
                Pairs.kind(session.description, on: other.description, isNewcomer: isNewcomer, policy) == .duck
            }
            return !lowersBack || Self.isAbove(other, session)
        }
        return duckers.sorted(by: Self.isAbove).min { one, other in
            let gains = [one, other].map { Pairs.gain($0.description, on: session.description, policy) }
            // Of two that lower it as far, the one that does already.
            if gains[0] == gains[1] { return one.number == session.ducker && other.number != session.ducker }
            return gains[0] < gains[1]
        }
    }

    // MARK: - What opened sessions may read

    /// What an opened session is, as its application may read it.
    public struct State: Sendable, Equatable {
        /// It may be heard.
        public var isActive: Bool
        /// It was told of an interruption that lasts.
        public var isInterrupted: Bool
        /// It waits to be activated (N9).
        public var isDelayed: Bool
        /// Another session is heard (R77).
        public var isOtherAudioPlaying: Bool
        /// One that does not mix is heard (N6).
        public var isSecondaryAudioToBeSilenced: Bool
        /// What it records from is muted (N7).
        public var isInputMuted: Bool
    }

    /// What an opened session is; `nil` for one that is not known.
    public func state(of id: SessionID) -> State? {
        guard let session = session(.opened(id)) else { return nil }
        // R77, N6: who else is heard, and who of them does not mix.
        let others = sessions.filter { other in
            other.number != session.number && Pairs.isHeard(other.description.category) && other.phase != .inactive
                && !isSilenced(other) && has(other) { $0.isWanted && $0.isRunning }
        }
        return State(
            isActive: session.isToldActive, isInterrupted: session.news == .told,
            isDelayed: waiting.contains(session.number), isOtherAudioPlaying: !others.isEmpty,
            isSecondaryAudioToBeSilenced: others.contains { !Pairs.mixes($0.description) },
            isInputMuted: isInputMuted(session))
    }

    /// When something ends by itself.
    public var nextDeadline: Instant? {
        var moments = sessions.compactMap(\.deadline)
        for session in sessions {
            if case .lostOutput(_, _, let until) = session.obstacle { moments.append(until) }
            // Nobody else waits for it.
            if let until = session.mayResumeUntil, sessions.contains(where: { $0.cause == .session(session.number) }) {
                moments.append(until)
            }
        }
        if let end = switches.pausedUntil { moments.append(end) }
        return moments.filter { $0 < Switches.never }.min()
    }

    /// Whether nothing is remembered.
    public var isEmpty: Bool { sessions.isEmpty && streams.isEmpty }
}
