import SessionCore
import SessionWire

/// Routes on the bus: each session's part of them, and the ports that one can choose (R56–R60, R66, R78).
extension SessionService {
    /// Brings what all sessions have of the route up to date.
    func showRoute(_ reason: RouteChangeReason?) {
        for object in objects.values.sorted(by: { $0.id.rawValue < $1.id.rawValue }) { showRoute(of: object, reason) }
    }

    /// Brings what a session has of the route up to date, and tells its owner if a listener would take it for another one
    /// (R57, R58).
    ///
    /// - Parameters:
    ///   - reason: Why; `nil` when no listener hears of it, as when only the nodes of the same ports are others.
    ///   - isOwn: It is the session that has changed. That there is no route for it follows once it is in force.
    func showRoute(of object: SessionObject, _ reason: RouteChangeReason?, isOwn: Bool = false) {
        let category = object.state.configuration.category
        let previous = object.route
        let current = runtime.route.part(for: category)
        if current != previous {
            object.route = current
            changed(["CurrentRoute"], of: object)
        }
        let isWithout =
            (category.recordsSound && current.inputs.isEmpty) || (category.playsSound && current.outputs.isEmpty)
        if !isWithout { object.lacksRoute = false }
        guard var reason else { return }
        if isWithout, !isOwn, !object.lacksRoute, object.state.isActive {
            object.lacksRoute = true
            reason = .noSuitableRouteForCategory
        } else if current.isSame(as: previous) {
            return
        } else if reason == .noSuitableRouteForCategory, !isWithout {
            // That of another session.
            reason = .unknown
        }
        let values = [.uint32(reason.rawValue), Records.route(previous), Records.route(current)] as [WireValue]
        emit("RouteChanged", of: object, values)
    }

    // MARK: - Choosing

    /// The user's own choice of a port (R66).
    func choose(_ word: String) throws(WireError) {
        let ports =
            runtime.availableOutputs.map { (port: $0, direction: PortDirection.output) }
            + runtime.availableInputs.map { (port: $0, direction: PortDirection.input) }
        var found = ports.filter { $0.port.id == word }
        if found.isEmpty, !word.isEmpty {
            found = ports.filter { $0.port.name == word }
            if found.isEmpty { found = ports.filter { $0.port.type.rawValue == word } }
            if found.count > 1 {
                let ids = Self.ids(of: found.map(\.port)).joined(separator: ", ")
                throw WireError(
                    WireErrorName.notFound, "several ports are '\(Words.printable(word))', choose by id: \(ids)")
            }
        }
        if found.isEmpty {
            let message = Words.unknown("port", word, Self.ids(of: ports.map(\.port))).message
            throw WireError(WireErrorName.notFound, message)
        }
        for direction in PortDirection.allCases {
            guard let choice = found.first(where: { $0.direction == direction }) else { continue }
            host.choose(choice.port, direction: direction)
        }
    }

    /// Only a port that there is can be wished for (R66).
    func checkPort(_ id: String, _ direction: PortDirection) throws(WireError) {
        let ports = direction == .input ? runtime.availableInputs : runtime.availableOutputs
        if ports.contains(where: { $0.id == id }) { return }
        throw Words.unknown(direction == .input ? "input" : "output", id, Self.ids(of: ports))
    }

    /// So many are listed in a message.
    private static let listed = 24

    private static func ids(of ports: [RoutePort]) -> [String] {
        ports.prefix(listed).map { Words.printable($0.id, limit: AudioSessionBus.maximumTextLength) }
    }
}
