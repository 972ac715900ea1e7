import BusInterface
import PolicyEngine

/// Routes on D-Bus: each session's part of the route, and the ports that can be chosen (R56–R60, R66, R78).
extension SessionService {
    /// Updates the published route and ports. Listeners are told only by a ``RouteChange``. No change is sent when the
    /// same ports get other nodes, or when ports appear for the first time.
    func showRoute() {
        manager?.portsChanged()
        for object in objects { showRoute(of: object) }
    }

    func showRoute(of object: SessionObject) {
        let route = runtime.engine.route(of: object.id)
        guard route != object.shown.route else { return }
        object.isStale = true
        object.show { $0.route = route }
    }

    /// The record of a route, on the bus.
    func record(of route: Route) -> WireValue { Records.route(route) { runtime.channels(of: $0) } }

    /// The records of inputs or outputs, on the bus.
    func record(of ports: [RoutePort]) -> WireValue { Records.ports(ports) { runtime.channels(of: $0) } }

    /// Publishes a change of the route to all listeners (R58).
    func tell(_ change: RouteChange) {
        showRoute()
        manager?.routeChanged(change)
    }

    /// Sends a session its part of a changed route (R57, R58).
    func tell(_ object: SessionObject, _ change: RouteChange) {
        showRoute(of: object)
        let routes = [change.previous, change.current].map { record(of: $0) }
        emit("RouteChanged", of: object, [.uint32(change.reason.rawValue)] + routes)
    }

    // MARK: - Choosing

    /// Applies the user's choice of a port (R66).
    func choose(_ word: String) throws(WireError) {
        let ports =
            runtime.engine.availableOutputs.map { (port: $0, direction: PortDirection.output) }
            + runtime.engine.availableInputs.map { (port: $0, direction: PortDirection.input) }
        var found = ports.filter { $0.port.id == word }
        if found.isEmpty, !word.isEmpty {
            found = ports.filter { $0.port.name == word }
            if found.isEmpty { found = ports.filter { $0.port.type.rawValue == word } }
            // A card has ports of profiles that are off. A type of port means the port of the present profile.
            let ready = found.filter { $0.port.nodeID != nil }
            if !ready.isEmpty { found = ready }
            if found.count > 1 {
                let ids = Self.ids(of: found.map(\.port)).joined(separator: ", ")
                throw WireError(
                    WireErrorName.notFound, "several ports are '\(Words.short(word))', choose by id: \(ids)")
            }
        }
        if found.isEmpty {
            let message = Words.unknown("port", word, Self.ids(of: ports.map(\.port))).message
            throw WireError(WireErrorName.notFound, message)
        }
        for direction in PortDirection.allCases {
            guard let choice = found.first(where: { $0.direction == direction }) else { continue }
            guard runtime.host.choose(choice.port, direction: direction) else {
                throw Self.unusable(choice.port, direction)
            }
            awaitedChoices[direction] =
                choice.port.nodeID == nil ? (choice.port.id, runtime.now.advanced(by: Self.patience)) : nil
        }
    }

    /// How long a card may take to create the node of another profile.
    private static let patience = Duration.seconds(5)

    /// Applies a choice that had to wait until the card's new profile created a node (R66).
    func chooseAwaited() {
        for (direction, choice) in awaitedChoices {
            guard runtime.now <= choice.end else {
                awaitedChoices[direction] = nil
                continue
            }
            let ports = direction == .input ? runtime.engine.availableInputs : runtime.engine.availableOutputs
            guard let port = ports.first(where: { $0.id == choice.id && $0.nodeID != nil }) else { continue }
            awaitedChoices[direction] = nil
            _ = runtime.host.choose(port, direction: direction)
        }
    }

    /// Throws unless the port exists and can be used now (R66). A session switches no profile, because that would take
    /// away the device that others play on.
    func checkPort(_ id: String, _ direction: PortDirection) throws(WireError) {
        let ports = direction == .input ? runtime.engine.availableInputs : runtime.engine.availableOutputs
        if let port = ports.first(where: { $0.id == id }) {
            guard port.nodeID == nil else { return }
            let device = Words.short(port.deviceName ?? port.name)
            throw WireError(
                WireErrorName.failed,
                "the profile of '\(device)' that has the \(Self.word(direction)) '\(Words.short(id))' is off: "
                    + "SetRoute switches it, for everybody")
        }
        throw Words.unknown(direction == .input ? "input" : "output", id, Self.ids(of: ports))
    }

    private static func unusable(_ port: RoutePort, _ direction: PortDirection) -> WireError {
        let (id, device) = (Words.short(port.id), Words.short(port.deviceName ?? port.name))
        guard port.nodeID == nil else {
            return WireError(WireErrorName.failed, "there is no session manager that could use '\(id)'")
        }
        return WireError(
            WireErrorName.failed, "no profile of '\(device)' that can be used has the \(word(direction)) '\(id)'")
    }

    private static func word(_ direction: PortDirection) -> String { direction == .input ? "input" : "output" }

    /// The maximum number of names listed in an error message.
    private static let listed = 24

    private static func ids(of ports: [RoutePort]) -> [String] {
        ports.prefix(listed).map { printable($0.id, limit: AudioSessionBus.maximumTextLength) }
    }
}
