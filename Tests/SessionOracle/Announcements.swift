import RandomEvents
import SessionCore

/// The outputs of the oracle: announcements to applications, treatments of streams, and states of opened sessions.
extension Oracle {
    // MARK: - Announcements

    /// Announces all changes: first sessions that became active or inactive, strongest claim first; then granted
    /// activations; then beginnings and ends of interruptions, strongest claim first. Ends the event.
    mutating func announce(_ granted: [SessionID]) {
        let order = sessions.sorted(by: Self.isAbove).map(\.number)
        announcePhases(order)
        for id in granted { announcements.append(.granted(id)) }
        // A stream that may be heard again is no longer settled.
        for place in streams.indices where treatment(of: streams[place]).silence == .none {
            streams[place].isSettled = false
        }
        for number in order where !self[number].isClosed { announceInterruption(number) }
        for session in sessions where session.isClosed && session.interruption == .announced {
            announcements.append(.ended(session.key, resumes: false))
        }
        for place in sessions.indices {
            sessions[place].toldToStayBy = nil
            sessions[place].wasBlocked = false
            sessions[place].endsInterruption = false
            sessions[place].isLeftAlone = false
            sessions[place].hasLeft = false
            sessions[place].wasSilenced = !isSuspended && sessions[place].cause != nil
        }
        sessions.removeAll { session in
            if session.isClosed { return true }
            let isEmpty = !streams.contains { $0.session == session.number }
            return session.kind == .implicit && session.phase == .inactive && isEmpty
        }
        endFreedoms()
    }

    /// Records each session's ducker, which stays its ducker if another one would lower it equally far.
    mutating func rememberDuckers() {
        for place in sessions.indices {
            var isInterrupted = false
            if case .session = sessions[place].cause { isInterrupted = true }
            sessions[place].ducker = isInterrupted ? nil : ducker(of: sessions[place])?.number
        }
    }

    /// Announces the sessions that became active or inactive.
    private mutating func announcePhases(_ order: [Int]) {
        for number in order {
            let isActive = self[number].phase != .inactive
            if isActive == self[number].isToldActive { continue }
            // R30: an interrupted session is told the end of the interruption first.
            if isActive && (self[number].interruption == .announced || isSilenced(self[number])) { continue }
            announceActive(number, isActive)
        }
    }

    private mutating func announceActive(_ number: Int, _ isActive: Bool) {
        if self[number].isToldActive == isActive { return }
        self[number].isToldActive = isActive
        announcements.append(isActive ? .active(self[number].key) : .inactive(self[number].key))
    }

    private mutating func announceInterruption(_ number: Int) {
        let session = self[number]
        let isSilenced = isSilenced(session)
        let stays = isSilenced && session.cause == nil
        let isAudible = has(session) { $0.isAudible && (!isSilenced || isToBeSilent($0, in: session)) }
        let cause = session.cause ?? session.block?.cause
        if isSilenced && session.interruption == .none && session.phase != .inactive {
            self[number].interruption = .begun
            self[number].hasGivenUp = false
        }
        let isGone = session.kind == .implicit && !has(session) { _ in true }
        if (!isSilenced || isGone) && self[number].interruption == .begun { self[number].interruption = .none }
        // R64: the session that interrupted this one has ended, but this one's output or input is not available.
        // Announces that block, unless an output or input was announced already.
        if self[number].interruption == .announced, isSilenced, let cause, cause == session.block?.cause, !stays,
            !isOfRoute(self[number].announcedCause), !session.endsInterruption
        {
            announcements.append(.ended(session.key, resumes: false))
            self[number].interruption = .begun
        }
        // R26, R27: the session is silent and inactive when the beginning is announced.
        if self[number].interruption == .begun, !isAudible, let cause {
            announceActive(number, false)
            announceBeginning(number, cause)
        }
        guard self[number].interruption == .announced, stays || !isSilenced || session.endsInterruption else { return }
        self[number].interruption = .none
        let mayResume = session.isDriven ? !self[number].hasGivenUp : asks(session)
        let resumes = mayResume && !stays
        announcements.append(.ended(session.key, resumes: resumes))
        // N17: the sessions that it interrupted wait until this time.
        if session.isDriven, resumes, !session.isActivated {
            self[number].mayResumeUntil = now.advanced(by: policy.interruptions.resumesWithin)
        }
        // R34: a session that its streams drive resumes at once.
        if self[number].phase != .inactive && !stays { announceActive(number, true) }
    }

