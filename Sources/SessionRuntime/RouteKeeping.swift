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

    mutating func forget(_ stream: StreamID) {
        for port in Array(awaited.keys) where awaited[port]?.remove(stream) != nil {
            if awaited[port]?.isEmpty == true {
                awaited[port] = nil
                returned[port] = nil
            }
        }
    }
}

/// Where the sound of one session goes and comes from, where that is not where the server would send it, and what that
/// was decided by.
struct Detour: Equatable {
    var choice: RouteChoice
    var wish: RouteWish
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

    /// Another session manager is at work, or none. What the former one was told has gone with it, and the new one first
    /// does what it finds right by itself: that is no choice of its user's.
    public func managerChanged() {
        routes.newManagerUntil = host.now.advanced(by: RouteKeeping.managerStart)
        drain()
    }

    /// Takes what is in use now for what the session manager does by itself.
    func managerHasBegun() {
        routes.newManagerUntil = nil
        routes.steering = RouteSteering()
        routes.mustSteer = true
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
            var choice = RouteChoice(
                for: wish, inputs: tracker.availableInputs, outputs: tracker.availableOutputs, present: untouched)
            choices.append((session, choice))
            // A port of the default node is in use for everybody.
            func isDefault(_ port: RoutePort?, _ ports: [RoutePort]) -> Bool {
                port.flatMap(\.nodeID).map { node in ports.contains { $0.nodeID == node } } ?? true
            }
            if isDefault(choice.output, tracker.present.outputs) { choice.output = nil }
            if isDefault(choice.input, tracker.present.inputs) { choice.input = nil }
            detours[session] = Detour(choice: choice, wish: wish)
        }
        let streams = routedStreams.map { stream in
            RouteStream(stream.id, of: stream.session, stream.direction, on: host.place(of: stream.id))
        }
        carryOut(routes.steering.update(choices, streams: streams, places: tracker.places))
        let former = routes.detours
        routes.detours = detours
        for session in Set(former.keys).union(detours.keys).sorted(by: { $0.rawValue < $1.rawValue }) {
            let (old, new) = (former[session], detours[session])
            guard old?.choice ?? RouteChoice() != new?.choice ?? RouteChoice() else { continue }
            observer?.runtime(self, sends: session, elsewhereFor: reason(from: old, to: new))
        }
    }

    /// Why a session's sound goes elsewhere than before (R56).
    private func reason(from old: Detour?, to new: Detour?) -> RouteChangeReason {
        guard let old, let new else { return .categoryChange }
        if old.wish.outputOverride != new.wish.outputOverride { return .override }
        if old.wish.category != new.wish.category || old.wish.options != new.wish.options { return .categoryChange }
        if old.wish != new.wish { return .routeConfigurationChange }
        func isThere(_ port: RoutePort?) -> Bool {
            port.map { port in
                (availableOutputs + availableInputs).contains { $0.id == port.id || $0.nodeName == port.id }
            } ?? true
        }
        return isThere(old.choice.output) && isThere(old.choice.input) ? .newDeviceAvailable : .oldDeviceUnavailable
    }

    /// What an opened session has of a route: its own choices, and nothing in a direction that its category does not use.
    public func part(of route: Route, for session: SessionID, _ category: Category) -> Route {
        var part = route.part(for: category)
        let choice = routes.detours[session]?.choice
        if let output = choice?.output, category.playsSound { part.outputs = [output] }
        if let input = choice?.input, category.recordsSound { part.inputs = [input] }
        return part
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
