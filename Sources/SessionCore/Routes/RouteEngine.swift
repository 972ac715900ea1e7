/// The state machine for routes (R41–R48, R56–R66): events in, commands and announcements out.
///
/// Like ``Engine``, it has no clock, does no I/O, and accepts every event in every order. The ``RouteTracker`` finds
/// the ports in use; ``RouteChoice`` and ``RouteSteering`` decide where sessions play. This type remembers which
/// streams wait for which output, which route each session was last told, and which commands must be repeated.
public struct RouteEngine: Sendable, Equatable {
    /// The routing state of one opened session.
    private struct Session: Sendable, Equatable {
        /// Whether it may change a port that others use.
        var mayUseSharedPorts = true
        var configuration = SessionConfiguration()
        var isActive = false
        var output: String?
        var input: String?
        /// Where its sound is sent; `nil` for the default route.
        var detour: Detour?
        /// Where its user has moved all of its streams, by direction.
        var moved = Route()
        /// The route that its owner was last told.
        var told = Route()
        /// Whether its owner was told that no port suits its category (R56: reason 7, or the loss before it).
        var isToldOfLack = false
    }

    private var tracker: RouteTracker
    private var lostOutputs = LostOutputs()
    private var sessions: [SessionID: Session] = [:]
    /// The active sessions, in the order of their activation.
    private var active: [SessionID] = []
    private var steering = RouteSteering()
    /// Whether something has changed on which sessions' choices, or the places of their streams, depend.
    private var mustSteer = false
    /// Whether the choices of all sessions must be made anew; otherwise only those of changed sessions.
    private var mustChooseAll = true
    private var changed: Set<SessionID> = []
    /// The sessions that choose a port.
    private var choosing: Set<SessionID> = []
    /// The sessions whose users have moved their streams.
    private var moved: Set<SessionID> = []
    /// The server's route when sessions' routes were last compared; `nil` if never.
    private var comparedRoute: Route?
    private var toCompare: Set<SessionID> = []
    /// When to compare sessions' routes next; `nil` for never.
    private var nextComparison: Instant?
    /// Until when a new session manager is left alone.
    private var newManagerUntil: Instant?
    /// When to repeat the commands that have had no effect, or to take what is in use for settled. WirePlumber 0.5
    /// requests a port again that it sees in use, with its volume, and may do so after our command for the next one.
    private var nextCheck: Instant?
    /// How many checks have been made since the last command.
    private var checks = 0

    /// The times between the checks of commands. After the last one, nothing is repeated any more.
    private static let checkIntervals: [Duration] = [
        .milliseconds(250), .milliseconds(750), .seconds(1), .seconds(1),
    ]
    /// The check from which on a port that was requested earlier is somebody's choice.
    private static let settlingCheck = 2
    /// How long a session manager may take to set up the cards that it finds.
    private static let managerStart = Duration.seconds(1)
    /// How long streams may take to reach the node to which they are moved.
    private static let settle = Duration.milliseconds(250)

    /// Creates an engine that knows no devices.
    public init(timing: RouteTracker.Timing = RouteTracker.Timing()) { tracker = RouteTracker(timing: timing) }

    // MARK: - The present state

    /// The present route, as listeners were last told (R60).
    public var route: Route { tracker.route }
    /// The inputs that can be chosen (R66).
    public var availableInputs: [RoutePort] { tracker.availableInputs }
    /// The outputs that can be chosen (R66).
    public var availableOutputs: [RoutePort] { tracker.availableOutputs }
    /// All sinks and sources now.
    public var places: [RoutePlace] { tracker.places }
    /// The ports behind a sink or source that are in use now.
    public func ports(of node: UInt32) -> [RoutePort] { tracker.ports(of: node) }
    /// Whether the route is known. When a server starts, its cards come one after the other.
    public var hasBegun: Bool { tracker.hasBegun }
    /// Whether an application has opened a session, which may ask to be stopped when its output is lost (N25).
    public var hasSessions: Bool { !sessions.isEmpty }

    /// When the engine next needs ``Event/clock``; `nil` for never.
    public var deadline: Instant? {
        [tracker.deadline, newManagerUntil, nextCheck, nextComparison].compactMap { $0 }.min()
    }

