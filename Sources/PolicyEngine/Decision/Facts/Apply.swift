/// What an event changes in the facts, and what it ends of where a session stands.
extension Engine {
    mutating func apply(_ event: Event, at now: Instant) -> SessionAnswer? {
        switch event {
        case .streamAppeared(let id, let application, let description, let direction):
            appear(id, application, description, direction)
        case .streamWanted(let id, let isWanted): change(id, at: now) { $0.isPlayed = isWanted }
        case .streamMuted(let id, let isMuted): change(id, at: now) { $0.isMuted = isMuted }
        case .streamSounding(let id, let isSounding): change(id, at: now) { $0.isSounding = isSounding }
        case .streamPlaced(let id, let zones): change(id, at: now) { $0.zones = zones }
        case .streamRunning(let id, let isRunning):
            change(id, at: now) {
                $0.isRunning = isRunning
                $0.hasRun = $0.hasRun || isRunning
            }
        case .streamFreed(let id, let action): free(id, by: action, at: now)
        case .streamSettled(let id): settle(id)
        case .streamVanished(let id): vanish(id)
        case .streamLeftAlone(let id): if let session = remove(id) { leaveAlone(session) }
        case .streamMoved(let id, let key): move([id], to: key, asks: true, at: now)
        case .policyChanged(let policy, let descriptions): change(to: policy, descriptions, at: now)
        case .sessionOpened(let id, let application, let kind): return open(id, application, kind)
        case .sessionConfigured(let id, let change): return configure(id, change, at: now)
        case .sessionRequested(let id, let request): return answer(request, of: id, at: now)
        case .sessionClosed(let id): close(id, at: now)
        case .outputLost(let port, let name, let streams): lose(LostPort(port, name), streams, at: now)
        case .outputReturned(let port, let streams): giveBack(port, streams)
        case .routeChanged(let reason): changeRoute(reason, at: now)
        case .newOutputUsed: endOverrides()
        case .inputMuted(let port, let isMuted, let name, let streams):
            mute(LostPort(port, name), isMuted: isMuted, streams, at: now)
        case .inputGone(let port): loseInput(port)
        case .switched(let switches): change(to: switches, at: now)
        case .clockReached, .shutdown, .route: break
        }
        return nil
    }

    /// Servers often repeat what is known.
    func isKnown(_ event: Event) -> Bool {
        switch event {
        case .streamWanted(let id, let isWanted): all(id) { facts.streams[$0].isPlayed == isWanted }
        case .streamMuted(let id, let isMuted): all(id) { facts.streams[$0].isMuted == isMuted }
        case .streamSounding(let id, let isSounding): all(id) { facts.streams[$0].isSounding == isSounding }
        case .streamPlaced(let id, let zones): all(id) { facts.streams[$0].zones == zones }
        case .streamRunning(let id, let isRunning): all(id) { facts.streams[$0].isRunning == isRunning }
        case .streamSettled(let id):
            all(id) { verdict.applied[$0].isSettled || verdict.applied[$0].treatment.silence == .none }
        case .streamVanished(let id), .streamFreed(let id, _), .streamMoved(let id, _), .streamLeftAlone(let id):
            facts.stream(id) == nil
        case .streamAppeared, .clockReached, .policyChanged, .sessionOpened, .sessionConfigured, .sessionRequested,
            .sessionClosed, .outputLost, .outputReturned, .routeChanged, .newOutputUsed, .inputMuted, .inputGone,
            .switched, .shutdown:
            false
        case .route: true
        }
    }

    /// An unknown stream satisfies every condition.
    private func all(_ id: StreamID, _ isSo: (Int) -> Bool) -> Bool { facts.stream(id).map(isSo) ?? true }

    func scene(at now: Instant) -> Scene {
        Scene(facts, verdict.standings, before: verdict, applied: verdict.applied, at: now)
    }

    // MARK: - Streams

    private mutating func appear(
        _ id: StreamID, _ application: ApplicationID, _ description: SessionDescription, _ direction: StreamDirection
    ) {
        guard facts.stream(id) == nil else { return }
        let known = facts.streams.last { $0.described.description == description }?.described
        let described = known ?? Described(description, facts.rules)
        let session = session(of: application, described)
        facts.streams.append(Stream(id: id, session: session, described: described, direction: direction))
        verdict.applied.append(Applied())
    }

    mutating func session(of application: ApplicationID, _ described: Described) -> Int {
        let key = SessionKey.application(application)
        return facts.session(key) ?? add(Session.Identity(key, application), .implicit, described)
    }

    mutating func add(
        _ identity: Session.Identity, _ kind: Session.Kind, _ described: Described, own: Described? = nil
    ) -> Int {
        facts.lastNumber &+= 1
        var session = Session(
            number: facts.lastNumber, identity: identity, kind: kind, request: facts.nextRequest())
        session.own = own
        facts.sessions.append(session)
        verdict.standings.append(Standing(described))
        verdict.routes.append(SessionRoute(notified: route.part(for: session.configuration.category)))
        return facts.sessions.count - 1
    }

