import PolicyEngine
import RandomEvents

/// What holds of causes: who silences a session, who takes that one's place, and how it ends (N17).
extension Property {
    static let ofCauses = [
        Property("cause-exists", "N17 R79", "The session that silences another one is a different session, and exists.")
        { step in
            step.after.sessions.firstFlaw { session in
                guard step.after.isInterrupted(session), !step.after.isSuspended, let number = session.silencerNumber,
                    !step.after.streams(of: session).isEmpty || step.after.session(number) != nil
                else { return nil }
                if number == session.number { return "\(session.reference.label) silences itself" }
                return step.after.session(number) == nil ? "\(session.reference.label) by \(number)" : nil
            }
        },
        Property("cause-silences", "N17 R28 R36", "The rules allow each session to silence its victims.") { step in
            step.after.victims.firstFlaw { session, cause in
                step.after.silences(cause, session) ?? true
                    ? nil : "\(cause.reference.label) over \(session.reference.label)"
            }
        },
        Property(
            "cause-holds", "N17 R10",
            "The cause of a silence is heard, or is silenced itself and may resume, or was just told to."
        ) { step in
            step.after.victims.firstFlaw { session, cause in
                step.after.holds(cause) ? nil : "\(cause.reference.label) over \(session.reference.label)"
            }
        },
        Property("asked-anew", "R9 R34", "A session that asks anew is silenced by a heard session, or by none.") {
            step in
            let keys = step.requesters
            return step.after.victims.firstFlaw { session, cause in
                keys.contains(session.key) && !step.after.isHeard(cause)
                    ? "\(cause.reference.label) over \(session.reference.label)" : nil
            }
        },
        Property(
            "first-cause", "N17 R30",
            "The first session to silence another one remains its cause while it is heard and silences it."
        ) {
            step in
            if step.event.isMove { return nil }
            return step.lasting.firstFlaw { before, after in
                guard let cause = step.before.cause(of: before), step.before.isHeard(cause),
                    let present = step.after.session(cause.number), step.after.isHeard(present),
                    !step.subjects.contains(before.key), !step.after.isStopped(after), !step.isLate,
                    !step.subjects.contains(present.key), step.after.silences(present, after) == true
                else { return nil }
                return after.silencerNumber == cause.number ? nil : "\(after.reference.label): \(after.silencer as Any)"
            }
        },
        Property(
            "hand-over", "N17",
            "The first up the chain of interrupters that silences the victim takes the place of a cause that goes."
        ) { step in
            if step.event.isMove && step.event.session == nil || !step.isOne { return nil }
            return step.lasting.firstFlaw { before, after in
                guard let cause = step.before.cause(of: before), after.silencerNumber != cause.number,
                    !step.after.isStopped(after), step.after.asks(after), !step.subjects.contains(before.key),
                    let heir = step.heir(of: cause, over: after), !step.subjects.contains(heir.key)
                else { return nil }
                return after.silencerNumber == heir.number ? nil : "\(after.reference.label): \(after.silencer as Any)"
            }
        },
        Property(
            "let-go", "R10 R11 R12 R31",
            "A session resumes or stays silent, when its only cause ends, as that end says."
        ) { step in
            if !step.isOne { return nil }
            return step.lasting.firstFlaw { before, after in
                guard let cause = step.before.cause(of: before), step.before.cause(of: cause) == nil,
                    cause.silencer == nil, let resumes = step.saysResume(cause, before),
                    step.after.asks(after), !step.subjects.contains(before.key), !step.after.isInterrupted(after),
                    step.before.isInterrupted(before)
                else { return nil }
                if step.after.opened(after)?.isDriven ?? false { return nil }
                if resumes { return step.after.isStopped(after) ? "\(after.reference.label) stays" : nil }
                let isFree = step.after.isExempt(after)
                return after.silencer != nil || isFree ? nil : "\(after.reference.label) resumes"
            }
        },
        Property(
            "told-as-said", "R11 R12 R31", "The end of an interruption says the same as the end of its only cause."
        ) {
            step in
            if !step.isOne { return nil }
            return step.effects.firstFlaw { effect in
                guard case .interruptionEnded(let reference, let says) = effect,
                    let before = step.before.session(reference.key), let after = step.after.session(before.number),
                    let cause = step.before.cause(of: before), cause.silencer == nil,
                    let resumes = step.saysResume(cause, before), !step.subjects.contains(before.key)
                else { return nil }
                let isDriven = step.after.opened(after)?.isDriven ?? false
                let hasGivenUp = isDriven ? step.before.record.told(before.key).hasGivenUp : !step.after.asks(after)
                if hasGivenUp || after.silencer != nil && !step.after.isInterrupted(after) && resumes { return nil }
                if case .output = after.silencer?.cause { return nil }
                let isFree = step.after.isExempt(after)
                if isFree, !resumes { return nil }
                return says == resumes ? nil : "\(after.reference.label): \(says)"
            }
        },
        Property(
            "stays-behind", "R31 N17",
            "An end that keeps a session silent also keeps its victims silent, if they were below both."
        ) { step in
            if !step.isOne { return nil }
            return step.lasting.firstFlaw { before, after in
                guard let cause = step.before.cause(of: before), let first = step.before.cause(of: cause),
                    first.silencer == nil, step.saysResume(first, cause) == false,
                    step.before.silences(first, before) == true, step.isStoppedByEnd(cause), step.after.asks(after),
                    !step.subjects.contains(before.key), !step.after.isInterrupted(after),
                    !(step.after.opened(after)?.isDriven ?? false)
                else { return nil }
                let isFree = step.after.isExempt(after)
                return after.silencer != nil || isFree ? nil : "\(after.reference.label) resumes"
            }
        },
        Property(
            "resume-within", "N17",
            "A session that was told to resume, and does not, keeps its victims for the policy's time."
        ) {
            step in
            step.after.record.told.firstFlaw { key, told in
                guard let until = told.resumesUntil, until > step.now, let session = step.after.session(key),
                    step.after.victims.contains(where: { $0.cause.number == session.number })
                else { return nil }
                return session.ends.map { $0 <= until } ?? false ? nil : "\(session.reference.label) waits for ever"
            }
        },
    ]
}

