import RandomEvents
import SessionCore

/// A second, simple statement of the rules of shared sound, against which the engine is checked.
///
/// The oracle handles the same events as the engine. It returns the treatment of each stream, the state of each
/// session, and the announcements in their order. It shares only events, descriptions and policies with the engine.
/// After each event it computes everything anew from the facts (`Resolution.swift`) and announces the differences from
/// what was last announced (`Announcements.swift`). It is slow, because it avoids the engine's optimisations and so
/// their faults.
public struct Oracle: Sendable {
    /// The policy in force.
    public internal(set) var policy: Policy
    var streams: [Stream] = []
    var sessions: [Session] = []
    /// The numbers of the sessions whose delayed activation is pending, oldest request first (N9).
    var waiting: [Int] = []
    var switches = Switches()
    var now = Instant(nanoseconds: .min)
    /// The number of requests for activation so far, and the number of sessions created so far.
    var requestCount = 0
    var sessionCount = 0
    /// The announcements of the present event.
    var announcements: [Announcement] = []
    /// Whether sessions in the phase `holding` may begin: every stream that should be silent is silent.
    var holdersMayBegin = false
    /// Whether the policy makes sessions silence each other in a circle, so that the rules have no answer. The engine
    /// is no longer checked then.
    public internal(set) var isContradictory = false
    /// Speech that sessions with weaker claims could stop: the sessions found to be heard, and those found to be
    /// stopped.
    var heardSpeech: Set<Int> = []
    var stoppedSpeech: Set<Int> = []

    /// The longest wait for other sessions to fall silent, beyond their fade; also the longest time that a session may
    /// take to run after it was allowed to.
    static let patience = Duration.seconds(2)

    /// Creates an oracle without streams.
    public init(policy: Policy) { self.policy = policy }

    /// Handles an event, and returns the announcements that follow.
    public mutating func handle(_ event: Event, at now: Instant) -> [Announcement] {
        self.now = now
        announcements = []
        if event == .shutdown {
            self = Oracle(policy: policy)
            return []
        }
        // N16: a suspension of the policy that has run out ends before the event is handled.
        if let end = switches.pausedUntil, end <= now {
            switches.pausedUntil = nil
            resolveAndAnnounce()
        }
        if giveUpOutputs() { resolveAndAnnounce() }
        let answer = apply(event)
        resolveAndAnnounce()
        if let answer { announcements.append(.answered(answer.0, answer.1)) }
        return announcements
    }

    /// Computes who is heard from the facts, and announces the changes.
    private mutating func resolveAndAnnounce() {
        resolve()
        rememberDuckers()
        // N9: grants each delayed activation as soon as no session prevents it, oldest request first. A session that a
        // granted one silences was heard until then, and ducked others.
        var granted: [SessionID] = []
        while let next = waiting.first(where: { blocker(of: self[$0]) == nil }) {
            waiting.removeAll { $0 == next }
            activate(next)
            resolve()
            rememberDuckers()
            if case .opened(let id) = self[next].key { granted.append(id) }
        }
        announce(granted)
    }

    // MARK: - Looking up

    subscript(number: Int) -> Session {
        get { sessions[place(number)] }
        set { sessions[place(number)] = newValue }
    }

    private func place(_ number: Int) -> Int {
        guard let place = sessions.firstIndex(where: { $0.number == number }) else {
            preconditionFailure("the oracle knows no session \(number)")
        }
        return place
    }

    func session(_ number: Int) -> Session? { sessions.first { $0.number == number } }
    func session(_ key: SessionKey) -> Session? { sessions.first { $0.key == key && !$0.isClosed } }
    func streams(of session: Session) -> [Stream] { streams.filter { $0.session == session.number } }
    func has(_ session: Session, _ isSuch: (Stream) -> Bool) -> Bool {
        streams.contains { $0.session == session.number && isSuch($0) }
    }

    var isSuspended: Bool { switches.pausedUntil != nil }

    // MARK: - Events

