/// Where streams are in the server; asked only when it matters.
public protocol StreamPlaces {
    /// All streams that may be sent elsewhere, with where they are now.
    func routedStreams() -> [RouteStream]
    /// The streams whose sound goes to a sink, through whatever effects.
    func streams(heardOn node: UInt32) -> [StreamID]
}

/// All about routes that outlives an event (R41–R48, R56–R66): facts go in, and what is to be done and told comes out.
///
/// Beside ``Engine``, and like it: no clock, no I/O, an answer for every event in any order. The ``RouteTracker`` says what
/// is in use; ``RouteChoice`` and ``RouteSteering`` say where sessions are heard. Which streams wait for which output, what
/// each session was told of its part of the route, and when a server is asked once more is kept here.
public struct RouteEngine: Sendable, Equatable {
    /// What has happened.
    public enum Event: Sendable {
        /// To the devices, or to why the route changes.
        case server(RouteEvent)
        /// Something new is linked to a sink or source.
        case linked(to: UInt32)
        /// What an opened session is now; `nil` when it is closed. An override that ends because the route has changed is not
        /// the cause of another change.
        case session(SessionID, SessionConfiguration?, isActive: Bool, followsRoute: Bool)
        /// The ports that an opened session wishes for, by id; `nil` for whatever there is (R66).
        case preference(SessionID, output: String?, input: String?)
        /// Streams have come, or belong to another session.
        case streamsChanged
        /// A stream is gone.
        case streamGone(StreamID)
        /// Another session manager is at work, or none. What the former one was told has gone with it, and the new one first
        /// does what it finds right by itself: that is no choice of its user's.
        case managerChanged
        /// All other events of this turn have been handled.
        case rest
        /// The moment of ``RouteEngine/deadline`` has come.
        case clock
        /// Everything is to be as if no session had had a say.
        case shutdown
    }

    /// What follows.
    public enum Effect: Sendable, Hashable {
        /// An output is lost, and these streams are heard nowhere else (R64). Comes before the server can move them.
        case lost(RoutePort, streams: [StreamID])
        /// A lost output is in use again, and these streams are heard on it.
        case returned(RoutePort, streams: [StreamID])
        /// A lost output is plugged in but not in use: its streams may go on where its device plays now.
        case switched(RoutePort, streams: [StreamID])
        /// The server has to do this.
        case command(RouteCommand)
        /// Another route is in use (R58).
        case changed(RouteChange)
        /// A session's part of the route is another one, or it lacks one (R57, R58).
        case sessionChanged(SessionID, RouteChange)
        /// ``RouteEngine/availableInputs`` or ``RouteEngine/availableOutputs`` are others (R78).
        case availableChanged
        /// What is in use is known for the first time: nobody has heard of another route.
        case begun(Route)
    }

    /// One opened session.
    private struct Session: Sendable, Equatable {
        var configuration = SessionConfiguration()
        var isActive = false
        var output: String?
        var input: String?
        /// Where its sound is sent.
        var detour: Detour?
        /// Where its user has put all of its streams, by direction.
        var moved = Route()
        /// What its owner knows of it.
        var told = Route()
        /// Whether its owner knows that there is nothing for its category (R56: 7, or the loss before it).
        var isToldOfLack = false
    }

    private var tracker: RouteTracker
    /// By the lost port's id: the streams that were heard there and are not back.
    private var awaited: [String: Set<StreamID>] = [:]
    /// The lost ports that are in use again, while not all of their streams have been linked to them.
    private var returned: [String: RoutePort] = [:]
    private var sessions: [SessionID: Session] = [:]
    /// The sessions that are active, the latest last.
    private var active: [SessionID] = []
    private var steering = RouteSteering()
    /// Something is different that the choices of sessions depend on, or that where their streams are depends on.
    private var mustSteer = false
    /// The choices of all sessions may be others; otherwise only those of the sessions that have changed.
    private var mustChooseAll = true
    private var changed: Set<SessionID> = []
    /// The sessions that choose anything.
    private var choosing: Set<SessionID> = []
    /// The sessions whose users have put their streams somewhere else.
    private var moved: Set<SessionID> = []
    /// What the owners of sessions have to be told is judged by this route, and of these sessions by nothing yet.
    private var judged: Route?
    private var unjudged: Set<SessionID> = []
    /// When it is looked at where the streams of sessions are.
    private var review: Instant?
    /// Until when a session manager that has just begun is left alone.
    private var newManagerUntil: Instant?
    /// When what has not shown is asked for once more. WirePlumber 0.5 says again which port it
    /// has restored when another one was plugged in, and may say so after us.
    private var requestMoment: Instant?
    /// How often it still is.
    private var requestsLeft = 0

