import RandomEvents
@testable import SessionCore

/// What holds of the same events in another way.
extension Property {
    static let ofOtherWays = OtherWay.allCases.map { way in
        Property(way.rawValue, way.rules, way.sentence) { $0.others[way] }
    }
}

/// Another way in which the same may happen, with the same outcome.
enum OtherWay: String, CaseIterable, Sendable {
    case later, renamed, accompanied, punctual

    fileprivate var rules: String {
        switch self {
        case .later, .punctual: "R2 R64 N16 N17"
        case .renamed: "N18 R80"
        case .accompanied: "R2 R79"
        }
    }

    fileprivate var sentence: String {
        switch self {
        case .later: "What happens an hour later has the same outcome an hour later."
        case .renamed: "Whatever streams, sessions, applications and ports are called, the outcome is the same."
        case .accompanied:
            "An application that only has a stream and a session, and then leaves, changes nothing for others."
        case .punctual: "An event after a late clock has the same outcome as after a clock event at that moment."
        }
    }

    /// What is different in this way.
    fileprivate var change: Change {
        switch self {
        case .later: Change(hours: 1)
        case .renamed: Change(ids: 50_000, prefix: "other ")
        case .accompanied: Change(numbers: 2)
        case .punctual: Change()
        }
    }
}

/// An engine to which the same happens in another way.
struct OtherEngine: Sendable {
    let way: OtherWay
    private var engine: EngineUnderTest
    private let change: Change
    private var count = 0
    private var wake: Instant?

    private static let id = UInt32(9_000)

    init(_ way: OtherWay, _ policy: Policy) {
        self.way = way
        change = way.change
        engine = EngineUnderTest(policy: policy)
        guard way == .accompanied else { return }
        let bystander = ApplicationID(key: "bystander", name: "bystander")
        let description = policy.untagged ?? Policy.listener
        for event in [
            Event.streamAppeared(
                StreamID(Self.id), application: bystander, description: description, direction: .playback),
            .sessionOpened(SessionID(Self.id), application: bystander, .application),
        ] {
            _ = engine.handle(event, at: Instant(nanoseconds: 0))
        }
    }

    /// Has an event happen. Returns what is different from these effects; `nil` if nothing is.
    mutating func difference(_ event: Event, at now: Instant, _ expected: [Effect]) -> String? {
        count += 1
        let now = change.moment(now)
        var effects: [Effect] = []
        if way == .accompanied, count == 12 {
            effects += engine.handle(.streamVanished(StreamID(Self.id)), at: now)
            effects += engine.handle(.sessionClosed(SessionID(Self.id)), at: now)
        }
        if way == .punctual, let wake, wake <= now { effects += handle(.clockReached, at: now) }
        effects += handle(change.event(event), at: now)
        let found = plain(effects, Change())
        let expected = plain(expected, change)
        return found == expected ? nil : "\(found), not \(expected)"
    }

    private mutating func handle(_ event: Event, at now: Instant) -> [Effect] {
        let effects = engine.handle(event, at: now)
        if event == .clockReached { wake = nil }
        for case .wake(let moment) in effects { wake = moment }
        return effects
    }

    /// The effects with something changed, in an order that does not count, and without those that differ.
    private func plain(_ effects: [Effect], _ change: Change) -> [String] {
        effects.filter { effect in
            if case .treat(StreamID(Self.id), _, _, _) = effect { return false }
            return effect != .sessionChanged(SessionID(Self.id)) && Property.other(effect) != nil
        }.map { "\(change.effect($0))" }.sorted()
    }
}

/// Something that is different in all events and effects.
private struct Change: Sendable {
    var hours = 0
    var ids = UInt32(0)
    var prefix = ""
    var numbers = UInt32(0)

    func moment(_ now: Instant) -> Instant {
        now == Switches.never || now.nanoseconds < 0 ? now : now.advanced(by: .seconds(3_600 * hours))
    }
    /// Later ones have lower numbers.
    func stream(_ id: StreamID) -> StreamID { ids == 0 ? id : StreamID(ids - id.rawValue) }
    func session(_ id: SessionID) -> SessionID { ids == 0 ? id : SessionID(ids - id.rawValue) }
    func port(_ id: PortID) -> PortID { PortID(prefix + id.name) }
    func application(_ id: ApplicationID) -> ApplicationID {
        ApplicationID(key: prefix + id.key, name: prefix + id.name)
    }

