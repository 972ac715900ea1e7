import PolicyEngine
import RandomEvents

/// Something that holds at every event of every sequence.
public struct Property: Sendable {
    /// Its name, as RULES.md lists it.
    public let name: String
    /// The rules that it states, by their numbers.
    public let rules: [String]
    /// What holds.
    public let sentence: String
    /// Looks at one event. Returns what is wrong; `nil` if nothing is.
    let check: @Sendable (_ step: Step) -> String?

    init(_ name: String, _ rules: String, _ sentence: String, _ check: @escaping @Sendable (Step) -> String?) {
        self.name = name
        self.rules = rules.split(separator: " ").map(String.init)
        self.sentence = sentence
        self.check = check
    }

    /// All of them.
    public static let all =
        ofEffects + ofInterruptions + ofCauses + ofPairs + ofTreatments + ofTimes + ofLifecycle + ofRoutes + ofUsers
        + ofOpenedSessions + ofOtherWays
}

/// One event, with all that was so before and is so afterwards.
struct Step: Sendable {
    let event: Event
    let now: Instant
    let before: Scene
    let after: Scene
    let effects: [Effect]
    /// What is different when the same happens in another way.
    let others: [OtherWay: String]
    /// Whether there is time for what takes long.
    let isThorough: Bool

    /// Whether something had to end by the clock before the event.
    var isLate: Bool { before.nextEnd.map { $0 <= now } ?? false }

    /// Whether all is decided and told once in this event, not several times.
    var isOne: Bool {
        if case .streamMuted(_, false) = event { return false }
        if event != .clockReached { return !isLate }
        let isResumed = before.record.switches.pausedUntil.map { $0 <= now } ?? false
        let isMissed = before.sessions.contains { $0.ends.map { $0 <= now } ?? false && before.lostPort($0) != nil }
        return !isResumed && !isMissed
    }

    /// The sessions that the event is about, and those whose recordings have lasted.
    var subjects: [SessionKey] {
        var result: [SessionKey] = []
        if let id = event.stream {
            for scene in [before, after] { if let key = scene.record.stream(id)?.session { result.append(key) } }
        }
        if let id = event.session { result.append(.opened(id)) }
        if case .sessionClosed(let id) = event, let opened = before.record.opened(id) {
            result.append(.application(opened.application))
        }
        for case .activationGranted(let id) in effects { result.append(.opened(id)) }
        for stream in after.record.streams where stream.callsAt == nil && stream.isPlayed {
            if before.record.stream(stream.id)?.callsAt != nil { result.append(stream.session) }
        }
        return result
    }

    /// The streams that were treated, with what was done, how fast, and after which time.
    var treated: [(stream: Record.Stream, treatment: Treatment, within: Duration, after: Duration)] {
        effects.compactMap { effect in
            guard case .treat(let id, let treatment, let within, let after) = effect,
                let stream = self.after.record.stream(id)
            else { return nil }
            return (stream, treatment, within, after)
        }
    }

    /// The sessions that exist before and after the event.
    var lasting: [(before: Session, after: Session)] {
        after.sessions.compactMap { session in before.session(session.number).map { ($0, session) } }
    }
}

/// A session, as the engine shows it; an object, because it is passed on very often.
final class Session: Sendable {
    let number: UInt32
    let reference: SessionReference
    let description: SessionDescription
    let state: SessionPhase
    let silencer: Interrupter?
    let streams: [StreamID]
    let ends: Instant?

    init(_ shown: EngineSnapshot.Session) {
        number = shown.number
        reference = shown.reference
        description = shown.description
        state = shown.state
        silencer = shown.silencer
        streams = shown.streams
        ends = shown.ends
    }

    /// The application's session, or the opened one.
    var key: SessionKey { reference.key }
    /// The session that silences it, by its number.
    var silencerNumber: UInt32? { silencer?.cause.session?.rawValue }
}

extension Event {
    /// The stream that the event is about; `nil` if it is about none, or several.
    var stream: StreamID? {
        switch self {
        case .streamAppeared(let id, _, _, _), .streamWanted(let id, _), .streamMuted(let id, _),
            .streamFreed(let id, _), .streamPlaced(let id, _), .streamSounding(let id, _), .streamRunning(let id, _),
            .streamSettled(let id), .streamVanished(let id), .streamLeftAlone(let id), .streamMoved(let id, _):
            id
        case .clockReached, .policyChanged, .sessionOpened, .sessionConfigured, .sessionRequested, .sessionClosed,
            .outputLost, .outputReturned, .routeChanged, .newOutputUsed, .inputMuted, .inputGone, .switched, .route,
            .shutdown:
            nil
        }
    }

    /// The opened session that the event is about; `nil` if it is about none.
    var session: SessionID? {
        switch self {
        case .sessionOpened(let id, _, _), .sessionConfigured(let id, _), .sessionRequested(let id, _),
            .sessionClosed(let id):
            id
        case .streamAppeared, .streamWanted, .streamMuted, .streamFreed, .streamPlaced, .streamSounding,
            .streamRunning, .streamSettled, .streamVanished, .streamLeftAlone, .clockReached, .policyChanged,
            .streamMoved, .outputLost, .outputReturned, .routeChanged, .newOutputUsed, .inputMuted, .inputGone,
            .switched, .route, .shutdown:
            nil
        }
    }

    /// Whether the event is a request, which is answered.
    var isRequest: Bool { if case .sessionClosed = self { false } else { session != nil } }

    /// Whether streams change their session, or the policy leaves some of them alone.
    var isMove: Bool {
        switch self {
        case .streamMoved, .sessionClosed, .streamLeftAlone, .policyChanged: true
        default: false
        }
    }
}

extension SessionReference {
    var key: SessionKey { id.map { .opened($0) } ?? .application(application) }
}

extension Sequence {
    /// The first of what is wrong with the elements; `nil` if nothing is.
    func firstFlaw(_ flaw: (Element) -> String?) -> String? { lazy.compactMap(flaw).first }
}
