import PolicyEngine
import PolicyFile
import PolicyRuntime

/// A scenario file: applications with their streams and sessions, timed events, and expected results.
struct Scenario {
    /// One stream, with the properties of a real one.
    struct Stream {
        var name: String
        var direction: StreamDirection
        /// In the order of the file.
        var properties: [Property]
        /// The number of the session that the stream names, as with `audio-session.id` (R80).
        var session: Int?
        /// The stream's application, identified as in a server.
        var application: ApplicationID

        /// The value of a property.
        func property(_ key: String) -> String? { properties.value(of: key) }
    }

    /// A session that an application opens over D-Bus.
    struct Session {
        var name: String
        /// The properties that identify the application, in the order of the file.
        var properties: [Property]
        /// The session's application; streams of the same application belong to the session.
        var application: ApplicationID
        /// Whether ringing must not interrupt the session (N8).
        var avoidsAlerts = false
        /// Whether the loss of its output interrupts the session (N25); `nil` leaves that to the policy.
        var isInterruptedOnDisconnect: Bool?
    }

    /// An interruption that a daemon begins over D-Bus.
    struct Interruption {
        var name: String
        /// A role, or `duck` or `speech`.
        var kind: String
        /// The place of the kind in the file.
        var place: Place
        /// The name that is shown and that interrupted applications are told.
        var displayName: String
        /// The daemon's properties, in the order of the file.
        var properties: [Property]

        /// The daemon's application; the interruption does not affect its own sessions.
        var application: ApplicationID { properties.application(otherwise: name) }

        /// The value of a property.
        func property(_ key: String) -> String? { properties.value(of: key) }
    }

    /// A stream or session, also for its application.
    enum Party: Equatable {
        case stream(Int)
        case session(Int)
    }

    /// What happens to streams, sessions, interruptions, devices, the desktop or the policy; ``Event/text(_:)`` says it.
    enum Action {
        /// The application wants the stream to play or record; the stream is created if it does not exist.
        case play(Int)
        case pause(Int)
        case stop(Int)
        /// An application dies, with all of its streams and sessions.
        case kill(Party)
        /// The user sets the stream's volume, a factor from 0 to 1.
        case volume(Int, Double)
        case muteStream(Int, Bool)
        /// The stream's sound becomes loud enough to count, or too quiet for that.
        case sound(Int, Bool)
        /// The user frees the stream from what silences or lowers it.
        case free(Int)
        case move(Int, to: String)
        case open(Int)
        /// The application sets category and options, and the mode if given.
        case category(Int, Category, CategoryOptions, Mode?)
        case mode(Int, Mode)
        /// The application activates the session; with `mayWait`, as soon as that is possible.
        case activate(Int, mayWait: Bool)
        case deactivate(Int, notifyOthers: Bool)
        /// The application cancels a delayed activation.
        case cancel(Int)
        case close(Int)
        case begin(Int)
        case end(Int)
        /// The machine does what interrupts everybody, or has done with it.
        case machine(MachineInterruption, Bool)
        case flip(Switch, Bool)
        case mute(String, Bool)
        /// An output or input is plugged in, and all streams of the direction go there.
        case plug(String)
        /// An output or input is unplugged, and its streams go to the one plugged in before.
        case unplug(String)
        /// The user chooses the output for all playback; it is plugged in first if necessary.
        case route(String)
        case policy(PolicyInUse)
    }

    struct Event {
        /// The time since the beginning.
        var moment: Duration
        var action: Action
        /// The keyword in the file.
        var keyword = ""
        /// The place in the file of the name of the event's stream, session or port.
        var place = Place(line: 0, column: 0)
    }

    /// An expected result at a moment.
    struct Expectation {
        enum Subject {
            /// The expected condition of a stream.
            case stream(Int, Condition)
            /// The expected condition of a session.
            case session(Int, SessionCondition)
            /// All messages to a session's application since the last such expectation, or since the beginning.
            case told(Int, [Told])
        }

        var moment: Duration
        var subject: Subject
        var place: Place

        /// The stream or session of which something is expected.
        var party: Party {
            switch subject {
            case .stream(let stream, _): .stream(stream)
            case .session(let session, _), .told(let session, _): .session(session)
            }
        }

        /// What is expected, in the syntax of scenario files.
        var text: String {
            switch subject {
            case .stream(_, let condition): condition.text
            case .session(_, let condition): condition.rawValue
            case .told(_, let list): Told.text(of: list)
            }
        }
    }

    /// The file's name as given.
    var file: String
    var title: String
    var policy: PolicyInUse
    var streams: [Stream]
    var sessions: [Session] = []
    var interruptions: [Interruption] = []
    /// The inputs that can be plugged in, besides the built-in one.
    var inputs: [String] = []
    /// Sorted by time.
    var events: [Event]
    /// Sorted by time.
    var expectations: [Expectation]

    /// The simulated time: a second more than the last event or expectation.
    var length: Duration {
        max(events.last?.moment ?? .zero, expectations.last?.moment ?? .zero) + .seconds(1)
    }
}

extension Scenario {
    /// The name of a stream or session.
    func name(of party: Party) -> String {
        switch party {
        case .stream(let stream): streams[stream].name
        case .session(let session): sessions[session].name
        }
    }

    /// The application of a stream or session.
    func application(of party: Party) -> ApplicationID {
        switch party {
        case .stream(let stream): streams[stream].application
        case .session(let session): sessions[session].application
        }
    }

    /// The names that can stand in `by NAME`, with the names that messages to others have: sessions and streams have that
    /// of their application, outputs and inputs their own.
    var labels: [(name: String, label: String)] {
        sessions.map { ($0.name, $0.application.name) } + streams.map { ($0.name, $0.application.name) }
            + interruptions.map { ($0.name, $0.displayName) }
            + MachineInterruption.allCases.map { ($0.rawValue, MachineInterruption.name) }
            + ports.map { ($0, $0) }
    }

