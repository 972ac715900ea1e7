/// The pure heart: events in, effects out.
///
/// The engine keeps facts, derives the verdict from them, and returns the difference between two verdicts as effects. It
/// has no clock, does no input or output, and is total: there is no event, in no order, that it cannot take.
public struct Engine: Sendable {
    /// The policy in force.
    public let policy: Policy
    private var facts = Facts()
    private var outcome = Outcome()
    /// The outcome before the last one, kept so that its memory serves the next one.
    private var previous = Outcome()
    /// What each stream was last told, by stream slot.
    private var applied: [Treatment] = []
    /// Sessions whose phase ends by itself.
    private var timed: [Int] = []
    private var requestedWake: Instant?
    /// Sessions whose streams may need another treatment.
    private var touched: [Int] = []
    /// Streams that are about to fall silent; kept for its memory.
    private var unsettled: [Int] = []

    /// How long an interrupter waits at the most for the others to fall silent, beyond their fade.
    public static let handoverLimit = Duration.seconds(2)
    /// How long a stream that was let go may take until the server runs it, before it counts as stopped.
    public static let startLimit = Duration.seconds(2)

    /// Makes an engine that knows of no streams.
    public init(policy: Policy) { self.policy = policy }

    /// Takes one event and returns what has to be done about it, in this order.
    ///
    /// - Parameters:
    ///   - event: What happened. An event about an unknown stream changes nothing.
    ///   - now: When it happened; never earlier than the event before.
    public mutating func handle(_ event: Event, at now: Instant) -> [Effect] {
        var effects: [Effect] = []
        switch event {
        case .streamAppeared(let id, let application, let role, let direction):
            guard let description = policy.description(of: role, direction: direction),
                let slot = facts.addStream(id, application: application, description: description, direction: direction)
            else { break }
            while applied.count <= slot { applied.append(.untouched) }
            applied[slot] = .untouched
            update(sessionOf: slot, isNew: true, at: now, &effects)
        case .streamWanted(let id, let isWanted):
            guard let slot = facts.slot(of: id), let stream = facts.streams[slot], stream.isWanted != isWanted else {
                break
            }
            if isWanted { requestActivation(of: stream.session) }
            facts.updateStream(slot) { $0.isWanted = isWanted }
            update(sessionOf: slot, at: now, &effects)
        case .streamRunning(let id, let isRunning):
            guard let slot = facts.slot(of: id), facts.streams[slot]?.isRunning != isRunning else { break }
            facts.updateStream(slot) {
                $0.isRunning = isRunning
                if isRunning { $0.hasRun = true }
            }
            update(sessionOf: slot, at: now, &effects)
        case .streamSettled(let id):
            guard let slot = facts.slot(of: id) else { break }
            facts.updateStream(slot) { $0.isSettled = true }
            update(sessionOf: slot, at: now, &effects)
        case .streamVanished(let id):
            guard let slot = facts.slot(of: id), let session = facts.streams[slot]?.session else { break }
            facts.removeStream(slot)
            update([session], at: now, &effects)
        case .clockReached:
            requestedWake = nil
            update([], at: now, &effects)
        case .shutdown:
            relinquish(&effects)
        }
        return effects
    }

    /// What is done to a stream at this moment and why; `nil` for a stream that the policy leaves alone.
    public func treatment(of id: StreamID) -> Treatment? {
        guard let slot = facts.slot(of: id), slot < applied.count else { return nil }
        return applied[slot]
    }

    /// Whether the verdict that is in force is what the facts say, derived anew; for tests.
    public var isConsistent: Bool {
        var fresh = Outcome()
        fresh.resolve(facts, policy)
        return (0..<facts.sessions.capacity).allSatisfy { facts.sessions[$0] == nil || fresh[$0] == outcome[$0] }
    }
}

// MARK: - From facts to the verdict

extension Engine {
    private mutating func update(sessionOf stream: Int, isNew: Bool = false, at now: Instant, _ effects: inout [Effect])
    {
        guard let session = facts.streams[stream]?.session else { return }
        update([session], isNew: isNew, at: now, &effects)
    }

    /// Brings phases, verdict and treatments up to date after the facts about some sessions have changed.
    private mutating func update(_ sessions: [Int], isNew: Bool = false, at now: Instant, _ effects: inout [Effect]) {
        touched.removeAll(keepingCapacity: true)
        var pending = sessions
        pending.append(contentsOf: timed)
        var mustResolve = isNew
        // A phase can change the verdict and the verdict a phase; each session moves forward a few times at the most.
        var rounds = 8
        while !pending.isEmpty, rounds > 0 {
            rounds -= 1
            for session in pending where advance(session, at: now, &effects) { mustResolve = true }
            touched.append(contentsOf: pending)
            pending.removeAll(keepingCapacity: true)
            guard mustResolve else { break }
            mustResolve = false
            swap(&outcome, &previous)
            outcome.resolve(facts, policy)
            for slot in 0..<facts.sessions.capacity where outcome[slot] != previous[slot] {
                note(slot)
                pending.append(slot)
            }
            pending.append(contentsOf: timed)
        }
        for session in touched { treat(session, &effects) }
        for session in touched { announce(session, &effects) }
        for session in touched { forgetIfGone(session) }
        requestWake(&effects)
    }

