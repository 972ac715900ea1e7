public import SessionCore

/// Routes (R41–R48, R56–R66): passes what a host observes to the ``RouteEngine``, and its effects to the engine, the
/// host and the observer.
extension SessionRuntime {
    /// The present route, as listeners were last told (R60).
    public var route: Route { routes.route }
    /// The inputs that can be chosen (R66).
    public var availableInputs: [RoutePort] { routes.availableInputs }
    /// The outputs that can be chosen (R66).
    public var availableOutputs: [RoutePort] { routes.availableOutputs }

    /// The route of an opened session (R57).
    public func route(of session: SessionID) -> Route { routes.route(of: session) }

    /// The sink or source of the first output or input in an opened session's route; `nil` without one.
    public func device(_ direction: PortDirection, of session: SessionID) -> DeviceFigures? {
        let route = route(of: session)
        return (direction == .input ? route.inputs : route.outputs).first?.nodeID.flatMap { host.device($0) }
    }

    /// The number of channels of a sink or source, given by its number in the server; `nil` if there is none.
    public func channels(of node: UInt32) -> UInt32? { host.device(node)?.channels }

    /// The ports that an opened session prefers (R66).
    func preference(of session: SessionID) -> (output: String?, input: String?) { routes.preference(of: session) }

    /// Whether losing an output may stop a stream: the policy says so, or a session may have asked for it (N25).
    public var mayStopPlayback: Bool { policy.routes.pausesPlayback || routes.hasSessions }

    /// Handles a change of devices at once: streams that must not play elsewhere are silent when this returns.
    ///
    /// - Returns: Whether a lost output was playing a stream that may be stopped. `false` if the output is lost again
    ///   while all of its streams are silent.
    @discardableResult
    public func handle(_ event: RouteEvent) -> Bool {
        let isLoss = tellRoutes(.server(event))
        placesAreStale = true
        if case .nodeGone(let node) = event { forgetMute(of: node) }
        drain()
        return isLoss && mayStopPlayback
    }

    /// Records that something was linked to a node. Streams that wait for an output may play there again.
    public func linked(to node: UInt32) {
        mutedInputs.recordingsChanged()
        tellRoutes(.linked(to: node))
        placesAreStale = true
        drain()
    }

    /// N27: tells the engine where streams are heard, if that has changed. A stream that is linked to nothing yet counts as
    /// heard where the server plays by default.
    func reportPlaces() {
        guard placesAreStale else { return }
        placesAreStale = false
        let zones = policy.zones
        if zones.all.isEmpty, !hasReportedPlaces { return }
        hasReportedPlaces = !zones.all.isEmpty
        let byDefault = zones.zones(of: routes.route.outputs)
        var byNode: [UInt32: ZoneSet] = [:]
        for (stream, record) in streamRecords where record.isManaged && record.direction == .playback {
            var found = byDefault
            if let node = host.place(of: stream) {
                let known = byNode[node] ?? zones.zones(of: routes.ports(of: node))
                byNode[node] = known
                found = known
            }
            guard found != record.zones else { continue }
            record.zones = found
            sooner.append(.streamPlaced(stream, found))
        }
    }

    /// The ports on which a stream is heard, by id.
    func portsHeard(_ stream: StreamID) -> Set<String> {
        Set(host.place(of: stream).map { routes.ports(of: $0).map(\.id) } ?? [])
    }

    /// Sets the ports that an opened session prefers, by id; `nil` for no preference (R66). A port that is missing
    /// counts once it appears.
    public func preferRoute(session: SessionID, output: String?, input: String?) {
        guard state(of: session) != nil else { return }
        tellRoutes(.preference(session, output: output, input: input))
        drain()
    }

    /// Records that an opened session belongs to a confined program, which changes no port that others use (N20).
    public func confine(session: SessionID) { tellRoutes(.confined(session)) }

    /// Records that another session manager runs, or none.
    public func managerChanged() {
        tellRoutes(.managerChanged)
        drain()
    }

    /// Passes an opened session's state to the routes, which may depend on it (R41, R57).
    ///
    /// - Parameter followsRoute: Whether the state changed because the route did.
    func updateRoute(of session: SessionID, followsRoute: Bool) {
        // Sessions of the system have no route of their own: their sound is made elsewhere.
        let state = state(of: session)
        let configuration = state == nil ? nil : configuration(of: session)
        tellRoutes(
            .session(session, configuration, isActive: state?.isActive ?? false, followsRoute: followsRoute))
    }

    /// Passes an event to the route engine and carries out the effects. Returns whether streams have lost their output.
    @discardableResult
    func tellRoutes(_ event: RouteEngine.Event) -> Bool {
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
            // R64: what was silenced before it came to this output has lost nothing there.
            let lost = streams.filter { streamRecords[$0]?.heardOn?.contains(port.id) ?? true }
            guard !lost.isEmpty else { break }
            host.log(.info, "\(port.name) is gone, and with it the output of \(lost.count) streams")
            // Streams that their clients have stopped for a moment were heard there, too, and will start again by themselves.
            // To the engine they play until the output has gone.
            let stopped = lost.filter { isStoppedByItself($0) }
            for stream in stopped { post(.streamWanted(stream, true)) }
            post(.outputLost(PortID(port.id), name: port.name, streams: lost))
            for stream in stopped { post(.streamWanted(stream, false)) }
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

/// The places of a runtime's streams, for the route engine.
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

    var haveOutputs: Bool { runtime.haveOutputs }
}

extension Route {
    /// Text for people.
    var label: String {
        func list(_ ports: [RoutePort]) -> String { ports.map(\.name).joined(separator: " + ") }
        if isEmpty { return "none" }
        let source = inputs.isEmpty ? [] : ["from \(list(inputs))"]
        return ((outputs.isEmpty ? [] : [list(outputs)]) + source).joined(separator: " ")
    }
}
