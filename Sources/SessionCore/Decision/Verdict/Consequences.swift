/// The last treatment of a stream, and the description whose fade times apply when it ends.
struct AppliedTreatment: Sendable, Equatable {
    var treatment = Treatment.untouched
    var actor: DescriptionID?
}

/// The session that rejected another one or told it to stay silent. It may no longer exist.
struct FormerInterrupter: Sendable, Equatable {
    var interrupter: Interrupter
    var description: DescriptionID?

    init(_ interrupter: Interrupter, _ description: DescriptionID?) {
        self.interrupter = interrupter
        self.description = description
    }
}

/// The inputs from which the treatments of a session's streams are derived, beyond the facts of the streams themselves.
struct TreatmentInputs: Sendable, Equatable {
    var verdict = SessionVerdict()
    /// The gain to which it is ducked.
    var gain = LinearGain.unity
    /// Whether it waits for others to fall silent.
    var isHeld = false
    /// Whether its application drives it and has not activated it.
    var isIdle = false
    /// Whether its application has configured it.
    var isDescribed = false
    /// Its description, on which switches and the lack of a device depend; `nil` before anything was derived.
    var description: DescriptionID?
}

/// Derives effects from the verdict.
extension Engine {
    /// Returns the effects for all sessions that have changed, strongest claim first.
    ///
    /// - Parameters:
    ///   - stream: The stream that the event was about; `nil` for none.
    ///   - granted: The sessions whose delayed activation was granted.
    mutating func deriveEffects(
        _ stream: Int?, _ granted: [SessionID], at now: Instant, _ effects: inout [Effect]
    ) {
        sortChanged()
        for index in work.changed.indices {
            let slot = work.changed[index]
            if let session = facts.sessions[slot] { tellPhase(slot, session, &effects) }
        }
        for id in granted { effects.append(.activationGranted(id)) }
        if let slot = stream, let stream = facts.streams[slot], let session = facts.sessions[Int(stream.session)] {
            treat(slot, stream, of: session, &effects)
        }
        if work.changed.count > 8 { effects.reserveCapacity(effects.count + work.changed.count) }
        let publishes = !publishedStates.isEmpty
        for index in work.changed.indices {
            let slot = work.changed[index]
            guard let known = facts.sessions[slot] else { continue }
            if publishes { updateHeard(slot, isOpened: known.isOpened) }
            treat(slot, known, &effects)
            if recordInterruption(slot, known, at: now) { work.toAnnounce.append(slot) }
        }
        for index in work.leaving.indices {
            let slot = work.leaving[index]
            facts.updateSession(slot) {
                $0.isLeaving = false
                $0.formerCause = -1
            }
        }
        for index in work.toAnnounce.indices { announce(work.toAnnounce[index], at: now, &effects) }
        for index in work.changed.indices {
            let slot = work.changed[index]
            // It has ended, or has taken the place of a session that others are free from, and has not begun.
            if !freedoms.isEmpty, facts.sessions[slot]?.keepsVictimsWaiting == false { endFreedoms(from: slot) }
            if facts.sessions[slot]?.firstStream ?? 0 < 0 { forgetIfGone(slot) }
        }
        work.changed.removeAll(keepingCapacity: true)
        work.leaving.removeAll(keepingCapacity: true)
        work.toAnnounce.removeAll(keepingCapacity: true)
    }

    /// Sorts the changed sessions by claim, strongest first.
    private mutating func sortChanged() {
        if work.changed.count > 1 {
            for position in facts.order.indices {
                let slot = Int(facts.order[position])
                if slot < work.isChanged.count, work.isChanged[slot] { work.sorted.append(slot) }
            }
        }
        for index in work.changed.indices { work.isChanged[work.changed[index]] = false }
        if work.changed.count > 1 { swap(&work.changed, &work.sorted) }
        work.sorted.removeAll(keepingCapacity: true)
    }

    /// Treats the streams of a session whose presentation has changed.
    private mutating func treat(_ session: Int, _ known: SessionFacts, _ effects: inout [Effect]) {
        while treatmentInputs.count <= session { treatmentInputs.append(TreatmentInputs()) }
        let verdict = verdict(of: session)
        let inputs = TreatmentInputs(
            verdict: verdict, gain: gain(of: verdict.ducker, on: known), isHeld: known.phase == .holding,
            isIdle: known.isDriven && !known.isActivated, isDescribed: known.isDescribed,
            description: known.description)
        guard inputs != treatmentInputs[session] else { return }
        treatmentInputs[session] = inputs
        var next = known.firstStream
        while let stream = facts.streams[Int(next)] {
            treat(Int(next), stream, of: known, &effects)
            next = stream.next
        }
    }

