import CPulseCore
public import SessionCore

/// What the runtime needs to know of routes, and what it learns of them.
extension PulseAudioHost {
    /// The streams whose sound goes to a sink.
    public func streams(heardOn node: UInt32) -> [StreamID] {
        playback.values.filter { $0.description != nil && routes.isHeard($0.handle, on: node) }
            .map(\.id).sorted { $0.rawValue < $1.rawValue }
    }

    /// The sink or source that a stream plays on or records from.
    public func place(of stream: StreamID) -> UInt32? { book?[stream].flatMap { routes.place(of: $0.handle) } }

    /// Sends a stream elsewhere, or makes another port the one in use.
    public func carryOut(_ command: RouteCommand) {
        switch command {
        case .send(let stream, let node):
            if let handle = book?[stream]?.handle { routes.send(handle, to: node) }
        case .usePort(let id, let direction, _, let node): routes.use(id, direction, node: node, isSaved: false)
        }
    }

    /// Something happened to devices. What follows is done when this returns.
    func take(_ event: RouteEvent) { runtime?.take(event) }

    /// Something new plays on a sink.
    func linked(to node: UInt32) { runtime?.linked(to: node) }

    /// The user has muted a source, or takes that back (N7).
    func muted(_ input: RouteNode, _ isMuted: Bool) { runtime?.muted(input, isMuted) }
}
