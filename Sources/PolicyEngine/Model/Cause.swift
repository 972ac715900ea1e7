/// One session, by a number that is never reused (N17).
public struct SessionNumber: Sendable, Hashable {
    /// The number, from 1.
    public let rawValue: UInt32

    init(_ rawValue: UInt32) { self.rawValue = rawValue }
}

/// Who or what silences or ducks a session (N17): always one particular session, output or input.
public enum Cause: Sendable, Hashable {
    case session(SessionNumber)
    /// An interruption by the system: a call on a modem, sleep, or one that a program has begun.
    case system(SessionNumber)
    /// The output on which the session was heard has gone (R64).
    case output(PortID)
    /// The input that the session records from was muted by its user (N7).
    case input(PortID)
    /// The route has changed under a recording (R64).
    case route
    /// No other session: a switch, the session's own category, or that it is inactive.
    case policy

    /// The session that is the cause; `nil` if the cause is no session.
    public var session: SessionNumber? {
        switch self {
        case .session(let number), .system(let number): number
        case .output, .input, .route, .policy: nil
        }
    }
}

/// A cause as people and other applications see it.
public struct Interrupter: Sendable, Hashable {
    /// The cause.
    public var cause: Cause
    /// What applications are told to be the reason.
    public var reason: InterruptionReason
    /// The application's name, or that of the output or input.
    public var name: String
    /// The policy's name for it: a role, a category, "output", "input" or "route".
    public var description: String
    /// The id of an opened session; `nil` for any other cause.
    public var id: SessionID?

    /// Creates an interrupter.
    public init(
        cause: Cause, reason: InterruptionReason, name: String, description: String, id: SessionID? = nil
    ) {
        self.cause = cause
        self.reason = reason
        self.name = name
        self.description = description
        self.id = id
    }

    /// Text for people: `mpv (music)`.
    public var label: String { "\(name) (\(description))" }
}
