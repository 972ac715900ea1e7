import RandomEvents
import SessionCore

/// Blocks of sessions: removed outputs, muted inputs, changed routes.
extension Oracle {
    // MARK: - Outputs (R64)

    /// R64: interrupts the sessions whose output was removed, so that they do not continue on another output.
    mutating func loseOutput(_ port: PortID, _ name: String, _ lost: [StreamID]) {
        if isSuspended { return }
        for id in lost {
            guard let stream = streams.first(where: { $0.id == id }), stream.direction == .playback else { continue }
            // R13: user interface sounds continue on any output.
            if stream.isUISound { continue }
            let session = self[stream.session]
            // N25: an application may choose this for its own session.
            guard session.configuration.interruptionOnRouteDisconnect ?? policy.routes.pausesPlayback else { continue }
            // An interrupted session that may resume would resume on another output.
            let isHeardThere = stream.isWanted && asks(session)
            let isToResume = session.isDriven && isSilenced(session) && mayResume(session)
            guard isHeardThere || isToResume, session.block == nil, lack(of: stream, in: session) == nil,
                !Pairs.goesOnElsewhere(session.description)
            else { continue }
            // The application is told of this loss even if it was told of an earlier one.
            self[session.number].announcedCause = nil
            self[session.number].block = .lostOutput(
                port, name: name, until: now.advanced(by: policy.routes.resumesWithin))
        }
    }

    /// R64: resumes the sessions that lost this output and play on it again.
    mutating func returnOutput(_ port: PortID, _ back: [StreamID]) {
        for stream in streams where back.contains(stream.id) {
            guard case .lostOutput(port, _, _) = self[stream.session].block else { continue }
            self[stream.session].block = nil
        }
    }

    /// R64: stops waiting for outputs that did not come back in time. The time starts when no other session silences
    /// the waiting one: a call on a Bluetooth headset takes the music's output away for as long as the call lasts.
    ///
    /// - Returns: Whether a wait has ended or was extended.
    mutating func giveUpOutputs() -> Bool {
        var isAny = false
        for place in sessions.indices {
            guard case .lostOutput(let port, let name, let until) = sessions[place].block, until <= now else {
                continue
            }
            let session = sessions[place]
            isAny = true
            var isInterrupted = false
            if case .session = session.cause { isInterrupted = true }
            if isInterrupted && !isSuspended {
                sessions[place].block = .lostOutput(
                    port, name: name, until: now.advanced(by: policy.routes.resumesWithin))
            } else {
                sessions[place].block = .toldToStay(by: .output(port))
            }
        }
        return isAny
    }

    // MARK: - Routes of recordings (R41, R64)

    mutating func changeRoute(_ reason: RouteChangeReason) {
        let isDisconnected = reason == .oldDeviceUnavailable || reason == .noSuitableRouteForCategory
        let stops =
            switch policy.routes.stopsRecording {
            case .never: false
            case .disconnect: isDisconnected
            case .anyChange: isDisconnected || reason == .newDeviceAvailable
            }
        if stops && !isSuspended {
            // All together, because one by one, a session could start in the place of another.
            for session in sessions.filter(isRecording) {
                self[session.number].block = .toldToStay(by: .route)
                // The session is inactive when it is resolved, but must still be told of the interruption.
                if session.interruption == .none { self[session.number].interruption = .begun }
            }
        }
        // R41: a route change that a session caused with its own request does not end the session's override.
        if reason == .override || reason == .categoryChange { return }
        for place in sessions.indices { endOverride(place) }
    }

    /// R41: an interruption or a change of route ends the override of the output.
    mutating func endOverride(_ place: Int) {
        if sessions[place].configuration.outputOverride != .none { try? sessions[place].configuration.set(.none) }
    }

    /// Whether a session is recording and is no call, or only another recording keeps it from recording.
    private func isRecording(_ session: Session) -> Bool {
        let captures = has(session) {
            $0.direction == .capture && $0.isWanted && lack(of: $0, in: session) == nil
        }
        guard session.phase == .active, asks(session), session.block == nil,
            !Pairs.goesOnElsewhere(session.description), session.description.category == .record || captures
        else { return false }
        return !isSilenced(session) || isSilencedByRecording(session)
    }

    private func isSilencedByRecording(_ session: Session) -> Bool {
        guard case .session(let number) = session.cause else { return false }
        return self.session(number)?.description.category == .record
    }

    // MARK: - Inputs (N7)

    /// N7: interrupts the opened sessions of the category record whose input is muted while they record. A session that
    /// starts with a muted input, and a call, continue.
    mutating func mute(_ port: PortID, _ isMuted: Bool, _ name: String, _ recording: [StreamID]) {
        var concerned: [Int] = []
        var wereRecording: [Int] = []
        for place in streams.indices where recording.contains(streams[place].id) {
            guard streams[place].direction == .capture else { continue }
            concerned.append(streams[place].session)
            if streams[place].isRunning && !streams[place].isInputMuted { wereRecording.append(streams[place].session) }
            streams[place].isInputMuted = isMuted
        }
        for number in concerned {
            let session = self[number]
            if case .mutedInput(let other, _) = session.block {
                if isMuted {
                    // The session waits for this input now.
                    self[number].block = .mutedInput(port, name: name)
                    if session.cause == .input(other) { self[number].cause = .input(port) }
                } else if other != port, !isInputMuted(session) {
                    // The session now records from another input, which perhaps nobody chose.
                    self[number].block = .toldToStay(by: .route)
                }
            } else if isMuted, mayInterrupt(session, wasRecording: wereRecording.contains(number)) {
                self[number].block = .mutedInput(port, name: name)
            }
        }
        if !isMuted { stopWaiting(for: port, isGone: false) }
    }

    private func mayInterrupt(_ session: Session, wasRecording: Bool) -> Bool {
        guard !isSuspended, session.kind == .opened, session.phase == .active, asks(session), session.block == nil,
            session.description.category == .record, isInputMuted(session)
        else { return false }
        return isSilenced(session) ? isSilencedByRecording(session) : wasRecording
    }

    /// Ends the wait for an input: it was unmuted, or it was removed. If it was removed, only the applications resume.
    mutating func stopWaiting(for port: PortID, isGone: Bool) {
        for place in sessions.indices {
            guard case .mutedInput(port, _) = sessions[place].block else { continue }
            sessions[place].block = isGone ? .toldToStay(by: .route) : nil
        }
    }

    /// Whether a session has recording streams and the inputs of all of them are muted.
    func isInputMuted(_ session: Session) -> Bool {
        let captures = streams(of: session).filter { $0.direction == .capture }
        return !captures.isEmpty && captures.allSatisfy(\.isInputMuted)
    }
}
