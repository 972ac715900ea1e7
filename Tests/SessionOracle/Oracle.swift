import SessionCore

/// The rules of shared sound said a second time, as plainly as possible, to judge the engine by.
///
/// It takes the same events as the engine, and says what is done to each stream, what each session is, and what was told
/// in which order. It shares nothing with the engine but the vocabulary of events, descriptions and policies. After each
/// event everything is worked out anew from the facts (`Resolving`), and what was told last is compared with what is so
/// now (`Telling`). It is slow, and has no room for a fault that the engine's speed might bring along.
public struct Oracle: Sendable {
    /// The policy in force.
    public internal(set) var policy: Policy
    var streams: [Stream] = []
    var sessions: [Session] = []
    /// Opened sessions that wait to be activated, by their numbers, first come first (N9).
    var waiting: [Int] = []
    var switches = Switches()
    var now = Instant(nanoseconds: .min)
    /// How often a session has asked to be heard, and how many sessions there were.
    var lastAsked = 0
    var lastNumber = 0
    /// What is told of the present event.
    var told: [Told] = []
    /// Holders may begin, because nobody can be heard any more that is to be silent.
    var holdersMayBegin = false
    /// The policy has made sessions silence each other in a circle, so the rules have no answer. From then on the engine is not
    /// judged.
    public internal(set) var isContradictory = false
    /// Speech that weaker ones could stop, and do not, or do, as far as that is known already.
    var heardSpeech: Set<Int> = []
    var stoppedSpeech: Set<Int> = []

    /// How long a session that waits for others to fall silent waits beyond their fade, and how long one that was let go
    /// may take until it runs.
    static let patience = Duration.seconds(2)

    /// Makes one.
    public init(policy: Policy) { self.policy = policy }

    /// Takes an event, and returns what is told about it.
    public mutating func handle(_ event: Event, at now: Instant) -> [Told] {
        self.now = now
        told = []
        // N16: a suspension that is over is over before anything else happens.
        if let end = switches.pausedUntil, end <= now {
            switches.pausedUntil = nil
            follow()
        }
        if giveUpOutputs() { follow() }
        let answer = apply(event)
        follow()
        if let answer { told.append(.answered(answer.0, answer.1)) }
        return told
    }

