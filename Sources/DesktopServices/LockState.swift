/// Combines several services' reports into one fact: whether the screen is locked. A pure value.

/// The reports about the screen lock (N16).
public struct LockState: Sendable, Equatable {
    /// logind's report for the session (`LockedHint`); nil without logind, or without a session of this user.
    public var hint: Bool?
    /// The screen savers that report to be active, by bus name.
    public var activeSavers: Set<String> = []

    /// No report: not locked.
    public init() {}

    /// Whether the screen is locked: logind decides; without its report, any active screen saver.
    public var isLocked: Bool { hint ?? !activeSavers.isEmpty }
}
