/// An output or input that a session has lost.
final class LostPort: Sendable {
    let id: PortID
    let name: String

    init(_ id: PortID, _ name: String) {
        self.id = id
        self.name = name
    }
}

/// A session that has rejected another one, or ended without letting it resume. May no longer exist.
final class FormerSession: Sendable {
    let interrupter: Interrupter
    let number: UInt32
    let described: Described

    init(_ session: Session, _ described: Described) {
        interrupter = session.interrupter(described)
        number = session.number
        self.described = described
    }
}

/// What keeps a session silent other than another session.
enum Obstacle: Sendable {
    /// R64: its output has gone; the session waits until this moment.
    case lostOutput(LostPort, until: Instant)
    /// N7: its user has muted its input.
    case mutedInput(LostPort)
    /// R11, R31: its silencer has ended without letting it resume.
    case mustNotResume(after: FormerSession)
    /// R8: it was rejected.
    case rejected(by: FormerSession)
    /// R64: its output did not come back in time.
    case missedOutput(LostPort)
    /// R64: the route of its recording has changed.
    case changedRoute

    // MARK: - Its end

    enum Occasion {
        /// R9: the client starts a stream of the session.
        case started
        /// The session's application activates, deactivates or closes it (R34), or its user frees it (N19).
        case requested
        /// R35: no stream drives the session any more.
        case paused
        /// R80: the session is closed, and its streams go to their application's session.
        case streamsReturn
        /// R13, R36: the session has become a call, which nothing silences, or a user interface sound, which does not
        /// wait.
        case exempt
        /// R36: the session has become a call, or streams of a call have moved to it: any output will do.
        case goesOnElsewhere
        /// R64: the output is in use again.
        case outputReturned(PortID)
        /// N7: the input's user has unmuted it.
        case inputUnmuted(PortID)
    }

    func ends(_ occasion: Occasion) -> Bool {
        switch (occasion, self) {
        case (.requested, _), (.paused, _), (.exempt, _): true
        // R64: a client's own start is no reason to play on another output.
        case (.started, .lostOutput): false
        case (.started, .mutedInput), (.started, .mustNotResume), (.started, .rejected), (.started, .missedOutput),
            (.started, .changedRoute):
            true
        // N7: a muted input silences opened sessions only.
        case (.streamsReturn, .mutedInput): true
        case (.streamsReturn, .lostOutput), (.streamsReturn, .mustNotResume), (.streamsReturn, .rejected),
            (.streamsReturn, .missedOutput), (.streamsReturn, .changedRoute):
            false
        case (.goesOnElsewhere, _): isOfRoute
        case (.outputReturned(let id), .lostOutput(let port, _)): port.id == id
        case (.inputUnmuted(let id), .mutedInput(let port)): port.id == id
        case (.outputReturned, _), (.inputUnmuted, _): false
        }
    }

    /// When the obstacle ends by itself, or becomes another one.
    var end: Instant? {
        switch self {
        case .lostOutput(_, let until): until
        case .mutedInput, .mustNotResume, .rejected, .missedOutput, .changedRoute: nil
        }
    }

    /// What it becomes when its time is over: with `next`, while another session silences this one, the wait for an
    /// output starts again, because a call on a headset takes the music's output away for as long as the call lasts.
    func over(_ next: Instant?) -> Obstacle {
        switch self {
        case .lostOutput(let port, _): next.map { .lostOutput(port, until: $0) } ?? .missedOutput(port)
        case .mutedInput, .mustNotResume, .rejected, .missedOutput, .changedRoute: self
        }
    }

    /// Whether only the session's own application or user ends it.
    var isFinal: Bool {
        switch self {
        case .lostOutput, .mutedInput: false
        case .mustNotResume, .rejected, .missedOutput, .changedRoute: true
        }
    }

    // MARK: - What is done and told meanwhile

    var isOfRoute: Bool {
        switch self {
        case .lostOutput, .mutedInput, .missedOutput, .changedRoute: true
        case .mustNotResume, .rejected: false
        }
    }

    var interrupter: Interrupter {
        switch self {
        case .lostOutput(let port, _), .missedOutput(let port):
            Interrupter(cause: .output(port.id), reason: .routeDisconnected, name: port.name, description: "output")
        case .mutedInput(let port):
            Interrupter(cause: .input(port.id), reason: .deviceMuted, name: port.name, description: "input")
        case .changedRoute:
            Interrupter(cause: .route, reason: .routeDisconnected, name: "the route", description: "route")
        case .mustNotResume(let former), .rejected(let former): former.interrupter
        }
    }

    var reason: Reason {
        switch self {
        case .lostOutput, .changedRoute: .routeDisconnected
        case .mutedInput: .inputMuted
        case .missedOutput, .mustNotResume: .superseded
        case .rejected: .rejected
        }
    }

    func treatment(of described: Described) -> Treatment {
        let silence: Silence =
            switch self {
            // N15: the session's player shows Paused.
            case .lostOutput, .missedOutput: described.description.pausesPlayer ? .pausePlayer : .cork
            case .mutedInput, .mustNotResume, .rejected, .changedRoute: .cork
            }
        return Treatment(silence: silence, reason: reason, cause: interrupter.cause)
    }

    /// Whose times apply; `nil` for no session.
    var actor: Described? {
        switch self {
        case .lostOutput, .mutedInput, .missedOutput, .changedRoute: nil
        case .mustNotResume(let former), .rejected(let former): former.described
        }
    }
}