    /// The name in messages to others, by a name in the file; `nil` for an unknown name.
    func label(of name: String) -> String? { labels.first { $0.name == name }?.label }

    /// All outputs and inputs of the story.
    var ports: [String] {
        var ports = [VirtualPorts.speaker, VirtualPorts.microphone] + inputs
        for event in events {
            switch event.action {
            case .plug(let name), .unplug(let name), .route(let name), .move(_, let name), .mute(let name, _):
                if !ports.contains(name) { ports.append(name) }
            default: break
            }
        }
        return ports
    }

    /// Whether a session was told what was expected; names in the file stand for the displayed names.
    func isMet(_ expected: [Told], by found: [Told]) -> Bool {
        guard expected.count == found.count else { return false }
        return zip(expected, found).allSatisfy { isMet($0, by: $1) }
    }

    private func isMet(_ expected: Told, by found: Told) -> Bool {
        expected.kind == found.kind && expected.word == found.word
            && (expected.name.map { (label(of: $0) ?? $0) == found.name } ?? true)
    }

    /// Whether a message to a session counts: route changes and hints do if the session's expectations mention them.
    func counts(_ told: Told, to session: Int) -> Bool {
        guard told.kind.isOptional else { return true }
        return expectations.contains {
            if case .told(session, let list) = $0.subject { list.contains { $0.kind == told.kind } } else { false }
        }
    }

    /// The place of the last expectation about a session's messages; `nil` if there is none.
    func lastTold(of session: Int) -> Place? {
        expectations.last {
            if case .told(session, _) = $0.subject { true } else { false }
        }?.place
    }
}

extension Scenario.Event {
    /// The stream or session that the event is about.
    var subject: Scenario.Party? {
        switch action {
        case .play(let stream), .pause(let stream), .stop(let stream), .volume(let stream, _),
            .muteStream(let stream, _), .sound(let stream, _), .free(let stream), .move(let stream, _):
            .stream(stream)
        case .open(let session), .category(let session, _, _, _), .mode(let session, _), .activate(let session, _),
            .deactivate(let session, _), .cancel(let session), .close(let session):
            .session(session)
        case .kill(let party): party
        case .begin, .end, .machine, .flip, .mute, .plug, .unplug, .route, .policy: nil
        }
    }

    /// Whether the event is about a stream or session; the death of an application is about all that it has.
    func concerns(_ party: Scenario.Party, in scenario: Scenario) -> Bool {
        guard case .kill(let other) = action else { return subject == party }
        return scenario.application(of: other) == scenario.application(of: party)
    }

    /// The event in words.
    func text(_ scenario: Scenario) -> String {
        let name = subject.map { scenario.name(of: $0) } ?? ""
        switch action {
        case .play, .pause, .stop, .sound, .open, .category, .mode, .activate, .deactivate, .cancel, .close:
            return "\(name) \(label(scenario))"
        case .kill(let party): return "\(scenario.application(of: party).name) dies"
        case .volume(_, let factor): return "the user sets \(name) to \(Self.percent(factor))"
        case .muteStream(_, let isOn): return "the user \(isOn ? "mutes" : "unmutes") \(name)"
        case .free: return "the user frees \(name)"
        case .move(_, let port): return "the user moves \(name) to \(port)"
        case .begin(let index): return "\(scenario.interruptions[index].displayName) begins"
        case .end(let index): return "\(scenario.interruptions[index].displayName) ends"
        case .machine(let event, let isOn): return "\(MachineInterruption.name) \(isOn ? event.begins : event.ends)"
        case .flip(.locked, let isOn): return isOn ? "the user locks the screen" : "the user unlocks the screen"
        case .flip(.silent, let isOn): return "the user switches silence \(isOn ? "on" : "off")"
        case .flip(.doNotDisturb, let isOn): return "the user switches do-not-disturb \(isOn ? "on" : "off")"
        case .mute(let port, let isOn): return "the user \(isOn ? "mutes" : "unmutes") \(port)"
        case .plug(let port): return "the user plugs in \(port)"
        case .unplug(let port): return "the user pulls out \(port)"
        case .route(let port): return "the output goes to \(port)"
        case .policy: return "the policy changes"
        }
    }

    /// The event in words, where the name of its stream or session stands beside it.
    func label(_ scenario: Scenario) -> String {
        switch action {
        case .play(let stream): return scenario.streams[stream].direction == .playback ? "plays" : "records"
        case .pause: return "is paused"
        case .stop: return "ends"
        case .kill: return "dies"
        case .volume(_, let factor): return "set to \(Self.percent(factor))"
        case .muteStream(_, let isOn): return isOn ? "is muted" : "is unmuted"
        case .sound(_, let isOn): return isOn ? "sounds" : "falls quiet"
        case .free: return "is freed"
        case .move(_, let port): return "moved to \(port)"
        case .open: return "opens"
        case .category(_, let category, let options, let mode):
            let words = [category.rawValue] + options.names + (mode.map { [$0.rawValue] } ?? [])
            return "is \(words.joined(separator: ", "))"
        case .mode(_, let mode): return "is for \(mode.rawValue)"
        case .activate(_, let mayWait): return "activates" + (mayWait ? ", and waits" : "")
        case .deactivate(_, let notifies): return "deactivates" + (notifies ? " and lets others know" : "")
        case .cancel: return "waits no longer"
        case .close: return "closes"
        case .begin, .end, .machine, .flip, .mute, .plug, .unplug, .route, .policy:
            return text(scenario)
        }
    }

    private static func percent(_ factor: Double) -> String { "\(((factor * 1000).rounded() / 10).short) %" }
}