    /// The route of an opened session: where it is sent or its user has moved it. Empty in a direction that its
    /// category does not use.
    public func route(of session: SessionID) -> Route { route(of: sessions[session] ?? Session()) }

    /// The ports that an opened session prefers (R66).
    public func preference(of session: SessionID) -> (output: String?, input: String?) {
        (sessions[session]?.output, sessions[session]?.input)
    }

    private func route(of session: Session) -> Route {
        let category = session.configuration.category
        var part = tracker.route.part(for: category, taking: session.detour)
        if category.playsSound, !session.moved.outputs.isEmpty { part.outputs = session.moved.outputs }
        if category.recordsSound, !session.moved.inputs.isEmpty { part.inputs = session.moved.inputs }
        return part
    }

    /// The category that the route serves: that of the session activated last.
    private var category: Category? { active.last.map { configuration(of: $0).category } }

    // Read in place for very many sessions, without copying each session's state.

    private func isActive(_ id: SessionID) -> Bool {
        sessions.index(forKey: id).map { sessions.values[$0].isActive } ?? false
    }

    private func configuration(of id: SessionID) -> SessionConfiguration {
        sessions.index(forKey: id).map { sessions.values[$0].configuration } ?? SessionConfiguration()
    }

    private var sessionsInOrder: [SessionID] { sessions.keys.sorted { $0.rawValue < $1.rawValue } }

    // MARK: - Events

    /// Handles an event, and returns its effects in order.
    public mutating func handle(_ event: Event, among streams: some StreamPlaces, at now: Instant) -> [Effect] {
        var effects: [Effect] = []
        switch event {
        case .server(let event): track(event, streams, now, &effects)
        case .linked(let node): linked(to: node, streams, &effects)
        case .session(let id, let configuration, let isActive, let followsRoute):
            update(id, configuration, isActive: isActive, followsRoute: followsRoute, streams, now, &effects)
        case .preference(let id, let output, let input):
            guard sessions[id] != nil else { break }
            sessions[id]?.output = output
            sessions[id]?.input = input
            markChanged(id)
        case .confined(let id):
            sessions[id]?.mayUseSharedPorts = false
            markChanged(id)
        case .streamsChanged: mustSteer = true
        case .streamGone(let stream):
            lostOutputs.forget(stream)
            if !sessions.isEmpty { nextComparison = nextComparison ?? now.advanced(by: Self.settle) }
        case .managerChanged:
            newManagerUntil = now.advanced(by: Self.managerStart)
            nextCheck = nil
        case .turnEnded: steer(streams, now, &effects)
        case .clock: clock(streams, now, &effects)
        case .shutdown:
            sessions = [:]
            active = []
            changed = []
            choosing = []
            moved = []
            toCompare = []
            nextComparison = nil
            command(steering.undo(), now, &effects)
            nextCheck = nil
        }
        return effects
    }

    private mutating func track(
        _ event: RouteEvent, _ streams: some StreamPlaces, _ now: Instant, _ effects: inout [Effect]
    ) {
        let hadBegun = tracker.hasBegun
        for effect in tracker.handle(event, at: now) { follow(effect, streams, now, &effects) }
        lostOutputs.keepOnly(tracker.lostOutputs)
        if !hadBegun, tracker.hasBegun {
            effects.append(.begun(tracker.route))
            for id in sessionsInOrder {
                let route = route(of: id)
                sessions[id]?.told = route
            }
        }
        mustSteer = true
        mustChooseAll = true
    }

    private mutating func follow(
        _ effect: RouteEffect, _ streams: some StreamPlaces, _ now: Instant, _ effects: inout [Effect]
    ) {
        switch effect {
        case .lostOutput(let port):
            let lost = streamsLost(with: port, streams)
            lostOutputs.lose(port, lost)
            if !lost.isEmpty { effects.append(.lost(port, streams: lost)) }
        case .returnedOutput(let port):
            if lostOutputs.reuse(port) { resume(on: port, streams, &effects) }
        case .switchedOutput(let port):
            let released = lostOutputs.release(port)
            if !released.isEmpty { effects.append(.switched(port, streams: released)) }
        case .changed(let change):
            effects.append(.changed(change))
            compareRoutes(with: streams, &effects)
        case .availableChanged: effects.append(.availableChanged)
        }
    }

