/// Queries of routes, and what sessions are told of theirs.
extension Engine {
    /// The present route, as listeners were last told (R60).
    public var route: Route { routing.tracker.route }
    /// The inputs that can be chosen (R66).
    public var availableInputs: [RoutePort] { routing.tracker.availableInputs }
    /// The outputs that can be chosen (R66).
    public var availableOutputs: [RoutePort] { routing.tracker.availableOutputs }
    /// All sinks and sources now.
    public var places: [RoutePlace] { routing.tracker.places }
    /// The ports behind a sink or source that are in use now.
    public func ports(of node: UInt32) -> [RoutePort] { routing.tracker.ports(of: node) }
    /// Whether the route is known. A starting server adds its cards one after the other.
    public var hasRoute: Bool { routing.tracker.hasBegun }
    /// Whether an application has opened a session, which may ask to be stopped when its output is lost (N25).
    public var hasSessions: Bool { facts.sessions.contains { $0.kind == .opened } }

    /// The route of an opened session after its detour and its user's moves; empty in a direction without use.
    public func route(of id: SessionID) -> Route {
        guard let place = facts.session(id), facts.sessions[place].kind == .opened else {
            return route.part(for: SessionConfiguration().category)
        }
        return route(of: place)
    }

    /// The ports that an opened session prefers (R66).
    public func preference(of id: SessionID) -> (output: String?, input: String?) {
        let session = facts.session(id).map { facts.sessions[$0] }
        return (session?.preferredOutput, session?.preferredInput)
    }

    func route(of place: Int) -> Route {
        let category = verdict.standings[place].shown.configuration.category
        let own = verdict.routes[place]
        var part = route.part(for: category, taking: own.detour)
        if category.playsSound, !own.moved.outputs.isEmpty { part.outputs = own.moved.outputs }
        if category.recordsSound, !own.moved.inputs.isEmpty { part.inputs = own.moved.inputs }
        return part
    }
}

/// Notifications of sessions' routes (R57, R58).
extension Engine {
    /// How long streams may take to reach the node to which they are moved.
    private static let settle = Duration.milliseconds(250)

    mutating func planComparison(at now: Instant) {
        if hasSessions { routing.nextComparison = routing.nextComparison ?? now.advanced(by: Self.settle) }
    }

    /// The route serves the category of the session activated last.
    mutating func serve(_ places: (any StreamPlaces)?, at now: Instant) {
        let served = routing.active.last.flatMap { facts.place($0) }.map {
            verdict.standings[$0].shown.configuration.category
        }
        if served != routing.tracker.category { track(.category(served), places, at: now) }
    }

    /// A new category or override changes the route (R41, R57).
    mutating func followState(
        _ former: SessionState, of place: Int, after event: Event, _ places: (any StreamPlaces)?, at now: Instant
    ) {
        let state = verdict.standings[place].shown
        let (old, new) = (former.configuration, state.configuration)
        if old == new, former.isActive == state.isActive { return }
        routing.mustSteer = true
        if !state.isActive { verdict.routes[place].isNotifiedOfLack = false }
        if former.isActive != state.isActive {
            let number = facts.sessions[place].number
            routing.active.removeAll { $0 == number }
            if state.isActive {
                routing.active.append(number)
                planComparison(at: now)
            }
        }
        serve(places, at: now)
        if old.category == new.category {
            if old.overridesOutput != new.overridesOutput, !event.isRouteChange {
                owe(place, .override, places, at: now)
            }
            return
        }
        // R57: a lack of a suitable port is told later, when the category is in force.
        planComparison(at: now)
        if !new.category.lacks(route(of: place)) { verdict.routes[place].isNotifiedOfLack = false }
        owe(place, .categoryChange, places, at: now)
    }

    private mutating func owe(
        _ place: Int, _ reason: RouteChangeReason, _ places: (any StreamPlaces)?, at now: Instant
    ) {
        // The server follows active sessions only: for another category of others, there is nothing to wait for.
        let isActive = verdict.standings[place].shown.isActive
        if reason == .categoryChange, !isActive {
            verdict.routes[place].owed = nil
            return notify(place, reason)
        }
        if verdict.routes[place].owed != .categoryChange { verdict.routes[place].owed = reason }
        if isActive { track(.asked(reason), places, at: now) }
    }

    /// Whether the server has still to carry out commands for its ports. Until then, sessions are not told of a change
    /// that they have asked for: they are told once, with the route in force.
    var isUnderWay: Bool {
        routing.nextCheck != nil
            && (!routing.tracker.isAtRest || !routing.steering.unanswered(routing.tracker.places).isEmpty)
    }

