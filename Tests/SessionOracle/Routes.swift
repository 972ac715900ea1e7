import SessionCore

/// What keeps sessions silent beside other sessions: outputs that go, inputs that are muted, routes that change.
extension Oracle {
    // MARK: - Outputs (R64)

    /// R64: what was heard there is not heard anywhere else, unless its application asks for it.
    mutating func loseOutput(_ port: PortID, _ name: String, _ lost: [StreamID]) {
        if isSuspended { return }
        for id in lost {
            guard let stream = streams.first(where: { $0.id == id }), stream.direction == .playback else { continue }
            // R13: sounds of the interface go on anywhere, and are no part of what their session has lost.
            if stream.isUISound { continue }
            let session = self[stream.session]
            // N25: a session may say for itself whether it wants that.
            guard session.configuration.interruptionOnRouteDisconnect ?? policy.routes.pausesPlayback else { continue }
            // Who is interrupted and may resume would be heard elsewhere when it does.
            let isHeardThere = stream.isWanted && asks(session)
            let isToResume = session.isDriven && isSilenced(session) && mayResume(session)
            guard isHeardThere || isToResume, session.obstacle == nil, lack(of: stream, in: session) == nil,
                !Pairs.goesOnElsewhere(session.description)
            else { continue }
            // Of this one it is told anew.
            self[session.number].toldOf = nil
            self[session.number].obstacle = .lostOutput(
                port, name: name, until: now.advanced(by: policy.routes.resumesWithin))
        }
    }

    /// R64: what has lost this output goes on there, and nowhere else.
    mutating func returnOutput(_ port: PortID, _ back: [StreamID]) {
        for stream in streams where back.contains(stream.id) {
            guard case .lostOutput(port, _, _) = self[stream.session].obstacle else { continue }
            self[stream.session].obstacle = nil
        }
    }

    /// R64: what was waited for long enough is not waited for any more. The time begins when nobody else keeps the session
    /// silent: a call on a Bluetooth headset takes its music's output away for as long as it lasts.
    mutating func giveUpOutputs() -> Bool {
        var isAny = false
        for place in sessions.indices {
            guard case .lostOutput(let port, let name, let until) = sessions[place].obstacle, until <= now else {
                continue
            }
            let session = sessions[place]
            isAny = true
            var isInterrupted = false
            if case .session = session.cause { isInterrupted = true }
            if isInterrupted && !isSuspended {
                sessions[place].obstacle = .lostOutput(
                    port, name: name, until: now.advanced(by: policy.routes.resumesWithin))
            } else {
                sessions[place].obstacle = .toldToStay(by: .output(port))
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
            // All at once, or one would begin in the place of another.
            for session in sessions.filter(isRecording) {
                self[session.number].obstacle = .toldToStay(by: .route)
                // It is not active any more when it is looked at, and hears of it all the same.
                if session.news == .none { self[session.number].news = .begun }
            }
        }
        // R41: what a session has asked for itself does not end what it asked for.
        if reason == .override || reason == .categoryChange { return }
        for place in sessions.indices { endOverride(place) }
    }

    /// R41: an interruption and another route end the override of the output.
    mutating func endOverride(_ place: Int) {
        if sessions[place].configuration.outputOverride != .none { try? sessions[place].configuration.set(.none) }
    }

    /// Whether a session records and is no call, or would in the place of another recording that silences it.
    private func isRecording(_ session: Session) -> Bool {
        let captures = has(session) {
            $0.direction == .capture && $0.isWanted && lack(of: $0, in: session) == nil
        }
        guard session.phase == .active, asks(session), session.obstacle == nil,
            !Pairs.goesOnElsewhere(session.description), session.description.category == .record || captures
        else { return false }
        return !isSilenced(session) || isSilencedByRecording(session)
    }

    private func isSilencedByRecording(_ session: Session) -> Bool {
        guard case .session(let number) = session.cause else { return false }
        return self.session(number)?.description.category == .record
    }

    // MARK: - Inputs (N7)

    /// N7: a session that an application has opened to record is interrupted when its user mutes what it records from. Not
    /// one that begins like that, and no call.
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
            if case .mutedInput(let other, _) = session.obstacle {
                if isMuted {
                    // That is the one to wait for now.
                    self[number].obstacle = .mutedInput(port, name: name)
                    if session.cause == .input(other) { self[number].cause = .input(port) }
                } else if other != port, !isInputMuted(session) {
                    // It records from another input, which may have been chosen by nobody.
                    self[number].obstacle = .toldToStay(by: .route)
                }
            } else if isMuted, mayInterrupt(session, wasRecording: wereRecording.contains(number)) {
                self[number].obstacle = .mutedInput(port, name: name)
            }
        }
        if !isMuted { stopWaiting(for: port, isGone: false) }
    }

    private func mayInterrupt(_ session: Session, wasRecording: Bool) -> Bool {
        guard !isSuspended, session.kind == .opened, session.phase == .active, asks(session), session.obstacle == nil,
            session.description.category == .record, isInputMuted(session)
        else { return false }
        return isSilenced(session) ? isSilencedByRecording(session) : wasRecording
    }

    /// The input is not muted any more, or has gone: then only the application goes on, with another one.
    mutating func stopWaiting(for port: PortID, isGone: Bool) {
        for place in sessions.indices {
            guard case .mutedInput(port, _) = sessions[place].obstacle else { continue }
            sessions[place].obstacle = isGone ? .toldToStay(by: .route) : nil
        }
    }

    /// Whether all that a session records from is muted.
    func isInputMuted(_ session: Session) -> Bool {
        let captures = streams(of: session).filter { $0.direction == .capture }
        return !captures.isEmpty && captures.allSatisfy(\.isInputMuted)
    }
}
