import SessionCore

/// An engine, judged by the oracle after every event.
public struct Judged: Sendable {
    /// The engine.
    public private(set) var engine: Engine
    /// The oracle.
    public private(set) var oracle: Oracle
    /// The first difference between the two.
    public private(set) var difference: String?
    /// When the engine wants to be called next.
    public private(set) var wake: Instant?

    /// The policy contradicts itself, and what the engine does is not judged any more.
    public var isContradictory: Bool { oracle.isContradictory }

    /// Makes one.
    public init(policy: Policy) {
        engine = Engine(policy: policy)
        oracle = Oracle(policy: policy)
    }

    /// Sends an event to both and compares what they say. Returns the engine's effects.
    public mutating func send(_ event: Event, at now: Instant) -> [Effect] {
        let effects = engine.handle(event, at: now)
        if case .clockReached = event { wake = nil }
        for case .wake(let moment) in effects { wake = moment }
        // What is due comes first, be it that the clock is late.
        let isLate = oracle.nextDeadline.map { $0 <= now } ?? false
        var expected = isLate && event != .clockReached ? oracle.handle(.clockReached, at: now) : []
        expected += oracle.handle(event, at: now)
        if difference == nil, !isContradictory { difference = compare(effects, expected) }
        return effects
    }

    private func compare(_ effects: [Effect], _ expected: [Told]) -> String? {
        var told: [Told] = []
        for effect in effects { if let word = self.told(effect) { told.append(word) } }
        if told != expected {
            return "told\n  oracle: \(list(expected))\n  engine: \(list(told))"
        }
        for id in oracle.streamIDs {
            guard let verdict = oracle.verdict(on: id) else { continue }
            guard let treatment = engine.treatment(of: id) else { return "\(id) is unknown to the engine" }
            let other = self.verdict(treatment)
            if verdict != other {
                return "stream \(id.rawValue)\n  oracle: \(verdict)\n  engine: \(other)"
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

    private func list(_ told: [Told]) -> String {
        told.isEmpty ? "nothing" : told.map { "\($0)" }.joined(separator: ", ")
    }

    // MARK: - The engine's words as the oracle's

    private func told(_ effect: Effect) -> Told? {
        switch effect {
        case .sessionActivated(let session): .active(session.key)
        case .sessionDeactivated(let session): .inactive(session.key)
        case .interruptionBegan(let session, let interrupter): .began(session.key, by: who(interrupter.cause))
        case .interruptionEnded(let session, let resumes): .ended(session.key, resumes: resumes)
        case .answered(let id, let answer): .answered(id, Told.Answer(answer))
        case .activationGranted(let id): .granted(id)
        case .treat, .wake, .sessionChanged, .streamRefused: nil
        }
    }

    /// Who a cause is; both number sessions as they come.
    private func who(_ cause: Cause) -> Who {
        switch cause {
        case .session(let number), .system(let number): return .session(Int(number.rawValue))
        case .output(let port): return .output(port)
        case .input(let port): return .input(port)
        case .route: return .route
        case .policy: return .policy
        }
    }

    private func verdict(_ treatment: Treatment) -> Oracle.Verdict {
        Oracle.Verdict(
            silence: treatment.silence, gain: treatment.gain, reason: treatment.reason,
            who: treatment.cause.map(who))
    }
}

extension SessionReference {
    fileprivate var key: SessionKey { id.map { .opened($0) } ?? .application(application) }
}

extension Told.Answer {
    fileprivate init(_ answer: SessionAnswer) {
        switch answer {
        case .done: self = .done
        case .delayed: self = .delayed
        case .nothingWaits: self = .nothingWaits
        case .unknown: self = .unknown
        case .noRoom: self = .noRoom
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
    /// All streams.
    public var streamIDs: [StreamID] { streams.map(\.id) }
    /// All opened sessions.
    public var openedIDs: [SessionID] {
        sessions.compactMap { session in
            if case .opened(let id) = session.key { return id }
            return nil
        }
    }
}

extension Judged {
    /// Whether nothing is remembered.
    public var isEmpty: Bool { engine.sessionCount == 0 && engine.streamCount == 0 && oracle.isEmpty }
}