extension Scene {
    /// The session that silences another one now; `nil` for none.
    func cause(of session: Session) -> Session? {
        isInterrupted(session) ? session.silencerNumber.flatMap { self.session($0) } : nil
    }

    /// Whether an end keeps no such session silent: a call or a user interface sound.
    fileprivate func isExempt(_ session: Session) -> Bool {
        session.description.category == .uiSound || Pairs.isPhone(session.description)
    }

    /// Whether those that a session has silenced keep waiting for it.
    func holds(_ session: Session) -> Bool {
        let told = record.told(session.key)
        let opened = opened(session)
        let mayResume = opened.map { $0.isDriven && (!told.hasGivenUp || $0.isActivated) } ?? false || asks(session)
        let isWaiting = session.silencer != nil && !isStopped(session) && mayResume
        return isHeard(session) || isWaiting || told.resumesUntil.map { $0 > now } ?? false
    }

    /// The sessions that others silence, with their causes.
    var victims: [(victim: Session, cause: Session)] {
        isSuspended ? [] : sessions.compactMap { session in cause(of: session).map { (session, $0) } }
    }
}

extension Step {
    /// Who takes a cause's place over a session: the first of those who had interrupted it, each the one before, that still
    /// holds and silences the session; `nil` if there is none, or that is not clear.
    fileprivate func heir(of cause: Session, over session: Session) -> Session? {
        var next = interrupter(of: cause)
        for _ in before.sessions {
            guard let former = next else { return nil }
            if let present = after.session(former.number), after.holds(present) {
                guard let isHeir = after.silences(present, session) else { return nil }
                if isHeir { return before.holds(former) ? present : nil }
            }
            next = interrupter(of: former)
        }
        return nil
    }

    /// Who interrupts a session, or had interrupted it before it ended; `nil` if it is somebody else now.
    private func interrupter(of session: Session) -> Session? {
        let former = before.cause(of: session)
        guard let present = after.session(session.number), after.holds(present) else { return former }
        return after.cause(of: present)?.number == former?.number ? former : nil
    }

    /// Whether a session is there after the event, and the end of who silenced it keeps it silent.
    fileprivate func isStoppedByEnd(_ session: Session) -> Bool {
        guard let present = after.session(session.number), !subjects.contains(session.key) else { return false }
        return before.isInterrupted(session) && after.isStopped(present) && after.asks(present)
    }

    /// Whether a session that has ended in this event lets another one resume; `nil` if it has not ended, or that is not
    /// clear (R11, R12, R31).
    func saysResume(_ cause: Session, _ victim: Session) -> Bool? {
        // Who is granted may silence the cause before that one ends.
        if effects.contains(where: { if case .activationGranted = $0 { true } else { false } }) { return nil }
        let isSystem = before.opened(cause)?.isSystem ?? false
        if case .sessionClosed(let id) = event, cause.reference.id == id, !isSystem { return true }
        if case .sessionRequested(let id, .deactivate(let notifies)) = event, cause.reference.id == id, !isSystem {
            return notifies
        }
        let isGone = after.session(cause.number).map { $0.state == .inactive && $0.silencer == nil } ?? true
        let isClosed = isSystem && event.session.map { .opened($0) == cause.key } ?? false
        guard isGone, !event.isMove || isClosed,
            before.policy.interplay.rules.isEmpty, isSystem || !(before.opened(cause)?.isDriven ?? false)
        else { return nil }
        // What was never heard has interrupted nobody.
        if !isSystem, !before.record.heard.contains(cause.number) { return true }
        return Pairs.letsResume(cause.description)
    }
}
