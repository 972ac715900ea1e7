import PlainEngine
import RandomEvents
@testable import SessionCore
import SessionOracle

/// The old engine and the plain one, which have to do the same.
struct EnginePair {
    private var old: SessionCore.Engine
    private var plain: PlainEngine.Engine
    private var wake: Instant?
    private var plainWake: Instant?
    /// The streams that were treated for somebody whose description another policy has changed since. The old engine then
    /// takes the times of what has the same name now, or the usual ones; the plain one those that held then.
    private var stale: Set<StreamID> = []
    private var isOtherPolicy = false
    /// The first difference between the two; `nil` for none.
    private(set) var difference: String?
    /// The effects of the two at the last event.
    private(set) var effects: (old: [Effect], plain: [Effect]) = ([], [])

    init(policy: Policy) {
        old = SessionCore.Engine(policy: policy)
        plain = PlainEngine.Engine(policy: policy)
    }

    mutating func send(_ event: Event, at now: Instant) {
        if case .policyChanged = event {
            stale.formUnion(old.streamIDs)
            isOtherPolicy = true
        }
        effects = (old.handle(event, at: now), plain.handle(event, at: now))
        if event == .clockReached { (wake, plainWake) = (nil, nil) }
        for case .wake(let moment) in effects.old { wake = moment }
        for case .wake(let moment) in effects.plain { plainWake = moment }
        difference = difference ?? compare() ?? plain.inconsistency
        for case .treat(let id, let treatment, _, _) in effects.old {
            if isOtherPolicy, treatment.reason == .rejected || treatment.reason == .superseded {
                stale.insert(id)
            } else {
                stale.remove(id)
            }
        }
    }

    private func compare() -> String? {
        let (found, expected) = (inOrder(effects.plain), inOrder(effects.old))
        if found != expected { return "effects\n  old:   \(list(expected))\n  plain: \(list(found))" }
        if let end = plain.nextEnd {
            if wake.map({ $0 > end }) ?? true { return "wake\n  old:   \(wake as Any)\n  plain: \(end)" }
            if plainWake.map({ $0 > end }) ?? true {
                return "plain asks for the clock at \(plainWake as Any), not \(end)"
            }
        }
        return compareSnapshots() ?? compareAnswers()
    }

    private func compareSnapshots() -> String? {
        let (one, other) = (plainly(old.snapshot), plainly(plain.snapshot))
        if one.switches != other.switches { return "switches" }
        if one.sessions.map(\.number) != other.sessions.map(\.number) {
            return "sessions\n  old:   \(one.sessions.map(\.number))\n  plain: \(other.sessions.map(\.number))"
        }
        for (left, right) in zip(one.sessions, other.sessions) where left != right {
            return "session \(left.number)\n  old:   \(left)\n  plain: \(right)"
        }
        if one.streams.map(\.id) != other.streams.map(\.id) { return "streams" }
        for (left, right) in zip(one.streams, other.streams) where left != right {
            return "stream \(left.id)\n  old:   \(left)\n  plain: \(right)"
        }
        return nil
    }

    private func compareAnswers() -> String? {
        var asked = old
        for number in UInt32(1)..<40 {
            let id = SessionID(number)
            guard let state = old.state(of: id) else { continue }
            if plain.state(of: id) != state {
                return "state \(number)\n  old:   \(state)\n  plain: \(plain.state(of: id) as Any)"
            }
            if asked.canBeActivated(id) != plain.canBeActivated(id) { return "canBeActivated \(number)" }
            if old.configuration(of: id) != plain.configuration(of: id) { return "configuration \(number)" }
            let (one, other) = (old.streams(of: id).map(\.id.rawValue), plain.streams(of: id).map(\.id.rawValue))
            if one.sorted() != other.sorted() { return "streams of \(number)" }
        }
        for id in old.streamIDs {
            if old.mayWait(id) != plain.mayWait(id) { return "mayWait \(id), old \(old.mayWait(id))" }
            if old.wouldReject(id) != plain.wouldReject(id) { return "wouldReject \(id), old \(old.wouldReject(id))" }
            // It is asked of what is silent because its session is not active.
            if old.treatment(of: id)?.reason == .inactive, !old.mayResume(id), plain.mayResume(id) {
                return "mayResume \(id), old \(old.mayResume(id))"
            }
            if old.session(of: id)?.rawValue != plain.session(of: id)?.rawValue { return "session of \(id)" }
        }
        if Set(old.routedStreams) != Set(plain.routedStreams) { return "routedStreams" }
        for number in old.sessionNumbers {
            guard let reference = old.snapshot(of: number)?.reference else { continue }
            let found = (old.session(reference)?.rawValue, plain.session(reference)?.rawValue)
            if found.0 != found.1 { return "session \(reference): \(found)" }
        }
        if old.isFading != plain.isFading { return "isFading, old \(old.isFading)" }
        return nil
    }

    private func list(_ effects: [Effect]) -> String {
        effects.isEmpty ? "nothing" : effects.map { "\($0)" }.joined(separator: ",\n         ")
    }