    // MARK: - Lost outputs

    /// The streams that play on no other port than this one: not those on a combined sink that still has another port.
    private func streamsLost(with port: RoutePort, _ streams: some StreamPlaces) -> [StreamID] {
        guard let node = port.nodeID else { return [] }
        let heard = streams.streams(heardOn: node)
        guard !heard.isEmpty, tracker.isSpared(without: port) else { return heard }
        let spared = streams.routedStreams().filter { stream in
            stream.nodeID.map { tracker.isSpared($0, without: port) } ?? false
        }
        let left = Set(spared.map(\.id))
        return heard.filter { !left.contains($0) }
    }

    private mutating func linked(to node: UInt32, _ streams: some StreamPlaces, _ effects: inout [Effect]) {
        mustSteer = true
        guard lostOutputs.hasReturned else { return }
        for port in lostOutputs.returned(among: tracker.ports(of: node)) { resume(on: port, streams, &effects) }
    }

    /// Resumes the streams that waited for a port and now play on it.
    private mutating func resume(on port: RoutePort, _ streams: some StreamPlaces, _ effects: inout [Effect]) {
        guard let node = port.nodeID else { return }
        let back = lostOutputs.resume(on: port, streams.streams(heardOn: node))
        if !back.isEmpty { effects.append(.returned(port, streams: back)) }
    }

    // MARK: - Sessions

    /// Records an opened session's new state, which may change the category that the route serves (R41, R57).
    private mutating func update(
        _ id: SessionID, _ configuration: SessionConfiguration?, isActive: Bool, followsRoute: Bool,
        _ streams: some StreamPlaces, _ now: Instant, _ effects: inout [Effect]
    ) {
        let served = category
        guard let configuration else {
            guard sessions.removeValue(forKey: id) != nil else { return }
            if let index = active.firstIndex(of: id) { active.remove(at: index) }
            toCompare.remove(id)
            moved.remove(id)
            markChanged(id)
            return serve(since: served, streams, now, &effects)
        }
        if sessions[id] == nil {
            var session = Session()
            session.told = route(of: session)
            sessions[id] = session
        } else if self.configuration(of: id) == configuration, self.isActive(id) == isActive {
            return
        }
        let old = self.configuration(of: id)
        let wasActive = self.isActive(id)
        sessions[id]?.configuration = configuration
        sessions[id]?.isActive = isActive
        if !isActive { sessions[id]?.isToldOfLack = false }
        markChanged(id)
        if isActive != wasActive {
            if isActive {
                active.append(id)
                nextComparison = nextComparison ?? now.advanced(by: Self.settle)
            } else if let index = active.firstIndex(of: id) {
                active.remove(at: index)
            }
        }
        serve(since: served, streams, now, &effects)
        if old.outputOverride != configuration.outputOverride, !followsRoute {
            track(.overridden, streams, now, &effects)
        }
        guard old.category != configuration.category else { return }
        // R57: at once. Whether it lacks a suitable port is told later, when the category is in force.
        nextComparison = nextComparison ?? now.advanced(by: Self.settle)
        if !configuration.category.lacks(route(of: id)) { sessions[id]?.isToldOfLack = false }
        tell(id, .categoryChange, &effects)
    }

    /// Sets the category that the route serves, if the session activated last has another one.
    private mutating func serve(
        since former: Category?, _ streams: some StreamPlaces, _ now: Instant, _ effects: inout [Effect]
    ) {
        let current = category
        if current != former { track(.category(current), streams, now, &effects) }
    }

    /// Records that a session's choice, or what it must be told, may have changed.
    private mutating func markChanged(_ id: SessionID) {
        changed.insert(id)
        if sessions[id] != nil { toCompare.insert(id) }
        mustSteer = true
    }

    /// Tells a session's owner of a changed route, unless the owner would notice no difference.
    private mutating func tell(_ id: SessionID, _ reason: RouteChangeReason, _ effects: inout [Effect]) {
        guard let previous = sessions[id]?.told else { return }
        let current = route(of: id)
        sessions[id]?.told = current
        guard !current.isSame(as: previous) else { return }
        effects.append(.sessionChanged(id, RouteChange(reason: reason, previous: previous, current: current)))
    }

