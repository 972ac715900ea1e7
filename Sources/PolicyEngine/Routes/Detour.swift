/// How a session's route differs from the default one, and the requirements that caused it.
public struct Detour: Sendable, Hashable {
    /// The chosen ports on nodes other than the server's default ones.
    public private(set) var choice: RouteChoice
    /// The session's requirements.
    public var requirements: RouteRequirements

    /// Creates the detour for a choice. Ports on nodes of the default route (`present`) are no detour.
    public init(_ choice: RouteChoice, for requirements: RouteRequirements, beside present: Route) {
        func elsewhere(_ port: RoutePort?, _ ports: [RoutePort]) -> RoutePort? {
            guard let node = port?.nodeID, !ports.contains(where: { $0.nodeID == node }) else { return nil }
            return port
        }
        self.choice = RouteChoice(
            output: elsewhere(choice.output, present.outputs), input: elsewhere(choice.input, present.inputs))
        self.requirements = requirements
    }

    /// The reason for which a session's detour changed (R56), unless its application gives the reason; `nil` without a
    /// change. Inactive sessions have no detour. `available` are all ports that can be chosen.
    public static func reason(
        from old: Detour?, to new: Detour?, available: [RoutePort]
    ) -> RouteChangeReason? {
        guard old?.choice ?? RouteChoice() != new?.choice ?? RouteChoice() else { return nil }
        guard let old, let new, old.requirements == new.requirements else { return .routeConfigurationChange }
        func isThere(_ port: RoutePort?) -> Bool {
            port.map { port in available.contains { $0.id == port.id || $0.nodeName == port.id } } ?? true
        }
        return isThere(old.choice.output) && isThere(old.choice.input) ? .newDeviceAvailable : .oldDeviceUnavailable
    }
}

extension Route {
    /// The route of a session: its own detour, else the default; empty in a direction that the category does not use.
    public func part(for category: Category, taking detour: Detour?) -> Route {
        var part = part(for: category)
        if let output = detour?.choice.output, category.playsSound { part.outputs = [output] }
        if let input = detour?.choice.input, category.recordsSound { part.inputs = [input] }
        return part
    }
}
