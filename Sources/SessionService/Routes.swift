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

    func showRoute(of object: SessionObject) {
        let route = runtime.route(of: object.id)
        guard route != object.route else { return }
        object.route = route
        changed(["CurrentRoute"], of: object)
    }

    /// Tells everybody of another route (R58).
    func tell(_ change: RouteChange) {
        showRoute()
        manager?.routeChanged(change)
    }

    /// Tells a session of its part of the route (R57, R58).
    func tell(_ object: SessionObject, _ change: RouteChange) {
        showRoute(of: object)
        let routes = [change.previous, change.current].map { Records.route($0) }
        emit("RouteChanged", of: object, [.uint32(change.reason.rawValue)] + routes)
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
            guard host.choose(choice.port, direction: direction) else { throw Self.unusable(choice.port, direction) }
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
            _ = host.choose(port, direction: direction)
        }
    }

    /// Only a port that there is can be wished for (R66), and one that can be used: a session switches no profile, which would
    /// take away from others what they play on.
    func checkPort(_ id: String, _ direction: PortDirection) throws(WireError) {
        let ports = direction == .input ? runtime.availableInputs : runtime.availableOutputs
        if let port = ports.first(where: { $0.id == id }) {
            guard port.nodeID == nil else { return }
            let device = Words.printable(port.deviceName ?? port.name)
            throw WireError(
                WireErrorName.failed,
                "the profile of '\(device)' that has the \(Self.word(direction)) '\(Words.printable(id))' is off: "
                    + "SetRoute switches it, for everybody")
        }
        throw Words.unknown(direction == .input ? "input" : "output", id, Self.ids(of: ports))
    }

    private static func unusable(_ port: RoutePort, _ direction: PortDirection) -> WireError {
        let (id, device) = (Words.printable(port.id), Words.printable(port.deviceName ?? port.name))
        guard port.nodeID == nil else {
            return WireError(WireErrorName.failed, "there is no session manager that could use '\(id)'")
        }
        return WireError(
            WireErrorName.failed, "no profile of '\(device)' that can be used has the \(word(direction)) '\(id)'")
    }

    private static func word(_ direction: PortDirection) -> String { direction == .input ? "input" : "output" }

    /// So many are listed in a message.
    private static let listed = 24

    private static func ids(of ports: [RoutePort]) -> [String] {
        ports.prefix(listed).map { Words.printable($0.id, limit: AudioSessionBus.maximumTextLength) }
    }
}
