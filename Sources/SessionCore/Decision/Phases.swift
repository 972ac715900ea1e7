/// How a session moves from phase to phase.
extension Engine {
    /// Moves a session to the phase that its streams, its verdict and the time call for. Returns what that can change.
    mutating func advance(_ slot: Int, at now: Instant, _ effects: inout [Effect]) -> Consequence {
        guard let old = facts.sessions[slot] else { return .none }
        var session = old
        let verdict = outcome[slot]
        let isWanted = session.asks(catalogue)
        if !isWanted {
            // Who drives the session itself is told that it was taken over from, and asks again.
            if !session.isDriven {
                session.supersededBy = nil
                session.isRejected = false
            }
            session.hasStarted = false
            session.isWaiting = false
        }
        if !session.isOpened, isWanted || session.phase == .inactive {
            let candidates = isWanted ? session.wantedDescriptions : session.descriptions
            // Of one kind in nearly every application.
            if candidates != session.description.bit {
                session.description = catalogue.description(of: candidates) ?? session.description
            }
        }
        // R13, R31: what was taken over from is gone; a sound of the interface that remains has no part in it.
        if catalogue.interfaceSounds & session.description.bit != 0 { session.supersededBy = nil }
        move(&session, verdict, at: now)
        let isSilenced = verdict.silence != .none
        if session.phase != .inactive || verdict.isSuperseded {
            session.isWaiting = false
        } else if isWanted && isSilenced {
            session.isWaiting = true
        }
        if session != old { note(session, old, slot, &effects) }
        let isSame =
            session.description == old.description && session.supersededBy == old.supersededBy
            && (session.phase == .inactive) == (old.phase == .inactive) && !session.hasNewClaim
        guard !isSame, let former = facts.claim(slot, catalogue: catalogue) else { return .none }
        let involved = former.description.bit | session.description.bit
        return involved & catalogue.actors != 0 ? .all : .own
    }

    private func move(_ session: inout SessionFacts, _ verdict: SessionVerdict, at now: Instant) {
        let bit = session.description.bit
        let isWanted = session.asks(catalogue)
        let isRunning = session.isDriven ? session.isActivated : session.running > 0
        let isSilenced = verdict.silence != .none
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
            } else if !session.hasStarted && catalogue.holders & bit != 0 {
                session.phase = .holding
                session.deadline = now.advanced(by: catalogue.fade(of: session.description)).advanced(
                    by: Engine.handoverLimit)
                session.hasStarted = true
            } else if session.isWaiting {
                start()
            }
        case .holding:
            if !isWanted {
                session.phase = .inactive
            } else if isSilenced {
                session.phase = .active
            } else if isOver || isRunning || fading <= 0 {
                start()
            }
        case .starting, .active, .releasing:
            if verdict.isSuperseded {
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

    /// Keeps what a change of phase brings along: deadlines, holders, and who was told what (R26, R27).
    private mutating func note(_ new: SessionFacts, _ old: SessionFacts, _ slot: Int, _ effects: inout [Effect]) {
        var session = new
        let claims = session.phase != .inactive
        if !claims && session.isToldActive {
            session.isToldActive = false
            effects.append(.sessionDeactivated(reference(slot, session.description)))
        } else if claims && !session.isToldActive
            && (session.interruption == .none || session.interruption == .begun)
        {
            session.isToldActive = true
            effects.append(.sessionActivated(reference(slot, session.description)))
        }
        facts.updateSession(slot) { $0 = session }
        if let deadline = session.deadline, deadline != old.deadline {
            deadlines.insert(Deadlines.Entry(moment: deadline, session: slot))
            if deadlines.count > 2 * facts.sessions.count + 64 {
                deadlines.keep { facts.sessions[$0.session]?.deadline == $0.moment }
            }
        }
        if (session.phase == .holding) != (old.phase == .holding) {
            if session.phase == .holding { holders.append(slot) } else { holders.removeAll { $0 == slot } }
        }
        // R31: now that one of them is heard, those that it silences know whether they may resume.
        if session.phase == .active, old.phase != .active, old.phase != .releasing, outcome[slot].silence == .none,
            catalogue.successors & session.description.bit != 0,
            let former = facts.sessions[outcome.actor(session.description)]?.phase,
            former == .starting || former == .holding || old.phase == .starting
        {
            work.heard |= session.description.bit
        }
    }
}