    // MARK: - What does not count

    /// The effects without wakes, and without the old engine's slots. No rule says in which order the streams of one session
    /// are treated, or in which order sessions are reported as changed.
    private func inOrder(_ effects: [Effect]) -> [Effect] {
        var result: [Effect] = []
        var run: [(key: (Int, UInt32, Int), effect: Effect)] = []
        for effect in effects {
            guard let key = key(effect) else {
                if case .wake = effect { continue }
                result += run.sorted { $0.key < $1.key }.map(\.effect)
                run = []
                result.append(plainly(effect))
                continue
            }
            run.append((key, plainly(effect)))
        }
        return result + run.sorted { $0.key < $1.key }.map(\.effect)
    }

    private func key(_ effect: Effect) -> (Int, UInt32, Int)? {
        switch effect {
        case .treat(let id, _, _, _): (0, id.rawValue, 0)
        case .streamRefused(let id): (0, id.rawValue, 1)
        case .sessionChanged(let id): (1, id.rawValue, 0)
        default: nil
        }
    }

    private func plainly(_ effect: Effect) -> Effect {
        switch effect {
        case .treat(let id, let treatment, let fade, let delay):
            stale.contains(id) || isOtherPolicy && (treatment.reason == .rejected || treatment.reason == .superseded)
                ? .treat(id, plainly(treatment), within: .zero, after: .zero)
                : .treat(id, plainly(treatment), within: fade, after: delay)
        case .interruptionBegan(let reference, let interrupter): .interruptionBegan(reference, by: plainly(interrupter))
        default: effect
        }
    }

    private func plainly(_ treatment: Treatment) -> Treatment {
        var treatment = treatment
        treatment.cause = treatment.cause.map { plainly($0) }
        return treatment
    }

    private func plainly(_ interrupter: Interrupter) -> Interrupter {
        var interrupter = interrupter
        interrupter.cause = plainly(interrupter.cause)
        return interrupter
    }

    private func plainly(_ cause: Cause) -> Cause {
        switch cause {
        case .session(let number): .session(SessionNumber(number.rawValue, slot: 0))
        case .system(let number): .system(SessionNumber(number.rawValue, slot: 0))
        case .output, .input, .route, .policy: cause
        }
    }

    private func plainly(_ snapshot: EngineSnapshot) -> EngineSnapshot {
        var snapshot = snapshot
        for index in snapshot.sessions.indices {
            snapshot.sessions[index].silencer = snapshot.sessions[index].silencer.map { plainly($0) }
        }
        for index in snapshot.streams.indices {
            snapshot.streams[index].treatment = plainly(snapshot.streams[index].treatment)
            snapshot.streams[index].interrupter = snapshot.streams[index].interrupter.map { plainly($0) }
            // The old engine has them in the order of its slots.
            snapshot.streams[index].besides = snapshot.streams[index].besides.map { plainly($0) }.sorted {
                $0.cause.session?.rawValue ?? 0 < $1.cause.session?.rawValue ?? 0
            }
            // Of a session that has ended, the old engine shows any description of those that others remember.
            let reason = snapshot.streams[index].treatment.reason
            if reason == .superseded || reason == .rejected { snapshot.streams[index].interrupter?.description = "" }
        }
        return snapshot
    }
}

/// A random sequence of events, played on the old engine and on the plain one.
enum PlainPlay {
    /// Where the two differ in the sequence of a seed, and the shortest way found to it; `nil` if they do not.
    static func failure(ofSeed seed: UInt64) -> String? {
        var sequence = RandomSequence<JudgedEngine>(seed: seed)
        sequence.play()
        var events = sequence.events
        // What a contradictory policy does is not defined.
        if sequence.isContradictory { events.moments.removeLast() }
        guard difference(events.policy, events.moments) != nil else { return nil }
        let shrunk = events.shrunk { difference(events.policy, $0)?.count }
        return "seed \(seed), policy \(events.policy.name): \(trace(events.policy, shrunk.moments))"
    }

    private static func difference(
        _ policy: Policy, _ moments: [EventSequence.Moment]
    ) -> (count: Int, difference: String)? {
        var pair = EnginePair(policy: policy)
        for (index, moment) in moments.enumerated() {
            pair.send(moment.event, at: moment.now)
            if let difference = pair.difference { return (index + 1, difference) }
        }
        return nil
    }

    private static func trace(_ policy: Policy, _ moments: [EventSequence.Moment]) -> String {
        var pair = EnginePair(policy: policy)
        var lines: [String] = ["\(policy.interplay.rules.count) rules"]
        for moment in moments {
            pair.send(moment.event, at: moment.now)
            lines.append("\(moment.now.nanoseconds / 1_000_000) \(EventSequence.short(moment.event))")
            lines += pair.effects.old.map { "        → \(EventSequence.plain("\($0)"))" }
            if let difference = pair.difference {
                lines.append(EventSequence.plain(difference))
                break
            }
        }
        return lines.joined(separator: "\n")
    }
}