    /// R9, R36: a session that is idle, or silenced, and whose application wants to be heard, asks for it now.
    private mutating func requestActivation(of session: Int) {
        let presence = self.presence(of: session)
        guard !presence.isWanted || outcome[session].silence != .none else { return }
        facts.stamp(session)
        facts.updateSession(session) { $0.supersededBy = nil }
    }

    /// What the streams of a session add up to.
    private struct Presence {
        var isWanted = false
        var isRunning = false
        var isAudible = false
        /// The strongest description among the wanted streams, or among all if none is wanted.
        var description: DescriptionID?
    }

    private func presence(of session: Int) -> Presence {
        var presence = Presence()
        facts.forEachStream(of: session) { _, stream in
            if stream.isWanted && !presence.isWanted {
                presence.isWanted = true
                presence.description = nil
            }
            if stream.isRunning && !stream.isSettled { presence.isAudible = true }
            if stream.isWanted && stream.isRunning { presence.isRunning = true }
            if stream.isWanted == presence.isWanted {
                presence.description = stronger(presence.description, stream.description)
            }
        }
        return presence
    }

    /// R1: of the descriptions of one application's streams, the one that the session has. Sounds of the interface come
    /// last (R13), then the order is that of priority, of categories and of the policy.
    private func stronger(_ left: DescriptionID?, _ right: DescriptionID) -> DescriptionID {
        guard let left, let leftDescription = policy[left], let rightDescription = policy[right] else { return right }
        func rank(_ description: SessionDescription, _ id: DescriptionID) -> (Int, Int, Int, Int) {
            (
                description.category == .uiSound ? 0 : 1, Int(description.priority.rawValue),
                description.isMixable ? (description.ducksOthers ? 1 : 0) : 2, -Int(id.rawValue)
            )
        }
        return rank(leftDescription, left) >= rank(rightDescription, right) ? left : right
    }

    /// Moves a session to the phase that its streams, its verdict and the time call for. Returns whether that can change
    /// anybody's verdict.
    private mutating func advance(_ slot: Int, at now: Instant, _ effects: inout [Effect]) -> Bool {
        guard var session = facts.sessions[slot] else { return false }
        let old = session
        let presence = self.presence(of: slot)
        let isSilenced = outcome[slot].silence != .none
        let isOver = session.deadline.map { now >= $0 } ?? false
        if !presence.isWanted {
            session.supersededBy = nil
            session.hasStarted = false
        }
        if let description = presence.description, presence.isWanted || session.phase == .inactive {
            session.description = description
        }
        let description = policy[session.description]
        var phase = session.phase
        var deadline = session.deadline
        switch phase {
        case .inactive where presence.isRunning && presence.isWanted && !isSilenced:
            phase = .active
        case .inactive where presence.isWanted && isSilenced:
            // Nothing to claim yet; it asks again when the silence ends.
            break
        case .inactive where presence.isWanted && !session.hasStarted && description?.handover == .hold:
            phase = .holding
            deadline = now.advanced(by: (description?.fade ?? .zero) + Engine.handoverLimit)
            session.hasStarted = true
        case .holding where !presence.isWanted:
            phase = .inactive
        case .holding where isSilenced:
            phase = .active
        case .holding where isOver || presence.isRunning || !isAnyoneFading:
            phase = .starting
            deadline = now.advanced(by: Engine.startLimit)
        case .starting where presence.isRunning || presence.isWanted && isSilenced:
            phase = .active
        case .starting where isOver:
            phase = .inactive
        case .active where presence.isWanted && !presence.isRunning && !isSilenced:
            phase = .starting
            deadline = now.advanced(by: Engine.startLimit)
        case .releasing where presence.isRunning:
            phase = .active
        case .releasing where isOver || isSilenced:
            phase = .inactive
        case .starting where !presence.isWanted, .active where !presence.isWanted:
            phase = isSilenced ? .inactive : .releasing
            deadline = now.advanced(by: description?.releaseDelay ?? .zero)
        default:
            break
        }
        if phase == .inactive || phase == .active { deadline = nil }
        session.phase = phase
        session.deadline = deadline
        if session != old {
            facts.updateSession(slot) { $0 = session }
            if (old.phase == .inactive) != (phase == .inactive) {
                let reference = self.reference(slot, session.description)
                effects.append(phase == .inactive ? .sessionDeactivated(reference) : .sessionActivated(reference))
            }
            if (old.deadline == nil) != (deadline == nil) {
                if deadline == nil { timed.removeAll { $0 == slot } } else { timed.append(slot) }
            }
        }
        let isReranked = facts.rank(slot, policy: policy)
        return isReranked || (old.phase == .inactive) != (phase == .inactive) || old.description != session.description
            || old.supersededBy != session.supersededBy
    }

    /// Whether somebody who is to be silent can still be heard.
    private var isAnyoneFading: Bool {
        for slot in 0..<facts.streams.capacity {
            guard let stream = facts.streams[slot], stream.isRunning, !stream.isSettled else { continue }
            if outcome[stream.session].silence != .none { return true }
        }
        return false
    }

