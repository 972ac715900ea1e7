/// Whether the screen is locked, out of what several services say. A pure value.

/// What is known about the lock (N16).
public struct LockState: Sendable, Equatable {
    /// What logind says of the session (`LockedHint`); nil where there is no logind, or no session of this user.
    public var hint: Bool?
    /// The screen savers that say they are active, by their names on the bus.
    public var activeSavers: Set<String> = []

    /// Nothing is known: not locked.
    public init() {}

    /// What logind says; where it says nothing, whether a screen saver is active.
    public var isLocked: Bool { hint ?? !activeSavers.isEmpty }
}