    func gain(of ducker: Int32, on session: SessionFacts) -> LinearGain {
        guard ducker >= 0, let actor = facts.sessions[Int(ducker)] else { return .unity }
        return catalogue.gain(of: actor.description, on: session.description)
    }

    /// Treats a stream if its treatment has changed.
    private mutating func treat(
        _ slot: Int, _ stream: StreamFacts, of session: SessionFacts, _ effects: inout [Effect]
    ) {
        guard slot < applied.count else { return }
        let old = applied[slot]
        let (new, actor) = treatment(of: stream, in: session)
        guard new != old.treatment else { return }
        applied[slot] = AppliedTreatment(treatment: new, actor: actor)
        if new.silence == .none && stream.isSettled {
            facts.changeStream(slot) { $0.isSettled = false }
        }
        let isReleased = old.treatment.silence == .none && new.silence == .none && new.gain > old.treatment.gain
        let hold = isReleased && stream.isRunning ? duckingHold(by: old.actor, session.description) : .zero
        effects.append(
            .treat(
                stream.id, new,
                within: fade(
                    of: stream, of: session.description, from: old, to: AppliedTreatment(treatment: new, actor: actor)),
                after: hold))
        // R23: at once, because some clients wait to learn whether they get a device.
        if new.reason == .noDevice { effects.append(.streamRefused(stream.id)) }
    }

    /// The treatment of a stream under its session's verdict, and the description whose fade times apply.
    private func treatment(of stream: StreamFacts, in session: SessionFacts) -> (Treatment, DescriptionID?) {
        func byPolicy(_ silence: Silence, _ reason: Reason) -> (Treatment, DescriptionID?) {
            (Treatment(silence: silence, reason: reason, cause: .policy), nil)
        }
        if facts.switches.pausedUntil != nil { return (.untouched, nil) }
        let slot = Int(stream.session)
        let verdict = verdict(of: slot)
        if !stream.isInterfaceSound {
            if catalogue.traits(of: session.description).contains(.deviceless) { return byPolicy(.cork, .noDevice) }
            // R15-R18: the category allows only certain directions.
            if !session.hasUse(for: stream) {
                return byPolicy(.cork, stream.direction == .capture ? .noInput : .noOutput)
            }
        }
        // R13: a user interface sound is dropped, not kept for later. Only who interrupts its session silences it: where
        // the others wait for a lost output, it goes on elsewhere.
        if verdict.silence != .none, !(stream.isInterfaceSound && verdict.silencer < 0) {
            let (reason, interrupter, description) = silencer(of: slot)
            return (
                Treatment(
                    silence: stream.isInterfaceSound ? .mute : verdict.silence, reason: reason, cause: interrupter.cause
                ),
                description
            )
        }
        // R26: an opened session that is not active is silent.
        if session.isDriven && !session.isActivated && !stream.isInterfaceSound { return byPolicy(.cork, .inactive) }
        if stream.direction == .playback, !freedFromSwitches.contains(slot), let reason = switchedOff(stream, session) {
            return byPolicy(.mute, reason)
        }
        if session.phase == .holding { return byPolicy(.cork, .handover) }
        if verdict.ducker >= 0, stream.direction == .playback, let ducker = facts.sessions[Int(verdict.ducker)] {
            let level = catalogue.level(of: stream.description)
            return (
                Treatment(
                    gain: level * catalogue.gain(of: ducker.description, on: session.description), reason: .ducked,
                    cause: cause(of: Int(verdict.ducker))),
                ducker.description
            )
        }
        // N23
        let level = catalogue.level(of: stream.description)
        if level != .unity, stream.direction == .playback {
            return (Treatment(gain: level, reason: .level, cause: .policy), nil)
        }
        return (.untouched, nil)
    }

    /// The switch that silences a stream; `nil` for none. R13: a user interface sound is silenced as what it is itself.
    func switchedOff(_ stream: StreamFacts, _ session: SessionFacts) -> Reason? {
        catalogue.switchedOff(
            by: facts.switches, stream.isInterfaceSound ? stream.description : session.description)
    }

    /// How long a session stays ducked after its ducker's session is over, less the time for which that session
    /// outlived its last sound.
    private func duckingHold(by ducker: DescriptionID?, _ description: DescriptionID) -> Duration {
        guard let ducker, let ducking = catalogue.ducking(of: ducker, on: description) else { return .zero }
        return max(ducking.hold - catalogue.releaseDelay(of: ducker), .zero)
    }

