public import SessionCore

/// The factors on a stream's own volume.
public struct StreamGain: Sendable, Equatable {
    /// The factor set by the policy.
    public var policy = LinearGain.unity
    /// The factor that its session's application asks for on recordings (R76).
    public var input = LinearGain.unity

    /// Creates factors that change nothing.
    public init() {}

    /// The product of both factors.
    public var factor: Double { policy.value * input.value }

    /// Whether the volume differs from the user's own.
    public var isTouched: Bool { policy != .unity || input != .unity }
}
