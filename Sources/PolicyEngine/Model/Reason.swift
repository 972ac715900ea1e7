/// The reason for a stream's treatment.
public enum Reason: UInt8, Sendable, Hashable, CaseIterable {
    /// The stream is not treated.
    case none
    /// Another session ducks it (R45).
    case ducked
    /// Its role has a level of its own (N23).
    case level
    /// Another session interrupts it (R28, R36).
    case interrupted
    /// The session that interrupted it has ended, but did not let it resume; only its own application does (R31).
    case superseded
    /// A session that was active first rejects it; its application has to request activation again (R8).
    case rejected
    /// Its session is not active (R26).
    case inactive
    /// Its session's category has no device (R23).
    case noDevice
    /// It records, and its session's category has no input (R15–R17).
    case noInput
    /// It plays, and its session's category has no output (R18).
    case noOutput
    /// The output on which its session was heard has gone, or the route of its recording has changed (R64).
    case routeDisconnected
    /// The input that its session records from was muted by its user (N7).
    case inputMuted
    /// The silent switch is on (R15, R16).
    case silentSwitch
    /// The screen is locked (R15, R16).
    case screenLock
    /// Do-not-disturb is on (N16).
    case doNotDisturb
    /// It waits until the sessions that its session interrupts are silent.
    case handover

    /// Whether it allows no fade: what has lost its output or input must not be heard elsewhere for a moment (R64, N7), and
    /// what waits was not heard yet.
    public var isAtOnce: Bool {
        switch self {
        case .routeDisconnected, .inputMuted, .handover: true
        case .none, .ducked, .level, .interrupted, .superseded, .rejected, .inactive, .noDevice, .noInput, .noOutput,
            .silentSwitch, .screenLock, .doNotDisturb:
            false
        }
    }
}

/// Why a session was interrupted, as its application is told when the interruption begins.
public enum InterruptionReason: String, Sendable, Hashable, CaseIterable {
    /// Another session, or an interruption by the system, is heard.
    case `default`
    /// The machine goes to sleep.
    case suspended
    /// The input that the session records from was muted by its user (N7).
    case deviceMuted = "device-muted"
    /// The output on which the session was heard has gone, or the route of a recording has changed (R64).
    case routeDisconnected = "route-disconnected"

    /// The reason of an interruption by somebody or something.
    ///
    /// - Parameter sleep: The session that stands for the machine's sleep; `nil` while the machine does not go to
    ///   sleep.
    public init(of interrupter: Interrupter, sleep: SessionID?) {
        self =
            switch interrupter.cause {
            case .output, .route: .routeDisconnected
            case .input: .deviceMuted
            case .session, .system, .policy: sleep != nil && interrupter.id == sleep ? .suspended : .default
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

/// The words for a ``Reason``: on D-Bus, in `status`, in `explain` and in the log.
public struct ReasonWords: Sendable, Hashable {
    /// The reason's name on D-Bus.
    public var name: String
    /// A few words that follow a stream's treatment in `status`; `nil` if they would add nothing.
    public var brief: String?
    /// A clause that follows a colon in `explain` and in the log.
    public var clause: String

    fileprivate init(_ name: String, brief: String?, _ clause: String) {
        self.name = name
        self.brief = brief
        self.clause = clause
    }
}

extension Reason {
    /// The words for the reason.
    ///
    /// - Parameters:
    ///   - cause: Who or what caused the treatment.
    ///   - actor: The name of the cause.
    public func words(cause: Cause? = nil, actor: String = "another session") -> ReasonWords {
        switch self {
        case .none: ReasonWords("none", brief: nil, "nothing is done to it")
        case .ducked: ReasonWords("ducked", brief: nil, "\(actor) lowers others")
        case .level: ReasonWords("level", brief: "the level of its role", "the policy gives its role that level")
        case .interrupted: ReasonWords("interrupted", brief: nil, "\(actor) is heard")
        case .superseded:
            ReasonWords(
                "superseded", brief: "its application has to go on",
                (cause?.session == nil ? "its output has not come back in time" : "\(actor) took over")
                    + ", and its own application has to go on")
        case .rejected:
            ReasonWords(
                "rejected", brief: "not let begin",
                "\(actor) does not let it begin, and its application has to ask again")
        case .inactive:
            ReasonWords("inactive", brief: "its session is not active", "its application's session is not active")
        case .noDevice:
            ReasonWords(
                "no-device", brief: "audio-processing has no device",
                "its session is one of audio-processing, which has no device")
        case .noInput:
            ReasonWords(
                "no-input", brief: "its session only plays", "it records, and the category of its session only plays")
        case .noOutput:
            ReasonWords(
                "no-output", brief: "its session only records", "it plays, and the category of its session only records"
            )
        case .routeDisconnected:
            ReasonWords(
                InterruptionReason.routeDisconnected.rawValue, brief: "its route has gone",
                cause == .route
                    ? "the route has changed, and its own application has to go on"
                    : "the output on which it was heard has gone, and nothing else takes its place")
        case .inputMuted:
            ReasonWords(
                InterruptionReason.deviceMuted.rawValue, brief: "its input is muted",
                "the input that it records from is muted")
        case .silentSwitch: ReasonWords("silent", brief: "silent switch", "the silent switch is on")
        case .screenLock: ReasonWords("locked", brief: "screen lock", "the screen is locked")
        case .doNotDisturb: ReasonWords("do-not-disturb", brief: "do not disturb", "do not disturb is on")
        case .handover: ReasonWords("handover", brief: "until others are silent", "the others are not silent yet")
        }
    }
}
