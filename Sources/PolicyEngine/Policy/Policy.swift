/// The whole policy: the descriptions of roles, and what sessions do to each other. Policy files change it key by key.
public struct Policy: Sendable, Equatable {
    /// The name of the preset that it began with, for explanations.
    public var name: String
    /// The descriptions of streams with a role, by the role's own name, in lower case.
    public var roles: [String: SessionDescription] = [:]
    /// Other spellings of roles: from alias to role, e.g. `communication` to `phone`.
    public var aliases: [String: String] = [:]
    /// Roles, and their aliases, whose streams are left alone: they affect nobody and nobody affects them.
    public var unmanaged: Set<String> = []
    /// The order of roles: of equally strong ones, the first describes an application (R1). Streams without a role come
    /// last.
    public var order: [String] = []
    /// The description of a playback stream without a known role (R2); `nil` leaves it alone.
    public var untagged: SessionDescription?
    /// The description of a capture stream without a known role (R2); `nil` leaves it alone.
    public var untaggedCapture: SessionDescription?
    /// The rules for pairs of sessions.
    public var interplay = InterplayRules()
    /// The role of any application that plays and records at once without roles (N14); `nil`: rules decide alone.
    public var pairing: String?
    /// How long a recording has to last before it makes a call, by its role or by pairing (N14).
    public var callAfter = Duration.zero
    /// What the user's switches silence (N16).
    public var switches = SwitchRules()
    /// The rules for outputs that are removed and come back (R63, R64).
    public var routes = RouteRules()
    /// How long interruptions last beyond their cause (N17).
    public var interruptions = InterruptionRules()
    /// The default ducking, used by opened sessions with the option duck-others.
    public var ducking = Ducking()
    /// What follows when a user wants to hear what the policy keeps silent (N19).
    public var user = UserRules()
    /// What a stream that its user or application has muted does to others (N24).
    public var muted = MutedStreams.ignore
    /// What counts as sound (N13).
    public var sounding = SoundingRules()
    /// The zones (N27).
    public var zones = Zones()
    /// What people are told of on the desktop.
    public var notified: Set<Notified> = []
    /// What to do with what a server, or its session manager, has of the same purpose.
    public var stockModules = StockModules.unload

    /// Creates a policy that manages streams with these roles only; of equally strong ones, the first counts.
    public init(name: String, roles: [SessionDescription] = []) {
        self.name = name
        for role in roles where self.roles.updateValue(role, forKey: role.name) == nil { order.append(role.name) }
    }

    /// The description of a role by its name or an alias; `nil` if the policy does not know it or leaves it alone.
    public func description(ofRole role: Role) -> SessionDescription? { roles[aliases[role.name] ?? role.name] }

    /// The description of a stream by its role (R2); `nil` if the policy leaves it alone.
    public func description(of role: Role?, direction: StreamDirection) -> SessionDescription? {
        if let role {
            if unmanaged.contains(role.name) { return nil }
            if let description = description(ofRole: role) { return description }
        }
        if direction == .playback { return untagged }
        // N14: recordings must be known to the engine even if nothing is done to them.
        return untaggedCapture ?? (pairing != nil ? Policy.listener : nil)
    }

    /// The description of an application that plays and records at once without roles (N14); `nil`: its streams' own.
    public var call: SessionDescription? { roles[pairing ?? Policy.callName] }

    /// The rank of each description among equally strong ones in an application (R1). Opened sessions come last.
    public var ranks: [String: Int] {
        var ranks: [String: Int] = [:]
        for name in order + [Policy.untaggedName, Policy.untaggedCaptureName] { ranks[name] = ranks.count }
        return ranks
    }

    /// The role of a call, which applications that play and record are in unless the policy names another one (N14).
    public static let callName = "phone"
    /// The name of ``untagged`` in every policy.
    public static let untaggedName = "untagged"
    /// The name of ``untaggedCapture`` in every policy.
    public static let untaggedCaptureName = "untagged-capture"

    /// A recording that does not affect others and is not affected.
    public static let listener = SessionDescription(
        name: untaggedCaptureName, category: .ambient, isInterruptible: false)
}

extension SessionDescription {
    /// Whether a stream of this direction can have the description (R15–R19). Without device, both fit (R23).
    public func fits(_ direction: StreamDirection) -> Bool {
        category == .audioProcessing || (direction == .playback ? category.playsSound : category.recordsSound)
    }
}

/// Which categories the user's switches silence (R15, R16, N16); never phone and alarm, whatever their category (R36).
public struct SwitchRules: Sendable, Hashable {
    private var categories: [Switch: Set<Category>] = [:]

    /// Creates rules with the phone's defaults, ``Switch/categories``.
    public init() {}

    /// The categories that are silent while a switch is on.
    public subscript(_ one: Switch) -> Set<Category> {
        get { categories[one] ?? one.categories }
        set { categories[one] = newValue == one.categories ? nil : newValue }
    }

    /// `nil` if no switch silences the session; none silences calls and alarms (R36).
    func reason(for description: SessionDescription, while switches: Switches) -> Reason? {
        if switches.on.isEmpty || description.priority.overridesMixing { return nil }
        return Switch.allCases.first { switches[$0] && self[$0].contains(description.category) }?.reason
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

    /// Creates rules. By default playback stops, and resumes on the same output within a minute; recordings continue.
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
    /// activated nor deactivated the session by then, they resume instead.
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

/// What a stream does to others while muted by its user or application (N24). Raw values: the words in policy files.
public enum MutedStreams: String, Sendable, Hashable, CaseIterable {
    case ignore
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

    func allow(_ action: UserAction) -> Bool {
        switch action {
        case .play: play == .beside
        case .unmute: unmute == .beside
        case .raise: raise == .beside
        case .free: true
        }
    }
}

/// The fate of a server's own role modules and a session manager's pause of players. Raw values: words in policy files.
public enum StockModules: String, Sendable, Hashable, CaseIterable {
    /// Unload the modules, turn off the pause, and undo both when this policy ends.
    case unload
    case keep
}

/// The changes of the route that stop a recording (R64). The raw values are the words in policy files.
public enum RecordingStop: String, Sendable, Hashable, CaseIterable {
    case never
    /// An input or output in use was removed, or none suits the category.
    case disconnect
    /// As for ``disconnect``, or a new input or output came into use.
    case anyChange = "any-change"

    func includes(_ reason: RouteChangeReason) -> Bool {
        switch reason {
        case .oldDeviceUnavailable, .noSuitableRouteForCategory: self != .never
        case .newDeviceAvailable: self == .anyChange
        default: false
        }
    }
}
