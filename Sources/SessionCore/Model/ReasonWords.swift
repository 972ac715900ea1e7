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
