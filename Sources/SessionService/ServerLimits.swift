/// The sound server that the module is loaded by.
public struct ServerDescription: Sendable, Equatable {
    /// Its name and release, for people.
    public let name: String
    /// What cannot be had there.
    public let limits: [ServerLimit]

    /// PipeWire of a release.
    public static func pipeWire(_ release: String) -> Self {
        Self(name: "PipeWire \(release)", limits: ServerLimit.ofPipeWire)
    }

    /// PulseAudio of a release.
    public static func pulseAudio(_ release: String) -> Self {
        Self(name: "PulseAudio \(release)", limits: ServerLimit.ofPulseAudio)
    }
}

/// What one server cannot do that another one can, by the name that machines get.
///
/// This is the one list of them: `audio-session status` shows it, and the scenarios that one server alone can show give
/// these reasons.
public enum ServerLimit: String, Sendable {
    case preferredBufferDuration = "preferred-buffer-duration"
    case preferredSampleRate = "preferred-sample-rate"
    case cardBuffer = "card-buffer"
    case streamEvents = "stream-events"
    case loadAtRunTime = "load-at-run-time"

    /// PipeWire's.
    public static let ofPipeWire: [ServerLimit] = [.streamEvents, .loadAtRunTime]
    /// PulseAudio's.
    public static let ofPulseAudio: [ServerLimit] = [.preferredBufferDuration, .preferredSampleRate, .cardBuffer]

    /// Why, and what there is instead; for people.
    public var reason: String {
        switch self {
        case .preferredBufferDuration:
            "there is no quantum for all: each client agrees on its own latency with the daemon, once"
        case .preferredSampleRate: "a sink keeps its rate while it is open, whatever a session prefers"
        case .cardBuffer:
            "what a card has taken when its headphones are pulled out comes out of the speaker, which is chosen in the "
                + "same turn in which the pull is told"
        case .streamEvents: "there are no events for a stream's client: who wants to be told listens on D-Bus"
        case .loadAtRunTime: "no command loads a module: it is loaded when the daemon starts"
        }
    }
}