    private func isOfRoute(_ cause: OracleCause?) -> Bool {
        switch cause {
        case .output, .input, .route: true
        case .session, .policy, nil: false
        }
    }

    private mutating func announceBeginning(_ number: Int, _ cause: OracleCause) {
        self[number].interruption = .announced
        self[number].announcedCause = cause
        announcements.append(.began(self[number].key, by: cause))
        if self[number].isDriven {
            // R26, R34: the interrupted session is inactive until its application activates it again.
            self[number].isActivated = false
            self[number].phase = .inactive
            self[number].deadline = nil
        }
        if let place = sessions.firstIndex(where: { $0.number == number }) { endOverride(place) }
    }

    // MARK: - Treatments

    /// The treatment of one stream, with the oracle's own kind of cause.
    public struct StreamTreatment: Sendable, Equatable {
        /// Whether and how the stream is silenced.
        public var silence = Silence.none
        /// The gain to which the stream is ducked.
        public var gain = LinearGain.unity
        /// The reason.
        public var reason = Reason.none
        /// Who or what causes the treatment; `nil` while nothing is done.
        public var cause: OracleCause?
    }

    /// The treatment of a stream; `nil` for an unknown stream.
    public func treatment(of id: StreamID) -> StreamTreatment? {
        streams.first { $0.id == id }.map { treatment(of: $0) }
    }

    func treatment(of stream: Stream) -> StreamTreatment {
        let session = self[stream.session]
        // N16: while the policy is suspended, no stream is treated.
        if isSuspended { return StreamTreatment() }
        // R23
        if session.description.category == .audioProcessing && !stream.isUISound {
            return StreamTreatment(silence: .cork, reason: .noDevice, cause: .policy)
        }
        if let lack = lack(of: stream, in: session) {
            return StreamTreatment(silence: .cork, reason: lack, cause: .policy)
        }
        if isSilenced(session), isToBeSilent(stream, in: session) { return silence(of: stream, session) }
        // R26
        if session.isDriven && !session.isActivated && !stream.isUISound {
            return StreamTreatment(silence: .cork, reason: .inactive, cause: .policy)
        }
        if stream.direction == .playback, !session.isFreeFromSwitches,
            let reason = switchedOff(stream, in: session)
        {
            return StreamTreatment(silence: .mute, reason: reason, cause: .policy)
        }
        // R37
        if session.phase == .holding {
            return StreamTreatment(silence: .cork, reason: .handover, cause: .policy)
        }
        if stream.direction == .playback, let ducker = ducker(of: session) {
            let gain = Pairs.gain(ducker.description, on: session.description, policy)
            return StreamTreatment(
                gain: LinearGain(gain.value * stream.description.level.linear.value), reason: .ducked,
                cause: .session(ducker.number))
        }
        // N23
        if stream.direction == .playback, stream.description.level != Decibels(0) {
            return StreamTreatment(gain: stream.description.level.linear, reason: .level, cause: .policy)
        }
        return StreamTreatment()
    }

    private func silence(of stream: Stream, _ session: Session) -> StreamTreatment {
        var treatment = StreamTreatment(silence: .cork, cause: session.cause ?? session.block?.cause)
        switch session.cause {
        case .session(let number):
            treatment.reason = .interrupted
            var kind = self.session(number).map { act($0, on: session) }
            // If the cause only mutes the session, another session may stop it.
            if kind == .mute {
                kind = silencers(of: session).lazy.map { act($0, on: session) }.first { $0 != .mute } ?? .mute
            }
            if kind == .mute { treatment.silence = .mute }
            if kind == .pausePlayer { treatment.silence = .pausePlayer }
        case .output, .route, .policy: treatment.reason = .routeDisconnected
        case .input: treatment.reason = .inputMuted
        case nil:
            if case .rejected = session.block {
                treatment.reason = .rejected
            } else {
                // R64: a recording that the route stopped has that reason. A session whose output did not come back in
                // time is superseded.
                treatment.reason = treatment.cause == .route ? .routeDisconnected : .superseded
            }
        }
        // R13: a user interface sound is dropped, not kept for later.
        if stream.isUISound { treatment.silence = .mute }
        return treatment
    }

