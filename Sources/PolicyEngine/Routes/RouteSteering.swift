/// One stream that can be moved.
public struct RouteStream: Sendable, Hashable {
    /// The id.
    public var id: StreamID
    /// The opened session to which it belongs; `nil` for none.
    public var session: SessionID?
    /// Its direction.
    public var direction: StreamDirection
    /// The server's number of the node to which it is linked; `nil` if it is not linked or the node is unknown.
    public var nodeID: UInt32?
    /// The output that the policy has for its role; `nil` for the server's choice (N23).
    public var output: OutputPattern?

    /// Creates a stream.
    public init(
        _ id: StreamID, of session: SessionID?, _ direction: StreamDirection, on nodeID: UInt32? = nil,
        output: OutputPattern? = nil
    ) {
        self.id = id
        self.session = session
        self.direction = direction
        self.nodeID = nodeID
        self.output = output
    }
}

/// A command for the server.
public enum RouteCommand: Sendable, Hashable {
    /// Send the stream to the node with this number; `nil` lets the server choose again.
    case send(StreamID, to: UInt32?)
    /// Make the sink or source use this port of the card.
    case usePort(id: String, direction: PortDirection, deviceID: UInt32, nodeID: UInt32)
}

/// Turns the choices of all sessions into commands for the server, and remembers the commands, so that each change is
/// undone when no session needs it any more (R41–R43, R46–R48, R66).
///
/// A server carries out commands with a delay, and its user may choose a port, too. An observed state that is neither
/// the former one nor the commanded one is the user's choice and stays. Accepts every input, without clock or I/O.
public struct RouteSteering: Sendable, Equatable {
    private var ports: [UInt32: SteeredPort] = [:]
    private var streams: [StreamID: SteeredStream] = [:]

    /// Creates a steering that has changed nothing.
    public init() {}

    /// Whether there is nothing to undo.
    public var isEmpty: Bool { ports.isEmpty && streams.isEmpty }

    /// Whether a stream was sent elsewhere, and nobody has moved it since.
    public func isSent(_ stream: StreamID) -> Bool { streams[stream].map { !$0.isOverruled } ?? false }

    /// Returns the commands that the choices need now. Call it after every change; without changes, it returns nothing.
    ///
    /// - Parameters:
    ///   - choices: Of the active opened sessions, in the order of activation. The later of two for one node wins.
    ///   - streams: All streams. A missing one is sent back: the policy leaves it alone, or it was removed.
    ///   - places: All sinks and sources (``RouteTracker/places``).
    ///   - outputs: The sinks of the outputs that roles have (N23). A session's own choice comes first.
    public mutating func update(
        _ choices: [(session: SessionID, choice: RouteChoice)], streams: [RouteStream], places: [RoutePlace],
        outputs: [OutputPattern: UInt32] = [:]
    ) -> [RouteCommand] {
        let plan = RoutePlan(choices, places)
        var begun: [RouteCommand] = []
        var ended: [RouteCommand] = []
        var kept: [UInt32: SteeredPort] = [:]
        for place in places where kept[place.nodeID] == nil {
            let wanted = plan.ports[place.nodeID]
            // Another node may have the same number now.
            var steered = ports[place.nodeID].flatMap { $0.isOf(place) ? $0 : nil }
            steered?.observe(place)
            if let asked = SteeredPort.change(&steered, to: wanted, of: place), let deviceID = place.deviceID {
                let command = RouteCommand.usePort(
                    id: asked, direction: place.direction, deviceID: deviceID, nodeID: place.nodeID)
                if wanted == nil { ended.append(command) } else { begun.append(command) }
            }
            kept[place.nodeID] = steered
        }
        ports = kept

        let nodes = Dictionary(places.map { ($0.nodeID, $0.nodeName) }) { first, _ in first }
        var left: [StreamID: SteeredStream] = [:]
        for stream in streams where left[stream.id] == nil {
            var steered = self.streams.removeValue(forKey: stream.id)
            steered?.observe(stream, nodes)
            let target =
                stream.session.flatMap { plan.target(of: $0, stream.direction) }
                ?? stream.output.flatMap { outputs[$0] }
            if let command = SteeredStream.change(&steered, of: stream, to: target, nodes, plan) {
                begun.append(command)
            }
            left[stream.id] = steered
        }
        begun += released(self.streams)
        self.streams = left
        // A port is restored when no session plays there any more.
        return begun + ended
    }

    /// The commands to repeat after a while: somebody else may have changed the same port at the same time.
    public func unanswered(_ places: [RoutePlace]) -> [RouteCommand] {
        places.compactMap { place in
            guard let steered = ports[place.nodeID], steered.isOf(place), let asked = steered.unanswered(at: place)
            else {
                return nil
            }
            return .usePort(id: asked, direction: place.direction, deviceID: steered.deviceID, nodeID: place.nodeID)
        }
    }

    /// Says that the commands had enough time: any other port than the one requested last is now somebody's choice.
    public mutating func settle() {
        for node in Array(ports.keys) where ports[node]?.settle() == true { ports[node] = nil }
    }

    /// The route that the server would use by default without our changes, for ``RouteChoice``: a choice that depended
    /// on its own result would never be undone.
    public func untouched(_ present: Route, inputs: [RoutePort], outputs: [RoutePort]) -> Route {
        func untouched(_ port: RoutePort, _ ports: [RoutePort]) -> RoutePort {
            guard let nodeID = port.nodeID, let former = self.ports[nodeID]?.untouched,
                var old = ports.first(where: { $0.id == former })
            else { return port }
            old.nodeID = nodeID
            old.nodeName = port.nodeName
            return old
        }
        return Route(
            inputs: present.inputs.map { untouched($0, inputs) },
            outputs: present.outputs.map { untouched($0, outputs) })
    }

    /// Forgets all changes, and returns the commands that undo them.
    public mutating func undo() -> [RouteCommand] {
        let sent = released(streams)
        let changed = ports.sorted { $0.key < $1.key }.compactMap { nodeID, port in
            port.wayBack.map {
                RouteCommand.usePort(id: $0, direction: port.direction, deviceID: port.deviceID, nodeID: nodeID)
            }
        }
        self = RouteSteering()
        return sent + changed
    }

    /// Streams that somebody has moved stay.
    private func released(_ streams: [StreamID: SteeredStream]) -> [RouteCommand] {
        streams.filter { !$0.value.isOverruled }.keys.sorted { $0.rawValue < $1.rawValue }.map { .send($0, to: nil) }
    }
}
