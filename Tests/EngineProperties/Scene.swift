import PolicyEngine
import RandomEvents

/// All sessions and streams at one moment: what the engine shows of them, and what is known of them.
struct Scene: Sendable {
    let engine: Engine
    let snapshot: EngineSnapshot
    /// The sessions, the strongest claim first.
    let sessions: [Session]
    var record: Record
    let now: Instant

    /// - Parameter effects: What was told at this moment.
    init(_ engine: Engine, _ record: Record, told effects: [Effect], at now: Instant) {
        self.engine = engine
        self.record = record
        self.now = now
        let snapshot = engine.snapshot
        self.snapshot = snapshot
        sessions = snapshot.sessions.map { Session($0) }
        // Who is gone is told nothing more.
        let sessions = sessions
        self.record.told = record.told.filter { key, _ in sessions.contains { $0.key == key } }
        for session in sessions {
            let isOver = session.state == .inactive || session.state == .interrupted && !asks(session)
            if isOver {
                self.record.heard.remove(session.number)
                self.record.begun.remove(session.number)
            }
            if self.record.told(session.key).isActive { self.record.begun.insert(session.number) }
            if session.state == .active, session.silencer == nil { self.record.heard.insert(session.number) }
        }
        // It is shown with the streams; a session without any keeps its own.
        for session in sessions {
            let stream = session.streams.first.flatMap { id in snapshot.streams.first { $0.id == id } }
            self.record.besides[session.key] =
                stream?.besides.compactMap { $0.cause.session?.rawValue }
                ?? record.besides[session.key]
        }
        for shown in snapshot.streams {
            guard let index = record.streams.firstIndex(where: { $0.id == shown.id }) else { continue }
            self.record.streams[index].callsAt = shown.callsAt
        }
        for case .treat(let id, let treatment, _, _) in effects {
            guard let index = record.streams.firstIndex(where: { $0.id == id }) else { continue }
            self.record.streams[index].actor = treatment.cause?.session.flatMap { session($0.rawValue) }.map {
                Record.Described($0.description)
            }
        }
    }

    var isSuspended: Bool { record.isSuspended }
    var policy: Policy { record.policy }

    func session(_ number: UInt32) -> Session? { sessions.first { $0.number == number } }
    func session(_ key: SessionKey) -> Session? { sessions.first { $0.key == key } }
    func streams(of session: Session) -> [Record.Stream] { record.streams.filter { $0.session == session.key } }
    func opened(_ session: Session) -> Record.Opened? { record.opened(session.key) }
    func wanted(_ session: Session) -> [Record.Stream] { streams(of: session).filter { record.isWanted($0) } }

    /// The next moment at which something ends by itself.
    var nextEnd: Instant? {
        let ends = sessions.compactMap(\.ends) + record.streams.compactMap(\.callsAt)
        return (ends + [record.switches.pausedUntil].compactMap { $0 }).filter { $0 != Switches.never }.min()
    }

    // MARK: - One session

    /// Whether its application says what a session is, by configuring, activating or deactivating it.
    func isSaid(_ session: Session) -> Bool {
        guard let opened = opened(session) else { return false }
        return opened.isSystem || opened.isConfigured || opened.isDriven
    }

    /// R15–R19, R23: why a session's category keeps a stream silent for good.
    func lack(_ stream: Record.Stream, _ session: Session) -> Reason? {
        if stream.isInterfaceSound { return nil }
        if session.description.category == .audioProcessing { return .noDevice }
        guard let opened = opened(session), !opened.isSystem, isSaid(session) else { return nil }
        switch session.description.category {
        case .record: return stream.direction == .playback ? .noOutput : nil
        case .playAndRecord: return nil
        case .ambient, .soloAmbient, .playback, .audioProcessing, .uiSound:
            return stream.direction == .capture ? .noInput : nil
        }
    }

    /// Whether a session asks to be heard.
    func asks(_ session: Session) -> Bool {
        guard let opened = opened(session) else { return !wanted(session).isEmpty }
        if opened.isDriven { return opened.isActivated }
        if !isSaid(session) { return !wanted(session).isEmpty }
        return wanted(session).contains { !$0.isInterfaceSound && (opened.isSystem || lack($0, session) == nil) }
    }

    /// Whether a session is heard, or about to be.
    func isHeard(_ session: Session) -> Bool {
        if session.silencer != nil || isSuspended { return false }
        switch session.state {
        case .active, .starting, .holding, .releasing: return true
        case .inactive, .interrupted: return false
        case .delayed: return record.told(session.key).isActive
        }
    }

    /// Whether sound of a session can be heard that is silent when the session is; only other sessions silence sounds of the
    /// interface (R13).
    func isAudible(_ session: Session) -> Bool {
        streams(of: session).contains { $0.isAudible && (isInterrupted(session) || !$0.isInterfaceSound) }
    }