    /// The switch that silences a stream (R15, R16, N16); `nil` for none. No switch silences calls and alarms (R36).
    func switchedOff(_ stream: Stream, in session: Session) -> Reason? {
        let description = stream.isUISound ? stream.description : session.description
        if Pairs.overridesMixing(description) { return nil }
        if switches.isSilent && policy.switches.silent.contains(description.category) { return .silentSwitch }
        if switches.isLocked && policy.switches.locked.contains(description.category) { return .screenLock }
        if switches.isUndisturbed && policy.switches.undisturbed.contains(description.category) {
            return .doNotDisturb
        }
        return nil
    }

    /// The heard session that ducks a session furthest; `nil` for none. Order does not matter (R45). If two sessions
    /// duck each other, only the one with the weaker claim is ducked. Gains do not add up (N10).
    private func ducker(of session: Session) -> Session? {
        let duckers = sessions.filter { other in
            guard other.number != session.number, isHeard(other), act(other, on: session) == .duck else { return false }
            let ducksBack = [false, true].contains { isNewcomer in
                Pairs.kind(session.description, on: other.description, isNewcomer: isNewcomer, policy) == .duck
            }
            return !ducksBack || Self.isAbove(other, session)
        }
        return duckers.sorted(by: Self.isAbove).min { one, other in
            let gains = [one, other].map { Pairs.gain($0.description, on: session.description, policy) }
            // Among equal gains the present ducker stays.
            if gains[0] == gains[1] { return one.number == session.ducker && other.number != session.ducker }
            return gains[0] < gains[1]
        }
    }

    // MARK: - States of opened sessions

    /// The state of an opened session, as its application may read it.
    public struct State: Sendable, Equatable {
        /// Whether the session may be heard.
        public var isActive: Bool
        /// Whether an interruption was announced and has not ended.
        public var isInterrupted: Bool
        /// Whether a delayed activation is pending (N9).
        public var isDelayed: Bool
        /// Whether another session is heard (R77).
        public var isOtherAudioPlaying: Bool
        /// Whether another session is heard that does not mix (N6).
        public var isSecondaryAudioToBeSilenced: Bool
        /// Whether all inputs from which the session records are muted (N7).
        public var isInputMuted: Bool
    }

    /// The state of an opened session; `nil` for an unknown one.
    public func state(of id: SessionID) -> State? {
        guard let session = session(.opened(id)) else { return nil }
        // R77, N6: the other sessions that are heard.
        let others = sessions.filter { other in
            other.number != session.number && Pairs.isHeard(other.description.category) && other.phase != .inactive
                && !isSilenced(other) && has(other) { $0.isWanted && $0.isRunning }
        }
        return State(
            isActive: session.isToldActive, isInterrupted: session.interruption == .announced,
            isDelayed: waiting.contains(session.number), isOtherAudioPlaying: !others.isEmpty,
            isSecondaryAudioToBeSilenced: others.contains { !Pairs.mixes($0.description) },
            isInputMuted: isInputMuted(session))
    }

    /// The earliest time at which a phase, a pause or a wait ends by itself; `nil` for none.
    public var nextDeadline: Instant? {
        var moments = sessions.compactMap(\.deadline)
        for session in sessions {
            if case .lostOutput(_, _, let until) = session.block { moments.append(until) }
            // The end of the time to resume matters only if another session waits for this one.
            if let until = session.mayResumeUntil, sessions.contains(where: { $0.cause == .session(session.number) }) {
                moments.append(until)
            }
        }
        if let end = switches.pausedUntil { moments.append(end) }
        return moments.filter { $0 < Switches.never }.min()
    }

    /// Whether there are neither sessions nor streams.
    public var isEmpty: Bool { sessions.isEmpty && streams.isEmpty }
}