    /// Tells the owner of a change that its application has asked for: of another category in an active session
    /// even if the route is the same, of an override only with another route.
    mutating func tellOwed(_ place: Int) {
        guard let owed = verdict.routes[place].owed else { return }
        verdict.routes[place].owed = nil
        let mustTell = owed == .categoryChange && verdict.standings[place].shown.isActive
        let tracker = routing.tracker
        notify(place) { previous, current in
            if current.isSame(as: previous) { return mustTell ? owed : nil }
            let reason = tracker.reason(from: previous, to: current, lacksPort: false, asked: owed)
            // A port that has arrived a moment ago is not why the application uses it.
            return reason == .oldDeviceUnavailable ? reason : owed
        }
    }

    /// Notifies the owner of a changed route, unless the owner would notice no difference.
    mutating func notify(_ place: Int, _ reason: RouteChangeReason) {
        notify(place) { previous, current in current.isSame(as: previous) ? nil : reason }
    }

    private mutating func notify(_ place: Int, _ reason: (_ previous: Route, _ current: Route) -> RouteChangeReason?) {
        let (previous, current) = (verdict.routes[place].notified, route(of: place))
        verdict.routes[place].notified = current
        guard let id = facts.sessions[place].id, let reason = reason(previous, current) else { return }
        effects.append(.sessionRouteChanged(id, RouteChange(reason: reason, previous: previous, current: current)))
    }

    /// Notifies sessions whose route is another one than last notified, also because their streams were moved.
    mutating func compareRoutes(_ places: (any StreamPlaces)?) {
        routing.nextComparison = nil
        guard hasSessions, hasRoute else { return }
        noteMoves(places)
        let tracker = routing.tracker
        let isUnderWay = isUnderWay
        for place in facts.sessions.indices where facts.sessions[place].kind == .opened {
            if isUnderWay, verdict.routes[place].owed != nil {
                routing.nextComparison = routing.nextCheck
                continue
            }
            tellOwed(place)
            let state = verdict.standings[place].shown
            let lacks = state.isActive && state.configuration.category.lacks(route(of: place))
            let isNewLack = lacks && !verdict.routes[place].isNotifiedOfLack
            verdict.routes[place].isNotifiedOfLack = lacks
            notify(place) { previous, current in
                if !isNewLack, current.isSame(as: previous) { return nil }
                return tracker.reason(from: previous, to: current, lacksPort: isNewLack)
            }
        }
    }

    private struct Seen {
        var isAtHome = false
        var isOnItsWay = false
        var elsewhere: [RoutePort] = []
    }

    /// Finds the sessions that their users have moved: all streams are on other nodes than the server's default,
    /// and were not sent there for the session.
    private mutating func noteMoves(_ places: (any StreamPlaces)?) {
        let byDefault = routing.tracker.places.defaults
        var seen: [[PortDirection: Seen]] = Array(repeating: [:], count: facts.sessions.count)
        for stream in facts.streams where facts.sessions[stream.session].kind == .opened {
            let direction = stream.direction.port
            var here = seen[stream.session][direction] ?? Seen()
            if let node = places?.node(of: stream.id) {
                // Without a default in the server, no stream counts as moved.
                if byDefault[direction]?.contains(node) ?? true || routing.steering.isSent(stream.id) {
                    here.isAtHome = true
                } else {
                    here.elsewhere += ports(of: node).filter { port in !here.elsewhere.contains { $0.id == port.id } }
                }
            } else {
                here.isOnItsWay = true
            }
            seen[stream.session][direction] = here
        }
        for place in seen.indices {
            for direction in PortDirection.allCases {
                let here = seen[place][direction] ?? Seen()
                // A stream without a link is being moved, and may come back.
                let kept = here.isOnItsWay ? verdict.routes[place].moved[direction].filter { isThere($0) } : []
                verdict.routes[place].moved[direction] =
                    here.isAtHome ? [] : here.elsewhere.isEmpty ? kept : here.elsewhere
            }
        }
    }

    private func isThere(_ port: RoutePort) -> Bool {
        port.nodeID.map { node in ports(of: node).contains { $0.isSame(as: port) } } ?? false
    }
}

extension Event {
    fileprivate var isRouteChange: Bool { if case .routeChanged = self { true } else { self == .newOutputUsed } }
}

extension SessionConfiguration {
    /// R41, R42: what overrides where the category's output goes.
    fileprivate var overridesOutput: [Bool] {
        [outputOverride != .none, effectiveOptions.contains(.defaultToSpeaker)]
    }
}
