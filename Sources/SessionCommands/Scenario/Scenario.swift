import PolicyFile
import SessionCore
import SessionRuntime

/// A story of everyday life: which applications there are, what happens when, and what is to come of it.
struct Scenario {
    /// One stream, with what a real one says of itself.
    struct Stream {
        var name: String
        var direction: StreamDirection
        /// In the order of the file.
        var properties: [Property]
        /// The number of the session that it names, as streams do with `audio-session.id` (R80).
        var session: Int?
        /// Whose stream it is, told apart as in a server.
        var application: ApplicationID

        /// The value of a property; of several with one name the last one counts.
        func property(_ key: String) -> String? { properties.last { $0.key == key }?.value }
    }

    /// A session that an application opens over D-Bus.
    struct Session {
        var name: String
        /// What tells its application apart, in the order of the file.
        var properties: [Property]
        /// Whose it is; streams of the same application belong to it.
        var application: ApplicationID
        /// Ringing is not to interrupt it (N8).
        var avoidsAlerts = false
        /// Whether the loss of its output interrupts it (N25); `nil` leaves that to the policy.
        var isInterruptedOnDisconnect: Bool?
    }

    /// An interruption that a daemon begins over D-Bus.
    struct Interruption {
        var name: String
        /// `phone`, `ringtone` or `alarm`.
        var kind: String
        /// What is shown of it, and what those who are interrupted are told.
        var displayName: String
        /// Those of the daemon, in the order of the file.
        var properties: [Property]

        /// The daemon itself, whose own sessions it does not touch.
        var application: ApplicationID {
            ApplicationID(
                portal: property("pipewire.access.portal.app_id"), binary: property("application.process.binary"),
                displayName: property("application.name"), fallback: name)
        }

        /// The value of a property; of several with one name the last one counts.
        func property(_ key: String) -> String? { properties.last { $0.key == key }?.value }
    }

    /// Whose application it is.
    enum Party: Equatable {
        case stream(Int)
        case session(Int)
    }

    /// What happens to streams, sessions and devices, to the desktop, or to the policy.
    enum Action {
        /// The stream's application wants it to play or record; it comes into being if it does not exist.
        case play(Int)
        /// The user or the application pauses it.
        case pause(Int)
        /// It ends.
        case stop(Int)
        /// An application dies, with all of its streams and sessions.
        case kill(Party)
        /// The user moves its slider, to a factor from 0 to 1.
        case volume(Int, Double)
        /// The user moves one stream to an output or input.
        case move(Int, to: String)
        /// An application opens a session.
        case open(Int)
        /// It sets category and options, and the mode if one is given.
        case category(Int, Category, CategoryOptions, Mode?)
        /// It sets the mode alone.
        case mode(Int, Mode)
        /// It wants to be heard; or, with `mayWait`, to be heard as soon as it may be.
        case activate(Int, mayWait: Bool)
        /// It does not want to be heard any more.
        case deactivate(Int, notifyOthers: Bool)
        /// It does not want to wait any longer.
        case cancel(Int)
        /// It closes its session.
        case close(Int)
        /// A daemon begins its interruption.
        case begin(Int)
        /// It ends it.
        case end(Int)
        /// The machine goes to sleep, or wakes up.
        case sleep(Bool)
        /// The user locks or unlocks the screen, or switches something.
        case lock(Bool)
        case silent(Bool)
        case doNotDisturb(Bool)
        /// The user mutes an input, or takes that back.
        case mute(String, Bool)
        /// An output or input is plugged in, and everything goes there.
        case plug(String)
        /// An output or input is pulled out, and everything goes to what was plugged in before.
        case unplug(String)
        /// The user chooses the output on which everything plays; it is plugged in if it is not.
        case route(String)
        /// Another policy comes into force.
        case policy(PolicyInUse)
    }

    struct Event {
        /// Since the beginning.
        var moment: Duration
        var action: Action
        /// Of what it is about, in the file.
        var place = Place(line: 0, column: 0)
    }

    /// What is to be at a moment.
    struct Expectation {
        enum Subject {
            /// What a stream is to be.
            case stream(Int, Condition)
            /// What a session is to be.
            case session(Int, SessionCondition)
            /// All that a session's application was told since the last such expectation, or since the beginning.
            case told(Int, [Told])
        }

        var moment: Duration
        var subject: Subject
        var place: Place
    }

    /// The file's name as it was opened.
    var file: String
    var title: String
    var policy: PolicyInUse
    var streams: [Stream]
    var sessions: [Session] = []
    var interruptions: [Interruption] = []
    /// The inputs that come and go, beside the one of the machine itself.
    var inputs: [String] = []
    /// In the order in which they happen.
    var events: [Event]
    /// In the order of their moments.
    var expectations: [Expectation]

    /// How long the story is watched: a second longer than anything is said of it.
    var length: Duration {
        max(events.last?.moment ?? .zero, expectations.last?.moment ?? .zero) + .seconds(1)
    }
}

extension Scenario {
    /// The application of a stream or session.
    func application(of party: Party) -> ApplicationID {
        switch party {
        case .stream(let stream): streams[stream].application
        case .session(let session): sessions[session].application
        }
    }

    /// What an application is called when others are told of it, by a name in the file; `nil` for an unknown one.
    ///
    /// A session or stream is called as its application, an interruption by what it shows; outputs and inputs have no other
    /// name.
    func label(of name: String) -> String? {
        if let session = sessions.first(where: { $0.name == name }) { return session.application.name }
        if let stream = streams.first(where: { $0.name == name }) { return stream.application.name }
        if let interruption = interruptions.first(where: { $0.name == name }) { return interruption.displayName }
        if name == Self.sleeper { return SystemInterruption.sleeper }
        return ports.contains(name) ? name : nil
    }

