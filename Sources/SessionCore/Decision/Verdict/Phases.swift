/// The transitions between the phases of a session.
extension Engine {
    /// Moves a session to the phase that its streams, its verdict and the time require.
    mutating func advance(
        _ slot: Int, _ session: inout SessionFacts, _ old: SessionFacts, _ verdict: SessionVerdict,
        at now: Instant
    ) {
        let former = verdicts[slot]
        // R9: a session that requests activation while it is silenced starts as soon as it may.
        if session.requestsActivation, session.phase == .inactive, former.silence != .none, !former.block.isFinal {
            session.requestedWhileSilenced = true
        }
        if !session.requestsActivation {
            session.hasStarted = false
            session.requestedWhileSilenced = false
        }
        let isSilenced = verdict.silence != .none
        // A session that stops asking while it is blocked ends at once.
        let wasSilenced = !session.requestsActivation && old.block != .none
        move(&session, isSilenced: isSilenced || wasSilenced, isStopped: verdict.block.isFinal, at: now)
        if session.phase != .inactive { session.hasStarted = true }
        if session.phase != .inactive || verdict.block.isFinal {
            session.requestedWhileSilenced = false
        } else if session.requestsActivation && isSilenced {
            session.requestedWhileSilenced = true
        }
        if session.phase == .active, !isSilenced { session.wasHeard = true }
        if session.phase == .inactive, old.phase != .inactive {
            // R11: sessions stay silent only if the application deactivates without notifying others.
            leave(slot, &session, letsResume: session.isDriven ? true : nil)
            // A route change that stops a session also clears its cause; the former cause is still needed here.
            if session.cause < 0 { session.formerCause = old.cause }
            work.toDescribe.append(slot)
        }
        // N17: the application did not resume in time. R31: for an interruption by the system, the role decides what
        // follows.
        if let end = session.resumesUntil, session.phase != .inactive || end <= now {
            if session.phase == .inactive {
                leave(slot, &session, letsResume: true)
            }
            session.resumesUntil = nil
        }
        if (session.phase == .holding) != (old.phase == .holding) {
            if session.phase == .holding { holders.append(slot) } else { holders.removeAll { $0 == slot } }
        }
    }

    private func move(_ session: inout SessionFacts, isSilenced: Bool, isStopped: Bool, at now: Instant) {
        let isWanted = session.requestsActivation
        let isRunning = session.isDriven ? session.isActivated : session.running > 0
        let isOver = session.deadline.map { now >= $0 } ?? false
        func start() {
            session.phase = .starting
            session.deadline = now.advanced(by: Engine.startLimit)
        }
        switch session.phase {
        case .inactive:
            if isSilenced || !isWanted { break }
            if isRunning {
                session.phase = .active
            } else if !session.hasStarted && catalogue.traits(of: session.description).contains(.holdsOnHandover) {
                session.phase = .holding
                session.deadline = now.advanced(by: catalogue.fade(of: session.description)).advanced(
                    by: Engine.handoverLimit)
            } else if session.requestedWhileSilenced {
                start()
            }
        case .holding:
            if !isWanted {
                session.phase = .inactive
            } else if isSilenced || isRunning {
                session.phase = .active
            } else if isOver {
                start()
            }
        case .starting, .active, .releasing:
            if isStopped {
                session.phase = .inactive
            } else if !isWanted && session.isDriven {
                session.phase = .inactive
            } else if !isWanted {
                if session.phase != .releasing {
                    session.phase = .releasing
                    session.deadline = now.advanced(by: catalogue.releaseDelay(of: session.description))
                }
                if isSilenced || session.deadline.map({ now >= $0 }) ?? true { session.phase = .inactive }
            } else if isRunning || isSilenced {
                session.phase = .active
            } else if session.phase != .starting {
                start()
            } else if isOver {
                session.phase = .inactive
            }
        }
        if session.phase == .inactive || session.phase == .active { session.deadline = nil }
    }

    /// Tells a session that it became active or inactive (R2, R26, R27).
    mutating func tellPhase(_ slot: Int, _ session: SessionFacts, _ effects: inout [Effect]) {
        let isActive = session.phase != .inactive
        if isActive {
            // An interrupted session is told the end of the interruption first.
            let mayTell = session.interruption == .none || session.interruption == .begun
            // A session that was heard only until another was granted its activation is not told either.
            guard !session.isToldActive, mayTell, verdict(of: slot).silence == .none else { return }
            effects.append(.sessionActivated(reference(slot, session.description)))
        } else {
            guard session.isToldActive else { return }
            effects.append(.sessionDeactivated(reference(slot, session.description)))
        }
        facts.updateSession(slot) { $0.isToldActive = isActive }
    }
}
