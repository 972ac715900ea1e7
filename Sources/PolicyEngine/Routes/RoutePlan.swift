/// The combined choices of all sessions: a port for each node, a node for each session and direction.
struct RoutePlan {
    /// By the node's number.
    private(set) var ports: [UInt32: String] = [:]
    private var targets: [PortDirection: [SessionID: UInt32]] = [:]
    private let defaults: [PortDirection: Set<UInt32>]

    init(_ choices: [(session: SessionID, choice: RouteChoice)], _ places: [RoutePlace]) {
        defaults = places.defaults
        for (session, choice) in choices {
            for direction in PortDirection.allCases {
                let place = choice[direction].flatMap { places.place(of: $0, direction) }
                targets[direction, default: [:]][session] = place?.nodeID
                guard let port = choice[direction], let place, place.ports.contains(port.id) else { continue }
                ports[place.nodeID] = port.id
            }
        }
    }

    func target(of session: SessionID, _ direction: StreamDirection) -> UInt32? { targets[direction.port]?[session] }

    func isDefault(_ nodeID: UInt32, _ direction: StreamDirection) -> Bool {
        defaults[direction.port]?.contains(nodeID) ?? false
    }

    func hasDefault(_ direction: StreamDirection) -> Bool { defaults[direction.port] != nil }
}

extension [RoutePlace] {
    /// The default sink or source, and the nodes behind it if it is a filter.
    var defaults: [PortDirection: Set<UInt32>] {
        filter { $0.isDefault || $0.isBehindDefault }
            .reduce(into: [:]) { $0[$1.direction, default: []].insert($1.nodeID) }
    }

    /// The place that can use a port: preferably the port's own node, then a node with the port active. `nil` if the
    /// port's profile is not in use.
    fileprivate func place(of port: RoutePort, _ direction: PortDirection) -> RoutePlace? {
        let fitting = filter {
            $0.direction == direction && ($0.nodeName == port.id || $0.ports.contains(port.id))
        }
        return fitting.first { $0.nodeID == port.nodeID } ?? fitting.first { $0.active == port.id } ?? fitting.first
    }
}
