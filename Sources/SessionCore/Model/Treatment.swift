/// How a stream is kept from being heard.
public enum Silence: UInt8, Sendable, Hashable {
    /// Not at all.
    case none
    /// It runs on unheard.
    case mute
    /// It is stopped where it is.
    case cork
    /// Its player is asked to pause (N15); where there is none, it is stopped where it is.
    case pausePlayer
}

/// Why a stream is treated as it is.
public enum Reason: UInt8, Sendable, Hashable, CaseIterable {
    /// Nothing is done to it.
    case none
    /// Another session ducks it (R45).
    case ducked
    /// Another session interrupts it (R28, R36).
    case interrupted
    /// The session that interrupted it is gone, but was of a kind after which only the application resumes (R31).
    case superseded
    /// A session that was there first does not let it begin; it has to ask again (R8).
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
    /// The user does not want to be disturbed (N16).
    case doNotDisturb
    /// It waits until those that it interrupts are silent.
    case handover
}

/// What is done to one stream, on top of what its application and its user do.
public struct Treatment: Sendable, Hashable {
    /// The factor on the stream's own volume.
    public var gain: LinearGain
    /// Whether and how it is silenced.
    public var silence: Silence
    /// Why.
    public var reason: Reason
    /// Who or what causes it; `nil` while nothing is done.
    public var cause: Cause?

    /// Makes a treatment.
    public init(
        gain: LinearGain = .unity, silence: Silence = .none, reason: Reason = .none, cause: Cause? = nil
    ) {
        self.gain = gain
        self.silence = silence
        self.reason = reason
        self.cause = cause
    }

    /// Nothing is done.
    public static let untouched = Treatment()

    /// Whether a listener could tell this treatment from the other one.
    public func soundsLike(_ other: Treatment) -> Bool { gain == other.gain && silence == other.silence }
}
