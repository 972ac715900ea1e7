import RandomEvents
import SessionCore

/// An engine together with the oracle, which checks the engine after every event.
public struct JudgedEngine: EventJudge {
    /// The engine.
    public private(set) var engine: Engine
    /// The oracle.
    public private(set) var oracle: Oracle
    /// The first difference between engine and oracle; `nil` for none.
    public private(set) var flaw: String?
    private let isThorough: Bool
    /// The time of the engine's last ``Effect/wake(at:)``, until the clock event.
    public private(set) var wake: Instant?

    /// Whether the policy contradicts itself (``Oracle/isContradictory``). The engine is no longer checked then.
    public var isOver: Bool { oracle.isContradictory }

    /// Creates an engine and an oracle without streams. A thorough one also decides all anew after each event.
    public init(policy: Policy, isThorough: Bool) {
        self.isThorough = isThorough
        engine = Engine(policy: policy)
        oracle = Oracle(policy: policy)
    }

    /// Sends an event to both and compares the results. Returns the engine's effects.
    public mutating func send(_ event: Event, at now: Instant) -> [Effect] {
        let effects = engine.handle(event, at: now)
        if case .clockReached = event { wake = nil }
        for case .wake(let moment) in effects { wake = moment }
        // The engine handles passed deadlines before the event, even if the clock event is late; not before it undoes all.
        let isLate = oracle.nextDeadline.map { $0 <= now } ?? false && event != .clockReached && event != .shutdown
        var expected = isLate ? oracle.handle(.clockReached, at: now) : []
        expected += oracle.handle(event, at: now)
        if flaw != nil || isOver { return effects }
        flaw = compare(effects, expected)
        // Computing everything anew takes as long as all else.
        if isThorough, flaw == nil { flaw = engine.inconsistency.map { "not consistent: \($0)" } }
        return effects
    }

    private func compare(_ effects: [Effect], _ expected: [Announcement]) -> String? {
        let found = effects.compactMap { announcement($0) }
        if found != expected {
            return "told\n  oracle: \(list(expected))\n  engine: \(list(found))"
        }
        for id in oracle.streamIDs {
            guard let expected = oracle.treatment(of: id) else { continue }
            guard let found = engine.treatment(of: id).map({ translated($0) }) else {
                return "\(id) is unknown to the engine"
            }
            if found != expected {
                return "stream \(id.rawValue)\n  oracle: \(expected)\n  engine: \(found)"
            }
        }
        for id in oracle.openedIDs {
            guard let state = oracle.state(of: id) else { continue }
            guard let shown = engine.state(of: id).map(Oracle.State.init) else {
                return "\(id) is unknown to the engine"
            }
            if state != shown { return "session \(id.rawValue)\n  oracle: \(state)\n  engine: \(shown)" }
        }
        if let deadline = oracle.nextDeadline, wake.map({ $0 > deadline }) ?? true {
            return "wake\n  oracle: by \(deadline.nanoseconds)\n  engine: \(wake?.nanoseconds ?? -1)"
        }
        return nil
    }

    private func list(_ announcements: [Announcement]) -> String {
        announcements.isEmpty ? "nothing" : announcements.map { "\($0)" }.joined(separator: ", ")
    }

    // MARK: - Translating the engine's values

    private func announcement(_ effect: Effect) -> Announcement? {
        switch effect {
        case .sessionActivated(let session): .active(session.key)
        case .sessionDeactivated(let session): .inactive(session.key)
        case .interruptionBegan(let session, let interrupter): .began(session.key, by: translated(interrupter.cause))
        case .interruptionEnded(let session, let resumes): .ended(session.key, resumes: resumes)
        case .answered(let id, let answer): .answered(id, Announcement.Answer(answer))
        case .activationGranted(let id): .granted(id)
        case .treat, .wake, .sessionChanged, .streamRefused, .outputLost, .outputSwitched, .command, .routeBegun,
            .routeChanged, .sessionRouteChanged, .availablePortsChanged:
            nil
        }
    }

    /// Translates a cause. Engine and oracle number sessions in the order of their creation, so the numbers are equal.
    private func translated(_ cause: Cause) -> OracleCause {
        switch cause {
        case .session(let number), .system(let number): return .session(Int(number.rawValue))
        case .output(let port): return .output(port)
        case .input(let port): return .input(port)
        case .route: return .route
        case .policy: return .policy
        }
    }

    private func translated(_ treatment: Treatment) -> Oracle.StreamTreatment {
        Oracle.StreamTreatment(
            silence: treatment.silence, gain: treatment.gain, reason: treatment.reason,
            cause: treatment.cause.map { translated($0) })
    }
}

extension SessionReference {
    fileprivate var key: SessionKey { id.map { .opened($0) } ?? .application(application) }
}

extension Announcement.Answer {
    fileprivate init(_ answer: SessionAnswer) {
        switch answer {
        case .done: self = .done
        case .delayed: self = .delayed
        case .nothingDelayed: self = .nothingDelayed
        case .unknown: self = .unknown
        case .mistaken: self = .mistaken
        case .refused(let session): self = .refused(by: session.key)
        }
    }
}

extension Oracle.State {
    fileprivate init(_ state: SessionState) {
        self.init(
            isActive: state.isActive, isInterrupted: state.isInterrupted, isDelayed: state.isDelayed,
            isOtherAudioPlaying: state.isOtherAudioPlaying,
            isSecondaryAudioToBeSilenced: state.isSecondaryAudioToBeSilenced, isInputMuted: state.isInputMuted)
    }
}

extension Oracle {
    /// The ids of all streams.
    public var streamIDs: [StreamID] { streams.map(\.id) }
    /// The ids of all opened sessions.
    public var openedIDs: [SessionID] {
        sessions.compactMap { session in
            if case .opened(let id) = session.key { return id }
            return nil
        }
    }
}
