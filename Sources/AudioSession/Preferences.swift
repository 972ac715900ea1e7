import BusInterface

/// What an application has asked for, and got. A new session is set up from it.
struct Preferences: Sendable {
    /// Until the category is set, the application's streams determine it.
    var category: AudioSession.Category?
    var options: AudioSession.CategoryOptions = []
    var mode = AudioSession.Mode.default
    var outputOverride = AudioSession.PortOverride.none
    /// In Hz; 0 for no preference.
    var sampleRate = 0.0
    /// In seconds; 0 for no preference.
    var bufferDuration = 0.0
    /// A factor, 0…1.
    var inputGain: Float?
    var input: AudioSession.PortDescription?
    var output: AudioSession.PortDescription?
    /// 0 for no preference.
    var inputChannels = 0
    /// 0 for no preference.
    var outputChannels = 0
    var avoidsAlerts = false
    var interruptionOnRouteDisconnect: Bool?
    var isActive = false
    var awaitsActivation = false

    /// For a new session, without its activation. The mode stands before options with which it could not change (R54).
    var changes: [Change] {
        var changes: [Change] = []
        if mode != .default { changes.append(.mode(mode)) }
        if let category { changes.append(.category(category, options, nil)) }
        if sampleRate != 0 { changes.append(.sampleRate(sampleRate)) }
        if bufferDuration != 0 { changes.append(.bufferDuration(bufferDuration)) }
        if let inputGain { changes.append(.inputGain(inputGain)) }
        if input != nil { changes.append(.input(input)) }
        if output != nil { changes.append(.output(output)) }
        if inputChannels != 0 { changes.append(.inputChannels(inputChannels)) }
        if outputChannels != 0 { changes.append(.outputChannels(outputChannels)) }
        if avoidsAlerts { changes.append(.avoidsAlerts(true)) }
        if interruptionOnRouteDisconnect != nil {
            changes.append(.interruptionOnRouteDisconnect(interruptionOnRouteDisconnect))
        }
        if outputOverride != .none { changes.append(.outputOverride(outputOverride)) }
        return changes
    }
}

extension Preferences {
    /// Takes over a property from the service: another library in the process has set it in the shared session (R6), or
    /// the override has ended (R41). A preference that the service could not take (see `former`) stays.
    mutating func follow(_ property: String, _ value: WireValue, former: WireValue?, _ published: PublishedState) {
        switch property {
        case "Category":
            let category = value.text.flatMap(AudioSession.Category.init(rawValue:))
            // The category is the default until somebody sets it.
            if let category, self.category != nil || category != .soloAmbient { self.category = category }
        case "Options": options = AudioSession.CategoryOptions(words: (value.elements ?? []).compactMap(\.text))
        case "Mode": mode = value.text.flatMap(AudioSession.Mode.init(rawValue:)) ?? mode
        case "OutputOverride":
            outputOverride = value.text.flatMap(AudioSession.PortOverride.init(rawValue:)) ?? outputOverride
        case "Preferences":
            for name in Self.preferences where value[name] != former?[name] {
                followPreference(name, value[name], published)
            }
        default: break
        }
    }

    private static let preferences = [
        "sample-rate", "buffer-duration", "input-gain", "input-channels", "output-channels",
        "no-interruptions-from-system-alerts", "interruption-on-route-disconnect", "input", "output",
    ]

    private mutating func followPreference(_ name: String, _ value: WireValue?, _ published: PublishedState) {
        switch name {
        case "sample-rate": sampleRate = value?.number ?? 0
        case "buffer-duration": bufferDuration = value?.number ?? 0
        case "input-gain": inputGain = value?.number.map { Float($0) }
        case "input-channels": inputChannels = value?.integer.map { Int($0) } ?? 0
        case "output-channels": outputChannels = value?.integer.map { Int($0) } ?? 0
        case "no-interruptions-from-system-alerts": avoidsAlerts = value?.truth ?? false
        case "interruption-on-route-disconnect": interruptionOnRouteDisconnect = value?.truth
        case "input": follow(&input, value?.text, published.availableInputs)
        default: follow(&output, value?.text, published.availableOutputs)
        }
    }