    /// How long a server may take to use another port.
    private static let patience = Duration.seconds(1)
    private static let requests = 3
    private static let mostReturned = 64
    /// How long a session manager takes to set up the cards that it finds.
    private static let managerStart = Duration.seconds(1)
    /// How long streams may take to arrive where they are moved.
    private static let settle = Duration.milliseconds(250)

    /// Makes one that knows of nothing.
    public init(timing: RouteTracker.Timing = RouteTracker.Timing()) { tracker = RouteTracker(timing: timing) }

    // MARK: - What is known

    /// What is in use, as listeners were last told (R60).
    public var route: Route { tracker.route }
    /// The inputs that one may choose (R66).
    public var availableInputs: [RoutePort] { tracker.availableInputs }
    /// The outputs that one may choose (R66).
    public var availableOutputs: [RoutePort] { tracker.availableOutputs }
    /// The sinks and sources as they are at this moment.
    public var places: [RoutePlace] { tracker.places }
    /// Whether an application has opened a session, which may want to be stopped with its output (N25).
    public var hasSessions: Bool { !sessions.isEmpty }

    /// When it wants ``Event/clock``; `nil` while nothing is going on.
    public var deadline: Instant? {
        [tracker.deadline, newManagerUntil, requestMoment, review].compactMap { $0 }.min()
    }

    /// What an opened session has of the route: where it is sent or its user has put it, nothing in a direction that its
    /// category does not use.
    public func route(of session: SessionID) -> Route { route(of: sessions[session] ?? Session()) }

    /// The ports that an opened session wishes for (R66).
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

    /// The category that the route serves: what was activated last.
    private var category: Category? { active.last.map { configuration(of: $0).category } }

    // What is looked at for very many sessions at a time, without a copy of all that is known of each.

    private func isActive(_ id: SessionID) -> Bool {
        sessions.index(forKey: id).map { sessions.values[$0].isActive } ?? false
    }

    private func configuration(of id: SessionID) -> SessionConfiguration {
        sessions.index(forKey: id).map { sessions.values[$0].configuration } ?? SessionConfiguration()
    }

    private var sessionsInOrder: [SessionID] { sessions.keys.sorted { $0.rawValue < $1.rawValue } }

    // MARK: - Events

    /// Takes an event, and returns what follows from it, in order.
    public mutating func handle(_ event: Event, among streams: some StreamPlaces, at now: Instant) -> [Effect] {
        var effects: [Effect] = []
        switch event {
        case .server(let event): track(event, streams, now, &effects)
        case .linked(let node): linked(to: node, streams, &effects)
        case .session(let id, let configuration, let isActive, let followsRoute):
            note(id, configuration, isActive: isActive, followsRoute: followsRoute, streams, now, &effects)
        case .preference(let id, let output, let input):
            guard sessions[id] != nil else { break }
            sessions[id]?.output = output
            sessions[id]?.input = input
            note(id)
        case .streamsChanged: mustSteer = true
        case .streamGone(let stream):
            forget(stream)
            if !sessions.isEmpty { review = review ?? now.advanced(by: Self.settle) }
        case .managerChanged:
            newManagerUntil = now.advanced(by: Self.managerStart)
            requestMoment = nil
        case .rest: rest(streams, now, &effects)
        case .clock: clock(streams, now, &effects)
        case .shutdown:
            sessions = [:]
            active = []
            changed = []
            choosing = []
            moved = []
            unjudged = []
            review = nil
            requestMoment = nil
            command(steering.undo(), requests: 0, now, &effects)
        }
        return effects
    }

