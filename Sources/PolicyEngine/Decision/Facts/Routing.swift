/// Where streams are in the server. The engine asks in the middle of an event: whoever answers must not ask the engine.
public protocol StreamPlaces {
    /// The server's number of the sink or source to which a stream is linked; `nil` for none.
    func node(of stream: StreamID) -> UInt32?
    /// The streams that play on a sink, directly or through filters.
    func streams(heardOn node: UInt32) -> [StreamID]
    /// Those of the heard streams that have lost something with the output, and those of them that their clients, not
    /// their users, have stopped a moment ago (R64).
    func lost(_ heard: [StreamID], with port: RoutePort) -> (streams: [StreamID], stopped: [StreamID])
}

/// The devices, the commands to the server, and when to look at them again.
struct Routing: Sendable {
    var tracker = RouteTracker()
    var steering = RouteSteering()
    /// In the order of activation.
    var active: [UInt32] = []
    /// Whether sessions' choices, or the places of their streams, may have changed.
    var mustSteer = false
    var nextComparison: Instant?
    var newManagerUntil: Instant?
    /// When to repeat commands without effect, or to take the present ports as settled. WirePlumber 0.5 requests a port
    /// again that it sees in use, with its volume, perhaps after our command for the next one.
    var nextCheck: Instant?
    /// The number of checks since the last command.
    var checks = 0

    /// `nil` for none, as long as there are no devices.
    var deadline: Instant? {
        if tracker.isEmpty { return nil }
        return earliest(earliest(tracker.deadline, newManagerUntil), earliest(nextCheck, nextComparison))
    }
}

/// Findings from devices and places (R56, R63, R64, N27).
extension Engine {
    /// How long a session manager may take to set up the cards that it finds.
    private static let managerStart = Duration.seconds(1)

    /// Returns whether streams may be heard elsewhere.
    private mutating func take(_ event: RouteEvent, _ places: (any StreamPlaces)?, at now: Instant) -> Bool {
        switch event {
        case .device, .deviceGone, .node, .nodeGone, .passesOn, .defaultNode, .category, .asked, .woke, .clock:
            track(event, places, at: now)
            return true
        case .linked(let node):
            routing.mustSteer = true
            for port in ports(of: node) where !routing.tracker.isLost(port) { resume(on: port, places) }
            return true
        case .preferred(let id, let output, let input):
            change(id) { ($0.preferredOutput, $0.preferredInput) = (output, input) }
        case .confined(let id): change(id) { $0.mayUseSharedPorts = false }
        case .managerChanged:
            routing.newManagerUntil = now.advanced(by: Self.managerStart)
            routing.nextCheck = nil
        case .turnEnded: steer(places, at: now)
        }
        return false
    }

    /// Returns whether streams may be heard elsewhere.
    mutating func noteRoutes(_ event: Event, _ places: (any StreamPlaces)?, at now: Instant) -> Bool {
        switch event {
        case .route(let event): return take(event, places, at: now)
        case .clockReached: takeMoments(places, at: now)
        case .streamVanished: planComparison(at: now)
        case .sessionClosed(let id): change(id) { _ in }
        case .sessionOpened(_, _, .application), .streamMoved, .streamLeftAlone: routing.mustSteer = true
        case .streamAppeared(_, _, let description, _):
            if description.output != nil || haveOutputs { routing.mustSteer = true }
            return true
        case .policyChanged:
            routing.mustSteer = true
            return true
        case .streamWanted, .streamMuted, .streamFreed, .streamSounding, .streamRunning, .streamSettled,
            .sessionOpened, .sessionConfigured, .sessionRequested, .inputMuted, .inputGone, .switched,
            .shutdown, .streamPlaced, .outputLost, .outputReturned, .routeChanged,
            .newOutputUsed:
            break
        }
        return false
    }

    private mutating func change(_ id: SessionID, _ change: (inout Session) -> Void) {
        guard let place = facts.session(id), facts.sessions[place].kind == .opened else { return }
        change(&facts.sessions[place])
        routing.mustSteer = true
    }

    private mutating func takeMoments(_ places: (any StreamPlaces)?, at now: Instant) {
        if let deadline = routing.tracker.deadline, deadline <= now { track(.clock, places, at: now) }
        if let end = routing.newManagerUntil, end <= now {
            // The present state is the session manager's own work.
            routing.newManagerUntil = nil
            routing.steering = RouteSteering()
            routing.mustSteer = true
        }
        if let moment = routing.nextCheck, moment <= now { checkCommands(at: now) }
        if let moment = routing.nextComparison, moment <= now {
            if routing.tracker.isAtRest {
                compareRoutes(places)
            } else {
                routing.nextComparison = routing.tracker.deadline
            }
        }
    }

