import CPipeWire
import HostSupport
import PolicyEngine
public import PolicyRuntime

/// The preferences of sessions, and the rate and quantum of the graph (R74, R76).
extension PipeWireHost {
    /// The running daemon.
    public var server: ServerDescription { .pipeWire(text(pw_get_library_version()) ?? "") }

    /// The clock of the running graph.
    public var clock: GraphClock { clock(of: nil) }

    /// The clock of the graph that a node belongs to, as the server is about to choose it.
    func clock(of node: OpaquePointer?) -> GraphClock {
        let timing = graph.timing(of: node)
        let rate = Double(max(timing.rate, 1))
        return GraphClock(sampleRate: rate, quantum: .seconds(Double(timing.quantum) / rate))
    }

    /// Streams are measured by streams of the module's own.
    public var measuresStreams: Bool { true }

    /// Reports a change of rate or quantum to the service.
    func reportGraphChange() { if graph.takeChange() { service?.graphChanged() } }

    /// Handles a stream that got volumes or lost them.
    func volumeAppeared(of stream: StreamID) {
        service?.volumeAppeared(of: stream)
        drainLater()
    }
}

/// Preferences as values of node properties.
extension GraphSettings {
    /// The value for `node.rate`. The server switches the rate only while nothing runs in the graph, and only to a rate
    /// in `default.clock.allowed-rates`.
    func rate(_ preferences: StreamPreferences) -> String? { hertz(preferences).map { "1/\($0)" } }

    /// The value for `node.latency`.
    func latency(_ preferences: StreamPreferences) -> String? {
        guard let duration = preferences.bufferDuration else { return nil }
        // The server multiplies frames by a rate in 32 bits, so the number of frames must stay small. The server also
        // never takes more frames than its largest quantum.
        let own = hertz(preferences).flatMap { $0 <= 192_000 ? $0 : nil } ?? rate
        let longest = Double(largest) / Double(max(rate, 1))
        let seconds = min(Double(duration.wholeNanoseconds) / 1e9, longest)
        let frames = UInt32(exactly: (seconds * Double(own)).rounded()) ?? 1
        return "\(max(frames, 1))/\(own)"
    }

    /// The `node.rate` that has the same effect as none, if no other node makes a request.
    var usualRate: String { "1/\(rate)" }

    /// The `node.latency` that has the same effect as none, if no other node makes a request.
    var usualLatency: String { "\(quantum)/\(rate)" }

    private func hertz(_ preferences: StreamPreferences) -> UInt32? {
        preferences.sampleRate.flatMap { UInt32(exactly: $0.rounded()) }.flatMap { $0 > 0 ? $0 : nil }
    }
}
