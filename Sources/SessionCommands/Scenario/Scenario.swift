import PolicyFile
import SessionCore

/// A story of everyday life: which streams there are, what happens when, and what is to come of it.
struct Scenario {
    /// One stream, with what a real one says of itself.
    struct Stream {
        var name: String
        var direction: StreamDirection
        /// In the order of the file.
        var properties: [Property]

        /// The value of a property; of several with one name the last one counts.
        func property(_ key: String) -> String? { properties.last { $0.key == key }?.value }

        /// Whose stream it is, told apart as in a server; by the stream's own name when nothing is said.
        var application: ApplicationID {
            ApplicationID(
                portal: property("pipewire.access.portal.app_id"), binary: property("application.process.binary"),
                displayName: property("application.name"), fallback: name)
        }
    }

    /// What happens to streams, to outputs, or to the policy.
    enum Action {
        /// The stream's application wants it to play or record; it comes into being if it does not exist.
        case play(Int)
        /// The user or the application pauses it.
        case pause(Int)
        /// It ends.
        case stop(Int)
        /// Its application dies, with all streams.
        case kill(Int)
        /// The user moves its slider, to a factor from 0 to 1.
        case volume(Int, Double)
        /// An output is plugged in, and everything plays on it.
        case plug(String)
        /// An output is pulled out, and everything plays on what was plugged in before.
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
    }

    /// What a stream is to be at a moment.
    struct Expectation {
        var moment: Duration
        /// The number of the stream.
        var stream: Int
        var condition: Condition
        var place: Place
    }

    /// The file's name as it was opened.
    var file: String
    var title: String
    var policy: PolicyInUse
    var streams: [Stream]
    /// In the order in which they happen.
    var events: [Event]
    /// In the order of their moments.
    var expectations: [Expectation]

    /// How long the story is watched: a second longer than anything is said of it.
    var length: Duration {
        max(events.last?.moment ?? .zero, expectations.last?.moment ?? .zero) + .seconds(1)
    }
}

extension Scenario.Event {
    /// In words.
    func text(_ streams: [Scenario.Stream]) -> String {
        switch action {
        case .play(let stream):
            "\(streams[stream].name) \(streams[stream].direction == .playback ? "plays" : "records")"
        case .pause(let stream): "\(streams[stream].name) is paused"
        case .stop(let stream): "\(streams[stream].name) ends"
        case .kill(let stream): "\(streams[stream].application.name) dies"
        case .volume(let stream, let factor):
            "the user sets \(streams[stream].name) to \(((factor * 1000).rounded() / 10).short) %"
        case .plug(let name): "the user plugs in \(name)"
        case .unplug(let name): "the user pulls out \(name)"
        case .route(let name): "the output goes to \(name)"
        case .policy: "the policy changes"
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
        case .plug: "plug"
        case .unplug: "unplug"
        case .route: "route"
        case .policy: "policy"
        }
    }

    /// The number of the stream that it is about.
    var stream: Int? {
        switch action {
        case .play(let stream), .pause(let stream), .stop(let stream), .kill(let stream), .volume(let stream, _):
            stream
        case .plug, .unplug, .route, .policy: nil
        }
    }
}