    mutating func track(_ event: RouteEvent, _ places: (any StreamPlaces)?, at now: Instant) {
        let hadBegun = routing.tracker.hasBegun
        var hasCompared = false
        for effect in routing.tracker.handle(event, at: now) {
            switch effect {
            case .lostOutput(let port, let spared): findLost(with: port, spared, places)
            case .returnedOutput(let port): resume(on: port, places)
            case .switchedOutput(let port): release(port)
            case .newOutputUsed: found.append(.newOutputUsed)
            case .changed(let change, let isAskedFor):
                effects.append(.routeChanged(change))
                // R64: what is only announced, as that the category lacks a port, stops no recording.
                if !isAskedFor, !change.current.isSame(as: change.previous) {
                    found.append(.routeChanged(change.reason))
                }
                compareRoutes(places)
                hasCompared = true
            case .availableChanged: effects.append(.availablePortsChanged)
            }
        }
        routing.mustSteer = true
        tellLosses(places, hasCompared)
        if hadBegun || !routing.tracker.hasBegun { return }
        effects.append(.routeBegun(route))
        for place in facts.sessions.indices { verdict.routes[place].notified = route(of: place) }
    }

    // MARK: - Lost outputs

    /// R58, R64: a session that has lost its output is told of its new route, then of its interruption.
    private mutating func tellLosses(_ places: (any StreamPlaces)?, _ hasCompared: Bool) {
        guard hasCompared || routing.tracker.isAtRest,
            verdict.standings.contains(where: { $0.routeIsToldUntil != nil })
        else { return }
        if !hasCompared { compareRoutes(places) }
        // After the other findings: a session that is heard again by now has lost nothing.
        found.append(.clockReached)
    }

    mutating func endWaitsForRoute() {
        for place in verdict.standings.indices { verdict.standings[place].routeIsToldUntil = nil }
    }

    /// R64: finds the streams that play on this port alone: a combined sink may still have another one.
    private mutating func findLost(with port: RoutePort, _ spared: Set<UInt32>, _ places: (any StreamPlaces)?) {
        guard let node = port.nodeID, let places else { return }
        let heard = places.streams(heardOn: node).filter { stream in
            spared.isEmpty || !(places.node(of: stream).map { spared.contains($0) } ?? false)
        }
        let (lost, stopped) = places.lost(heard, with: port)
        if lost.isEmpty { return }
        effects.append(.outputLost(port, streams: lost, stopped: stopped))
        // A stream that its client has stopped a moment ago counts as playing until the output has gone.
        found += stopped.map { .streamWanted($0, true) }
        found.append(.outputLost(PortID(port.id), name: port.name, streams: lost))
    }

    private func awaits(_ place: Int, _ port: RoutePort) -> Bool {
        if case .lostOutput(let lost, _) = verdict.standings[place].obstacle { lost.id.name == port.id } else { false }
    }

    /// A lost output is in use: sessions that wait for it, and are heard there, continue.
    private mutating func resume(on port: RoutePort, _ places: (any StreamPlaces)?) {
        guard let node = port.nodeID, let places, facts.sessions.indices.contains(where: { awaits($0, port) }) else {
            return
        }
        let heard = places.streams(heardOn: node)
        if !heard.isEmpty { found.append(.outputReturned(PortID(port.id), streams: heard)) }
    }

    /// A lost output is plugged in, but not in use: sessions stop waiting for it.
    private mutating func release(_ port: RoutePort) {
        let waiting = facts.streams.filter { awaits($0.session, port) }.map(\.id)
        if waiting.isEmpty { return }
        effects.append(.outputSwitched(port))
        found.append(.outputReturned(PortID(port.id), streams: waiting))
    }

    // MARK: - Zones

    /// N27: finds the streams that are heard in other zones than before. A stream without a link counts as heard where
    /// the server plays by default.
    mutating func findZones(_ places: (any StreamPlaces)?) {
        let zones = policy.zones
        guard let places, !zones.all.isEmpty || facts.streams.contains(where: { !$0.zones.isEmpty }) else { return }
        let byDefault = zones.zones(of: route.outputs)
        var byNode: [UInt32: ZoneSet] = [:]
        let moved = facts.streams.filter { $0.direction == .playback }.compactMap { stream -> Event? in
            var here = byDefault
            if let node = places.node(of: stream.id) {
                here = byNode[node] ?? zones.zones(of: ports(of: node))
                byNode[node] = here
            }
            return here == stream.zones ? nil : .streamPlaced(stream.id, here)
        }
        found = moved + found
    }
}