    /// Whether only its application makes a session heard again, as far as its streams show.
    func isStopped(_ session: Session) -> Bool {
        if session.silencer?.cause == .route { return true }
        return session.silencer != nil && has(session, [.superseded, .rejected])
    }

    /// Whether another session silences it now, as far as its streams or what it was told show; not an output, an input,
    /// or one that has ended.
    func isInterrupted(_ session: Session) -> Bool {
        if session.silencerNumber == nil || isStopped(session) { return false }
        return has(session, [.interrupted]) || record.told(session.key).isInterrupted
    }

    private func has(_ session: Session, _ reasons: [Reason]) -> Bool {
        streams(of: session).contains { reasons.contains($0.treatment.reason) }
    }

    /// The output that a session waits for.
    func lostPort(_ session: Session) -> PortID? {
        guard case .output(let port) = session.silencer?.cause, !isStopped(session) else { return nil }
        return has(session, [.routeDisconnected]) || record.told(session.key).isInterrupted ? port : nil
    }

    // MARK: - Two sessions

    /// The priority, and then whether it records only: what counts before the time of a request (R36, R21).
    func weight(_ session: Session) -> Int {
        Int(session.description.priority.rawValue) * 2 + (session.description.category == .record ? 1 : 0)
    }

    /// Whether one session's claim is the stronger one.
    func isAbove(_ one: Session, _ other: Session) -> Bool {
        (sessions.firstIndex { $0.number == one.number } ?? 0)
            < (sessions.firstIndex { $0.number == other.number } ?? 0)
    }

    /// Whether an actor leaves a session alone (N13, N19, N27, R36).
    func spares(_ actor: Session, _ other: Session) -> Bool {
        if besides(other).contains(actor.number) { return true }
        if case .system(_, by: let beginner?) = opened(actor)?.kind, beginner == other.reference.application {
            return true
        }
        let playing = wanted(actor).filter { $0.direction == .playback }
        if actor.description.actsWhileSounding, !streams(of: actor).isEmpty, !playing.contains(where: \.isSounding) {
            return true
        }
        if policy.zones.all.isEmpty { return false }
        let (here, there) = (playing, wanted(other).filter { $0.direction == .playback })
        if here.isEmpty || there.isEmpty || (here + there).contains(where: { $0.zones.isEmpty }) { return false }
        return !here.contains { one in there.contains { !$0.zones.isDisjoint(with: one.zones) } }
    }

    /// The sessions beside which its user wants a session to be heard.
    func besides(_ session: Session) -> [UInt32] { record.besides[session.key] ?? [] }

    /// What an actor does to another session; `nil` where it matters which of the two came first, and that is not known.
    func effect(_ actor: Session, _ other: Session) -> Interplay.Kind? {
        if actor.number == other.number || spares(actor, other) { return .mix }
        if stopsStrongerSpeech(actor, other) { return .cork }
        let kinds = [false, true].map {
            Pairs.kind(actor.description, on: other.description, isNewcomer: $0, policy)
        }
        if kinds[0] == kinds[1] { return kinds[0] }
        return weight(actor) == weight(other) ? kinds[isAbove(actor, other) ? 0 : 1] : nil
    }

    /// N1, N2: whether an actor with the weaker claim stops a session's speech.
    func stopsStrongerSpeech(_ actor: Session, _ other: Session) -> Bool {
        Pairs.isSpeech(other.description) && isAbove(other, actor) && !spares(actor, other)
            && actor.description.priority >= other.description.priority
            && Pairs.stopsPlayingSpeech(actor.description, other.description, policy)
            && !Pairs.kind(other.description, on: actor.description, isNewcomer: false, policy).silences
    }

    /// Whether an actor silences another session; `nil` where that is not clear.
    func silences(_ actor: Session, _ other: Session) -> Bool? {
        if actor.number == other.number { return false }
        // What its user wants of a session without streams is not shown, and may be to hear it beside a successor.
        if other.streams.isEmpty, !besides(other).isEmpty { return nil }
        if isAbove(other, actor) { return stopsStrongerSpeech(actor, other) }
        return effect(actor, other).map(\.silences)
    }

    /// Whether the policy makes sessions silence each other in a circle; only speech is silenced by weaker claims.
    var isContradictory: Bool {
        guard sessions.contains(where: { Pairs.isSpeech($0.description) }) else { return false }
        var rest = sessions.filter { asks($0) }
        while let free = rest.firstIndex(where: { other in !rest.contains { silences($0, other) ?? true } }) {
            rest.remove(at: free)
        }
        return !rest.isEmpty
    }
}
