/// How a stream is silenced.
public enum Silence: UInt8, Sendable, Hashable {
    case none
    /// The stream runs on inaudibly.
    case mute
    /// The stream is stopped at its position.
    case cork
    /// The stream's player is asked to pause (N15); a stream without a player is corked.
    case pausePlayer
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

    /// An untreated stream.
    public static let untouched = Treatment()

    /// Whether a listener could tell this treatment from the other one.
    public func soundsLike(_ other: Treatment) -> Bool { gain == other.gain && silence == other.silence }
}
