import CPipeWire
public import SessionCore
public import SessionRuntime
import SessionDesktop

/// The runtime's queries and commands about routes.
extension PipeWireHost {
    /// The streams whose sound goes to a sink.
    public func streams(heardOn node: UInt32) -> [StreamID] {
        routes.sources(of: node).sorted().compactMap { stream(of: $0) }
    }

    /// Whether a managed stream may be audible on a sink.
    func isHeard(on node: UInt32) -> Bool { streams(heardOn: node).contains { runtime?.isAudible($0) ?? false } }

    /// Applies a change of devices, links or the session manager, with all its effects, before returning. Returns whether a
    /// stream has lost its output.
    @discardableResult
    func handle(_ event: RouteEvent) -> Bool { runtime?.handle(event) ?? false }

    /// Records that the user muted or unmuted a source (N7).
    func muted(_ input: RouteNode, _ isMuted: Bool) { runtime?.muted(input, isMuted) }

    /// The graph's quantum.
    var graphQuantum: Duration { quantum(of: StreamID(0)) }

    /// The sample rate of the graph, in Hz.
    var graphRate: Double { clock(of: nil).sampleRate }

    /// Arms the timer that ends the hold of the session manager.
    func armHold(at moment: Instant) {
        if let holdTimer { cpw_loop_arm_timer(loop, holdTimer, moment.nanoseconds) }
    }

    /// Whether the loss of an output may stop playback.
    var stopsPlayback: Bool { book?.other == nil && runtime?.mayStopPlayback ?? false }

    /// Whether the policy takes the place of the session manager's own pause of players: it is in force, and does not say
    /// that such things are kept.
    var replacesManagersPause: Bool {
        guard let book, book.other == nil else { return false }
        return book.policy.policy.stockModules == .unload && book.service?.isPolicyPaused != true
    }

    /// Applies a changed or suspended policy to the session manager's settings, and mutes each stream in advance that would be
    /// rejected (R8), or might have to wait (R34), if it started now.
    public func turnEnded() {
        routes.updateSettings()
        guard let runtime, !starting.isEmpty else { return }
        starting = starting.filter { streams[$0]?.mayStart ?? false }
        for stream in starting.compactMap({ streams[$0] }) {
            stream.guardStart(runtime.mustBeginSilent(stream.id))
        }
    }

    /// Whether a node is an application's stream that the policy manages.
    func isStream(_ node: UInt32) -> Bool { streams[node].map { book?.manages($0.id) ?? false } ?? false }

    /// The program behind a client, as it was when it connected.
    func program(of client: OpaquePointer) -> Program? { clients[client]?.programs.connected }

    /// Whether a client's messages are held back.
    func isBusy(_ client: OpaquePointer) -> Bool { clients[client]?.isBusy ?? false }

    /// The sink or source that a stream is linked to.
    public func place(of stream: StreamID) -> UInt32? {
        guard let node = book?[stream] else { return nil }
        return routes.place(of: node.global, node.properties.direction)
    }

    /// The channels, the volume and the latency of a sink or source.
    public func device(_ node: UInt32) -> DeviceFigures? { routes.figures(of: node) }

    /// How long the longest buffer of a card lasts.
    public var longestBuffer: Duration { routes.longestBuffer }

    /// Handles a sink or source whose channels, volume or latency have changed.
    func deviceChanged() {
        service?.graphChanged()
        wakeLater()
    }

    /// Moves a stream, or activates another port.
    public func carryOut(_ command: RouteCommand) {
        switch command {
        case .send(let stream, let node):
            if let global = book?[stream]?.global { routes.send(global, to: node) }
        case .usePort(let id, let direction, let device, let node):
            routes.use(id, direction, device: device, node: node, isSaved: false)
        }
    }

    private func stream(of node: UInt32) -> StreamID? {
        streams[node].flatMap { (book?.manages($0.id) ?? false) ? $0.id : nil }
    }
}
