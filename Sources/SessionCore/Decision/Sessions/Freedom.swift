/// Sessions that are heard because their users want that, beside those that would silence them (N19).
///
/// A session is freed from each session that silences it at that moment, until that one no longer keeps others waiting.
/// Whoever begins later silences it as usual.
extension Engine {
    /// Frees a stream's session, if the policy allows that for this action and the session asks to be heard.
    mutating func free(_ stream: Int, by action: UserAction, at now: Instant, _ effects: inout [Effect]) {
        guard facts.switches.pausedUntil == nil, let stream = facts.streams[stream],
            stream.isWanted, action == .free || stream.direction == .playback,
            let session = facts.sessions[Int(stream.session)], session.hasUse(for: stream)
        else { return }
        let slot = Int(stream.session)
        // R64: whoever plays what has lost its output wants to hear it elsewhere, whatever the policy says.
        let goesOnElsewhere = action == .play && (session.block == .awaitedOutput || session.block == .lostOutput)
        let isAllowed = policy.user.allow(action)
        guard goesOnElsewhere || isAllowed else { return }
        let actors = isAllowed ? oppressors(of: slot, session, includesDuckers: action == .free) : []
        for actor in actors { release(slot, from: actor) }
        var isChanged = !actors.isEmpty
        // A session that its application drives is activated by its application only, which is told that it may.
        if session.block != .none, !session.isDriven, action == .free || goesOnElsewhere {
            ask(slot, clearsBlock: true)
            isChanged = true
        }
        if action == .free, switchedOff(stream, session) != nil {
            isChanged = freedFromSwitches.insert(slot).inserted || isChanged
        }
        guard isChanged else { return }
        if slot < treatmentInputs.count { treatmentInputs[slot].description = nil }
        facts.updateSession(slot) { _ in }
        update(at: now, &effects)
    }

    /// The sessions that silence a session: those that are heard, and those that hold it while they are interrupted
    /// themselves. With `includesDuckers`, also the heard ones that lower or reject it.
    private func oppressors(of slot: Int, _ session: SessionFacts, includesDuckers: Bool) -> [Int32] {
        let isSilenced = verdict(of: slot).silence != .none
        guard isSilenced || includesDuckers else { return [] }
        let holders = isSilenced ? causes(of: session) : []
        return facts.order.filter { other in
            guard Int(other) != slot, let actor = facts.sessions[Int(other)] else { return false }
            let isHeard = actor.phase != .inactive && verdict(of: Int(other)).silence == .none
            if isHeard || holders.contains(other), silencing(Int(other), actor, slot, session) != .mix { return true }
            guard isHeard, includesDuckers, !spares(other, slot) else { return false }
            let interplay = catalogue.interplay(of: actor.description, on: session.description)
            return interplay.playing == .duck || interplay.newcomer == .duck || interplay.newcomer == .reject
        }
    }

    /// The cause of a session, the cause of that one, and so on.
    private func causes(of session: SessionFacts) -> Set<Int32> {
        var result: Set<Int32> = []
        var next = session.cause
        while let actor = facts.sessions[Int(next)], actor.keepsVictimsWaiting, result.insert(next).inserted {
            next = actor.cause
        }
        return result
    }

    private mutating func release(_ slot: Int, from actor: Int32) {
        freedoms[slot, default: []].insert(actor)
        facts.updateSession(Int(actor)) { $0.isOverruled = true }
    }

    /// The slots of the sessions beside which a session is heard.
    func freedoms(of slot: Int) -> [Int] { (freedoms[slot] ?? []).map { Int($0) }.sorted() }

    /// Ends what sessions are free from: this one has ended.
    mutating func endFreedoms(from actor: Int) {
        guard facts.sessions[actor]?.isOverruled == true else { return }
        facts.updateSession(actor) { $0.isOverruled = false }
        for (slot, others) in freedoms {
            let rest = others.subtracting([Int32(truncatingIfNeeded: actor)])
            freedoms[slot] = rest.isEmpty ? nil : rest
        }
    }

    /// Lets a session take the place of another one: it is free from whatever that one is free from, and whoever is free
    /// from that one is free from it.
    mutating func passFreedoms(from old: Int, to new: Int) {
        if let others = freedoms.removeValue(forKey: old) { freedoms[new, default: []].formUnion(others) }
        if freedFromSwitches.remove(old) != nil {
            freedFromSwitches.insert(new)
            // The switches count again for the streams that stay.
            if old < treatmentInputs.count { treatmentInputs[old].description = nil }
        }
        for (slot, others) in freedoms where others.contains(Int32(truncatingIfNeeded: old)) {
            release(slot, from: Int32(truncatingIfNeeded: new))
        }
    }
}