    /// What sleep is called in `by NAME`.
    static let sleeper = "sleep"

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

    /// Whether a session was told what was expected: names in the file stand for what is shown of them.
    func isMet(_ expected: [Told], by found: [Told]) -> Bool {
        guard expected.count == found.count else { return false }
        return zip(expected, found).allSatisfy { isMet($0, by: $1) }
    }

    private func isMet(_ expected: Told, by found: Told) -> Bool {
        func isSame(_ name: String?, _ other: String?) -> Bool {
            name.map { (label(of: $0) ?? $0) == other } ?? true
        }
        switch (expected, found) {
        case (.began(let reason, let name), .began(let other, let actor)):
            return reason == other && isSame(name, actor)
        case (.refused(let name), .refused(let actor)): return isSame(name, actor)
        default: return expected == found
        }
    }

    /// What of all that a session is told its expectations are about: a change of route, or a hint, only where one of them asks
    /// for such a thing.
    func extras(of session: Int) -> Set<Told.Extra> {
        var extras: Set<Told.Extra> = []
        for case .told(session, let list) in expectations.map(\.subject) { extras.formUnion(list.compactMap(\.extra)) }
        return extras
    }

    /// Where the last expectation of what a session is told stands; `nil` if there is none.
    func lastTold(of session: Int) -> Place? {
        expectations.last {
            if case .told(session, _) = $0.subject { true } else { false }
        }?.place
    }
}

extension Scenario.Event {
    /// In words.
    func text(_ scenario: Scenario) -> String {
        let streams = scenario.streams
        func session(_ index: Int) -> String { scenario.sessions[index].name }
        switch action {
        case .play(let stream):
            return "\(streams[stream].name) \(streams[stream].direction == .playback ? "plays" : "records")"
        case .pause(let stream): return "\(streams[stream].name) is paused"
        case .stop(let stream): return "\(streams[stream].name) ends"
        case .kill(let party): return "\(scenario.application(of: party).name) dies"
        case .volume(let stream, let factor):
            return "the user sets \(streams[stream].name) to \(((factor * 1000).rounded() / 10).short) %"
        case .move(let stream, let name): return "the user moves \(streams[stream].name) to \(name)"
        case .open(let index): return "\(session(index)) opens"
        case .category(let index, let category, let options, let mode):
            let words = [category.rawValue] + options.names + (mode.map { [$0.rawValue] } ?? [])
            return "\(session(index)) is \(words.joined(separator: ", "))"
        case .mode(let index, let mode): return "\(session(index)) is for \(mode.rawValue)"
        case .activate(let index, let mayWait): return "\(session(index)) activates" + (mayWait ? ", and waits" : "")
        case .deactivate(let index, let notifies):
            return "\(session(index)) deactivates" + (notifies ? " and lets others know" : "")
        case .cancel(let index): return "\(session(index)) waits no longer"
        case .close(let index): return "\(session(index)) closes"
        case .begin(let index): return "\(scenario.interruptions[index].displayName) begins"
        case .end(let index): return "\(scenario.interruptions[index].displayName) ends"
        case .sleep(let isOn): return isOn ? "the machine goes to sleep" : "the machine wakes up"
        case .lock(let isOn): return isOn ? "the user locks the screen" : "the user unlocks the screen"
        case .silent(let isOn): return "the user switches silence \(isOn ? "on" : "off")"
        case .doNotDisturb(let isOn): return "the user switches do-not-disturb \(isOn ? "on" : "off")"
        case .mute(let name, let isOn): return "the user \(isOn ? "mutes" : "unmutes") \(name)"
        case .plug(let name): return "the user plugs in \(name)"
        case .unplug(let name): return "the user pulls out \(name)"
        case .route(let name): return "the output goes to \(name)"
        case .policy: return "the policy changes"
        }
    }

    /// The keyword in a scenario file.
    var keyword: String {
        switch action {
        case .play: "play"
        case .pause: "pause"
        case .stop: "stop"
        case .kill: "kill"
        case .volume: "volume"
        case .move: "move"
        case .open: "open"
        case .category: "category"
        case .mode: "mode"
        case .activate: "activate"
        case .deactivate: "deactivate"
        case .cancel: "cancel"
        case .close: "close"
        case .begin: "begin"
        case .end: "end"
        case .sleep: "sleep"
        case .lock: "lock"
        case .silent: "silent"
        case .doNotDisturb: "do-not-disturb"
        case .mute(_, let isOn): isOn ? "mute-input" : "unmute-input"
        case .plug: "plug"
        case .unplug: "unplug"
        case .route: "route"
        case .policy: "policy"
        }
    }

    /// The number of the stream that it is about.
    var stream: Int? {
        switch action {
        case .play(let stream), .pause(let stream), .stop(let stream), .kill(.stream(let stream)),
            .volume(let stream, _), .move(let stream, _):
            stream
        default: nil
        }
    }

    /// The number of the session that it is about.
    var session: Int? {
        switch action {
        case .open(let session), .category(let session, _, _, _), .mode(let session, _), .activate(let session, _),
            .deactivate(let session, _), .cancel(let session), .close(let session), .kill(.session(let session)):
            session
        default: nil
        }
    }
}
