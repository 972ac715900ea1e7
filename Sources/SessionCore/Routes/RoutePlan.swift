/// What the choices of all sessions come to: a port for each node, a node for each session and direction.
struct RoutePlan {
    private struct Key: Hashable {
        var session: SessionID
        var direction: PortDirection
    }

    /// By the number of a node: the port that it is to be used with.
    private(set) var ports: [UInt32: String] = [:]
    private var targets: [Key: UInt32] = [:]
    /// The nodes that the sound comes out of by default: the default one, and what is behind it if that is a filter.
    private var defaults: [PortDirection: Set<UInt32>] = [:]

    init(_ choices: [(session: SessionID, choice: RouteChoice)], _ places: [RoutePlace]) {
        for place in places where place.isDefault || place.isBehindDefault {
            defaults[place.direction, default: []].insert(place.nodeID)
        }
        for (session, choice) in choices {
            for direction in PortDirection.allCases {
                let key = Key(session: session, direction: direction)
                targets[key] = nil
                guard let port = direction == .output ? choice.output : choice.input,
                    let place = places.place(of: port, direction)
                else { continue }
                targets[key] = place.nodeID
                if place.ports.contains(port.id) { ports[place.nodeID] = port.id }
            }
        }
    }

    func target(of session: SessionID, _ direction: StreamDirection) -> UInt32? {
        targets[Key(session: session, direction: direction == .playback ? .output : .input)]
    }

    /// Whether the sound of a stream is heard on a node, or comes from it, without anybody's doing.
    func isDefault(_ nodeID: UInt32, _ direction: StreamDirection) -> Bool {
        defaults[direction == .playback ? .output : .input]?.contains(nodeID) ?? false
    }

    /// Whether the server has a default one.
    func hasDefault(_ direction: StreamDirection) -> Bool {
        defaults[direction == .playback ? .output : .input] != nil
    }
}

extension [RoutePlace] {
    /// Where a port can be used: where it was said to be, or where it is now. Nowhere if its profile is not in use.
    fileprivate func place(of port: RoutePort, _ direction: PortDirection) -> RoutePlace? {
        let fitting = filter {
            $0.direction == direction && ($0.nodeName == port.id || $0.ports.contains(port.id))
        }
        return fitting.first { $0.nodeID == port.nodeID } ?? fitting.first { $0.active == port.id } ?? fitting.first
    }
}
