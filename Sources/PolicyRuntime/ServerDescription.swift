/// The sound server that has loaded the module.
public struct ServerDescription: Sendable, Equatable {
    /// The name and release, for people.
    public let name: String
    /// The features that this server lacks.
    public let limits: [ServerLimit]

    /// Describes a release of PipeWire.
    public static func pipeWire(_ release: String) -> Self {
        Self(name: "PipeWire \(release)", limits: ServerLimit.ofPipeWire)
    }

    /// Describes a release of PulseAudio.
    public static func pulseAudio(_ release: String) -> Self {
        Self(name: "PulseAudio \(release)", limits: ServerLimit.ofPulseAudio)
    }
}

/// A feature that one server lacks and the other has; the raw value is its name for machines. The only list: for
/// `audio-session status`, and for scenarios that run on one server alone.
public enum ServerLimit: String, Sendable {
    case preferredBufferDuration = "preferred-buffer-duration"
    case preferredSampleRate = "preferred-sample-rate"
    case cardBuffer = "card-buffer"
    case streamEvents = "stream-events"
    case loadAtRunTime = "load-at-run-time"

    /// PipeWire's limits.
    public static let ofPipeWire: [ServerLimit] = [.streamEvents, .loadAtRunTime]
    /// PulseAudio's limits.
    public static let ofPulseAudio: [ServerLimit] = [.preferredBufferDuration, .preferredSampleRate, .cardBuffer]

    /// The reason, and the alternative; for people.
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
