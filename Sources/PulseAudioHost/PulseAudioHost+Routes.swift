import CPulseCore
public import SessionCore
public import SessionRuntime

/// The runtime's queries and commands about routes.
extension PulseAudioHost {
    /// The streams whose sound goes to a sink.
    public func streams(heardOn node: UInt32) -> [StreamID] {
        playback.values.filter { (book?.manages($0.id) ?? false) && routes.isHeard($0.handle, on: node) }
            .map(\.id).sorted { $0.rawValue < $1.rawValue }
    }

    /// The sink or source that a stream plays on or records from.
    public func place(of stream: StreamID) -> UInt32? { book?[stream].flatMap { routes.place(of: $0.handle) } }

    /// The channels, the volume and the latency of a sink or source.
    public func device(_ node: UInt32) -> DeviceFigures? { routes.figures(of: node) }

    /// How long the longest buffer of a card lasts.
    public var longestBuffer: Duration { routes.longestBuffer }

    /// Handles a sink whose volume, or a device whose latency has changed.
    func deviceChanged() {
        service?.graphChanged()
        wakeLater()
    }

    /// Moves a stream, or activates another port.
    public func carryOut(_ command: RouteCommand) {
        switch command {
        case .send(let stream, let node):
            if let handle = book?[stream]?.handle { routes.send(handle, to: node) }
        case .usePort(let id, let direction, _, let node): routes.use(id, direction, node: node, isSaved: false)
        }
    }

    /// Applies a change of devices or links, with all its effects, before returning.
    func handle(_ event: RouteEvent) { runtime?.handle(event) }

    /// Records that the user muted or unmuted a source (N7).
    func muted(_ input: RouteNode, _ isMuted: Bool) { runtime?.muted(input, isMuted) }
}
