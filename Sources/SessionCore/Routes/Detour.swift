/// What one session has of the route that not everybody has, and what that was decided by.
public struct Detour: Sendable, Hashable {
    /// The ports on other nodes than the server's default ones.
    public private(set) var choice: RouteChoice
    /// What its session wants.
    public var wish: RouteWish

    /// Makes one of what a session chooses.
    ///
    /// - Parameter present: What the server uses by default: a port of one of its nodes is in use for everybody.
    public init(_ choice: RouteChoice, for wish: RouteWish, beside present: Route) {
        func elsewhere(_ port: RoutePort?, _ ports: [RoutePort]) -> RoutePort? {
            guard let node = port?.nodeID, !ports.contains(where: { $0.nodeID == node }) else { return nil }
            return port
        }
        self.choice = RouteChoice(
            output: elsewhere(choice.output, present.outputs), input: elsewhere(choice.input, present.inputs))
        self.wish = wish
    }

    /// Why a session's sound goes elsewhere than before (R56); `nil` if it does not. A session that is not active has none.
    ///
    /// - Parameter available: The inputs and outputs that one may choose now.
    public static func reason(
        from old: Detour?, to new: Detour?, available: [RoutePort]
    ) -> RouteChangeReason? {
        guard old?.choice ?? RouteChoice() != new?.choice ?? RouteChoice() else { return nil }
        guard let old, let new else { return .categoryChange }
        if old.wish.outputOverride != new.wish.outputOverride { return .override }
        if old.wish.category != new.wish.category || old.wish.options != new.wish.options
            || old.wish.mode != new.wish.mode
        {
            return .categoryChange
        }
        if old.wish != new.wish { return .routeConfigurationChange }
        func isThere(_ port: RoutePort?) -> Bool {
            port.map { port in available.contains { $0.id == port.id || $0.nodeName == port.id } } ?? true
        }
        return isThere(old.choice.output) && isThere(old.choice.input) ? .newDeviceAvailable : .oldDeviceUnavailable
    }
}

extension Route {
    /// What a session of a category has of it: its own detour, and nothing in a direction that the category does not use.
    public func part(for category: Category, taking detour: Detour?) -> Route {
        var part = part(for: category)
        if let output = detour?.choice.output, category.playsSound { part.outputs = [output] }
        if let input = detour?.choice.input, category.recordsSound { part.inputs = [input] }
        return part
    }
}