    private func follow(
        _ preference: inout AudioSession.PortDescription?, _ id: String?, _ ports: [AudioSession.PortDescription]?
    ) {
        guard id != preference?.uid else { return }
        preference = ports?.first { $0.uid == id }
    }
}

enum Change: Sendable {
    /// A mode of nil stays.
    case category(AudioSession.Category, AudioSession.CategoryOptions, AudioSession.Mode?)
    case mode(AudioSession.Mode)
    case outputOverride(AudioSession.PortOverride)
    case sampleRate(Double)
    case bufferDuration(Double)
    case inputGain(Float)
    case input(AudioSession.PortDescription?)
    case output(AudioSession.PortDescription?)
    case inputChannels(Int)
    case outputChannels(Int)
    case avoidsAlerts(Bool)
    case interruptionOnRouteDisconnect(Bool?)
    case deactivation(notifyOthers: Bool)

    var call: (member: String, arguments: [WireValue]) {
        switch self {
        case .category(let category, let options, let mode):
            return (
                "SetCategory", [.string(category.rawValue), .strings(options.words), .string(mode?.rawValue ?? "")]
            )
        case .mode(let mode): return ("SetMode", [.string(mode.rawValue)])
        case .outputOverride(let override): return ("OverrideOutput", [.string(override.rawValue)])
        case .sampleRate(let rate): return Self.preference("sample-rate", .double(rate))
        case .bufferDuration(let duration): return Self.preference("buffer-duration", .double(duration))
        case .inputGain(let gain): return Self.preference("input-gain", .double(Double(gain)))
        case .input(let port): return Self.preference("input", .string(port?.uid ?? ""))
        case .output(let port): return Self.preference("output", .string(port?.uid ?? ""))
        case .inputChannels(let count): return Self.preference("input-channels", .uint32(UInt32(clamping: count)))
        case .outputChannels(let count): return Self.preference("output-channels", .uint32(UInt32(clamping: count)))
        case .avoidsAlerts(let avoids): return Self.preference("no-interruptions-from-system-alerts", .boolean(avoids))
        case .interruptionOnRouteDisconnect(let interrupts):
            return Self.preference(
                "interruption-on-route-disconnect", interrupts.map(WireValue.boolean) ?? .string(""))
        case .deactivation(let notifyOthers): return ("Deactivate", [.strings(notifyOthers ? ["notify-others"] : [])])
        }
    }

    private static func preference(_ name: String, _ value: WireValue) -> (String, [WireValue]) {
        ("SetPreference", [.string(name), .variant(value)])
    }

    /// Once the service has made the change.
    func apply(to preferences: inout Preferences) {
        switch self {
        case .category(let category, let options, let mode):
            // R41: another category ends the override.
            if category != preferences.category ?? .soloAmbient { preferences.outputOverride = .none }
            preferences.category = category
            preferences.options = options
            if let mode { preferences.mode = mode }
        case .mode(let mode): preferences.mode = mode
        case .outputOverride(let override): preferences.outputOverride = override
        case .sampleRate(let rate): preferences.sampleRate = rate
        case .bufferDuration(let duration): preferences.bufferDuration = duration
        case .inputGain(let gain): preferences.inputGain = min(max(gain, 0), 1)
        case .input(let port): preferences.input = port
        case .output(let port): preferences.output = port
        case .inputChannels(let count): preferences.inputChannels = count
        case .outputChannels(let count): preferences.outputChannels = count
        case .avoidsAlerts(let avoids): preferences.avoidsAlerts = avoids
        case .interruptionOnRouteDisconnect(let interrupts): preferences.interruptionOnRouteDisconnect = interrupts
        case .deactivation:
            preferences.isActive = false
            preferences.awaitsActivation = false
        }
    }
}
