/// The combined choices of all sessions: a port for each node, and a node for each session and direction.
struct RoutePlan {
    private struct Key: Hashable {
        var session: SessionID
        var direction: PortDirection
    }

    /// The chosen port of each node, by the node's number.
    private(set) var ports: [UInt32: String] = [:]
    private var targets: [Key: UInt32] = [:]
    /// The default nodes, by direction: the default sink or source, and the nodes behind it if it is a filter.
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

    /// Whether a node is a default node for streams of this direction.
    func isDefault(_ nodeID: UInt32, _ direction: StreamDirection) -> Bool {
        defaults[direction == .playback ? .output : .input]?.contains(nodeID) ?? false
    }

    /// Whether the server has a default node for streams of this direction.
    func hasDefault(_ direction: StreamDirection) -> Bool {
        defaults[direction == .playback ? .output : .input] != nil
    }
}

extension [RoutePlace] {
    /// The place that can use a port: preferably the node named in the port, else the node on which the port is active.
    /// `nil` if the port's profile is not in use.
    fileprivate func place(of port: RoutePort, _ direction: PortDirection) -> RoutePlace? {
        let fitting = filter {
            $0.direction == direction && ($0.nodeName == port.id || $0.ports.contains(port.id))
        }
        return fitting.first { $0.nodeID == port.nodeID } ?? fitting.first { $0.active == port.id } ?? fitting.first
    }
}
