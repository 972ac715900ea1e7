/// One stream that can be moved.
public struct RouteStream: Sendable, Hashable {
    /// The stream.
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

/// Turns the choices of all sessions into commands for the server, and remembers them, so that each change is undone
/// when no session needs it any more (R41–R43, R46–R48, R66).
///
/// A server carries out commands with a delay, and its user may choose a port too. So the observed state is compared
/// with the former state and with the command. If it is neither, it is the user's choice and stays.
///
/// Like the engine, it has no clock, does no I/O, and accepts every input.
public struct RouteSteering: Sendable, Equatable {
    private var ports: [UInt32: SteeredPort] = [:]
    private var streams: [StreamID: SteeredStream] = [:]

    /// Creates a steering that has changed nothing.
    public init() {}

    /// Whether there is nothing to undo.
    public var isEmpty: Bool { ports.isEmpty && streams.isEmpty }

    /// Whether a stream was sent elsewhere, and nobody has moved it since.
    public func isSent(_ stream: StreamID) -> Bool { streams[stream].map { !$0.isOverruled } ?? false }

    /// Compares choices with the present state, and returns the commands that are needed. Call it after every change;
    /// without changes, it returns nothing.
    ///
    /// - Parameters:
    ///   - choices: The choices of the active opened sessions, in the order of activation. If two want different ports
    ///     of one node, the later one wins.
    ///   - streams: All streams. A missing one was removed or is left alone from now on; it is sent back, which a
    ///     server ignores for a removed stream.
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

    /// The commands that have had no effect and must be repeated after a while. Somebody else may have changed the same
    /// port at the same time.
    public func unanswered(_ places: [RoutePlace]) -> [RouteCommand] {
        places.compactMap { place in
            guard let steered = ports[place.nodeID], steered.isOf(place), let asked = steered.unanswered(at: place)
            else {
                return nil
            }
            return .usePort(id: asked, direction: place.direction, deviceID: steered.deviceID, nodeID: place.nodeID)
        }
    }

    /// Says that the commands had enough time: from now on, another port than the one requested last is somebody's
    /// choice, even if it was requested earlier.
    public mutating func settle() {
        for node in Array(ports.keys) where ports[node]?.settle() == true { ports[node] = nil }
    }

    /// The route that the server would use by default without our changes, as input for ``RouteChoice``. A choice that
    /// depended on its own result would never be undone.
    ///
    /// - Parameters:
    ///   - present: The server's present route.
    ///   - inputs: The available inputs.
    ///   - outputs: The available outputs.
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

    /// The commands that let the server choose again for these streams, except those that somebody has moved.
    private func released(_ streams: [StreamID: SteeredStream]) -> [RouteCommand] {
        streams.filter { !$0.value.isOverruled }.keys.sorted { $0.rawValue < $1.rawValue }.map { .send($0, to: nil) }
    }
}
