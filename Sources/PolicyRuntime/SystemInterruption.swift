public import PolicyEngine

/// An interruption by the system, whose sound, if any, is made elsewhere: a call on a modem, or the machine's sleep.
///
/// The module and the simulation use the same definitions.
public enum SystemInterruption {
    /// What a kind that programs begin over D-Bus stands for (N21).
    public enum Meaning: Sendable, Equatable {
        /// A stream with this role: one that plays, unless only a recording can have the role.
        case role(String, StreamDirection)
        /// What the policy says of no role.
        case description(SessionDescription)
    }

    /// The kinds that programs can begin over D-Bus under a policy, for people: its roles by their names, and the two that
    /// every policy has.
    public static func kinds(of policy: Policy) -> [String] {
        return policy.order + [duck, speech].filter { policy.roles[$0] == nil }
    }

    private static let duck = "duck"
    private static let speech = "speech"

    /// The meaning of a kind under a policy; `nil` if the policy knows no such role. Where it has no role of their names,
    /// `duck` lowers others as far as the policy does by default, and `speech` is spoken over others.
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

    /// The events that begin an interruption; closing its session ends it.
    ///
    /// - Parameter application: The program that began the interruption and is not affected by it; `nil` for the
    ///   machine.
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

/// What the machine itself does that interrupts everybody but calls, and that no program can begin. The raw value is its word
/// in stories.
public enum MachineInterruption: String, Sendable, CaseIterable {
    /// The machine goes to sleep (R12).
    case sleep

    /// The name that is given as the cause.
    public static let name = "the machine"

    /// What those that it interrupts are told to be the reason.
    private var reason: InterruptionReason {
        switch self {
        case .sleep: .suspended
        }
    }

    /// That it begins, in words that follow ``name``.
    public var begins: String {
        switch self {
        case .sleep: "goes to sleep"
        }
    }

    /// That it ends, in words that follow ``name``.
    public var ends: String {
        switch self {
        case .sleep: "wakes up"
        }
    }

    /// How it interrupts: everything but calls, and everything resumes afterwards.
    public var description: SessionDescription {
        var description = SessionDescription(
            name: rawValue, category: .playback, priority: Priority(rawValue: Priority.phone.rawValue - 1),
            fade: .milliseconds(200), resumption: .always, releaseDelay: .zero)
        description.machineReason = reason
        return description
    }
}