    /// A stream that counts as wanted by the change asks for its session.
    private mutating func change(_ id: StreamID, at now: Instant, _ change: (inout Stream) -> Void) {
        guard let index = facts.stream(id) else { return }
        let old = facts.streams[index]
        var new = old
        change(&new)
        if new.isPlayed != old.isPlayed { new.callsAt = new.isPlayed ? callBegin(of: new, at: now) : nil }
        if facts.isWanted(new), !facts.isWanted(old) {
            let request = scene(at: now).request(by: old, in: old.session)
            record(request, in: old.session)
        }
        facts.streams[index] = new
        guard new.isPlayed, !old.isPlayed, new.direction == .playback else { return }
        // A session whose recordings are calls is in a call now.
        for other in facts.streams where other.session == new.session && other.callsAt != nil {
            if other.described.has(.isCall) { self.change(other.id, at: now) { $0.callsAt = nil } }
        }
    }

    /// N14: when a stream makes a call; `nil` for at once, or never. A recording has to last, because programs open the
    /// microphone for a moment only to see whether it exists.
    func callBegin(of stream: Stream, at now: Instant) -> Instant? {
        let (after, isCall) = (facts.rules.policy.callAfter, stream.described.has(.isCall))
        guard after > .zero, stream.direction == .capture, isCall || stream.described.has(.pairsRecording) else {
            return nil
        }
        // The same call continues with another recording.
        let standing = verdict.standings[stream.session]
        if standing.phase != .inactive, standing.described.has(.isCall) { return nil }
        let plays = facts.streams.contains {
            $0.session == stream.session && $0.direction == .playback && facts.isWanted($0)
        }
        return isCall && plays ? nil : now.advanced(by: after)
    }

    /// N14: recordings that have lasted make calls from now on.
    mutating func beginCalls(at now: Instant) -> Bool {
        let due = facts.streams.filter { stream in stream.callsAt.map { $0 <= now } ?? false }
        for stream in due { change(stream.id, at: now) { $0.callsAt = nil } }
        return !due.isEmpty
    }

    mutating func record(_ request: Request, in place: Int) {
        switch request {
        case .none: break
        case .rejected(let former): verdict.standings[place].obstacle = .rejected(by: former)
        case .asks: ask(place, .started)
        }
    }

    /// The sessions heard now decide; the former cause may be silent.
    mutating func ask(_ place: Int, _ occasion: Obstacle.Occasion) {
        facts.sessions[place].request = facts.nextRequest()
        verdict.standings[place].cause = nil
        verdict.standings[place].end(occasion)
    }

    private mutating func settle(_ id: StreamID) {
        guard let index = facts.stream(id), verdict.applied[index].treatment.silence != .none else { return }
        verdict.applied[index].isSettled = true
    }

    mutating func remove(_ id: StreamID) -> Int? {
        guard let index = facts.stream(id) else { return nil }
        verdict.applied.remove(at: index)
        return facts.streams.remove(at: index).session
    }

    /// N13: a session that acts only while it sounds ends with its last stream, at once if that has fallen silent.
    private mutating func vanish(_ id: StreamID) {
        guard let index = facts.stream(id) else { return }
        let isQuiet = !facts.streams[index].isSounding
        guard let place = remove(id), isQuiet, !facts.streams.contains(where: { $0.session == place }),
            verdict.standings[place].described.has(.actsWhileSounding)
        else { return }
        end(place, isLeftAlone: false)
    }

    mutating func removeSession(_ place: Int) {
        let number = facts.sessions.remove(at: place).number
        verdict.standings.remove(at: place)
        verdict.routes.remove(at: place)
        routing.active.removeAll { $0 == number }
        func forward(_ other: Int?) -> Int? { other == place ? nil : other.map { $0 > place ? $0 - 1 : $0 } }
        for index in facts.streams.indices where facts.streams[index].session > place {
            facts.streams[index].session -= 1
        }
        for other in verdict.standings.indices {
            verdict.standings[other].cause = forward(verdict.standings[other].cause)
            verdict.standings[other].ducker = forward(verdict.standings[other].ducker)
        }
    }

    /// Ends a session at once if the policy leaves its last wanted stream alone.
    mutating func leaveAlone(_ place: Int) {
        guard !facts.streams.contains(where: { $0.session == place && facts.isWanted($0) }) else { return }
        end(place, isLeftAlone: true)
    }

    /// Ends a session without wanted streams at once, without its release delay.
    mutating func end(_ place: Int, isLeftAlone: Bool) {
        let standing = verdict.standings[place]
        guard standing.phase != .inactive, !standing.driver.isApplication else { return }
        verdict.standings[place].phase = .leaving(isLeftAlone: isLeftAlone)
        verdict.standings[place].end(.paused)
    }
}
