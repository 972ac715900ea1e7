import SessionCore
import SessionWire

/// Routes on the bus: each session's part of them, and the ports that one can choose (R56–R60, R66, R78).
extension SessionService {
    /// Brings what is shown of the route and of the ports up to date. Listeners hear of it only by a ``RouteChange``: it is
    /// none when the same ports have other nodes, nor when the first ports are there.
    func showRoute() {
        manager?.portsChanged()
        for object in objects.values { showRoute(of: object) }
    }

    private func showRoute(of object: SessionObject) {
        let route = runtime.part(of: runtime.route, for: object.id, object.state.configuration.category)
        guard route != object.route else { return }
        object.route = route
        changed(["CurrentRoute"], of: object)
    }

    /// Tells everybody of another route, and each session of its part of it (R58).
    func tell(_ change: RouteChange) {
        showRoute()
        manager?.routeChanged(change)
        for object in objects.values.sorted(by: { $0.id.rawValue < $1.id.rawValue }) {
            let category = object.state.configuration.category
            let previous = runtime.part(of: change.previous, for: object.id, category)
            let current = runtime.part(of: change.current, for: object.id, category)
            let isWithout = category.lacks(current)
            let wasWithout = object.lacksRoute
            object.lacksRoute = isWithout && object.state.isActive
            if object.lacksRoute, !wasWithout {
                tell(object, .noSuitableRouteForCategory, previous, current)
            } else if !current.isSame(as: previous) {
                // That another session has no suitable route is nothing to this one.
                let isOfOther = change.reason == .noSuitableRouteForCategory && !isWithout
                tell(object, isOfOther ? .unknown : change.reason, previous, current)
            }
        }
    }

    /// A session has another category, and with it perhaps another part of the route (R57). That it has none which suits
    /// follows when the category is in force.
    func categoryChanged(of object: SessionObject, from category: Category) {
        showRoute(of: object)
        let previous = runtime.part(of: runtime.route, for: object.id, category)
        let current = object.route
        if !object.state.configuration.category.lacks(current) { object.lacksRoute = false }
        if !current.isSame(as: previous) { tell(object, .categoryChange, previous, current) }
    }

    /// A session's own choice is another one (R41–R48, R66).
    func choiceChanged(of object: SessionObject, for reason: RouteChangeReason) {
        let previous = object.route
        showRoute(of: object)
        if !object.route.isSame(as: previous) { tell(object, reason, previous, object.route) }
    }

    private func tell(_ object: SessionObject, _ reason: RouteChangeReason, _ previous: Route, _ current: Route) {
        let routes = [previous, current].map { Records.route($0) }
        emit("RouteChanged", of: object, [.uint32(reason.rawValue)] + routes)
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
            awaitedChoices[direction] =
                choice.port.nodeID == nil ? (choice.port.id, runtime.now.advanced(by: Self.patience)) : nil
        }
    }

    /// How long a card may take to have the node of another profile.
    private static let patience = Duration.seconds(5)

    /// Chooses what was chosen before its card had a node for it, which it got with another profile (R66).
    func chooseAwaited() {
        for (direction, choice) in awaitedChoices {
            guard runtime.now <= choice.end else {
                awaitedChoices[direction] = nil
                continue
            }
            let ports = direction == .input ? runtime.availableInputs : runtime.availableOutputs
            guard let port = ports.first(where: { $0.id == choice.id && $0.nodeID != nil }) else { continue }
            awaitedChoices[direction] = nil
            host.choose(port, direction: direction)
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