    /// Records the facts of an event. Returns the answer if the event is a request.
    private mutating func apply(_ event: Event) -> (SessionID, Announcement.Answer)? {
        switch event {
        case .streamAppeared(let id, let application, let description, let direction):
            guard place(of: id) == nil else { break }
            let session = session(.application(application))?.number ?? addSession(of: application, description)
            streams.append(Stream(id: id, session: session, description: description, direction: direction))
        case .streamWanted(let id, let isWanted):
            if let place = place(of: id) { wish(place) { $0.isPlayed = isWanted } }
        case .streamMuted(let id, let isMuted):
            guard let place = place(of: id), streams[place].isMuted != isMuted else { break }
            wish(place) { $0.isMuted = isMuted }
            if isMuted { break }
            resolveAndAnnounce()
            free(place, by: .unmute)
        case .streamSounding(let id, let isSounding):
            if let place = place(of: id) { streams[place].isSounding = isSounding }
        case .streamPlaced(let id, let zones): if let place = place(of: id) { streams[place].zones = zones }
        case .streamFreed(let id, let action): if let place = place(of: id) { free(place, by: action) }
        case .streamRunning(let id, let isRunning):
            if let place = place(of: id) { streams[place].isRunning = isRunning }
        case .streamSettled(let id):
            if let place = place(of: id), treatment(of: streams[place]).silence != .none {
                streams[place].isSettled = true
            }
        case .streamVanished(let id): streams.removeAll { $0.id == id }
        case .streamLeftAlone(let id):
            guard let place = place(of: id) else { break }
            let session = streams.remove(at: place).session
            if !streams.contains(where: { $0.session == session && $0.isWanted }) { leaveAlone(session) }
        case .streamMoved(let id, let key): if let place = place(of: id) { move([place], to: key, asks: true) }
        case .clockReached, .route: break
        case .policyChanged(let policy, let descriptions): change(to: policy, descriptions)
        case .sessionOpened(let id, let application, let kind): return (id, open(id, application, kind))
        case .sessionConfigured(let id, let change): return (id, configure(id, change))
        case .sessionRequested(let id, let request): return (id, handle(request, of: id))
        case .sessionClosed(let id): close(id)
        case .outputLost(let port, let name, let streams): loseOutput(port, name, streams)
        case .outputReturned(let port, let streams): returnOutput(port, streams)
        case .routeChanged(let reason): changeRoute(reason)
        case .inputMuted(let port, let isMuted, let name, let streams): mute(port, isMuted, name, streams)
        case .inputGone(let port): stopWaiting(for: port, isGone: true)
        case .switched(var switches):
            if let end = switches.pausedUntil, end <= now { switches.pausedUntil = nil }
            let (old, new) = (self.switches, switches)
            let isOther =
                (old.isSilent, old.isLocked, old.isUndisturbed) != (new.isSilent, new.isLocked, new.isUndisturbed)
            for place in sessions.indices where isOther { sessions[place].isFreeFromSwitches = false }
            self.switches = switches
        case .shutdown: break
        }
        return nil
    }

    func place(of id: StreamID) -> Int? { streams.firstIndex { $0.id == id } }

    // MARK: - Requesting activation

    /// R9: a stream requests activation for its session if no other stream of the session plays, or if the session is
    /// silenced.
    mutating func requestActivation(by stream: Stream, in number: Int) {
        let session = self[number]
        // R34: if the application drives its session, only the application requests activation.
        if session.isDriven { return }
        // R17, R18: a stream that the category keeps silent requests nothing.
        if lack(of: stream, in: session) != nil { return }
        // R13: a user interface sound has requested nothing, so a stream that starts beside it requests now.
        let plays = has(session) {
            $0.isWanted && (stream.isUISound || !$0.isUISound && lack(of: $0, in: session) == nil)
        }
        let isKeptSilent = isSilenced(session) || session.block != nil
        // R13: a user interface sound requests nothing for a silenced session.
        guard !plays || isKeptSilent && !stream.isUISound else { return }
        // R8: a rejected session does not affect others.
        let playsNothingElse = session.phase == .inactive || session.description.category == .uiSound
        let isCall = !session.isDescribedByStreams && Pairs.isPhone(session.description)
        if !stream.isUISound, !isCall, playsNothingElse || isSilenced(session),
            let rejecter = rejecter(of: stream.description, session)
        {
            self[number].block = .rejected(by: .session(rejecter.number))
            return
        }
        self[number].lastRequest = nextRequest()
        // R64: a client's own doing is no reason to be heard on another output.
        if case .lostOutput = session.block {} else { self[number].block = nil }
        // The sessions that are heard now decide anew. The former cause may itself be silent.
        self[number].cause = nil
    }

    mutating func nextRequest() -> Int {
        requestCount += 1
        return requestCount
    }