    /// Works out what follows from the facts, and tells it.
    private mutating func follow() {
        resolve()
        rememberDuckers()
        // N9: what waits begins in the same moment in which nobody is in its way any more, first come first. Whom those that
        // begin silence was heard for that moment, and lowered others.
        var granted: [SessionID] = []
        while let next = waiting.first(where: { blocker(of: self[$0]) == nil }) {
            waiting.removeAll { $0 == next }
            activate(next)
            resolve()
            rememberDuckers()
            if case .opened(let id) = self[next].key { granted.append(id) }
        }
        tell(granted)
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

    /// Takes over what has happened; what follows from it is worked out later. Returns the answer, if one is due.
    private mutating func apply(_ event: Event) -> (SessionID, Told.Answer)? {
        switch event {
        case .streamAppeared(let id, let application, let description, let direction):
            guard place(of: id) == nil else { break }
            let session = session(.application(application))?.number ?? begin(application, description)
            streams.append(Stream(id: id, session: session, description: description, direction: direction))
        case .streamWanted(let id, let isWanted):
            guard let place = place(of: id), streams[place].isWanted != isWanted else { break }
            if isWanted { ask(streams[place], in: streams[place].session) }
            streams[place].isWanted = isWanted
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
        case .clockReached: break
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
            self.switches = switches
        case .shutdown: self = Oracle(policy: policy)
        }
        return nil
    }

    func place(of id: StreamID) -> Int? { streams.firstIndex { $0.id == id } }

    // MARK: - Asking to be heard

    /// R9: an application that begins to play where nothing of it played, or where it is kept silent, asks to be heard.
    mutating func ask(_ stream: Stream, in number: Int) {
        let session = self[number]
        // R34: a session that its application drives is asked for by its application.
        if session.isDriven { return }
        // R17, R18: nor by what its category keeps silent.
        if lack(of: stream, in: session) != nil { return }
        // R13: who has made a sound of the interface has not asked for what it plays later.
        let plays = has(session) {
            $0.isWanted && (stream.isUISound || !$0.isUISound && lack(of: $0, in: session) == nil)
        }
        let isKeptSilent = isSilenced(session) || session.obstacle != nil
        // R13: a sound of the interface asks for nothing that others have to do with.
        guard !plays || isKeptSilent && !stream.isUISound else { return }
        // R8: what may not begin changes nothing for others.
        let playsNothingElse = session.phase == .inactive || session.description.category == .uiSound
        if !stream.isUISound, playsNothingElse || isSilenced(session),
            let rejecter = rejecter(of: stream.description, session)
        {
            self[number].obstacle = .rejected(by: .session(rejecter.number))
            return
        }
        self[number].asked = nextAsked()
        self[number].obstacle = nil
        // Who is heard decides anew, not who has silenced it and is silent itself.
        self[number].cause = nil
    }

    mutating func nextAsked() -> Int {
        lastAsked += 1
        return lastAsked
    }

    /// A session that an application has because of its streams.
    private mutating func begin(_ application: ApplicationID, _ description: SessionDescription) -> Int {
        lastNumber += 1
        sessions.append(
            Session(
                number: lastNumber, key: .application(application), application: application, kind: .implicit,
                description: description, asked: nextAsked()))
        return lastNumber
    }

    /// A session without wanted streams ends without its release delay.
    private mutating func release(_ number: Int) {
        guard self[number].phase != .inactive, !self[number].isDriven else { return }
        self[number].phase = .releasing
        self[number].deadline = now
        self[number].hasLeft = true
    }

    /// The policy leaves a session's streams alone, and with that lets others be.
    private mutating func leaveAlone(_ number: Int) {
        if !self[number].isDriven { self[number].isLeftAlone = true }
        release(number)
    }

    // MARK: - Streams that belong to another session

    /// R79: streams go to another session. If they are all that was to be heard of their own one, and nothing of the other
    /// is, that one takes its place: going by another name is no request (R9). Nor is it one that a session is closed.
    mutating func move(_ places: [Int], to key: SessionKey, asks: Bool) {
        guard let first = places.first else { return }
        let old = streams[first].session
        let target: Int
        if let session = session(key) {
            target = session.number
        } else if case .application(let application) = key {
            target = begin(application, streams[first].description)
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
            // R36: what is a call here goes on wherever it is heard.
            if Pairs.goesOnElsewhere(description) { forgetRoute(target) }
        } else if asks {
            for place in wanted { ask(streams[place], in: target) }
        }
        for place in places { streams[place].session = target }
        if isAll { release(old) }
    }

    private mutating func succeed(_ target: Int, to old: Int) {
        self[target].asked = self[old].asked
        self[old].asked = nextAsked()
        self[target].cause = self[old].cause
        self[target].obstacle = self[old].obstacle
    }

    /// Nothing of inputs, outputs and routes keeps a session silent any more.
    private mutating func forgetRoute(_ number: Int) {
        switch self[number].obstacle?.who {
        case .output, .input, .route: self[number].obstacle = nil
        case .session, .policy, nil: break
        }
    }

    // MARK: - Policies

    /// R12: another policy. What happened stays; what streams are is another matter, and some are left alone now.
    private mutating func change(to policy: Policy, _ descriptions: [StreamID: SessionDescription]) {
        self.policy = policy
        let former = Set(streams.lazy.filter { descriptions[$0.id] == nil }.map(\.session))
        streams.removeAll { descriptions[$0.id] == nil }
        for place in streams.indices {
            streams[place].description = descriptions[streams[place].id] ?? streams[place].description
        }
        // What is left alone from now on does nothing to others, not even for the time of a release delay.
        for number in former where !streams.contains(where: { $0.session == number && $0.isWanted }) {
            leaveAlone(number)
        }
        for place in sessions.indices {
            sessions[place].description = describe(sessions[place])
            // R36: what is a call now goes on wherever it is heard.
            if Pairs.goesOnElsewhere(sessions[place].description) { forgetRoute(sessions[place].number) }
        }
    }
}
