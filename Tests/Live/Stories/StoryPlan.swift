import Foundation
import PolicyEngine
import PolicyFile
import TestKit

@testable import Commands

/// How a scenario is played with real means: what stands for its outputs, inputs and applications.
struct StoryPlan {
    let scenario: Scenario
    /// What is wanted when, as the simulation has it: a stream that is free and paused is silent.
    let simulation: Simulation
    /// The card of each output that comes and goes.
    private(set) var cards: [String: CardKind] = [:]
    /// Whether there is a card with a loudspeaker and microphones; otherwise the null sink is the loudspeaker.
    private(set) var hasLaptop = false
    /// What of it cannot be shown, each with the reason.
    private(set) var limits: [String] = []
    /// Whether it can be played at all.
    private(set) var isPlayable = true

    init(_ scenario: Scenario) {
        self.scenario = scenario
        simulation = Simulation(of: scenario)
        hasLaptop =
            !scenario.inputs.isEmpty || scenario.streams.contains { $0.direction == .capture }
            || scenario.events.contains { if case .mute = $0.action { true } else { false } }
        for name in scenario.ports where isOutput(name) && name != VirtualPorts.speaker {
            let kind: CardKind = name.hasPrefix("hdmi") ? .hdmi : name.hasPrefix("bluetooth") ? .bluetooth : .usb
            if cards.values.contains(kind) {
                refuse("the outputs of the story are more than the cards of the tests (\(name))")
            }
            cards[name] = kind
        }
        for name in scenario.inputs where !name.hasPrefix("headset") {
            refuse("the card of the tests has one input that comes and goes, a headset's microphone (\(name))")
        }
        if scenario.events.contains(where: { if case .sound = $0.action { true } else { false } }) {
            refuse("what sounds is measured here, and the tones of the tests always sound")
        }
        if scenario.streams.contains(where: { $0.property("pipewire.access.portal.app_id") != nil }) {
            refuse("which sandbox a program is in is the kernel's to say, and there is none here")
        }
    }

    private mutating func refuse(_ reason: String) {
        limits.append(reason)
        isPlayable = false
    }

    /// Whether a name is that of an output.
    func isOutput(_ name: String) -> Bool { name != VirtualPorts.microphone && !scenario.inputs.contains(name) }

    /// What the story needs of its desktop.
    func prepare(_ options: inout LiveDesktopOptions) {
        options.routeVolume = 1
        // A stream has its full volume, whatever the volume of the last one of its application was.
        options.configurationFiles.merge(PrivateDesktop.withoutMemory) { $1 }
        options.pulseAudio.earlyModules = options.pulseAudio.earlyModules.map {
            $0 == "module-stream-restore" ? "\($0) restore_volume=no" : $0
        }
        options.runsSystemBus = needsLogind
        options.configurationFiles["audio-session/policy.conf"] = Self.text(of: scenario.policy)
        for preset in ["car"] {
            if let text = try? String(contentsOfFile: "\(StoryFile.project)/policy/\(preset).conf", encoding: .utf8) {
                options.configurationFiles["audio-session/\(preset).conf"] = text
            }
        }
    }

    /// Whether the machine sleeps or its screen is locked.
    var needsLogind: Bool {
        scenario.events.contains {
            switch $0.action {
            case .machine, .flip(.locked, _): true
            default: false
            }
        }
    }

    /// What an application uses to have its sessions: the library that `AUDIO_SESSION_LIBRARY` names, `swift` or the path of
    /// the one for C, if it has all that the story takes; otherwise calls on the bus.
    func interface(of application: String) -> SessionApplication.Interface {
        guard let library = ProcessInfo.processInfo.environment["AUDIO_SESSION_LIBRARY"], !library.isEmpty else {
            return .bus
        }
        // Interruptions by the system are for programs of the system, which call the bus.
        let isOfSystem = scenario.interruptions.contains { program(of: $0) == application }
        let own = scenario.sessions.indices.filter { scenario.sessions[$0].application.name == application }
        guard !own.isEmpty, !isOfSystem else { return .bus }
        if library == "swift" { return .swift }
        let hasAll = own.count == 1 && own.allSatisfy { hasAllInC($0) }
        return hasAll ? .c(library) : .bus
    }

    /// Whether the library for C has all that a session does and is told: it has the phone's older interface.
    private func hasAllInC(_ session: Int) -> Bool {
        let known: CategoryOptions = [.mixWithOthers, .duckOthers, .defaultToSpeaker, .allowBluetoothInput]
        let modes: [Mode] = [.default, .voiceChat, .videoRecording, .measurement]
        let own = scenario.sessions[session]
        let does = scenario.events.allSatisfy { event in
            switch event.action {
            case .category(session, _, let options, let mode):
                options.subtracting(known).isEmpty && (mode.map(modes.contains) ?? true)
            case .mode(session, let mode): modes.contains(mode)
            case .activate(session, let mayWait): !mayWait
            case .cancel(session): false
            default: true
            }
        }
        let hears = scenario.expectations.allSatisfy { expectation in
            guard case .told(session, let list) = expectation.subject else { return true }
            return list.allSatisfy { told in
                switch told.kind {
                case .active, .inactive, .ended, .refused: true
                case .began: told.word == InterruptionReason.default.rawValue
                case .granted, .delayed, .mistaken, .route, .hint: false
                }
            }
        }
        let openings = scenario.events.count { if case .open(session) = $0.action { true } else { false } }
        return does && hears && openings == 1 && !own.avoidsAlerts && own.isInterruptedOnDisconnect == nil
    }

    /// Whether a stream is paused and played again, which takes a program with a button for it.
    func isPaused(_ stream: Int) -> Bool {
        scenario.events.contains { if case .pause(stream) = $0.action { true } else { false } }
    }

    /// The names of the applications that open sessions or begin interruptions.
    var applications: [String] {
        var names: [String] = []
        for name in scenario.sessions.map(\.application.name) + scenario.interruptions.map({ program(of: $0) })
        where !names.contains(name) {
            names.append(name)
        }
        return names
    }

    /// The program that begins an interruption.
    func program(of interruption: Scenario.Interruption) -> String {
        interruption.property("application.process.binary") ?? interruption.name
    }

    /// A policy as a file.
    static func text(of policy: PolicyInUse) -> String {
        guard let source = policy.source else { return "preset = \(policy.origin)\n" }
        if let name = source.text { return "preset = \"\(name)\"\n" }
        guard case .object(let members) = source.content else { return "" }
        return members.map { "\(quoted($0.key.text)) = \(text(of: $0.value))\n" }.joined()
    }

    private static func text(of node: Node) -> String {
        switch node.content {
        case .text(let text, let isQuoted): isQuoted ? quoted(text) : text
        case .array(let elements): "[ \(elements.map { text(of: $0) }.joined(separator: " ")) ]"
        case .object(let members):
            "{ \(members.map { "\(quoted($0.key.text)) = \(text(of: $0.value))" }.joined(separator: " ")) }"
        }
    }

    private static func quoted(_ text: String) -> String {
        "\"\(text.replacingOccurrences(of: "\\", with: "\\\\").replacingOccurrences(of: "\"", with: "\\\""))\""
    }
}
