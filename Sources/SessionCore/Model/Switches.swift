/// What the user has switched (N16). All off is a desktop in use.
public struct Switches: Sendable, Hashable {
    /// The silent switch (R15, R16).
    public var isSilent = false
    /// The screen is locked (R15, R16).
    public var isLocked = false
    /// Do not disturb.
    public var isUndisturbed = false
    /// The policy is suspended until then: nothing is done to anybody; `nil` while it is in force.
    public var pausedUntil: Instant?

    /// All off.
    public init() {}

    /// A moment that never comes.
    public static let never = Instant(nanoseconds: .max)
}
