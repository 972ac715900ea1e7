/// Speech that is stopped by somebody with a weaker claim, which is looked at after it.
extension Engine {
    /// N1, N2: who, of those with a weaker claim that were heard until now, stops speech. They are looked at later than it is,
    /// which is not to begin before.
    func weakerStopper(of slot: Int, _ session: SessionFacts) -> Int32? {
        // N16: while the policy is suspended, nobody stops anybody.
        if facts.switches.pausedUntil != nil { return nil }
        return facts.order.first { place in
            guard let actor = facts.sessions[Int(place)], actor.claim < session.claim, actor.phase != .inactive,
                !actor.isLeaving, verdict(of: Int(place)).silence == .none,
                catalogue.traits(of: actor.description).contains(.stopsSpeech)
            else { return false }
            return silencing(Int(place), actor, slot, session) != .mix
        }
    }

    /// N1, N2: speech stops for those that do not speak over it, even if it began later. These are looked at after it: so
    /// where something else has come of them than was expected, all is as it was before, and has to be looked at again.
    ///
    /// - Returns: Whether it has.
    mutating func stopSpeech(_ leaving: Int) -> Bool {
        guard catalogue.hasSpeech else { return false }
        var isAgain = false
        for place in facts.order.indices {
            let slot = Int(facts.order[place])
            let isSpeech = facts.sessions.read(slot) { catalogue.traits(of: $0.description).contains(.speech) }
            guard isSpeech == true, let session = facts.sessions[slot] else { continue }
            let isWrong = isWrong(slot, session)
            let isOpen =
                session.cause < 0
                ? !wasStopped(slot, session) : verdicts[slot].silence == .mute || wasExpected(slot, session)
            guard isWrong || isOpen else { continue }
            let stopper = stopper(of: slot, session)
            guard isWrong || stopper != nil && stopper != session.cause else { continue }
            work.expect(stopper ?? -1, for: slot)
            isAgain = true
        }
        if isAgain { undo(leaving) }
        return isAgain
    }

    /// Whether a session stops speech that silenced it until now and cannot do so any more. Not so if the speech ended by
    /// itself, before the present look.
    func speaksOver(_ slot: Int, _ session: SessionFacts, _ cause: SessionFacts) -> Bool {
        catalogue.traits(of: cause.description).contains(.speech)
            && work.former.contains { $0.slot == Int(session.cause) && !$0.session.isLeaving }
            && catalogue.traits(of: session.description).contains(.stopsSpeech)
            && silencing(Int(session.cause), cause, slot, session) == .mix
            && silencing(slot, session, Int(session.cause), cause) != .mix
    }

    /// Of those that are heard, the strongest that stops speech.
    private func stopper(of slot: Int, _ session: SessionFacts) -> Int32? {
        heardActors.first { actor in
            guard catalogue.traits(of: actor.description).contains(.stopsSpeech) else { return false }
            let acts = catalogue.acts(of: actor.description, on: session.description)
            let kind = silencing(actor, acts, slot, session.description, claim: session.claim)
            return kind != .mix && kind != .mute
        }?.slot
    }

    /// Whether only its own application makes a session go on, and that not since the present look.
    private func wasStopped(_ slot: Int, _ session: SessionFacts) -> Bool {
        session.block.isFinal && work.former.first { $0.slot == slot }?.session.block.isFinal ?? true
    }

    /// Whether a session got its cause in the present look because that session was expected to stop it. A stronger one may
    /// have begun since, which then is the cause.
    private func wasExpected(_ slot: Int, _ session: SessionFacts) -> Bool {
        guard session.cause == work.stopper(for: slot) else { return false }
        return work.former.first { $0.slot == slot }.map { $0.session.cause != session.cause } ?? false
    }

    /// Whether something else has come of somebody who has stopped speech, after that was looked at.
    private mutating func isWrong(_ slot: Int, _ session: SessionFacts) -> Bool {
        let cause = Int(session.cause)
        if let actor = facts.sessions[cause], actor.claim < session.claim, !actor.holds {
            work.gone.append((cause, actor.formerCause, actor.letsResume))
            return true
        }
        let stopper = Int(work.stopper(for: slot))
        guard stopper >= 0 else { return false }
        return facts.sessions[stopper]?.phase ?? .inactive == .inactive || verdict(of: stopper).silence != .none
    }

    /// Has all as it was before the present look; but who has been found to leave does so from the beginning.
    private mutating func undo(_ leaving: Int) {
        while let (slot, session, verdict) = work.former.popLast() {
            if facts.sessions[slot]?.phase == .holding { holders.removeAll { $0 == slot } }
            if session.phase == .holding { holders.append(slot) }
            facts.keepSession(slot, session)
            verdicts[slot] = verdict
        }
        work.leaving.removeLast(max(work.leaving.count - leaving, 0))
        work.toDescribe.removeAll(keepingCapacity: true)
        while let (slot, formerCause, letsResume) = work.gone.popLast() {
            guard facts.sessions[slot]?.isLeaving == false else { continue }
            facts.updateSession(slot) {
                $0.isLeaving = true
                $0.formerCause = formerCause
                $0.letsResume = letsResume
                $0.wasHeard = false
                $0.resumesUntil = nil
            }
            work.leaving.append(slot)
        }
        // Counted as changed, or those of which nothing else has changed would be passed by.
        for slot in work.stopped { facts.updateSession(slot) { _ in } }
    }
}
