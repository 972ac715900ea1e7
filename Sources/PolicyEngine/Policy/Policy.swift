/// The whole policy as the engine needs it: the descriptions of roles, and what sessions do to each other.
public struct Policy: Sendable, Equatable {
    /// The preset's name, for explanations.
    public let name: String
    /// The description of streams with a role.
    public let roles: [Role: SessionDescription]
    /// Roles whose streams are left alone: they affect nobody and nobody affects them.
    public let unmanagedRoles: Set<Role>
    /// The description of a playback stream without a known role; `nil` leaves it alone.
    public let untagged: SessionDescription?
    /// The description of a capture stream without a known role; `nil` leaves it alone.
    public let untaggedCapture: SessionDescription?
    /// The rules for pairs of sessions.
    public let interplay: InterplayRules
    /// The description of an application that plays and records at the same time without a role for either (N14); `nil`
    /// for those of its streams.
    public let pairing: SessionDescription?
    /// Whether that goes for every application, and not only for those of which a rule says so.
    public let pairsUntagged: Bool

    /// What the user's switches silence (N16).
    public let switches: SwitchRules

    /// The rules for outputs that are removed and come back (R63, R64).
    public let routes: RouteRules

    /// How long interruptions last beyond their cause (N17).
    public let interruptions: InterruptionRules

    /// The default ducking, used by opened sessions with the option duck-others.
    public let ducking: Ducking

    /// What follows when a user wants to hear what the policy keeps silent (N19).
    public let user: UserRules

    /// What a stream that its user or application has muted does to others (N24).
    public let muted: MutedStreams

    /// What counts as sound (N13).
    public let sounding: SoundingRules

    /// The zones (N27).
    public let zones: Zones

    /// What people are told of on the desktop.
    public let notified: Set<Notified>

    /// What to do with what a server, or its session manager, has of the same purpose.
    public let stockModules: StockModules

    /// The rank of each description by its name: of two equally strong ones in an application, the lower rank counts
    /// (R1). Streams without a role come last.
    public let order: [String: Int]

    /// Creates a policy. Descriptions that are not in the order follow it, sorted by name.
    public init(
        name: String, roles: [Role: SessionDescription], unmanagedRoles: Set<Role> = [],
        untagged: SessionDescription? = nil, untaggedCapture: SessionDescription? = nil,
        interplay: InterplayRules = InterplayRules(), pairing: SessionDescription? = nil, pairsUntagged: Bool = true,
        switches: SwitchRules = SwitchRules(), routes: RouteRules = RouteRules(),
        interruptions: InterruptionRules = InterruptionRules(), user: UserRules = UserRules(),
        muted: MutedStreams = .ignore, sounding: SoundingRules = SoundingRules(), zones: Zones = Zones(),
        notified: Set<Notified> = [],
        ducking: Ducking = Ducking(), stockModules: StockModules = .unload,
        order: [String] = []
    ) {
        self.name = name
        self.roles = roles.filter { !unmanagedRoles.contains($0.key) }
        self.unmanagedRoles = unmanagedRoles
        self.untagged = untagged
        self.untaggedCapture = untaggedCapture
        self.interplay = interplay
        self.pairing = pairing
        self.pairsUntagged = pairsUntagged && pairing != nil
        self.switches = switches
        self.routes = routes
        self.interruptions = interruptions
        self.user = user
        self.muted = muted
        self.sounding = sounding
        self.zones = zones
        self.notified = notified
        self.ducking = ducking
        self.stockModules = stockModules
        let others = Set(self.roles.values.map(\.name)).subtracting(order).sorted()
        var places: [String: Int] = [:]
        for name in order + others + [Policy.untaggedName, Policy.untaggedCaptureName] where places[name] == nil {
            places[name] = places.count
        }
        self.order = places
    }

    /// The description of a stream by its role (R2); `nil` if the policy leaves it alone.
    public func description(of role: Role?, direction: StreamDirection) -> SessionDescription? {
        if let role {
            if unmanagedRoles.contains(role) { return nil }
            if let description = roles[role] { return description }
        }
        if direction == .playback { return untagged }
        // N14: recordings must be known to the engine even if nothing is done to them.
        return untaggedCapture ?? (pairsUntagged ? Policy.listener : nil)
    }

    /// Whether a description precedes another that is equally strong, in one application (R1).
    func precedes(_ left: SessionDescription, _ right: SessionDescription) -> Bool {
        // Opened sessions have no role, so no policy's order contains them.
        let (first, second) = (order[left.name] ?? order.count, order[right.name] ?? order.count)
        return (first, left.name, left.category.rawValue) < (second, right.name, right.category.rawValue)
    }

    /// The name of ``untagged`` in every policy.
    public static let untaggedName = "untagged"
    /// The name of ``untaggedCapture`` in every policy.
    public static let untaggedCaptureName = "untagged-capture"