    /// Remembers what a new verdict means for the future of the session.
    private mutating func note(_ slot: Int) {
        guard let session = facts.sessions[slot] else { return }
        let verdict = outcome[slot]
        let wasSilenced = previous[slot].silence != .none
        guard verdict.silence != .none else {
            if session.interruption == .announced { facts.updateSession(slot) { $0.interruption = .ended } }
            if session.interruption == .begun { facts.updateSession(slot) { $0.interruption = .none } }
            return
        }
        if !wasSilenced {
            facts.forEachStream(of: slot) { stream, _ in unsettled.append(stream) }
            for stream in unsettled { facts.updateStream(stream) { $0.isSettled = false } }
            unsettled.removeAll(keepingCapacity: true)
            if session.interruption == .none && session.phase != .inactive {
                facts.updateSession(slot) { $0.interruption = .begun }
            }
        }
        // R31: another primary playback took over; the application has to resume by itself.
        if !verdict.isSuperseded, session.phase != .inactive, session.supersededBy == nil,
            let silencer = verdict.silencerDescription, policy[silencer]?.letsOthersResume == false
        {
            facts.updateSession(slot) { $0.supersededBy = silencer }
        }
    }
}

// MARK: - From the verdict to effects

extension Engine {
    /// Tells a session's streams what has changed for them.
    private mutating func treat(_ session: Int, _ effects: inout [Effect]) {
        guard let known = facts.sessions[session] else { return }
        var next = known.firstStream
        while let slot = next, let stream = facts.streams[slot] {
            next = stream.next
            let treatment = outcome.treatment(of: stream, in: known, policy: policy)
            guard slot < applied.count, treatment != applied[slot] else { continue }
            let fade = fade(of: stream, from: applied[slot], to: treatment)
            applied[slot] = treatment
            effects.append(.treat(stream.id, treatment, within: fade))
        }
    }

    /// How long a change of treatment takes. What is not heard yet changes at once (N10).
    private func fade(of stream: StreamFacts, from old: Treatment, to new: Treatment) -> Duration {
        guard stream.hasRun, !old.soundsLike(new) else { return .zero }
        func description(_ treatment: Treatment) -> SessionDescription? { treatment.actor.flatMap { policy[$0] } }
        if new.silence != .none || old.silence != .none {
            if old.cause == .handover || new.cause == .handover { return .zero }
            let fade = description(new.silence != .none ? new : old)?.fade ?? .zero
            return new.silence != .none && !stream.isRunning ? .zero : fade
        }
        guard stream.isRunning else { return .zero }
        return new.gain < old.gain
            ? description(new)?.ducking.attack ?? .zero : description(old)?.ducking.release ?? .zero
    }

    /// R26, R27, R30: tells a session that it was interrupted once it is silent, and that it may go on once it is not.
    private mutating func announce(_ slot: Int, _ effects: inout [Effect]) {
        guard let session = facts.sessions[slot] else { return }
        let victim = reference(slot, session.description)
        switch session.interruption {
        case .begun where !presence(of: slot).isAudible:
            let verdict = outcome[slot]
            let actor = verdict.silencer.flatMap { silencer in
                verdict.silencerDescription.map { reference(silencer, $0) }
            }
            effects.append(.interruptionBegan(victim, by: actor ?? victim))
            facts.updateSession(slot) { $0.interruption = .announced }
        case .announced where outcome[slot].isSuperseded:
            effects.append(.interruptionEnded(victim, shouldResume: false))
            facts.updateSession(slot) { $0.interruption = .none }
        case .ended:
            effects.append(.interruptionEnded(victim, shouldResume: presence(of: slot).isWanted))
            facts.updateSession(slot) { $0.interruption = .none }
        default: break
        }
    }

    private func reference(_ slot: Int, _ description: DescriptionID) -> SessionReference {
        SessionReference(
            application: facts.application(of: slot)
                ?? ApplicationID(portal: nil, binary: nil, displayName: nil, fallback: "?"),
            description: policy[description]?.name ?? "?")
    }

    private mutating func forgetIfGone(_ session: Int) {
        guard let known = facts.sessions[session], known.firstStream == nil, known.phase == .inactive else { return }
        timed.removeAll { $0 == session }
        facts.removeSession(session)
        outcome.forget(session)
    }

    private mutating func requestWake(_ effects: inout [Effect]) {
        var earliest: Instant?
        for session in timed {
            guard let deadline = facts.sessions[session]?.deadline else { continue }
            earliest = min(earliest ?? deadline, deadline)
        }
        if let earliest, earliest != requestedWake { effects.append(.wake(at: earliest)) }
        requestedWake = earliest
    }

    /// The difference to the empty outcome: whatever was done to a stream is undone at once.
    private mutating func relinquish(_ effects: inout [Effect]) {
        for slot in 0..<facts.streams.capacity {
            guard let stream = facts.streams[slot], slot < applied.count, applied[slot] != .untouched else { continue }
            effects.append(.treat(stream.id, .untouched, within: .zero))
        }
        self = Engine(policy: policy)
    }
}
