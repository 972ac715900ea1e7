public import SessionCore

/// Routes (R41–R48, R56–R66): what a host sees goes to the ``RouteEngine``, and what follows to the engine, the host and
/// whoever observes.
extension SessionRuntime {
    /// What the sound comes out of and goes into, as listeners were last told (R60).
    public var route: Route { routes.route }
    /// The inputs that one may choose (R66).
    public var availableInputs: [RoutePort] { routes.availableInputs }
    /// The outputs that one may choose (R66).
    public var availableOutputs: [RoutePort] { routes.availableOutputs }

    /// What an opened session has of the route (R57).
    public func route(of session: SessionID) -> Route { routes.route(of: session) }

    /// The ports that an opened session wishes for (R66).
    func preference(of session: SessionID) -> (output: String?, input: String?) { routes.preference(of: session) }

    /// Whether anything may be stopped that loses its output: the policy says so, or a session may have asked for it (N25).
    public var mayStopPlayback: Bool { policy.routes.pausesPlayback || routes.hasSessions }

    /// Takes what a host has seen of devices, at once: what may not be heard elsewhere is silent when this returns.
    ///
    /// - Returns: Whether an output is lost on which something was heard that may stop. Of one that is lost again while all that
    ///   was heard there is silent, nothing is heard any more.
    @discardableResult
    public func take(_ event: RouteEvent) -> Bool {
        let isLoss = handle(.server(event))
        if case .nodeGone(let node) = event { forgetMute(of: node) }
        drain()
        return isLoss && mayStopPlayback
    }

    /// Something new is linked to a node: streams that wait for an output may be heard there again.
    public func linked(to node: UInt32) {
        mutedInputs.recordingsChanged()
        handle(.linked(to: node))
        drain()
    }

    /// An opened session wishes for an output and an input, by their ports' ids; `nil` for whatever there is (R66). A port
    /// that is not there counts when it comes.
    public func preferRoute(session: SessionID, output: String?, input: String?) {
        guard state(of: session) != nil else { return }
        handle(.preference(session, output: output, input: input))
        drain()
    }

    /// Another session manager is at work, or none.
    public func managerChanged() {
        handle(.managerChanged)
        drain()
    }

    /// What an opened session is now may change what the route has to serve (R41, R57).
    ///
    /// - Parameter followsRoute: It is so because the route has changed.
    func noteRoute(of session: SessionID, followsRoute: Bool) {
        // Sessions of the system have no route of their own: their sound is made elsewhere.
        let state = state(of: session)
        let configuration = state == nil ? nil : configuration(of: session)
        handle(
            .session(session, configuration, isActive: state?.isActive ?? false, followsRoute: followsRoute))
    }

    /// Hands an event to the routes' engine, and carries out what follows. Returns whether streams have lost their output.
    @discardableResult
    func handle(_ event: RouteEngine.Event) -> Bool {
        var isLoss = false
        for effect in routes.handle(event, among: HostPlaces(runtime: self), at: host.now) {
            if case .lost(_, let streams) = effect, streams.contains(where: { isAudible($0) }) { isLoss = true }
            carryOut(effect)
        }
        return isLoss
    }

    private func carryOut(_ effect: RouteEngine.Effect) {
        switch effect {
        case .lost(let port, let streams):
            host.log(.info, "\(port.name) is gone, and with it the output of \(streams.count) streams")
            post(.outputLost(PortID(port.id), name: port.name, streams: streams))
        case .returned(let port, let streams): post(.outputReturned(PortID(port.id), streams: streams))
        case .switched(let port, let streams):
            host.log(.info, "\(port.name) is not in use any more, but is plugged in: its streams go on elsewhere")
            post(.outputReturned(PortID(port.id), streams: streams))
        case .command(let command):
            host.log(.debug, "routes: \(command)")
            host.carryOut(command)
        case .changed(let change):
            host.log(.info, "route: \(change.current.label), was \(change.previous.label) (\(change.reason.name))")
            post(.routeChanged(change.reason))
            observer?.runtime(self, routeChanged: change)
        case .sessionChanged(let session, let change): observer?.runtime(self, session: session, routeChanged: change)
        case .availableChanged: observer?.runtimeChangedAvailablePorts(self)
        case .begun(let route): host.log(.info, "route: \(route.label)")
        }
    }
}

/// Where the streams are that a runtime knows, for its routes.
private struct HostPlaces: StreamPlaces {
    let runtime: SessionRuntime

    func routedStreams() -> [RouteStream] {
        runtime.routedStreams.map { stream in
            var stream = stream
            stream.nodeID = runtime.host.place(of: stream.id)
            return stream
        }
    }

    func streams(heardOn node: UInt32) -> [StreamID] { runtime.host.streams(heardOn: node) }
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
