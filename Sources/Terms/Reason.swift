/// The reason for a stream's treatment. The raw value is its name on D-Bus.
public enum Reason: String, Sendable, Hashable, CaseIterable {
    case none
    /// Another session ducks it (R45).
    case ducked
    /// Its role has a level of its own (N23).
    case level
    /// Another session interrupts it (R28, R36).
    case interrupted
    /// Its cause has ended without letting it resume, or its lost output did not come back in time: only its application
    /// or its user starts it again (R31, R64).
    case superseded
    /// A session that was active first rejects it; its application has to request activation again (R8).
    case rejected
    /// Its session is not active (R26).
    case inactive
    /// Its session's category has no device (R23).
    case noDevice = "no-device"
    /// It records, and its session's category has no input (R15–R17).
    case noInput = "no-input"
    /// It plays, and its session's category has no output (R18).
    case noOutput = "no-output"
    /// The output on which its session was heard has gone, or the route of its recording has changed (R64).
    case routeDisconnected = "route-disconnected"
    /// The input that its session records from was muted by its user (N7).
    case inputMuted = "device-muted"
    /// The silent switch is on (R15, R16).
    case silentSwitch = "silent"
    /// The screen is locked (R15, R16).
    case screenLock = "locked"
    /// Do-not-disturb is on (N16).
    case doNotDisturb = "do-not-disturb"
    /// It waits until the sessions that its session interrupts are silent.
    case handover

    /// Whether no fade is allowed: sound without its output or input must not be heard elsewhere for a moment (R64,
    /// N7), and a waiting stream was not heard yet.
    public var isAtOnce: Bool {
        switch self {
        case .routeDisconnected, .inputMuted, .handover: true
        case .none, .ducked, .level, .interrupted, .superseded, .rejected, .inactive, .noDevice, .noInput, .noOutput,
            .silentSwitch, .screenLock, .doNotDisturb:
            false
        }
    }

    /// A few words that follow a stream's treatment in `status`; `nil` if they would add nothing.
    public var brief: String? {
        switch self {
        case .none, .ducked, .interrupted: nil
        case .level: "the level of its role"
        case .superseded: "its application has to go on"
        case .rejected: "not let begin"
        case .inactive: "its session is not active"
        case .noDevice: "audio-processing has no device"
        case .noInput: "its session only plays"
        case .noOutput: "its session only records"
        case .routeDisconnected: "its route has gone"
        case .inputMuted: "its input is muted"
        case .silentSwitch: "silent switch"
        case .screenLock: "screen lock"
        case .doNotDisturb: "do not disturb"
        case .handover: "until others are silent"
        }
    }
}

/// Why a session was interrupted, as its application is told when the interruption begins.
public enum InterruptionReason: String, Sendable, Hashable, CaseIterable {
    /// Another session, or an interruption by the system, is heard.
    case `default`
    case suspended
    /// The input that the session records from was muted by its user (N7).
    case deviceMuted = "device-muted"
    /// The output on which the session was heard has gone, or the route of a recording has changed (R64).
    case routeDisconnected = "route-disconnected"

    /// What it says, for the writers of programs.
    public var meaning: String {
        switch self {
        case .default: "another session, a call or an alarm"
        case .suspended: "the machine sleeps"
        case .deviceMuted: "its user has muted its input"
        case .routeDisconnected: "its output has gone, or the route of a recording has changed"
        }
    }

    /// The reason told to the client of a stream that was stopped for this reason.
    public init(of reason: Reason) {
        self =
            switch reason {
            case .routeDisconnected: .routeDisconnected
            case .inputMuted: .deviceMuted
            case .none, .ducked, .level, .interrupted, .superseded, .rejected, .inactive, .noDevice, .noInput,
                .noOutput, .silentSwitch, .screenLock, .doNotDisturb, .handover:
                .default
            }
    }
}
