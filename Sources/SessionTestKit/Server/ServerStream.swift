import Foundation

/// A playback or capture stream as its server shows it at one moment.
public struct ServerStream: Sendable, Equatable {
    /// What the stream is doing.
    public enum State: String, Sendable {
        /// Being set up.
        case creating
        /// No buffers; what PipeWire shows of a stream that has not started or was suspended.
        case suspended
        /// Connected but not processing: corked or paused.
        case idle
        /// Processing.
        case running
        /// Failed.
        case error
    }

    /// The node's id in PipeWire, the sink input's index in PulseAudio.
    public let id: UInt32
    /// What it is doing.
    public let state: State
    /// Whether it captures rather than plays.
    public let isCapture: Bool
    /// Its properties, completed by those of its client.
    public let properties: [String: String]
    /// PipeWire: the node's `Props` parameters merged into one object; PulseAudio: the whole entry of the list.
    public let parameters: JSONValue

    /// The process that plays, as it said itself or as the server's socket saw it.
    public var processID: pid_t? {
        // pipewire-pulse is the socket's peer for all its clients, so what the client says comes first.
        (properties["application.process.id"] ?? properties["pipewire.sec.pid"]).flatMap { pid_t($0) }
    }

    /// The channels' volumes as linear factors, the user's own and nothing else.
    public var channelVolumes: [Double] {
        if let volumes = parameters["channelVolumes"] { return volumes.elements.compactMap(\.number) }
        guard case .object(let channels)? = parameters["volume"] else { return [] }
        return channels.sorted { $0.key < $1.key }.compactMap { $1["value"]?.number }
            .map { pow($0 / 65536, 3) }
    }

    /// What of the channels' volumes is in force, as far as the server tells: PulseAudio tells the user's own only.
    public var effectiveVolumes: [Double] {
        parameters["softVolumes"].map { $0.elements.compactMap(\.number) } ?? channelVolumes
    }

    /// Whether the user muted it.
    public var isMuted: Bool { parameters["mute"]?.bool ?? false }
}
