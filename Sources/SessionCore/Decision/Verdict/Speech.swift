/// Speech that a session with a weaker claim stops. That session is decided after the speech.
extension Engine {
    /// N1, N2: the session that stops speech although its claim is weaker; `nil` for none. Only sessions that were
    /// already heard count. They are decided later, but the speech must not begin before that.
    func weakerStopper(of slot: Int, _ session: SessionFacts) -> Int32? {
        // N16: while the policy is suspended, no session stops another.
        if facts.switches.pausedUntil != nil { return nil }
        return facts.order.first { other in
            guard let actor = facts.sessions[Int(other)], actor.claim < session.claim, actor.phase != .inactive,
                !actor.isLeaving, verdict(of: Int(other)).silence == .none,
                catalogue.traits(of: actor.description).contains(.stopsSpeech)
            else { return false }
            return silencing(Int(other), actor, slot, session) != .mix
        }
    }

    /// N1, N2: finds speech that sessions with weaker claims stop, after a pass over all sessions. Those sessions are
    /// decided after the speech, so the pass had to guess. If a guess was wrong, the pass is undone.
    ///
    /// - Returns: Whether the pass was undone and has to be repeated.
    mutating func stopSpeech(_ leaving: Int) -> Bool {
        guard catalogue.hasSpeech else { return false }
        var isAgain = false
        for position in facts.order.indices {
            let slot = Int(facts.order[position])
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

    /// Whether a session stops the speech that silenced it until now and no longer can. `false` if the speech ended by
    /// itself before the present pass.
    func speaksOver(_ slot: Int, _ session: SessionFacts, _ cause: SessionFacts) -> Bool {
        catalogue.traits(of: cause.description).contains(.speech)
            && work.former.contains { $0.slot == Int(session.cause) && !$0.session.isLeaving }
            && catalogue.traits(of: session.description).contains(.stopsSpeech)
            && silencing(Int(session.cause), cause, slot, session) == .mix
            && silencing(slot, session, Int(session.cause), cause) != .mix
    }

    /// The heard session with the strongest claim that stops speech; `nil` for none.
    private func stopper(of slot: Int, _ session: SessionFacts) -> Int32? {
        heardActors.first { actor in
            guard catalogue.traits(of: actor.description).contains(.stopsSpeech) else { return false }
            let interplay = catalogue.interplay(of: actor.description, on: session.description)
            let kind = silencing(actor, interplay, slot, session.description, claim: session.claim)
            return kind != .mix && kind != .mute
        }?.slot
    }

    /// Whether a final block silences a session, and already did before the present pass.
    private func wasStopped(_ slot: Int, _ session: SessionFacts) -> Bool {
        session.block.isFinal && work.former.first { $0.slot == slot }?.session.block.isFinal ?? true
    }

    /// Whether a session got its cause in the present pass because that session was expected to stop it. A stronger
    /// session may have begun since, and would then be the cause.
    private func wasExpected(_ slot: Int, _ session: SessionFacts) -> Bool {
        guard session.cause == work.stopper(for: slot) else { return false }
        return work.former.first { $0.slot == slot }.map { $0.session.cause != session.cause } ?? false
    }

    /// Whether the session that was expected to stop speech, or did, turned out in this pass not to be heard or not to
    /// hold it.
    private mutating func isWrong(_ slot: Int, _ session: SessionFacts) -> Bool {
        let cause = Int(session.cause)
        if let actor = facts.sessions[cause], actor.claim < session.claim, !actor.keepsVictimsWaiting {
            work.gone.append((cause, actor.formerCause, actor.letsResume, actor.tellsToStay))
            return true
        }
        let stopper = Int(work.stopper(for: slot))
        guard stopper >= 0 else { return false }
        return facts.sessions[stopper]?.phase ?? .inactive == .inactive || verdict(of: stopper).silence != .none
    }

    /// Undoes the present pass, except that sessions which were found to leave now leave from the start.
    private mutating func undo(_ leaving: Int) {
        while let (slot, session, verdict) = work.former.popLast() {
            if facts.sessions[slot]?.phase == .holding { holders.removeAll { $0 == slot } }
            if session.phase == .holding { holders.append(slot) }
            facts.keepSession(slot, session)
            verdicts[slot] = verdict
        }
        work.leaving.removeLast(max(work.leaving.count - leaving, 0))
        work.toDescribe.removeAll(keepingCapacity: true)
        while let (slot, formerCause, letsResume, tellsToStay) = work.gone.popLast() {
            guard facts.sessions[slot]?.isLeaving == false else { continue }
            facts.updateSession(slot) {
                $0.isLeaving = true
                $0.formerCause = formerCause
                $0.letsResume = letsResume
                $0.tellsToStay = tellsToStay
                $0.wasHeard = false
                $0.resumesUntil = nil
            }
            work.leaving.append(slot)
        }
        // Marks the speech as changed; otherwise the next pass would skip it.
        for slot in work.stopped { facts.updateSession(slot) { _ in } }
    }
}
