/// How a session moves from phase to phase.
extension Engine {
    /// Moves a session to the phase that its streams, its verdict and the time call for.
    mutating func advance(
        _ slot: Int, _ session: inout SessionFacts, _ old: SessionFacts, _ verdict: SessionVerdict,
        at now: Instant
    ) {
        let former = verdicts[slot]
        // R9: who asks where it was silent goes ahead as soon as it may.
        if session.asks, session.phase == .inactive, former.silence != .none, !former.block.isFinal {
            session.isWaiting = true
        }
        if !session.asks {
            session.hasStarted = false
            session.isWaiting = false
        }
        let isSilenced = verdict.silence != .none
        // Who gives up while it is silent is over at once.
        let wasSilenced = !session.asks && old.block != .none
        move(&session, isSilenced: isSilenced || wasSilenced, isStopped: verdict.block.isFinal, at: now)
        if session.phase != .inactive { session.hasStarted = true }
        if session.phase != .inactive || verdict.block.isFinal {
            session.isWaiting = false
        } else if session.asks && isSilenced {
            session.isWaiting = true
        }
        if session.phase == .active, !isSilenced { session.wasHeard = true }
        if session.phase == .inactive, old.phase != .inactive {
            // R11: only who deactivates without notifying others keeps them silent.
            leave(slot, &session, letsResume: session.isDriven ? true : nil)
            // A session that a route change has stopped has no cause any more, but had one until now.
            if session.cause < 0 { session.formerCause = old.cause }
            work.toDescribe.append(slot)
        }
        // N17: its application has not done what it was told it could. R31: what follows from that for an interruption by the
        // system, its role says.
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
        let isWanted = session.asks
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
            } else if !session.hasStarted && catalogue.traits(of: session.description).contains(.waits) {
                session.phase = .holding
                session.deadline = now.advanced(by: catalogue.fade(of: session.description)).advanced(
                    by: Engine.handoverLimit)
            } else if session.isWaiting {
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

    /// Tells a session that it is active now, or not any more (R2, R26, R27).
    mutating func tellPhase(_ slot: Int, _ session: SessionFacts, _ effects: inout [Effect]) {
        let isActive = session.phase != .inactive
        if isActive {
            // Who was interrupted is told of the end of that first.
            let mayTell = session.interruption == .none || session.interruption == .begun
            // Nor is one that was heard only until another one was granted its activation.
            guard !session.isToldActive, mayTell, verdict(of: slot).silence == .none else { return }
            effects.append(.sessionActivated(reference(slot, session.description)))
        } else {
            guard session.isToldActive else { return }
            effects.append(.sessionDeactivated(reference(slot, session.description)))
        }
        facts.updateSession(slot) { $0.isToldActive = isActive }
    }
}
