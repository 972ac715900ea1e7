/// The user's switches (N16). By default, all are off.
public struct Switches: Sendable, Hashable {
    /// Whether the silent switch is on (R15, R16).
    public var isSilent = false
    /// Whether the screen is locked (R15, R16).
    public var isLocked = false
    /// Whether do-not-disturb is on.
    public var isUndisturbed = false
    /// Until when the policy is suspended and nothing is done to streams; `nil` while it is in force.
    public var pausedUntil: Instant?

    /// Creates switches that are all off.
    public init() {}

    /// A time that never comes.
    public static let never = Instant(nanoseconds: .max)
}