    /// Creates the session that an application has because of its streams. Returns its number.
    private mutating func addSession(of application: ApplicationID, _ description: SessionDescription) -> Int {
        sessionCount += 1
        sessions.append(
            Session(
                number: sessionCount, key: .application(application), application: application, kind: .implicit,
                description: description, lastRequest: nextRequest()))
        return sessionCount
    }

    /// Ends a session without wanted streams at once, without its release delay.
    private mutating func release(_ number: Int) {
        guard self[number].phase != .inactive, !self[number].isDriven else { return }
        self[number].phase = .releasing
        self[number].deadline = now
        self[number].hasLeft = true
    }

    /// Records that the policy leaves a session's streams alone, so that the session no longer affects others.
    private mutating func leaveAlone(_ number: Int) {
        if !self[number].isDriven { self[number].isLeftAlone = true }
        release(number)
    }

    // MARK: - Moving streams

    /// R79: moves streams to another session. If they are all wanted streams of the old session and the target has
    /// none, the target takes the old session's place: a mere change of session is no request for activation (R9).
    ///
    /// - Parameter asks: Whether the move may count as a request. It does not when the old session is closed.
    mutating func move(_ places: [Int], to key: SessionKey, asks: Bool) {
        guard let first = places.first else { return }
        let old = streams[first].session
        let target: Int
        if let session = session(key) {
            target = session.number
        } else if case .application(let application) = key {
            target = addSession(of: application, streams[first].description)
        } else {
            return
        }
        guard target != old else { return }
        let wanted = places.filter { streams[$0].isWanted }
        let isAll =
            !self[old].isActivated
            && !streams.indices.contains {
                streams[$0].session == old && streams[$0].isWanted && !places.contains($0)
            }
        let isFree = !streams.contains { $0.session == target && $0.isWanted }
        if isAll && isFree && !wanted.isEmpty {
            let description = strongest(of: wanted.map { streams[$0].description }) ?? self[target].description
            if !self[target].isDriven { succeed(target, to: old) }
            // R36: a call continues on any output.
            if Pairs.goesOnElsewhere(description) { removeRouteBlock(target) }
        } else if asks {
            // N13: while it moves, a stream keeps neither session sounding.
            let moving = wanted.map { streams[$0] }
            for place in places {
                streams[place].isWanted = false
                streams[place].session = target
            }
            for stream in moving { requestActivation(by: stream, in: target) }
            for place in wanted { streams[place].isWanted = true }
        }
        for place in places { streams[place].session = target }
        if isAll { release(old) }
    }

    private mutating func succeed(_ target: Int, to old: Int) {
        self[target].isFreeFrom.formUnion(self[old].isFreeFrom)
        self[target].isFreeFromSwitches = self[target].isFreeFromSwitches || self[old].isFreeFromSwitches
        self[old].isFreeFrom = []
        self[old].isFreeFromSwitches = false
        for place in sessions.indices where sessions[place].isFreeFrom.contains(old) {
            sessions[place].isFreeFrom.insert(target)
        }
        self[target].lastRequest = self[old].lastRequest
        self[old].lastRequest = nextRequest()
        self[target].cause = self[old].cause
        self[target].block = self[old].block
    }

    /// Removes a session's block if an output, input or route causes it.
    private mutating func removeRouteBlock(_ number: Int) {
        switch self[number].block?.cause {
        case .output, .input, .route: self[number].block = nil
        case .session, .policy, nil: break
        }
    }

    // MARK: - Policies

    /// R12: puts another policy in force. Requests and causes stay; streams get new descriptions, or are left alone.
    private mutating func change(to policy: Policy, _ descriptions: [StreamID: SessionDescription]) {
        self.policy = policy
        let former = Set(streams.lazy.filter { descriptions[$0.id] == nil }.map(\.session))
        streams.removeAll { descriptions[$0.id] == nil }
        for place in streams.indices {
            streams[place].description = descriptions[streams[place].id] ?? streams[place].description
            streams[place].isWanted = isWanted(streams[place])
        }
        // A session whose wanted streams are all left alone ends at once, without its release delay.
        for number in former where !streams.contains(where: { $0.session == number && $0.isWanted }) {
            leaveAlone(number)
        }
        for place in sessions.indices {
            sessions[place].description = describe(sessions[place])
            // R36: a session that is a call under the new policy continues on any output.
            if Pairs.goesOnElsewhere(sessions[place].description) { removeRouteBlock(sessions[place].number) }
        }
    }
}
