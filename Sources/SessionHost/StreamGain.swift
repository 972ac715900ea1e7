public import SessionCore

/// The factors on a stream's own volume.
public struct StreamGain: Sendable, Equatable {
    /// What the policy sets.
    public var policy = LinearGain.unity
    /// What its session wishes for on what it records (R76).
    public var input = LinearGain.unity

    /// Nothing is done to the volume.
    public init() {}

    /// Both together.
    public var factor: Double { policy.value * input.value }

    /// Whether the volume is another one than its user's.
    public var isTouched: Bool { policy != .unity || input != .unity }
}
