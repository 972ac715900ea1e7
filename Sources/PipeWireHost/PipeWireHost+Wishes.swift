import CPipeWire
public import SessionCore
import SessionHost
public import SessionRuntime

/// The preferences of sessions, and the rate and quantum of the graph (R74, R76).
extension PipeWireHost {
    /// The duration of one cycle of a stream's graph, as the server is about to choose it.
    public func quantum(of stream: StreamID) -> Duration { clock(of: stream).quantum }

    /// The clock of the graph that a stream belongs to.
    public func clock(of stream: StreamID?) -> GraphClock {
        let figures = graph.figures(of: stream.flatMap { book?[$0]?.node })
        let rate = Double(max(figures.rate, 1))
        return GraphClock(sampleRate: rate, quantum: .seconds(Double(figures.quantum) / rate))
    }

    /// Whether a stream has soft volumes.
    public func hasVolume(_ stream: StreamID) -> Bool { book?[stream]?.hasVolume ?? false }

    /// Sets the node's properties `node.rate` and `node.latency`, and a gain on the sound that it records.
    public func apply(_ wish: StreamWish, to stream: StreamID) {
        book?[stream]?.request(wish, settings: graph.settings)
    }

    /// Streams are measured by streams of the module's own.
    public var measuresStreams: Bool { true }

    /// Measures a stream's level, or no longer does.
    public func measure(_ stream: StreamID, _ isMeasured: Bool) {
        let properties = book?[stream].flatMap { pw_impl_node_get_properties($0.node) }
        let serial = properties.flatMap { text(pw_properties_get($0, "object.serial")) }
        meters.measure(stream, serial: isMeasured ? serial : nil)
    }

    /// The daemon's clock settings.
    var graphSettings: GraphSettings { graph.settings }

    /// Reports a change of rate or quantum to the service.
    func reportGraphChange() { if graph.takeChange() { service?.graphChanged() } }

    /// Handles a change of a stream's own volume or mute.
    func volumeChanged(of stream: StreamNode, wasMuted: Bool, isHigher: Bool) {
        book?.volumeChanged(of: stream, wasMuted: wasMuted, isHigher: isHigher)
    }

    /// Handles a stream that got volumes or lost them.
    func volumeAppeared(of stream: StreamID) {
        service?.volumeAppeared(of: stream)
        wakeLater()
    }
}

/// Preferences as values of node properties.
extension GraphSettings {
    /// The value for `node.rate`. The server switches the rate only while nothing runs in the graph, and only to a rate
    /// in `default.clock.allowed-rates`.
    func rate(_ wish: StreamWish) -> String? { hertz(wish).map { "1/\($0)" } }

    /// The value for `node.latency`.
    func latency(_ wish: StreamWish) -> String? {
        guard let duration = wish.bufferDuration else { return nil }
        // The server multiplies frames by a rate in 32 bits, so the number of frames must stay small. The server also
        // never takes more frames than its largest quantum.
        let own = hertz(wish).flatMap { $0 <= 192_000 ? $0 : nil } ?? rate
        let longest = Double(largest) / Double(max(rate, 1))
        let seconds = min(Double(duration.wholeNanoseconds) / 1e9, longest)
        let frames = UInt32(exactly: (seconds * Double(own)).rounded()) ?? 1
        return "\(max(frames, 1))/\(own)"
    }

    /// The `node.rate` that has the same effect as none, if no other node makes a request.
    var usualRate: String { "1/\(rate)" }

    /// The `node.latency` that has the same effect as none, if no other node makes a request.
    var usualLatency: String { "\(quantum)/\(rate)" }

    private func hertz(_ wish: StreamWish) -> UInt32? {
        wish.sampleRate.flatMap { UInt32(exactly: $0.rounded()) }.flatMap { $0 > 0 ? $0 : nil }
    }
}
