/// What the treatments of a session's streams are derived from, beyond what is known of the streams themselves.
struct Presentation: Sendable, Equatable {
    var silence = Silence.none
    var isSuperseded = false
    var silencer: DescriptionID?
    var ducker: DescriptionID?
    /// How far it lowers this session.
    var gain = LinearGain.unity
    /// It waits for others to be silent.
    var isHeld = false
    /// Its application drives it, and has not activated it.
    var isIdle = false
    /// What it is: switches and the lack of a device depend on that. `nil` before anything was derived.
    var description: DescriptionID?
}

/// From the verdict to effects.
extension Engine {
    /// Tells all that were touched what has changed for them.
    ///
    /// - Parameter stream: The stream that the event was about, or none.
    mutating func conclude(_ stream: Int?, _ effects: inout [Effect]) {
        if work.heard != 0 {
            for session in 0..<facts.sessions.capacity {
                if let silencer = outcome[session].silencerDescription, silencer.bit & work.heard != 0 {
                    work.touch(session)
                }
            }
            work.heard = 0
        }
        if let slot = stream, let stream = facts.streams[slot], let session = facts.sessions[Int(stream.session)] {
            treat(slot, stream, of: session, &effects)
        }
        if work.touched.count > 8 { effects.reserveCapacity(effects.count + work.touched.count) }
        let isShowing = !shown.isEmpty
        for index in work.touched.indices {
            let session = work.touched[index]
            work.isTouched[session] = false
            if isShowing { note(session, isOpened: facts.sessions[session]?.isOpened ?? false) }
            guard let known = facts.sessions[session] else { continue }
            treat(session, known, &effects)
            if remember(session, known) { work.news.append(session) }
            if known.firstStream < 0 { work.gone.append(session) }
        }
        for index in work.news.indices { announce(work.news[index], &effects) }
        for index in work.gone.indices { forgetIfGone(work.gone[index]) }
        work.touched.removeAll(keepingCapacity: true)
        work.news.removeAll(keepingCapacity: true)
        work.gone.removeAll(keepingCapacity: true)
    }

    /// Tells a session's streams what has changed for them.
    private mutating func treat(_ session: Int, _ known: SessionFacts, _ effects: inout [Effect]) {
        guard session < presented.count else { return }
        let verdict = outcome[session]
        let presentation = Presentation(
            silence: verdict.silence, isSuperseded: verdict.isSuperseded, silencer: verdict.silencerDescription,
            ducker: verdict.ducker,
            gain: verdict.ducker.map { catalogue.gain(of: $0, on: known.description) } ?? .unity,
            isHeld: known.phase == .holding, isIdle: known.isDriven && !known.isActivated,
            description: known.description)
        guard presentation != presented[session] else { return }
        presented[session] = presentation
        var next = known.firstStream
        while let stream = facts.streams[Int(next)] {
            treat(Int(next), stream, of: known, &effects)
            next = stream.next
        }
    }

    /// Tells a stream what has changed for it.
    private mutating func treat(
        _ slot: Int, _ stream: StreamFacts, of session: SessionFacts, _ effects: inout [Effect]
    ) {
        guard slot < applied.count else { return }
        let old = applied[slot]
        let new = outcome.treatment(of: stream, in: session, catalogue: catalogue)
        guard new != old else { return }
        applied[slot] = new
        if new.silence == .none && stream.isSettled { change(slot) { $0.isSettled = false } }
        let isReleased = old.silence == .none && new.silence == .none && new.gain > old.gain
        let hold = isReleased && stream.isRunning ? held(by: old.actor, session.description) : .zero
        effects.append(
            .treat(
                stream.id, new, within: fade(of: stream, of: session.description, from: old, to: new), after: hold))
        // R23: at once, as some clients wait to be told whether they have a stream at all.
        if new.cause == .noDevice { effects.append(.streamRefused(stream.id)) }
    }

    /// How long one stays lowered after its ducker's session is over: the session has outlived its last sound already.
    private func held(by ducker: DescriptionID?, _ description: DescriptionID) -> Duration {
        guard let ducker, let ducking = catalogue.ducking(of: ducker, on: description) else { return .zero }
        return max(ducking.hold - catalogue.releaseDelay(of: ducker), .zero)
    }

    /// How long a change of treatment takes. What is not heard yet, or not wanted, changes at once (N10).
    private func fade(
        of stream: StreamFacts, of description: DescriptionID, from old: Treatment, to new: Treatment
    ) -> Duration {
        guard stream.hasRun, !old.soundsLike(new) else { return .zero }
        func fade(_ actor: DescriptionID?) -> Duration {
            // R37: of an output that is back, no policy says how long that takes.
            guard let actor, !actor.isOfRoute else { return Engine.usualFade }
            return catalogue.fade(of: actor, on: description)
        }
        if new.silence != .none {
            // R64: not one quantum of it comes out of anything else.
            guard new.cause != .routeDisconnected, new.cause != .inputMuted, stream.isRunning, new.cause != .handover,
                old.cause != .handover
            else { return .zero }
            return fade(new.actor)
        }
        if old.silence != .none {
            guard stream.isRunning || stream.isWanted, old.cause != .handover else { return .zero }
            return fade(old.actor)
        }
        guard stream.isRunning else { return .zero }
        let actor = new.gain < old.gain ? new.actor : old.actor
        guard let ducking = actor.flatMap({ catalogue.ducking(of: $0, on: description) }) else {
            return Engine.usualFade
        }
        return new.gain < old.gain ? ducking.attack : ducking.release
    }