    func key(_ key: SessionKey) -> SessionKey {
        switch key {
        case .application(let id): .application(application(id))
        case .opened(let id): .opened(session(id))
        }
    }

    func event(_ event: Event) -> Event {
        switch event {
        case .streamAppeared(let id, let app, let description, let direction):
            .streamAppeared(stream(id), application: application(app), description: description, direction: direction)
        case .streamWanted(let id, let isWanted): .streamWanted(stream(id), isWanted)
        case .streamMuted(let id, let isMuted): .streamMuted(stream(id), isMuted)
        case .streamFreed(let id, by: let action): .streamFreed(stream(id), by: action)
        case .streamPlaced(let id, let zones): .streamPlaced(stream(id), zones)
        case .streamSounding(let id, let isSounding): .streamSounding(stream(id), isSounding)
        case .streamRunning(let id, let isRunning): .streamRunning(stream(id), isRunning)
        case .streamSettled(let id): .streamSettled(stream(id))
        case .streamVanished(let id): .streamVanished(stream(id))
        case .streamLeftAlone(let id): .streamLeftAlone(stream(id))
        case .policyChanged(let policy, let descriptions):
            .policyChanged(policy, Dictionary(descriptions.map { (stream($0.key), $0.value) }) { $1 })
        case .streamMoved(let id, to: let key): .streamMoved(stream(id), to: self.key(key))
        case .sessionOpened(let id, let app, let kind):
            .sessionOpened(session(id), application: application(app), self.kind(kind))
        case .sessionConfigured(let id, let change): .sessionConfigured(session(id), change)
        case .sessionRequested(let id, let request): .sessionRequested(session(id), request)
        case .sessionClosed(let id): .sessionClosed(session(id))
        case .outputLost(let id, let name, let streams):
            .outputLost(port(id), name: prefix + name, streams: streams.map { stream($0) })
        case .outputReturned(let id, let streams): .outputReturned(port(id), streams: streams.map { stream($0) })
        case .inputMuted(let id, let isMuted, let name, let streams):
            .inputMuted(port(id), isMuted, name: prefix + name, streams: streams.map { stream($0) })
        case .inputGone(let id): .inputGone(port(id))
        case .switched(let switches): .switched(self.switches(switches))
        case .clockReached, .routeChanged, .shutdown: event
        }
    }

    private func kind(_ kind: SessionKind) -> SessionKind {
        switch kind {
        case .application: kind
        case .system(let description, let by): .system(description, by: by.map { application($0) })
        }
    }

    private func switches(_ switches: Switches) -> Switches {
        var switches = switches
        switches.pausedUntil = switches.pausedUntil.map { moment($0) }
        return switches
    }

    // MARK: - Effects

    func effect(_ effect: Effect) -> Effect {
        switch effect {
        case .treat(let id, var treatment, let within, let after):
            treatment.cause = treatment.cause.map { cause($0) }
            return .treat(stream(id), treatment, within: within, after: after)
        case .wake(let now): return .wake(at: moment(now))
        case .sessionActivated(let session): return .sessionActivated(reference(session))
        case .sessionDeactivated(let session): return .sessionDeactivated(reference(session))
        case .interruptionBegan(let session, by: var interrupter):
            interrupter.cause = cause(interrupter.cause)
            interrupter.id = interrupter.id.map { self.session($0) }
            if interrupter.cause != .route { interrupter.name = prefix + interrupter.name }
            return .interruptionBegan(reference(session), by: interrupter)
        case .interruptionEnded(let session, let resumes):
            return .interruptionEnded(reference(session), shouldResume: resumes)
        case .answered(let id, .refused(let other)): return .answered(session(id), .refused(by: reference(other)))
        case .answered(let id, let answer): return .answered(session(id), answer)
        case .activationGranted(let id): return .activationGranted(session(id))
        case .sessionChanged(let id): return .sessionChanged(session(id))
        case .streamRefused(let id): return .streamRefused(stream(id))
        }
    }

    private func reference(_ session: SessionReference) -> SessionReference {
        SessionReference(
            application: application(session.application), description: session.description,
            id: session.id.map { self.session($0) })
    }

    /// The cause, without the place where an engine keeps the session.
    private func cause(_ cause: Cause) -> Cause {
        switch cause {
        case .session(let number): .session(SessionNumber(number.rawValue + numbers, slot: 0))
        case .system(let number): .system(SessionNumber(number.rawValue + numbers, slot: 0))
        case .output(let id): .output(port(id))
        case .input(let id): .input(port(id))
        case .route, .policy: cause
        }
    }
}
