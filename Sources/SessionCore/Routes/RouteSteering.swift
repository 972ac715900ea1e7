/// One stream, as far as it can be sent elsewhere.
public struct RouteStream: Sendable, Hashable {
    /// The stream.
    public var id: StreamID
    /// The opened session that it belongs to, `nil` for none.
    public var session: SessionID?
    /// Which way its sound goes.
    public var direction: StreamDirection
    /// The server's number for the node that it is linked to, `nil` while it is not, or that is not known.
    public var nodeID: UInt32?

    /// Makes a stream.
    public init(_ id: StreamID, of session: SessionID?, _ direction: StreamDirection, on nodeID: UInt32? = nil) {
        self.id = id
        self.session = session
        self.direction = direction
        self.nodeID = nodeID
    }
}

/// What is to be done in the server.
public enum RouteCommand: Sendable, Hashable {
    /// Send a stream to the node with this number; `nil`: let it go where the server would have sent it all along.
    case send(StreamID, to: UInt32?)
    /// Make this port of the card the one that the sink or source is used with.
    case usePort(id: String, direction: PortDirection, deviceID: UInt32, nodeID: UInt32)
}

/// Makes of the choices of all sessions the changes in the server, and remembers them, so that each is undone when nobody
/// wants it any more (R41–R43, R46–R48, R66).
///
/// A server does what it is told a while later, and its user may choose too. So what is seen is compared with what was
/// there before, what was asked for, and what neither of them is: that was somebody's own choice, and stays.
///
/// Like the engine it has no clock, does no I/O, and has an answer for everything.
public struct RouteSteering: Sendable, Equatable {
    private var ports: [UInt32: SteeredPort] = [:]
    private var streams: [StreamID: SteeredStream] = [:]

    /// Makes one that has changed nothing.
    public init() {}

    /// Whether there is nothing to undo.
    public var isEmpty: Bool { ports.isEmpty && streams.isEmpty }

    /// Whether a stream was sent elsewhere, and nobody has put it somewhere else since.
    public func isSent(_ stream: StreamID) -> Bool { streams[stream].map { !$0.isOverruled } ?? false }

    /// Takes how things are, and returns what is to be done. To be called whenever any of it is different; the answer to
    /// the same once more is nothing.
    ///
    /// - Parameters:
    ///   - choices: Those of the opened sessions that are active, in the order of their activation. Where two want
    ///     different ports of one node, the latest has its way.
    ///   - streams: All streams that there are. What is not among them has vanished, or is left alone from now on; it goes
    ///     back, as a server ignores what it is told of a stream that is not there.
    ///   - places: All sinks and sources (``RouteTracker/places``).
    public mutating func update(
        _ choices: [(session: SessionID, choice: RouteChoice)], streams: [RouteStream], places: [RoutePlace]
    ) -> [RouteCommand] {
        let plan = RoutePlan(choices, places)
        var begun: [RouteCommand] = []
        var ended: [RouteCommand] = []
        var kept: [UInt32: SteeredPort] = [:]
        for place in places where kept[place.nodeID] == nil {
            let wanted = plan.ports[place.nodeID]
            // Another node may have got the number.
            var steered = ports[place.nodeID].flatMap { $0.isOf(place) ? $0 : nil }
            steered?.note(place)
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
            steered?.note(stream, nodes)
            let target = stream.session.flatMap { plan.target(of: $0, stream.direction) }
            if let command = SteeredStream.change(&steered, of: stream, to: target, nodes, plan) {
                begun.append(command)
            }
            left[stream.id] = steered
        }
        begun += released(self.streams)
        self.streams = left
        // A port goes back when nobody is heard there any more.
        return begun + ended
    }

    /// What was asked of the server and has not shown: to be asked once more after a while, for somebody else who asked at the
    /// same moment may have had the last word. That looks like no answer at all.
    public func unanswered(_ places: [RoutePlace]) -> [RouteCommand] {
        places.compactMap { place in
            guard let steered = ports[place.nodeID], steered.isOf(place), let asked = steered.unanswered(at: place)
            else {
                return nil
            }
            return .usePort(id: asked, direction: place.direction, deviceID: steered.deviceID, nodeID: place.nodeID)
        }
    }

    /// What the server would use by default if nothing had been changed, for ``RouteChoice``: a choice that depended on what
    /// came of it would not go back.
    ///
    /// - Parameters:
    ///   - present: What it uses.
    ///   - inputs: The inputs that there are.
    ///   - outputs: The outputs that there are.
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

    /// Returns what undoes all, as things were when they were last told, and forgets it.
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

    /// What lets streams go where the server would have sent them, but for those that somebody has put elsewhere.
    private func released(_ streams: [StreamID: SteeredStream]) -> [RouteCommand] {
        streams.filter { !$0.value.isOverruled }.keys.sorted { $0.rawValue < $1.rawValue }.map { .send($0, to: nil) }
    }
}
