import CPipeWire
public import SessionCore
public import SessionRuntime

/// What sessions wish for, and what the graph runs at (R74, R76).
extension PipeWireHost {
    /// How long a round of the graph takes that a stream is part of, as the server is about to choose it.
    public func quantum(of stream: StreamID) -> Duration { clock(of: stream).quantum }

    /// What the graph runs at that a stream is part of.
    public func clock(of stream: StreamID?) -> GraphClock {
        let figures = graph.figures(of: stream.flatMap { book?[$0]?.node })
        let rate = Double(max(figures.rate, 1))
        return GraphClock(sampleRate: rate, quantum: .seconds(Double(figures.quantum) / rate))
    }

    /// Whether a stream has soft volumes.
    public func hasVolume(_ stream: StreamID) -> Bool { book?[stream]?.hasVolume ?? false }

    /// Sets the node's own requests, `node.rate` and `node.latency`, and a factor on what it records.
    public func request(_ wish: StreamWish, of stream: StreamID) {
        book?[stream]?.request(wish, settings: graph.settings)
    }

    /// Something has changed by which the server decides what the graph runs at; it has not decided yet.
    func graphChanged() { wakeLater() }

    /// The server has decided.
    func settleGraph() { if graph.takeNews() { service?.graphChanged() } }

    /// A stream has got volumes, or has none any more.
    func volumeAppeared(of stream: StreamID) {
        service?.volumeAppeared(of: stream)
        wakeLater()
    }
}

/// Wishes in the words of nodes.
extension GraphSettings {
    /// A property `node.rate`. The server goes over to the rate only while nothing runs in the graph, and only to one of
    /// `default.clock.allowed-rates`.
    func rate(_ wish: StreamWish) -> String? { hertz(wish).map { "1/\($0)" } }

    /// A property `node.latency`.
    func latency(_ wish: StreamWish) -> String? {
        guard let duration = wish.bufferDuration else { return nil }
        // The server multiplies the frames by a rate in 32 bits. So they are never many; and it takes no more of them than
        // its largest quantum has.
        let own = hertz(wish).flatMap { $0 <= 192_000 ? $0 : nil } ?? rate
        let longest = Double(largest) / Double(max(rate, 1))
        let seconds = min(Double(duration.wholeNanoseconds) / 1e9, longest)
        let frames = UInt32(exactly: (seconds * Double(own)).rounded()) ?? 1
        return "\(max(frames, 1))/\(own)"
    }

    /// What a node gets that asks for nothing, where no other one asks for something.
    var usualRate: String { "1/\(rate)" }

    /// The same of `node.latency`.
    var usualLatency: String { "\(quantum)/\(rate)" }

    private func hertz(_ wish: StreamWish) -> UInt32? {
        wish.sampleRate.flatMap { UInt32(exactly: $0.rounded()) }.flatMap { $0 > 0 ? $0 : nil }
    }
}
