import CPipeWire
public import SessionCore

/// What the runtime needs to know of routes, and what it learns of them.
extension PipeWireHost {
    /// Whether this module keeps its hands off.
    private var hasSteppedBack: Bool { book?.hasSteppedBack ?? true }

    /// The streams whose sound goes to a sink.
    public func streams(heardOn node: UInt32) -> [StreamID] {
        routes.sources(of: node).sorted().compactMap { stream(of: $0) }
    }

    /// Whether something may be heard on a sink that is managed here.
    func isHeard(on node: UInt32) -> Bool { streams(heardOn: node).contains { runtime?.isAudible($0) ?? false } }

    /// Something happened to devices. What follows is done when this returns; whether a stream has lost its output.
    @discardableResult
    func take(_ event: RouteEvent) -> Bool { hasSteppedBack ? false : runtime?.take(event) ?? false }

    /// The user has muted a source, or takes that back (N7).
    func muted(_ input: RouteNode, _ isMuted: Bool) { if !hasSteppedBack { runtime?.muted(input, isMuted) } }

    /// The graph's quantum.
    var graphQuantum: Duration { quantum(of: StreamID(0)) }

    /// Lets the session manager go on at this moment.
    func armHold(at moment: Instant) {
        if let holdTimer { cpw_loop_arm_timer(loop, holdTimer, moment.nanoseconds) }
    }

    /// Something new is linked to a node.
    func linked(to node: UInt32) {
        if !hasSteppedBack { runtime?.linked(to: node) }
    }

    /// Another session manager is at work, or none.
    func managerChanged() {
        if !hasSteppedBack { runtime?.managerChanged() }
    }

    /// Whether what is heard on an output may stop when that is lost.
    var stopsPlayback: Bool { !hasSteppedBack && runtime?.mayStopPlayback ?? false }

    /// Whether a node is an application's stream that the policy has to do with.
    func isStream(_ node: UInt32) -> Bool { streams[node].map { $0.description != nil } ?? false }

    /// Whether the daemon lets a client wait.
    func isBusy(_ client: OpaquePointer) -> Bool { clients[client]?.isBusy ?? false }

    /// The sink or source that a stream is linked to.
    public func place(of stream: StreamID) -> UInt32? {
        guard let node = book?[stream] else { return nil }
        return routes.place(of: node.global, node.properties.direction)
    }

    /// Sends a stream elsewhere, or makes another port the one in use.
    public func carryOut(_ command: RouteCommand) {
        switch command {
        case .send(let stream, let node):
            if let global = book?[stream]?.global { routes.send(global, to: node) }
        case .usePort(let id, let direction, let device, let node):
            routes.use(id, direction, device: device, node: node, isSaved: false)
        }
    }

    private func stream(of node: UInt32) -> StreamID? {
        streams[node].flatMap { $0.description == nil ? nil : $0.id }
    }
}
