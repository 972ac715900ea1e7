import CPipeWire
public import SessionCore

/// What the runtime needs to know of routes, and what it learns of them.
extension PipeWireHost {
    /// The streams whose sound goes to a sink.
    public func streams(heardOn node: UInt32) -> [StreamID] {
        routes.sources(of: node).sorted().compactMap { stream(of: $0) }
    }

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

    /// A node's sound goes to another one from now on.
    func linked(_ output: UInt32, to input: UInt32) {
        guard !hasSteppedBack else { return }
        if let stream = stream(of: output) { runtime?.linked(stream, to: input) }
        if let stream = stream(of: input) { runtime?.linked(stream, to: output) }
    }

    /// The sink or source that a stream is linked to.
    public func place(of stream: StreamID) -> UInt32? {
        guard let node = byStream[stream] else { return nil }
        return routes.place(of: node.global, node.properties.direction)
    }

    /// Sends a stream elsewhere, or makes another port the one in use.
    public func carryOut(_ command: RouteCommand) {
        switch command {
        case .send(let stream, let node):
            if let global = byStream[stream]?.global { routes.send(global, to: node) }
        case .usePort(let id, let direction, let device, let node):
            routes.use(id, direction, device: device, node: node, isSaved: false)
        }
    }

    private func stream(of node: UInt32) -> StreamID? {
        streams[node].flatMap { $0.description == nil ? nil : $0.id }
    }
}
