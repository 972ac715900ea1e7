/// How a stream is silenced.
public enum Silence: UInt8, Sendable, Hashable {
    /// The stream is not silenced.
    case none
    /// The stream runs on without being heard.
    case mute
    /// The stream is stopped at its position.
    case cork
    /// The stream's player is asked to pause (N15). A stream without a player is stopped at its position.
    case pausePlayer
}

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

/// What the policy does to one stream, in addition to its application and its user.
public struct Treatment: Sendable, Hashable {
    /// The factor on the stream's own volume.
    public var gain: LinearGain
    /// Whether and how the stream is silenced.
    public var silence: Silence
    /// The reason.
    public var reason: Reason
    /// Who or what causes it; `nil` while nothing is done.
    public var cause: Cause?

    /// Creates a treatment.
    public init(
        gain: LinearGain = .unity, silence: Silence = .none, reason: Reason = .none, cause: Cause? = nil
    ) {
        self.gain = gain
        self.silence = silence
        self.reason = reason
        self.cause = cause
    }

    /// Nothing is done to the stream.
    public static let untouched = Treatment()

    /// Whether a listener could tell this treatment from the other one.
    public func soundsLike(_ other: Treatment) -> Bool { gain == other.gain && silence == other.silence }
}
