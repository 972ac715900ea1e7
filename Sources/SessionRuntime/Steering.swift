public import SessionCore

/// Where sessions' sound goes and comes from (R41–R48, R66): what they say goes to ``RouteChoice``, and the difference that
/// ``RouteSteering`` makes of it to the host.
extension SessionRuntime {
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
        guard routes.mustSteer, routes.newManagerUntil == nil else { return }
        routes.mustSteer = false
        guard !routes.active.isEmpty || !routes.steering.isEmpty || !routes.detours.isEmpty else { return }
        let tracker = routes.tracker
        let untouched = routes.steering.untouched(
            tracker.present, inputs: tracker.availableInputs, outputs: tracker.availableOutputs)
        var choices: [(session: SessionID, choice: RouteChoice)] = []
        var detours: [SessionID: Detour] = [:]
        for session in routes.active {
            guard let configuration = routes.configurations[session] else { continue }
            let preference = routes.preferences[session]
            let wish = RouteWish(
                session, configuration, preferredOutput: preference?.output, preferredInput: preference?.input)
            let choice = RouteChoice(
                for: wish, inputs: tracker.availableInputs, outputs: tracker.availableOutputs, present: untouched)
            choices.append((session, choice))
            detours[session] = Detour(choice, for: wish, beside: tracker.present)
        }
        let streams = routedStreams.map { stream in
            var stream = stream
            stream.nodeID = host.place(of: stream.id)
            return stream
        }
        carryOut(routes.steering.update(choices, streams: streams, places: tracker.places))
        let former = routes.detours
        routes.detours = detours
        for session in Set(former.keys).union(detours.keys).sorted(by: { $0.rawValue < $1.rawValue }) {
            let reason = Detour.reason(
                from: former[session], to: detours[session], available: availableOutputs + availableInputs)
            if let reason { observer?.runtime(self, sends: session, elsewhereFor: reason) }
        }
    }

    /// What an opened session has of a route.
    public func part(of route: Route, for session: SessionID, _ category: Category) -> Route {
        route.part(for: category, taking: routes.detours[session])
    }

    /// Undoes what was done for sessions.
    func unsteer() { carryOut(routes.steering.undo(), requests: 0) }

    /// Asks once more for ports that were asked for and have not shown.
    func askAgain() {
        guard let left = routes.nextRequest?.left else { return }
        routes.nextRequest = nil
        carryOut(routes.steering.unanswered(routes.tracker.places), requests: left - 1)
    }

    /// - Parameter requests: How often a port that does not show is asked for again.
    private func carryOut(_ commands: [RouteCommand], requests: Int = RouteKeeping.requests) {
        for command in commands {
            if case .usePort = command {
                routes.nextRequest = requests > 0 ? (now.advanced(by: RouteKeeping.patience), requests) : nil
            }
            host.log(.debug, "routes: \(command)")
            host.carryOut(command)
        }
    }

    /// What an opened session is now may change what the route has to serve (R41, R57).
    func noteRoute(of session: SessionID) {
        // Sessions of the system have no route of their own: their sound is made elsewhere.
        guard let state = state(of: session), let configuration = configuration(of: session) else {
            routes.configurations[session] = nil
            routes.preferences[session] = nil
            routes.active.removeAll { $0 == session }
            take(.category(routes.category))
            return
        }
        let old = routes.configurations[session] ?? SessionConfiguration()
        routes.configurations[session] = configuration
        if state.isActive != routes.active.contains(session) {
            if state.isActive {
                routes.active.append(session)
            } else {
                routes.active.removeAll { $0 == session }
            }
        }
        take(.category(routes.category))
        if old.outputOverride != configuration.outputOverride, !routes.isChange { take(.overridden) }
    }

    /// Another session manager is at work, or none. What the former one was told has gone with it, and the new one first
    /// does what it finds right by itself: that is no choice of its user's.
    public func managerChanged() {
        routes.newManagerUntil = host.now.advanced(by: RouteKeeping.managerStart)
        routes.nextRequest = nil
        drain()
    }

    /// Takes what is in use now for what the session manager does by itself.
    func managerHasBegun() {
        routes.newManagerUntil = nil
        routes.steering = RouteSteering()
        routes.mustSteer = true
    }
}