    /// Compares each session's route with the one it was last told, and tells the session of changes. Also finds
    /// sessions whose streams were moved.
    private mutating func compareRoutes(with streams: some StreamPlaces, _ effects: inout [Effect]) {
        nextComparison = nil
        guard !sessions.isEmpty, tracker.hasBegun else { return }
        noteMoves(streams.routedStreams())
        let concerned: [SessionID]
        if comparedRoute == tracker.route {
            concerned = toCompare.sorted { $0.rawValue < $1.rawValue }
        } else {
            concerned = sessionsInOrder
        }
        comparedRoute = tracker.route
        toCompare = []
        for id in concerned {
            guard let session = sessions[id] else { continue }
            let current = route(of: session)
            let lacks = session.isActive && session.configuration.category.lacks(current)
            let isNewLack = lacks && !session.isToldOfLack
            sessions[id]?.isToldOfLack = lacks
            sessions[id]?.told = current
            guard isNewLack || !current.isSame(as: session.told) else { continue }
            let reason = tracker.reason(from: session.told, to: current, lacksPort: isNewLack)
            effects.append(.sessionChanged(id, RouteChange(reason: reason, previous: session.told, current: current)))
        }
    }

    /// Finds the sessions that their users have moved: all of a session's streams are on another node than the server's
    /// default, and were not sent there for the session.
    private mutating func noteMoves(_ streams: [RouteStream]) {
        struct Key: Hashable {
            var session: SessionID
            var direction: PortDirection
        }
        var byDefault: [PortDirection: Set<UInt32>] = [:]
        for place in tracker.places where place.isDefault || place.isBehindDefault {
            byDefault[place.direction, default: []].insert(place.nodeID)
        }
        // Without a default in the server, no stream counts as moved.
        func isAtHome(_ stream: RouteStream, on node: UInt32) -> Bool {
            byDefault[stream.direction == .playback ? .output : .input]?.contains(node) ?? true
                || steering.isSent(stream.id)
        }
        var concerned = moved
        for stream in streams {
            guard let session = stream.session, let node = stream.nodeID, !isAtHome(stream, on: node) else { continue }
            concerned.insert(session)
        }
        // Usually no session's streams have been moved.
        guard !concerned.isEmpty else { return }
        var isOnItsWay: Set<Key> = []
        var atHome: Set<Key> = []
        var elsewhere: [Key: [RoutePort]] = [:]
        for stream in streams {
            guard let session = stream.session, concerned.contains(session), sessions[session] != nil else { continue }
            let key = Key(session: session, direction: stream.direction == .playback ? .output : .input)
            guard let node = stream.nodeID else {
                isOnItsWay.insert(key)
                continue
            }
            if isAtHome(stream, on: node) {
                atHome.insert(key)
                continue
            }
            for port in tracker.ports(of: node) where elsewhere[key]?.contains(where: { $0.id == port.id }) != true {
                elsewhere[key, default: []].append(port)
            }
        }
        for id in concerned {
            guard var session = sessions[id] else { continue }
            for direction in PortDirection.allCases {
                let key = Key(session: id, direction: direction)
                let former = direction == .output ? session.moved.outputs : session.moved.inputs
                // A stream linked to nothing is being moved, and may come back.
                let kept = isOnItsWay.contains(key) ? former.filter { isThere($0) } : []
                let ports = atHome.contains(key) ? [] : elsewhere[key] ?? kept
                if direction == .output { session.moved.outputs = ports } else { session.moved.inputs = ports }
            }
            sessions[id]?.moved = session.moved
            if session.moved == Route() { moved.remove(id) } else { moved.insert(id) }
            toCompare.insert(id)
        }
    }

    private func isThere(_ port: RoutePort) -> Bool {
        port.nodeID.map { node in tracker.ports(of: node).contains { $0.isSame(as: port) } } ?? false
    }

    // MARK: - Choosing ports