    /// Remembers what the verdict means for the future of a session. Returns whether there is something to tell it.
    private mutating func remember(_ slot: Int, _ session: SessionFacts) -> Bool {
        let verdict = outcome[slot]
        guard verdict.silence != .none else {
            if session.interruption == .announced { facts.updateSession(slot) { $0.interruption = .ended } }
            if session.interruption == .begun { facts.updateSession(slot) { $0.interruption = .none } }
            return session.interruption != .none
        }
        let begins = session.interruption == .none && session.phase != .inactive
        if begins {
            facts.updateSession(slot) {
                $0.interruption = .begun
                $0.mayResume = true
            }
        }
        let asks = session.isDriven ? begins || session.interruption != .none : session.wanted > 0
        // R31: another primary playback took over; the application has to resume by itself. Nobody has taken over before
        // being heard.
        if !verdict.isSuperseded, asks, session.supersededBy == nil,
            let silencer = verdict.silencerDescription, catalogue.successors & silencer.bit != 0,
            facts.sessions[outcome.actor(silencer)]?.phase == .active
        {
            facts.updateSession(slot) { $0.supersededBy = silencer }
            _ = facts.claim(slot, catalogue: catalogue)
        }
        return begins || session.interruption != .none
    }

    /// R26, R27, R30: tells a session that it was interrupted once it is silent, and that it may go on once it is not.
    private mutating func announce(_ slot: Int, _ effects: inout [Effect]) {
        guard var session = facts.sessions[slot], session.interruption != .none else { return }
        let victim = reference(slot, session.description)
        if session.interruption == .begun && session.audible <= 0 {
            if session.isToldActive { effects.append(.sessionDeactivated(victim)) }
            session.isToldActive = false
            session.interruption = .announced
            effects.append(.interruptionBegan(victim, by: silencer(of: slot)))
            if session.isDriven {
                // R26: it is inactive, and only its application makes it active again (R34).
                session.isActivated = false
                session.phase = .inactive
                session.deadline = nil
            }
            if session.isOpened { configurations[slot]?.endOverride() }
        }
        if session.interruption == .announced && outcome[slot].isSuperseded {
            session.interruption = .none
            effects.append(.interruptionEnded(victim, shouldResume: false))
        }
        if session.interruption == .ended {
            session.interruption = .none
            effects.append(
                .interruptionEnded(victim, shouldResume: session.isDriven ? session.mayResume : session.wanted > 0))
            if session.phase != .inactive && !session.isToldActive {
                session.isToldActive = true
                effects.append(.sessionActivated(victim))
            }
        }
        let wasClaiming = facts.sessions[slot]?.phase != .inactive
        facts.updateSession(slot) { $0 = session }
        // It is silenced, so nobody else is concerned.
        if wasClaiming && session.phase == .inactive { _ = facts.claim(slot, catalogue: catalogue) }
    }

    private func silencer(of slot: Int) -> SessionReference {
        let verdict = outcome[slot]
        if verdict.silencerDescription == .mutedInput { return mutedInput(of: slot) }
        if let description = verdict.silencerDescription, description.isOfRoute {
            var output = SessionReference(
                application: ApplicationID(
                    portal: nil, binary: nil, displayName: disconnections[slot]?.name,
                    fallback: description == .changedRoute ? "the route" : "the output"),
                description: description == .changedRoute ? "route" : "output")
            output.isOutput = true
            return output
        }
        if let description = verdict.silencerDescription { return reference(outcome.actor(description), description) }
        return reference(-1, DescriptionID(.max))
    }

    func reference(_ slot: Int, _ description: DescriptionID) -> SessionReference {
        SessionReference(
            application: facts.application(of: slot)
                ?? ApplicationID(portal: nil, binary: nil, displayName: nil, fallback: "?"),
            description: catalogue[description]?.name ?? "?",
            id: facts.sessions[slot]?.isOpened == true ? facts.id(of: slot) : nil)
    }

    mutating func forgetIfGone(_ session: Int) {
        guard let known = facts.sessions[session], known.firstStream < 0, known.phase == .inactive, !known.isOpened
        else { return }
        facts.removeSession(session)
        outcome.forget(session)
        if session < presented.count { presented[session] = Presentation() }
    }

    mutating func requestWake(_ effects: inout [Effect]) {
        while let first = deadlines.first, facts.sessions[first.session]?.deadline != first.moment {
            deadlines.removeFirst()
        }
        var earliest = deadlines.first?.moment
        for disconnection in disconnections.values where disconnection.until < Switches.never {
            earliest = min(earliest ?? disconnection.until, disconnection.until)
        }
        if let end = facts.switches.pausedUntil, end < Switches.never { earliest = min(earliest ?? end, end) }
        if let earliest, earliest != requestedWake { effects.append(.wake(at: earliest)) }
        requestedWake = earliest
    }
}
