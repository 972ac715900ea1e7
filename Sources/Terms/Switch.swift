/// A switch that silences categories of the policy (R15, R16, N16). Raw value: name in events and the service's state.
public enum Switch: String, Sendable, Hashable, CaseIterable {
    /// The user wants to hear nothing but what was asked for.
    case silent
    case doNotDisturb = "do-not-disturb"
    case locked

    /// Its key in policy files, and its word in stories.
    public var policyWord: String {
        switch self {
        case .silent: "silent"
        case .doNotDisturb: "do-not-disturb"
        case .locked: "lock"
        }
    }

    /// The property of the manager on D-Bus.
    public var property: String {
        switch self {
        case .silent: "Silent"
        case .doNotDisturb: "DoNotDisturb"
        case .locked: "Locked"
        }
    }

    /// Whether programs of the desktop can set it; the lock of the screen is only observed.
    public var canBeSet: Bool {
        switch self {
        case .silent, .doNotDisturb: true
        case .locked: false
        }
    }

    /// The categories that it silences, unless the policy names others.
    public var categories: Set<Category> {
        switch self {
        case .silent, .locked: [.ambient, .soloAmbient]
        case .doNotDisturb: [.uiSound]
        }
    }

    /// Why streams are silent while it is on.
    public var reason: Reason {
        switch self {
        case .silent: .silentSwitch
        case .doNotDisturb: .doNotDisturb
        case .locked: .screenLock
        }
    }

    /// That it is on, in a word or two.
    public var brief: String {
        switch self {
        case .silent: "silent"
        case .doNotDisturb: "do not disturb"
        case .locked: "screen locked"
        }
    }

    /// That it is on, in a sentence.
    public var sentence: String {
        switch self {
        case .silent: "the silent switch is on"
        case .doNotDisturb: "do not disturb is on"
        case .locked: "the screen is locked"
        }
    }
}