    /// Makes the choices of all sessions whose choice may have changed, and the commands for them (R41–R43, R46–R48,
    /// R66).
    private mutating func steer(_ streams: some StreamPlaces, _ now: Instant, _ effects: inout [Effect]) {
        guard mustSteer, newManagerUntil == nil else { return }
        mustSteer = false
        if !sessions.isEmpty { nextComparison = nextComparison ?? now.advanced(by: Self.settle) }
        let isOfAll = mustChooseAll || !choosing.isEmpty || !steering.isEmpty
        let concerned = isOfAll ? sessionsInOrder : changed.sorted { $0.rawValue < $1.rawValue }
        mustChooseAll = false
        changed = []
        let (inputs, outputs) = (availableInputs, availableOutputs)
        let untouched = steering.untouched(tracker.present, inputs: inputs, outputs: outputs)
        var detours: [SessionID: Detour] = [:]
        var choices: [SessionID: RouteChoice] = [:]
        // Very many sessions may have the same wish.
        var known: [RouteRequirements: (choice: RouteChoice, detour: Detour)] = [:]
        for id in concerned {
            guard isActive(id), let session = sessions[id] else { continue }
            var requirements = RouteRequirements(
                session.configuration, preferredOutput: session.output, preferredInput: session.input)
            requirements.mayUseSharedPorts = session.mayUseSharedPorts
            let answer =
                known[requirements]
                ?? {
                    let choice = RouteChoice(for: requirements, inputs: inputs, outputs: outputs, present: untouched)
                    return (choice, Detour(choice, for: requirements, beside: tracker.present))
                }()
            known[requirements] = answer
            if answer.choice != RouteChoice() { choices[id] = answer.choice }
            detours[id] = answer.detour
        }
        // Sessions that were not considered choose nothing.
        choosing = Set(choices.keys)
        if !choices.isEmpty || !steering.isEmpty || streams.haveOutputs {
            let inOrder = active.compactMap { id in choices[id].map { (session: id, choice: $0) } }
            let routed = streams.routedStreams()
            let commands = steering.update(
                inOrder, streams: routed, places: tracker.places, outputs: sinks(of: routed))
            command(commands, now, &effects)
        }
        let available = outputs + inputs
        for id in concerned {
            guard let index = sessions.index(forKey: id) else { continue }
            let former = sessions.values[index].detour
            sessions.values[index].detour = detours[id]
            guard let reason = Detour.reason(from: former, to: detours[id], available: available) else { continue }
            toCompare.insert(id)
            tell(id, reason, &effects)
        }
    }

    /// The sinks of the outputs that the roles of these streams have (N23): of several the default one. Only what is in
    /// use counts: to use another port of a card would take everything that plays on that card there.
    private func sinks(of streams: [RouteStream]) -> [OutputPattern: UInt32] {
        var sinks: [OutputPattern: UInt32] = [:]
        for pattern in Set(streams.compactMap(\.output)) {
            let fitting = tracker.places.filter { place in
                place.direction == .output && tracker.ports(of: place.nodeID).contains { pattern.matches($0) }
            }
            sinks[pattern] = (fitting.first { $0.isDefault } ?? fitting.first)?.nodeID
        }
        return sinks
    }

    private mutating func command(_ commands: [RouteCommand], _ now: Instant, _ effects: inout [Effect]) {
        for command in commands {
            if case .usePort = command {
                nextCheck = now.advanced(by: Self.checkIntervals[0])
                checks = 0
            }
            effects.append(.command(command))
        }
    }

    /// Repeats the commands that have had no effect, or ends the checks.
    private mutating func check(_ now: Instant, _ effects: inout [Effect]) {
        checks += 1
        let commands = steering.unanswered(tracker.places)
        if checks == Self.checkIntervals.count || checks >= Self.settlingCheck && commands.isEmpty {
            nextCheck = nil
            steering.settle()
        } else {
            nextCheck = now.advanced(by: Self.checkIntervals[checks])
            effects += commands.map { .command($0) }
        }
    }

    private mutating func clock(_ streams: some StreamPlaces, _ now: Instant, _ effects: inout [Effect]) {
        if let deadline = tracker.deadline, deadline <= now { track(.clock, streams, now, &effects) }
        if let end = newManagerUntil, end <= now {
            // The present state is what the session manager does by itself.
            newManagerUntil = nil
            steering = RouteSteering()
            mustSteer = true
            mustChooseAll = true
        }
        if let moment = nextCheck, moment <= now { check(now, &effects) }
        if let moment = nextComparison, moment <= now {
            if tracker.isAtRest { compareRoutes(with: streams, &effects) } else { nextComparison = tracker.deadline }
        }
    }
}