    /// A recording that does not affect others and is not affected.
    public static let listener = SessionDescription(
        name: untaggedCaptureName, category: .ambient, isInterruptible: false)
}

extension SessionDescription {
    /// Whether a stream of this direction can have the description. A category that only plays does not record, and the
    /// reverse (R15–R19). A category without a device fits both directions, and is refused a device (R23).
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

    /// Creates rules. The defaults are the phone's.
    public init(
        silent: Set<Category> = [.ambient, .soloAmbient], locked: Set<Category> = [.ambient, .soloAmbient],
        undisturbed: Set<Category> = [.uiSound]
    ) {
        self.silent = silent
        self.locked = locked
        self.undisturbed = undisturbed
    }

    /// The switch that silences a session; `nil` for none. R36: none silences calls and alarms.
    func reason(for description: SessionDescription, while switches: Switches) -> Reason? {
        if description.priority.overridesMixing { return nil }
        if switches.isSilent, silent.contains(description.category) { return .silentSwitch }
        if switches.isLocked, locked.contains(description.category) { return .screenLock }
        return switches.isUndisturbed && undisturbed.contains(description.category) ? .doNotDisturb : nil
    }
}

/// The rules for outputs that are removed and come back (R63, R64).
public struct RouteRules: Sendable, Hashable {
    /// Whether playback stops when its output is removed.
    public var pausesPlayback: Bool
    /// How long to wait for the output to come back, so that playback resumes by itself.
    public var resumesWithin: Duration
    /// The changes that stop a recording.
    public var stopsRecording: RecordingStop

    /// Creates rules. By default playback stops, and resumes if the same output is back within a minute; recordings
    /// continue.
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
    /// How long a session that was told to resume keeps its own victims silent. If its application has neither
    /// activated nor deactivated it by then, they resume instead.
    public var resumesWithin: Duration

    /// Creates rules. By default an application has ten seconds.
    public init(resumesWithin: Duration = .seconds(10)) { self.resumesWithin = resumesWithin }
}

/// What people may be told of by a notification on the desktop. The raw values are the words in policy files.
public enum Notified: String, Sendable, Hashable, CaseIterable {
    /// The output on which something was heard has gone, and it waits for that output.
    case outputGone = "output-gone"
    /// A recording was stopped.
    case recordingStopped = "recording-stopped"
}

/// What counts as sound in a session that does something to others only while it sounds (N13).
public struct SoundingRules: Sendable, Hashable {
    /// The lowest peak that counts, relative to full scale.
    public var above: Decibels
    /// How long a sound lasts beyond its last such peak.
    public var hold: Duration

    /// Creates rules. By default, what is above −45 dB counts, and a sound lasts for 700 ms.
    public init(above: Decibels = Decibels(-45), hold: Duration = .milliseconds(700)) {
        self.above = above
        self.hold = hold
    }
}

/// What a stream does to others while its user or application has muted it (N24). The raw values are the words in policy
/// files.
public enum MutedStreams: String, Sendable, Hashable, CaseIterable {
    /// Nothing, until it is unmuted.
    case ignore
    /// The same as if it were heard.
    case count
}

/// What follows when a user wants to hear a stream that the policy keeps silent (N19).
public struct UserRules: Sendable, Hashable {
    /// When the user plays it again.
    public var play: UserSay
    /// When the user unmutes it.
    public var unmute: UserSay
    /// When the user turns it up.
    public var raise: UserSay

    /// Creates rules. By default the stream is heard.
    public init(play: UserSay = .beside, unmute: UserSay = .beside, raise: UserSay = .beside) {
        self.play = play
        self.unmute = unmute
        self.raise = raise
    }

    /// Whether a stream is heard after this action.
    func allow(_ action: UserAction) -> Bool {
        switch action {
        case .play: play == .beside
        case .unmute: unmute == .beside
        case .raise: raise == .beside
        case .free: true
        }
    }
}

/// What to do with a server's own modules that stop or duck streams by role, and with a session manager's own pause of
/// players. The raw values are the words in policy files.
public enum StockModules: String, Sendable, Hashable, CaseIterable {
    /// Unload them, or turn it off, while this policy is in force, and undo that afterwards.
    case unload
    /// Keep them.
    case keep
}

/// The changes of the route that stop a recording (R64). The raw values are the words in policy files.
public enum RecordingStop: String, Sendable, Hashable, CaseIterable {
    /// None.
    case never
    /// An input or output in use was removed, or none suits the category.
    case disconnect
    /// As for `disconnect`, or a new one came into use.
    case anyChange = "any-change"

    /// Whether a change for this reason stops a recording.
    func includes(_ reason: RouteChangeReason) -> Bool {
        switch reason {
        case .oldDeviceUnavailable, .noSuitableRouteForCategory: self != .never
        case .newDeviceAvailable: self == .anyChange
        default: false
        }
    }
}
