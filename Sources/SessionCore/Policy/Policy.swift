/// The whole policy as the engine needs it: what streams with a role are, and what sessions do to each other.
public struct Policy: Sendable, Equatable {
    /// The preset's name, for explanations.
    public let name: String
    /// What a stream with a role is.
    public let roles: [Role: SessionDescription]
    /// Roles whose streams are left alone: they touch nobody and nobody touches them.
    public let unmanagedRoles: Set<Role>
    /// What a playback stream without a known role is; `nil` leaves it alone.
    public let untagged: SessionDescription?
    /// What a capture stream without a known role is; `nil` leaves it alone.
    public let untaggedCapture: SessionDescription?
    /// What is said of pairs beyond what their categories say.
    public let interplay: InterplayRules
    /// What an application is that plays and records at the same time without a role for either (N14); `nil` for what its
    /// streams are.
    public let pairing: SessionDescription?

    /// What the user's switches silence (N16).
    public let switches: SwitchRules

    /// What follows when outputs come and go (R63, R64).
    public let routes: RouteRules

    /// How long interruptions last beyond their cause (N17).
    public let interruptions: InterruptionRules

    /// How others are lowered where nothing says it better: by opened sessions with the option duck-others.
    public let ducking: Ducking

    /// What becomes of a server's own modules with the same purpose.
    public let stockModules: StockModules

    /// The place of each description by its name: of two that are equally strong in one application the earlier one counts
    /// (R1). Streams without a role come last.
    public let order: [String: Int]

    /// Makes a policy; see the properties. Descriptions that are not in the order follow by their names.
    public init(
        name: String, roles: [Role: SessionDescription], unmanagedRoles: Set<Role> = [],
        untagged: SessionDescription? = nil, untaggedCapture: SessionDescription? = nil,
        interplay: InterplayRules = InterplayRules(), pairing: SessionDescription? = nil,
        switches: SwitchRules = SwitchRules(), routes: RouteRules = RouteRules(),
        interruptions: InterruptionRules = InterruptionRules(), ducking: Ducking = Ducking(),
        stockModules: StockModules = .unload, order: [String] = []
    ) {
        self.name = name
        self.roles = roles.filter { !unmanagedRoles.contains($0.key) }
        self.unmanagedRoles = unmanagedRoles
        self.untagged = untagged
        self.untaggedCapture = untaggedCapture
        self.interplay = interplay
        self.pairing = pairing
        self.switches = switches
        self.routes = routes
        self.interruptions = interruptions
        self.ducking = ducking
        self.stockModules = stockModules
        let others = Set(self.roles.values.map(\.name)).subtracting(order).sorted()
        var places: [String: Int] = [:]
        for name in order + others + [Policy.untaggedName, Policy.untaggedCaptureName] where places[name] == nil {
            places[name] = places.count
        }
        self.order = places
    }

    /// What a stream is by its role (R2); `nil` when the policy leaves it alone.
    public func description(of role: Role?, direction: StreamDirection) -> SessionDescription? {
        if let role {
            if unmanagedRoles.contains(role) { return nil }
            if let description = roles[role] { return description }
        }
        if direction == .playback { return untagged }
        // N14: who listens has to be known, even where nothing is done about it.
        return untaggedCapture ?? (pairing == nil ? nil : Policy.listener)
    }

    /// Whether a description comes before another that is as strong, in one application (R1).
    func precedes(_ left: SessionDescription, _ right: SessionDescription) -> Bool {
        // Opened sessions have no role, so they are in no policy's order.
        let (first, second) = (order[left.name] ?? order.count, order[right.name] ?? order.count)
        return (first, left.name, left.category.rawValue) < (second, right.name, right.category.rawValue)
    }

    /// The name of ``untagged`` in every policy.
    public static let untaggedName = "untagged"
    /// The name of ``untaggedCapture`` in every policy.
    public static let untaggedCaptureName = "untagged-capture"

    /// A recording that does nothing to others, and to which nothing is done.
    static let listener = SessionDescription(name: untaggedCaptureName, category: .ambient, isInterruptible: false)
}

extension SessionDescription {
    /// Whether a stream of this direction can be what is described: what only plays does not record, and the other way round
    /// (R15–R19). What has no device may claim to do either, and is refused one (R23).
    public func fits(_ direction: StreamDirection) -> Bool {
        category == .audioProcessing || (direction == .playback ? category.playsSound : category.recordsSound)
    }
}

/// Which categories the user's switches silence (R15, R16, N16); never phone and alarm, whatever their category (R36).
public struct SwitchRules: Sendable, Hashable {
    /// While the silent switch is on.
    public var silent: Set<Category>
    /// While the screen is locked.
    public var locked: Set<Category>
    /// While the user does not want to be disturbed.
    public var undisturbed: Set<Category>

    /// Makes a set of rules; the defaults are the phone's.
    public init(
        silent: Set<Category> = [.ambient, .soloAmbient], locked: Set<Category> = [.ambient, .soloAmbient],
        undisturbed: Set<Category> = [.uiSound]
    ) {
        self.silent = silent
        self.locked = locked
        self.undisturbed = undisturbed
    }
}

/// What follows when outputs come and go (R63, R64).
public struct RouteRules: Sendable, Hashable {
    /// Whether playback stops when the output has gone on which it was heard.
    public var pausesPlayback: Bool
    /// How long it is waited for, so that playback goes on by itself when it comes back.
    public var resumesWithin: Duration
    /// Which changes stop a recording.
    public var stopsRecording: RecordingStop

    /// Makes a set of rules; by default playback stops, and goes on when the same output is back within a minute, and
    /// recordings go on.
    public init(
        pausesPlayback: Bool = true, resumesWithin: Duration = .seconds(60), stopsRecording: RecordingStop = .never
    ) {
        self.pausesPlayback = pausesPlayback
        self.resumesWithin = resumesWithin
        self.stopsRecording = stopsRecording
    }
}

/// How long an interruption lasts beyond its cause (N17).
public struct InterruptionRules: Sendable, Hashable {
    /// How long a session that was told to resume keeps those silent that it had interrupted itself. When its application
    /// has neither activated nor deactivated it by then, they go on in its place.
    public var resumesWithin: Duration

    /// Makes a set of rules; an application has ten seconds, unless told otherwise.
    public init(resumesWithin: Duration = .seconds(10)) { self.resumesWithin = resumesWithin }
}

/// What becomes of a server's own modules that stop or lower streams by role. The raw values are the words in policy files.
public enum StockModules: String, Sendable, Hashable, CaseIterable {
    /// They are unloaded as long as this policy is in force, and loaded again after it.
    case unload
    /// They stay, and are warned of.
    case keep
}

/// Which changes of the route stop a recording (R64). The raw values are the words in policy files.
public enum RecordingStop: String, Sendable, Hashable, CaseIterable {
    /// None.
    case never
    /// An input or output that was in use has gone, or there is none that the category needs.
    case disconnect
    /// The same, or a new one has come into use.
    case anyChange = "any-change"

    /// Whether a change for this reason is one of them.
    func includes(_ reason: RouteChangeReason) -> Bool {
        switch reason {
        case .oldDeviceUnavailable, .noSuitableRouteForCategory: self != .never
        case .newDeviceAvailable: self == .anyChange
        default: false
        }
    }
}