    private mutating func track(
        _ event: RouteEvent, _ streams: some StreamPlaces, _ now: Instant, _ effects: inout [Effect]
    ) {
        let hadBegun = tracker.hasBegun
        for effect in tracker.handle(event, at: now) { follow(effect, streams, now, &effects) }
        forgetReturned()
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
            returned[port.id] = nil
            let lost = streamsLost(with: port, streams)
            guard !lost.isEmpty else { return }
            awaited[port.id, default: []].formUnion(lost)
            effects.append(.lost(port, streams: lost))
        case .returnedOutput(let port):
            guard awaited[port.id] != nil, let node = port.nodeID else { return }
            returned[port.id] = port
            giveBack(port, streams.streams(heardOn: node), &effects)
        case .switchedOutput(let port):
            returned[port.id] = nil
            guard let lost = awaited.removeValue(forKey: port.id) else { return }
            effects.append(.switched(port, streams: lost.sorted { $0.rawValue < $1.rawValue }))
        case .changed(let change):
            effects.append(.changed(change))
            look(at: streams, &effects)
        case .availableChanged: effects.append(.availableChanged)
        }
    }

    // MARK: - Lost outputs

    /// The streams that are heard nowhere without a port: not those on a combined sink that still has another one.
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
        guard !returned.isEmpty else { return }
        let ports = tracker.ports(of: node)
        for (id, port) in returned.sorted(by: { $0.key < $1.key }) where ports.contains(where: { $0.id == id }) {
            if let node = port.nodeID { giveBack(port, streams.streams(heardOn: node), &effects) }
        }
    }

    /// The streams that wait for a port and are heard on it now go on.
    private mutating func giveBack(_ port: RoutePort, _ streams: [StreamID], _ effects: inout [Effect]) {
        guard let waiting = awaited[port.id] else { return }
        let back = streams.filter { waiting.contains($0) }
        let left = waiting.subtracting(back)
        awaited[port.id] = left.isEmpty ? nil : left
        if left.isEmpty { returned[port.id] = nil }
        if !back.isEmpty { effects.append(.returned(port, streams: back)) }
    }

    /// What is not lost any more, and not on its way back, is not waited for.
    private mutating func forgetReturned() {
        guard !awaited.isEmpty else { return }
        while returned.count > Self.mostReturned, let oldest = returned.keys.min() { returned[oldest] = nil }
        let lost = Set(tracker.lostOutputs.map(\.id))
        for port in Array(awaited.keys) where !lost.contains(port) && returned[port] == nil { awaited[port] = nil }
    }

    private mutating func forget(_ stream: StreamID) {
        for port in Array(awaited.keys) where awaited[port]?.remove(stream) != nil {
            if awaited[port]?.isEmpty == true {
                awaited[port] = nil
                returned[port] = nil
            }
        }
    }

    // MARK: - Sessions

    /// What an opened session is now may change what the route has to serve (R41, R57).
    private mutating func note(
        _ id: SessionID, _ configuration: SessionConfiguration?, isActive: Bool, followsRoute: Bool,
        _ streams: some StreamPlaces, _ now: Instant, _ effects: inout [Effect]
    ) {
        let served = category
        guard let configuration else {
            guard sessions.removeValue(forKey: id) != nil else { return }
            if let index = active.firstIndex(of: id) { active.remove(at: index) }
            unjudged.remove(id)
            moved.remove(id)
            note(id)
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
        note(id)
        if isActive != wasActive {
            if isActive {
                active.append(id)
                review = review ?? now.advanced(by: Self.settle)
            } else if let index = active.firstIndex(of: id) {
                active.remove(at: index)
            }
        }
        serve(since: served, streams, now, &effects)
        if old.outputOverride != configuration.outputOverride, !followsRoute {
            track(.overridden, streams, now, &effects)
        }
        guard old.category != configuration.category else { return }
        // R57: at once. That it has none which suits follows when the category is in force.
        review = review ?? now.advanced(by: Self.settle)
        if !configuration.category.lacks(route(of: id)) { sessions[id]?.isToldOfLack = false }
        tell(id, .categoryChange, &effects)
    }

    /// The route serves what was activated last, which may be something else than before.
    private mutating func serve(
        since former: Category?, _ streams: some StreamPlaces, _ now: Instant, _ effects: inout [Effect]
    ) {
        let current = category
        if current != former { track(.category(current), streams, now, &effects) }
    }

    /// What a session chooses, and what it is to be told, may be something else now.
    private mutating func note(_ id: SessionID) {
        changed.insert(id)
        if sessions[id] != nil { unjudged.insert(id) }
        mustSteer = true
    }

    /// Tells a session's owner that its part of the route is another one; nothing if nobody would notice.
    private mutating func tell(_ id: SessionID, _ reason: RouteChangeReason, _ effects: inout [Effect]) {
        guard let previous = sessions[id]?.told else { return }
        let current = route(of: id)
        sessions[id]?.told = current
        guard !current.isSame(as: previous) else { return }
        effects.append(.sessionChanged(id, RouteChange(reason: reason, previous: previous, current: current)))
    }

    /// Looks at where the streams of sessions are, and tells each session what has become of its part of the route.
    private mutating func look(at streams: some StreamPlaces, _ effects: inout [Effect]) {
        review = nil
        guard !sessions.isEmpty, tracker.hasBegun else { return }
        noteMoves(streams.routedStreams())
        let concerned: [SessionID]
        if judged == tracker.route {
            concerned = unjudged.sorted { $0.rawValue < $1.rawValue }
        } else {
            concerned = sessionsInOrder
        }
        judged = tracker.route
        unjudged = []
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

    /// Finds out which sessions' streams are all somewhere else than the server puts them by default, and not because they
    /// were sent there: their user has put them there.
    private mutating func noteMoves(_ streams: [RouteStream]) {
        struct Key: Hashable {
            var session: SessionID
            var direction: PortDirection
        }
        var byDefault: [PortDirection: Set<UInt32>] = [:]
        for place in tracker.places where place.isDefault || place.isBehindDefault {
            byDefault[place.direction, default: []].insert(place.nodeID)
        }
        // Where the server has no default, nothing is elsewhere.
        func isAtHome(_ stream: RouteStream, on node: UInt32) -> Bool {
            byDefault[stream.direction == .playback ? .output : .input]?.contains(node) ?? true
                || steering.isSent(stream.id)
        }
        var concerned = moved
        for stream in streams {
            guard let session = stream.session, let node = stream.nodeID, !isAtHome(stream, on: node) else { continue }
            concerned.insert(session)
        }
        // As on most desktops always.
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
                // While it is linked to nothing it is on its way, and may come back.
                let kept = isOnItsWay.contains(key) ? former.filter { isThere($0) } : []
                let ports = atHome.contains(key) ? [] : elsewhere[key] ?? kept
                if direction == .output { session.moved.outputs = ports } else { session.moved.inputs = ports }
            }
            sessions[id]?.moved = session.moved
            if session.moved == Route() { moved.remove(id) } else { moved.insert(id) }
            unjudged.insert(id)
        }
    }

    private func isThere(_ port: RoutePort) -> Bool {
        port.nodeID.map { node in tracker.ports(of: node).contains { $0.isSame(as: port) } } ?? false
    }

    // MARK: - Where sessions are heard

    /// Brings the server to what sessions choose (R41–R43, R46–R48, R66).
    private mutating func rest(_ streams: some StreamPlaces, _ now: Instant, _ effects: inout [Effect]) {
        guard mustSteer, newManagerUntil == nil else { return }
        mustSteer = false
        if !sessions.isEmpty { review = review ?? now.advanced(by: Self.settle) }
        let isOfAll = mustChooseAll || !choosing.isEmpty || !steering.isEmpty
        let concerned = isOfAll ? sessionsInOrder : changed.sorted { $0.rawValue < $1.rawValue }
        mustChooseAll = false
        changed = []
        let (inputs, outputs) = (availableInputs, availableOutputs)
        let untouched = steering.untouched(tracker.present, inputs: inputs, outputs: outputs)
        var detours: [SessionID: Detour] = [:]
        var choices: [SessionID: RouteChoice] = [:]
        // Very many sessions may want the same.
        var known: [RouteWish: (choice: RouteChoice, detour: Detour)] = [:]
        for id in concerned {
            guard isActive(id), let session = sessions[id] else { continue }
            let wish = RouteWish(
                session.configuration, preferredOutput: session.output, preferredInput: session.input)
            let answer =
                known[wish]
                ?? {
                    let choice = RouteChoice(for: wish, inputs: inputs, outputs: outputs, present: untouched)
                    return (choice, Detour(choice, for: wish, beside: tracker.present))
                }()
            known[wish] = answer
            if answer.choice != RouteChoice() { choices[id] = answer.choice }
            detours[id] = answer.detour
        }
        // Those that are not looked at choose nothing.
        choosing = Set(choices.keys)
        if !choices.isEmpty || !steering.isEmpty {
            let inOrder = active.compactMap { id in choices[id].map { (session: id, choice: $0) } }
            let commands = steering.update(inOrder, streams: streams.routedStreams(), places: tracker.places)
            command(commands, requests: Self.requests, now, &effects)
        }
        let available = outputs + inputs
        for id in concerned {
            guard let index = sessions.index(forKey: id) else { continue }
            let former = sessions.values[index].detour
            sessions.values[index].detour = detours[id]
            guard let reason = Detour.reason(from: former, to: detours[id], available: available) else { continue }
            unjudged.insert(id)
            tell(id, reason, &effects)
        }
    }

    /// - Parameter requests: How often a port that does not show is asked for again.
    private mutating func command(
        _ commands: [RouteCommand], requests: Int, _ now: Instant, _ effects: inout [Effect]
    ) {
        for command in commands {
            if case .usePort = command {
                requestMoment = requests > 0 ? now.advanced(by: Self.patience) : nil
                requestsLeft = requests
            }
            effects.append(.command(command))
        }
    }

    private mutating func clock(_ streams: some StreamPlaces, _ now: Instant, _ effects: inout [Effect]) {
        if let deadline = tracker.deadline, deadline <= now { track(.clock, streams, now, &effects) }
        if let end = newManagerUntil, end <= now {
            // What is in use now is what the session manager does by itself.
            newManagerUntil = nil
            steering = RouteSteering()
            mustSteer = true
            mustChooseAll = true
        }
        if let moment = requestMoment, moment <= now {
            requestMoment = nil
            command(steering.unanswered(tracker.places), requests: requestsLeft - 1, now, &effects)
        }
        if let moment = review, moment <= now {
            if tracker.isAtRest { look(at: streams, &effects) } else { review = tracker.deadline }
        }
    }
}
