import Foundation

/// A playback or capture stream as the server reports it at one moment.
public struct ServerStream: Sendable, Equatable {
    /// What the stream is doing.
    public enum State: String, Sendable {
        /// The stream is being set up.
        case creating
        /// The stream has no buffers: PipeWire's state for a stream that has not started or was suspended.
        case suspended
        /// The stream is connected but not processed: corked or paused.
        case idle
        /// The stream is processed.
        case running
        /// The stream has failed.
        case error
    }

    /// The node's id in PipeWire, the sink input's index in PulseAudio.
    public let id: UInt32
    /// The stream's state.
    public let state: State
    /// Whether it captures rather than plays.
    public let isCapture: Bool
    /// Its properties, completed by those of its client.
    public let properties: [String: String]
    /// PipeWire: the node's `Props` parameters merged into one object; PulseAudio: the whole entry of the list.
    public let parameters: JSONValue

    /// The process that owns the stream, as the client states it, or else as the server's socket reports it.
    public var processID: pid_t? {
        // For all PulseAudio clients, the socket's peer is pipewire-pulse, so the client's own statement comes first.
        (properties["application.process.id"] ?? properties["pipewire.sec.pid"]).flatMap { pid_t($0) }
    }

    /// The user's volumes of the channels, as linear factors, without any other factor.
    public var channelVolumes: [Double] {
        if let volumes = parameters["channelVolumes"] { return volumes.elements.compactMap(\.number) }
        guard case .object(let channels)? = parameters["volume"] else { return [] }
        return channels.sorted { $0.key < $1.key }.compactMap { $1["value"]?.number }
            .map { pow($0 / 65536, 3) }
    }

    /// The volumes in force of the channels, as far as the server reports them; PulseAudio reports only the user's.
    public var effectiveVolumes: [Double] {
        parameters["softVolumes"].map { $0.elements.compactMap(\.number) } ?? channelVolumes
    }

    /// Whether the user has muted the stream.
    public var isMuted: Bool { parameters["mute"]?.bool ?? false }
}
