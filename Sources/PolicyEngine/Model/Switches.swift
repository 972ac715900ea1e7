/// The user's switches (N16). By default, all are off.
public struct Switches: Sendable, Hashable {
    /// Those that are on.
    public var on: Set<Switch> = []
    /// Until when the policy is suspended and leaves streams alone; `nil` while the policy is in force.
    public var pausedUntil: Instant?

    /// Creates switches that are all off.
    public init() {}

    /// Whether a switch is on.
    public subscript(_ one: Switch) -> Bool {
        get { on.contains(one) }
        set { if newValue { on.insert(one) } else { on.remove(one) } }
    }

    /// A time that never comes.
    public static let never = Instant(nanoseconds: .max)
}
