public import SessionCore

/// What of the route has to be remembered between events: which streams wait for which output.
struct RouteKeeping {
    var tracker = RouteTracker()
    /// By the lost port's id: the streams that were heard there and are not back.
    var awaited: [String: Set<StreamID>] = [:]
    /// The lost ports that are in use again, with the node of each, while not all of their streams have been linked to it.
    var returned: [String: UInt32] = [:]
    /// The opened sessions that are active, the latest last.
    var active: [SessionID] = []
    /// What is known of opened sessions that matters for routes.
    var configurations: [SessionID: SessionConfiguration] = [:]
    /// The inputs and outputs that sessions prefer, by id (R66).
    var preferences: [SessionID: (output: String?, input: String?)] = [:]
    /// What was changed in the server for sessions.
    var steering = RouteSteering()
    /// The sessions whose sound goes to or comes from somewhere else than by default, and why it does.
    var detours: [SessionID: Detour] = [:]
    /// An override that ends now ends because of another route, and is not the cause of the next.
    var isChange = false
    /// Something is different that the choices of sessions depend on.
    var mustSteer = false

    /// The category that the route serves: what was activated last.
    var category: Category? { active.last.flatMap { configurations[$0]?.category } }

    /// Until when a session manager that has just begun is left alone.
    var newManagerUntil: Instant?

    /// When what has not shown is asked for once more, and how often it still is. WirePlumber 0.5 says again which port it
    /// has restored when another one was plugged in, and may say so after us.
    var nextRequest: (moment: Instant, left: Int)?

    /// How long a server may take to use another port.
    static let patience = Duration.seconds(1)
    static let requests = 3
    private static let mostReturned = 64
    /// How long a session manager takes to set up the cards that it finds.
    static let managerStart = Duration.seconds(1)

    /// The streams that wait for a port and are heard on it now.
    mutating func take(_ streams: [StreamID], waitingFor port: String) -> [StreamID] {
        guard let waiting = awaited[port] else { return [] }
        let back = streams.filter { waiting.contains($0) }
        let left = waiting.subtracting(back)
        awaited[port] = left.isEmpty ? nil : left
        if left.isEmpty { returned[port] = nil }
        return back
    }

    /// What is not lost any more, and not on its way back, is not waited for.
    mutating func forgetReturned() {
        guard !awaited.isEmpty else { return }
        while returned.count > RouteKeeping.mostReturned, let oldest = returned.keys.min() { returned[oldest] = nil }
        let lost = Set(tracker.lostOutputs.map(\.id))
        for port in Array(awaited.keys) where !lost.contains(port) && returned[port] == nil { awaited[port] = nil }
    }

    /// No session has a say any more.
    mutating func forgetSessions() {
        active = []
        configurations = [:]
        preferences = [:]
        detours = [:]
    }

    mutating func forget(_ stream: StreamID) {
        for port in Array(awaited.keys) where awaited[port]?.remove(stream) != nil {
            if awaited[port]?.isEmpty == true {
                awaited[port] = nil
                returned[port] = nil
            }
        }
    }
}

/// Routes (R56–R66): what a host sees of devices goes to the ``RouteTracker``, and what follows to the engine and to whoever
/// observes.
extension SessionRuntime {
    /// What the sound comes out of and goes into, as listeners were last told (R60).
    public var route: Route { routes.tracker.route }
    /// The inputs that one may choose (R66).
    public var availableInputs: [RoutePort] { routes.tracker.availableInputs }
    /// The outputs that one may choose (R66).
    public var availableOutputs: [RoutePort] { routes.tracker.availableOutputs }

    /// Takes what a host has seen of devices, at once: what may not be heard elsewhere is silent when this returns.
    ///
    /// - Returns: Whether an output is lost on which something was heard.
    @discardableResult
    public func take(_ event: RouteEvent) -> Bool {
        var isLoss = false
        let hadBegun = routes.tracker.hasBegun
        for effect in routes.tracker.handle(event, at: host.now) { isLoss = carryOut(effect) || isLoss }
        routes.forgetReturned()
        // Nobody has heard of another one, so this is no change; but whoever reads the log wants to know.
        if !hadBegun, routes.tracker.hasBegun { host.log(.info, "route: \(route.label)") }
        if case .nodeGone(let node) = event { forgetMute(of: node) }
        routes.mustSteer = true
        drain()
        return isLoss
    }

    /// Something new is linked to a node: streams that wait for an output may be heard there again.
    public func linked(to node: UInt32) {
        routes.mustSteer = true
        if !mutes.inputs.isEmpty || !mutes.told.isEmpty { mutes.isStale = true }
        for port in routes.returned.filter({ $0.value == node }).keys.sorted() {
            let back = routes.take(host.streams(heardOn: node), waitingFor: port)
            if !back.isEmpty { post(.outputReturned(PortID(port), streams: back)) }
        }
        drain()
    }

    /// Returns whether a stream has lost its output.
    private func carryOut(_ effect: RouteEffect) -> Bool {
        switch effect {
        case .lostOutput(let port):
            routes.returned[port.id] = nil
            let streams = port.nodeID.map { host.streams(heardOn: $0) } ?? []
            guard !streams.isEmpty, policy.routes.pausesPlayback else { return false }
            host.log(.info, "\(port.name) is gone, and with it the output of \(streams.count) streams")
            routes.awaited[port.id, default: []].formUnion(streams)
            post(.outputLost(PortID(port.id), name: port.name, streams: streams))
            return true
        case .returnedOutput(let port):
            guard routes.awaited[port.id] != nil, let node = port.nodeID else { break }
            routes.returned[port.id] = node
            let back = routes.take(host.streams(heardOn: node), waitingFor: port.id)
            if !back.isEmpty { post(.outputReturned(PortID(port.id), streams: back)) }
        case .switchedOutput(let port):
            routes.returned[port.id] = nil
            guard let streams = routes.awaited.removeValue(forKey: port.id) else { break }
            host.log(.info, "\(port.name) is not in use any more, but is plugged in: its streams go on elsewhere")
            post(.outputReturned(PortID(port.id), streams: streams.sorted { $0.rawValue < $1.rawValue }))
        case .changed(let change):
            host.log(.info, "route: \(change.current.label), was \(change.previous.label) (\(change.reason.name))")
            post(.routeChanged(change.reason))
            observer?.runtime(self, routeChanged: change)
        case .availableChanged:
            observer?.runtimeChangedAvailablePorts(self)
        }
        return false
    }
}

extension Route {
    /// For people.
    var label: String {
        func list(_ ports: [RoutePort]) -> String { ports.map(\.name).joined(separator: " + ") }
        if isEmpty { return "none" }
        let source = inputs.isEmpty ? [] : ["from \(list(inputs))"]
        return ((outputs.isEmpty ? [] : [list(outputs)]) + source).joined(separator: " ")
    }
}