    /// How long a change of treatment takes. A stream that has not run yet, or is not wanted, changes at once (N10).
    private func fade(
        of stream: StreamFacts, of description: DescriptionID, from old: AppliedTreatment, to new: AppliedTreatment
    ) -> Duration {
        guard stream.hasRun, !old.treatment.soundsLike(new.treatment) else { return .zero }
        // R37: no policy sets the fade after an output has come back, so the usual one applies.
        func fade(_ actor: DescriptionID?) -> Duration {
            actor.map { catalogue.fade(of: $0, on: description) } ?? Engine.usualFade
        }
        if new.treatment.silence != .none {
            // R64: not one quantum may play on another output.
            let isAtOnce: [Reason] = [.routeDisconnected, .inputMuted, .handover]
            guard !isAtOnce.contains(new.treatment.reason), stream.isRunning, old.treatment.reason != .handover else {
                return .zero
            }
            return fade(new.actor)
        }
        if old.treatment.silence != .none {
            guard stream.isRunning || stream.isWanted, old.treatment.reason != .handover else { return .zero }
            return fade(old.actor)
        }
        guard stream.isRunning else { return .zero }
        let isLowered = new.treatment.gain < old.treatment.gain
        let actor = isLowered ? new.actor : old.actor
        guard let ducking = actor.flatMap({ catalogue.ducking(of: $0, on: description) }) else {
            return Engine.usualFade
        }
        return isLowered ? ducking.attack : ducking.release
    }

    // MARK: - Interruptions

    /// Records what the verdict means for a session's interruption. Returns whether there is something to announce.
    private mutating func recordInterruption(_ slot: Int, _ session: SessionFacts, at now: Instant) -> Bool {
        let verdict = verdict(of: slot)
        guard verdict.silence != .none else {
            guard session.interruption != .none else { return false }
            facts.updateSession(slot) { $0.interruption = $0.interruption == .begun ? .none : .ended }
            return true
        }
        if session.interruption == .none && session.phase != .inactive {
            facts.updateSession(slot) {
                $0.interruption = .begun
                $0.mayResume = true
            }
            return true
        }
        return session.interruption != .none
    }

    /// R26, R27, R30: tells a session that it was interrupted once it is silent, and that the interruption ended once
    /// it is over.
    private mutating func announce(_ slot: Int, at now: Instant, _ effects: inout [Effect]) {
        guard var session = facts.sessions[slot], session.interruption != .none else { return }
        let victim = reference(slot, session.description)
        let verdict = verdict(of: slot)
        if session.interruption == .announced, !session.isToldOfRoute, verdict.silencer < 0,
            verdict.block == .awaitedOutput || verdict.block == .mutedInput
        {
            // R64: the session that interrupted this one has ended, but this one's output or input is no longer
            // available.
            session.interruption = .begun
            effects.append(.interruptionEnded(victim, shouldResume: false))
        }
        if session.interruption == .begun && audible(slot, session, under: verdict) <= 0 {
            if session.isToldActive { effects.append(.sessionDeactivated(victim)) }
            session.isToldActive = false
            session.interruption = .announced
            session.isToldOfRoute = verdict.silencer < 0
            effects.append(.interruptionBegan(victim, by: silencer(of: slot).interrupter))
            if session.isDriven {
                // R26: the interrupted session is inactive, and only its application can activate it again (R34).
                session.isActivated = false
                session.hasStarted = false
                session.requestedWhileSilenced = false
                session.phase = .inactive
                session.deadline = nil
            }
            if session.isOpened { configurations[slot]?.endOverride() }
        }
        if session.interruption == .announced && verdict.block.isFinal {
            session.interruption = .none
            effects.append(.interruptionEnded(victim, shouldResume: false))
        }
        if session.interruption == .ended {
            session.interruption = .none
            let mayResume = session.isDriven ? session.mayResume : session.requestsActivation
            effects.append(.interruptionEnded(victim, shouldResume: mayResume))
            if session.isDriven, mayResume, session.phase == .inactive {
                let end = now.advanced(by: policy.interruptions.resumesWithin)
                session.resumesUntil = end
                nextEnd = min(nextEnd ?? end, end)
            }
            if session.phase != .inactive && !session.isToldActive {
                session.isToldActive = true
                effects.append(.sessionActivated(victim))
            }
        }
        facts.keepSession(slot, session)
    }

    // MARK: - Causes and interrupters

