import SessionCore

/// What has to hold in every state, and that there is a way out of it.
extension World {
    /// What is wrong with this state; `nil` when nothing is.
    var flaw: String? { violation ?? wrongPair ?? wrongTreatment ?? wrongInterruption ?? wrongEnd }

    private var isSuspended: Bool { switches.pausedUntil != nil }

    /// R28, R36: of two that are heard, neither silences the other.
    private var wrongPair: String? {
        if isSuspended { return nil }
        let heard = engine.snapshot.sessions.filter { $0.isHeard }
        for (index, actor) in heard.enumerated() {
            for other in heard[(index + 1)...] {
                if Interplay.between(actor.description, and: other.description).silences {
                    return "R28 \(actor.reference.label) and \(other.reference.label) are heard together"
                }
            }
        }
        return nil
    }

    /// R26, R36: who is interrupted or not active is silent, and everybody is during a call.
    private var wrongTreatment: String? {
        for member in members {
            guard let state = engine.state(of: member.id), let treatment = engine.treatment(of: member.stream) else {
                return "a session or a stream is unknown"
            }
            if isSuspended {
                if treatment != .untouched { return "touched though the policy is suspended" }
                continue
            }
            if state.isInterrupted && treatment.silence == .none { return "R26 interrupted and heard" }
            if isCalling, treatment.silence == .none, state.configuration.category != .uiSound {
                return "R36 heard during a call"
            }
        }
        return nil
    }

    /// R30, N17: who is interrupted is so by a session that is there.
    private var wrongInterruption: String? {
        let sessions = engine.snapshot.sessions
        for member in members where engine.state(of: member.id)?.isInterrupted ?? false {
            guard let session = sessions.first(where: { $0.reference.id == member.id }),
                let silencer = session.silencer,
                sessions.contains(where: {
                    $0.reference.application.name == silencer.name && $0.reference.id == silencer.id
                })
            else { return "R30 interrupted, and nobody interrupts it" }
        }
        return nil
    }

    /// Everything ends, one thing after the other: nobody stays interrupted, nobody waits for ever, everybody can be
    /// heard afterwards, and nothing is left of all that.
    private var wrongEnd: String? {
        var world = self
        if world.isSuspended { _ = world.play(.suspension) }
        if world.isCalling { _ = world.play(.call) }
        if world.isRinging { _ = world.play(.ringing) }
        world.rest()
        var limit = 4 * members.count
        while limit > 0, let index = world.members.indices.first(where: { world.isActive($0) }) {
            limit -= 1
            if world.members[index].isWanted { _ = world.play(.stream(index)) }
            _ = world.play(.leave(index))
            world.rest()
        }
        if limit == 0 { return "deactivation never ends: " + (world.violation ?? "somebody is always active") }
        for index in world.members.indices {
            guard let state = world.engine.state(of: world.members[index].id) else { return "a session is unknown" }
            if state.isInterrupted { return world.violation ?? "still interrupted when nobody is active" }
            if state.isDelayed { return world.violation ?? "N9 still waiting when nobody is active" }
        }
        for index in world.members.indices {
            _ = world.play(.activate(index))
            if !world.isActive(index) { return world.violation ?? "R10 cannot be active though nobody else is" }
            _ = world.play(.leave(index))
        }
        world.vanish()
        world.rest()
        if world.engine.sessionCount != 0 || world.engine.streamCount != 0 {
            return world.violation ?? "something is left when all are gone"
        }
        return world.violation
    }

    private func isActive(_ index: Int) -> Bool { engine.state(of: members[index].id)?.isActive ?? false }

    /// Whatever fades has faded, and all time has passed.
    private mutating func rest() {
        var limit = 64
        var isDone = false
        while !isDone && limit > 0 {
            limit -= 1
            isDone = true
            for index in members.indices where settle(index) { isDone = false }
            if play(.clock) { isDone = false }
        }
        if limit == 0 { fail("it never comes to rest") }
    }
}

extension EngineSnapshot.Session {
    /// Whether it may be heard now.
    fileprivate var isHeard: Bool {
        guard silencer == nil else { return false }
        switch state {
        case .active, .starting, .releasing, .holding: return true
        case .inactive, .interrupted, .delayed: return false
        }
    }
}
