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
    /// Something is different that the choices of sessions depend on.
    var mustSteer = false

    /// The category that the route serves: what was activated last.
    var category: Category? { active.last.flatMap { configurations[$0]?.category } }

    /// The streams that wait for a port and are heard on it now.
    mutating func take(_ streams: [StreamID], waitingFor port: String) -> [StreamID] {
        guard let waiting = awaited[port] else { return [] }
        let back = streams.filter { waiting.contains($0) }
        let left = waiting.subtracting(back)
        awaited[port] = left.isEmpty ? nil : left
        if left.isEmpty { returned[port] = nil }
        return back
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
        // Nobody has heard of another one, so this is no change; but whoever reads the log wants to know.
        if !hadBegun, routes.tracker.hasBegun { host.log(.info, "route: \(route.label)") }
        if case .nodeGone(let node) = event { forgetMute(of: node) }
        routes.mustSteer = true
        drain()
        return isLoss
    }

    /// A stream is heard on another sink than before, or for the first time.
    public func linked(_ stream: StreamID, to node: UInt32) {
        routes.mustSteer = true
        if mutes.inputs[node] != nil || mutes.told[stream] != nil { mutes.isStale = true }
        for (port, place) in routes.returned where place == node {
            let back = routes.take([stream], waitingFor: port)
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
            guard !streams.isEmpty else { return false }
            host.log(.info, "\(port.name) is gone, and with it the output of \(streams.count) streams")
            routes.awaited[port.id, default: []].formUnion(streams)
            post(.outputLost(PortID(port.id), name: port.name, streams: streams))
            return policy.routes.pausesPlayback
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
            host.log(.info, "route: \(change.current.label), was \(change.previous.label) (\(change.reason))")
            post(.routeChanged(change.reason))
            observer?.runtime(self, routeChanged: change)
        case .availableChanged:
            observer?.runtimeChangedAvailablePorts(self)
        }
        return false
    }

    /// An opened session wishes for an output and an input, by their ports' ids; `nil` for whatever there is (R66). A port
    /// that is not there counts when it comes.
    public func preferRoute(session: SessionID, output: String?, input: String?) {
        guard state(of: session) != nil else { return }
        routes.preferences[session] = output == nil && input == nil ? nil : (output, input)
        routes.mustSteer = true
        drain()
    }

    /// Brings the server to what sessions choose (R41–R43, R46–R48, R66).
    func steer() {
        guard routes.mustSteer else { return }
        routes.mustSteer = false
        guard !routes.active.isEmpty || !routes.steering.isEmpty else { return }
        let tracker = routes.tracker
        let untouched = routes.steering.untouched(
            tracker.present, inputs: tracker.availableInputs, outputs: tracker.availableOutputs)
        let choices = routes.active.compactMap { session -> (session: SessionID, choice: RouteChoice)? in
            guard let configuration = routes.configurations[session] else { return nil }
            let preference = routes.preferences[session]
            let wish = RouteWish(
                session, configuration, preferredOutput: preference?.output, preferredInput: preference?.input)
            let choice = RouteChoice(
                for: wish, inputs: tracker.availableInputs, outputs: tracker.availableOutputs, present: untouched)
            return (session, choice)
        }
        let streams = routedStreams.map { stream in
            RouteStream(stream.id, of: stream.session, stream.direction, on: host.place(of: stream.id))
        }
        carryOut(routes.steering.update(choices, streams: streams, places: tracker.places))
    }

    /// Undoes what was done for sessions.
    func unsteer() { carryOut(routes.steering.undo()) }

    private func carryOut(_ commands: [RouteCommand]) {
        for command in commands {
            host.log(.debug, "routes: \(command)")
            host.carryOut(command)
        }
    }

    /// What an opened session is now may change what the route has to serve (R41, R57).
    func noteRoute(of session: SessionID) {
        guard let state = state(of: session) else {
            routes.configurations[session] = nil
            routes.preferences[session] = nil
            routes.active.removeAll { $0 == session }
            take(.category(routes.category))
            return
        }
        let old = routes.configurations[session] ?? SessionConfiguration()
        routes.configurations[session] = state.configuration
        if state.isActive != routes.active.contains(session) {
            if state.isActive {
                routes.active.append(session)
            } else {
                routes.active.removeAll { $0 == session }
            }
        }
        take(.category(routes.category))
        if old.outputOverride != state.configuration.outputOverride { take(.overridden) }
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