    /// Who or what silences a session, why, and the description whose fade times apply.
    func silencer(of slot: Int) -> (reason: Reason, interrupter: Interrupter, description: DescriptionID?) {
        let verdict = verdict(of: slot)
        if verdict.silencer >= 0 {
            let actor = Int(verdict.silencer)
            return (.interrupted, interrupter(of: actor), facts.sessions[actor]?.description)
        }
        switch verdict.block {
        case .awaitedOutput, .lostOutput:
            let lost = disconnections[slot]
            return (
                verdict.block == .lostOutput ? .superseded : .routeDisconnected,
                Interrupter(
                    cause: .output(lost?.port ?? PortID("")), name: lost?.name ?? "the output", description: "output"),
                nil
            )
        case .changedRoute:
            return (
                .routeDisconnected, Interrupter(cause: .route, name: "the route", description: "route"), nil
            )
        case .mutedInput:
            let input = mutedInputs[slot]
            return (
                .inputMuted,
                Interrupter(
                    cause: .input(input?.port ?? PortID("")), name: input?.name ?? "the input", description: "input"),
                nil
            )
        case .toldToStay, .rejected, .none:
            let gone = formerInterrupters[slot]
            return (
                verdict.block == .rejected ? .rejected : .superseded,
                gone?.interrupter ?? Interrupter(cause: .policy, name: "?", description: "?"), gone?.description
            )
        }
    }

    /// The cause that stands for a session.
    func cause(of slot: Int) -> Cause {
        let number = facts.number(of: slot)
        return beginners[slot] != nil || configurations[slot] == nil && facts.sessions[slot]?.isOpened == true
            ? .system(number) : .session(number)
    }

    func interrupter(of slot: Int) -> Interrupter {
        let reference = reference(slot, facts.sessions[slot]?.description)
        return Interrupter(
            cause: cause(of: slot), name: reference.application.name, description: reference.description,
            id: reference.id)
    }

    /// The session, output or input behind a cause, for people; `nil` if nothing refers to it any more.
    public func interrupter(_ cause: Cause) -> Interrupter? {
        switch cause {
        case .session(let number), .system(let number):
            if let slot = facts.slot(of: number) { return interrupter(of: slot) }
            return formerInterrupters.values.first { $0.interrupter.cause == cause }?.interrupter
        case .output(let port):
            let name = disconnections.values.first { $0.port == port }?.name
            return Interrupter(cause: cause, name: name ?? "the output", description: "output")
        case .input(let port):
            let name = mutedInputs.values.first { $0.port == port }?.name
            return Interrupter(cause: cause, name: name ?? "the input", description: "input")
        case .route: return Interrupter(cause: cause, name: "the route", description: "route")
        case .policy: return nil
        }
    }

    func reference(_ slot: Int, _ description: DescriptionID?) -> SessionReference {
        SessionReference(
            application: facts.application(of: slot)
                ?? ApplicationID(portal: nil, binary: nil, displayName: nil, fallback: "?"),
            description: description.flatMap { catalogue[$0]?.name } ?? "?",
            id: facts.sessions[slot]?.isOpened == true ? facts.id(of: slot) : nil)
    }

    mutating func forgetIfGone(_ slot: Int) {
        guard let known = facts.sessions[slot], known.firstStream < 0, known.phase == .inactive, !known.isOpened,
            known.resumesUntil == nil
        else { return }
        // A session may still have this one as its cause if it was silenced in advance; the next event decides about it
        // again.
        for other in 0..<facts.sessions.capacity where facts.sessions[other]?.cause == Int32(truncatingIfNeeded: slot) {
            facts.updateSession(other) { $0.cause = -1 }
        }
        endFreedoms(from: slot)
        facts.removeSession(slot)
        if slot < verdicts.count { verdicts[slot] = .free }
        if slot < treatmentInputs.count { treatmentInputs[slot] = TreatmentInputs() }
        formerInterrupters[slot] = nil
        beginners[slot] = nil
        freedoms[slot] = nil
        freedFromSwitches.remove(slot)
    }

    mutating func requestWake(_ effects: inout [Effect]) {
        var earliest = nextEnd
        for disconnection in disconnections.values where disconnection.until < Switches.never {
            earliest = min(earliest ?? disconnection.until, disconnection.until)
        }
        if let end = facts.switches.pausedUntil, end < Switches.never { earliest = min(earliest ?? end, end) }
        if let earliest, earliest != requestedWake { effects.append(.wake(at: earliest)) }
        requestedWake = earliest
    }
}
