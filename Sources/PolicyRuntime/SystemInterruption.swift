public import PolicyEngine

/// An interruption by the system, in the module and the simulation: a call on a modem, or the machine's sleep.
public enum SystemInterruption {
    /// What a kind that programs begin over D-Bus stands for (N21).
    public enum Meaning: Sendable, Equatable {
        /// A stream with this role: playback, unless only a recording can have the role.
        case role(String, StreamDirection)
        case description(SessionDescription)
    }

    /// The kinds that programs can begin over D-Bus, for people: a policy's roles, and the two that every policy has.
    public static func kinds(of policy: Policy) -> [String] {
        return policy.order + [duck, speech].filter { policy.roles[$0] == nil }
    }

    private static let duck = "duck"
    private static let speech = "speech"

    /// The meaning of a kind; `nil` for an unknown role. Without roles of these names, `duck` lowers others as far as
    /// the policy does by default, and `speech` is spoken over others.
    public static func meaning(of kind: String, in policy: Policy) -> Meaning? {
        if let role = Role(kind) {
            if let description = policy.description(ofRole: role) {
                return .role(kind, description.fits(.playback) ? .playback : .capture)
            }
            if policy.unmanaged.contains(role.name) { return .role(kind, .playback) }
        }
        var description = SessionDescription(
            name: kind, category: .playback, options: .duckOthers, ducking: policy.ducking)
        switch kind {
        case duck: return .description(description)
        case speech:
            if Role("prompt").flatMap(policy.description(ofRole:)) != nil { return .role("prompt", .playback) }
            var configuration = SessionConfiguration()
            try? configuration.set(.playback, .duckOthers, .voicePrompt, whileActive: false)
            description = configuration.description(ducking: policy.ducking)
            description.name = kind
            return .description(description)
        default: return nil
        }
    }

    /// A property that the policy reads to classify an interruption begun by a program (N11), as it would for a stream.
    public static func property(_ name: String, kind: String, program: String?, sandbox: String?, label: String)
        -> String?
    {
        switch name {
        case "media.role": kind
        case "application.process.binary": program
        case "pipewire.access.portal.app_id": sandbox
        case "application.name": label
        default: nil
        }
    }

    /// The events that begin an interruption, which spares `application`; closing its session ends it.
    public static func beginning(
        _ id: SessionID, _ description: SessionDescription, by name: String, of application: ApplicationID? = nil
    ) -> [Event] {
        let shown = ApplicationID(portal: nil, binary: nil, displayName: name, fallback: "the system")
        return [
            .sessionOpened(id, application: shown, .system(description, by: application)),
            .sessionRequested(id, .activate(mayWait: true)),
        ]
    }
}

/// What the machine does that interrupts all but calls, and no program can begin. The raw value is the word in stories.
public enum MachineInterruption: String, Sendable, CaseIterable {
    /// The machine goes to sleep (R12).
    case sleep

    /// The name that is given as the cause.
    public static let name = "the machine"

    private var reason: InterruptionReason {
        switch self {
        case .sleep: .suspended
        }
    }

    /// In words that follow ``name``.
    public var begins: String {
        switch self {
        case .sleep: "goes to sleep"
        }
    }

    /// In words that follow ``name``.
    public var ends: String {
        switch self {
        case .sleep: "wakes up"
        }
    }

    /// Interrupts everything but calls; everything resumes afterwards.
    public var description: SessionDescription {
        var description = SessionDescription(
            name: rawValue, category: .playback, priority: Priority(rawValue: Priority.phone.rawValue - 1),
            fade: .milliseconds(200), resumption: .always, releaseDelay: .zero)
        description.machineReason = reason
        return description
    }
}
