/// What a stream was told last, and by whose times it goes back.
struct Applied: Sendable, Equatable {
    var treatment = Treatment.untouched
    var actor: DescriptionID?
}

/// Who told a session to stay silent, or did not let it begin, and may be gone since.
struct Departed: Sendable, Equatable {
    var interrupter: Interrupter
    var description: DescriptionID?

    init(_ interrupter: Interrupter, _ description: DescriptionID?) {
        self.interrupter = interrupter
        self.description = description
    }
}

/// What the treatments of a session's streams are derived from, beyond what is known of the streams themselves.
struct Presentation: Sendable, Equatable {
    var verdict = SessionVerdict()
    /// How far it is lowered.
    var gain = LinearGain.unity
    /// It waits for others to be silent.
    var isHeld = false
    /// Its application drives it, and has not activated it.
    var isIdle = false
    /// Its application has said what it is.
    var isDescribed = false
    /// What it is: switches and the lack of a device depend on that. `nil` before anything was derived.
    var description: DescriptionID?
}

/// From the verdict to effects.
extension Engine {
    /// Tells all about whom something is different what has changed for them, from the strongest claim down.
    ///
    /// - Parameters:
    ///   - stream: The stream that the event was about, or none.
    ///   - granted: The sessions whose delayed activation was granted.
    mutating func conclude(
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
        let isShowing = !shown.isEmpty
        for index in work.changed.indices {
            let slot = work.changed[index]
            guard let known = facts.sessions[slot] else { continue }
            if isShowing { note(slot, isOpened: known.isOpened) }
            treat(slot, known, &effects)
            if remember(slot, known, at: now) { work.news.append(slot) }
        }
        for index in work.leaving.indices {
            facts.updateSession(work.leaving[index]) {
                $0.isLeaving = false
                $0.formerCause = -1
            }
        }
        for index in work.news.indices { announce(work.news[index], at: now, &effects) }
        for index in work.changed.indices {
            let slot = work.changed[index]
            if facts.sessions[slot]?.firstStream ?? 0 < 0 { forgetIfGone(slot) }
        }
        work.changed.removeAll(keepingCapacity: true)
        work.leaving.removeAll(keepingCapacity: true)
        work.news.removeAll(keepingCapacity: true)
    }

    /// Brings those about whom something is different into the order of their claims, the strongest first.
    private mutating func sortChanged() {
        if work.changed.count > 1 {
            for place in facts.order.indices {
                let slot = Int(facts.order[place])
                if slot < work.isChanged.count, work.isChanged[slot] { work.sorted.append(slot) }
            }
        }
        for index in work.changed.indices { work.isChanged[work.changed[index]] = false }
        if work.changed.count > 1 { swap(&work.changed, &work.sorted) }
        work.sorted.removeAll(keepingCapacity: true)
    }

    /// Tells a session's streams what has changed for them.
    private mutating func treat(_ session: Int, _ known: SessionFacts, _ effects: inout [Effect]) {
        while presented.count <= session { presented.append(Presentation()) }
        let verdict = verdict(of: session)
        let presentation = Presentation(
            verdict: verdict, gain: gain(of: verdict.ducker, on: known), isHeld: known.phase == .holding,
            isIdle: known.isDriven && !known.isActivated, isDescribed: known.isDescribed,
            description: known.description)
        guard presentation != presented[session] else { return }
        presented[session] = presentation
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

    /// Tells a stream what has changed for it.
    private mutating func treat(
        _ slot: Int, _ stream: StreamFacts, of session: SessionFacts, _ effects: inout [Effect]
    ) {
        guard slot < applied.count else { return }
        let old = applied[slot]
        let (new, actor) = treatment(of: stream, in: session)
        guard new != old.treatment else { return }
        applied[slot] = Applied(treatment: new, actor: actor)
        if new.silence == .none && stream.isSettled {
            facts.changeStream(slot) { $0.isSettled = false }
        }
        let isReleased = old.treatment.silence == .none && new.silence == .none && new.gain > old.treatment.gain
        let hold = isReleased && stream.isRunning ? held(by: old.actor, session.description) : .zero
        effects.append(
            .treat(
                stream.id, new,
                within: fade(of: stream, of: session.description, from: old, to: Applied(treatment: new, actor: actor)),
                after: hold))
        // R23: at once, as some clients wait to be told whether they have a stream at all.
        if new.reason == .noDevice { effects.append(.streamRefused(stream.id)) }
    }

    /// What is done to a stream, given what is decided about its session, and by the times of which description.
    private func treatment(of stream: StreamFacts, in session: SessionFacts) -> (Treatment, DescriptionID?) {
        func byPolicy(_ silence: Silence, _ reason: Reason) -> (Treatment, DescriptionID?) {
            (Treatment(silence: silence, reason: reason, cause: .policy), nil)
        }
        if facts.switches.pausedUntil != nil { return (.untouched, nil) }
        let slot = Int(stream.session)
        let verdict = verdict(of: slot)
        if !stream.isInterfaceSound {
            if catalogue.traits(of: session.description).contains(.deviceless) { return byPolicy(.cork, .noDevice) }
            // R15-R18: a category has its directions.
            if !session.hasUse(for: stream) {
                return byPolicy(.cork, stream.direction == .capture ? .noInput : .noOutput)
            }
        }
        // R13: a sound of the interface is dropped, not kept for later, and is silent as long as the interruption
        // lasts and no longer.
        if verdict.silence != .none, !(stream.isInterfaceSound && verdict.block.isFinal) {
            let (reason, interrupter, description) = silencer(of: slot)
            return (
                Treatment(
                    silence: stream.isInterfaceSound ? .mute : verdict.silence, reason: reason, cause: interrupter.cause
                ),
                description
            )
        }
        // R26: an opened session that is not active is not heard.
        if session.isDriven && !session.isActivated && !stream.isInterfaceSound { return byPolicy(.cork, .inactive) }
        if stream.direction == .playback,
            let reason = catalogue.switchedOff(
                by: facts.switches, stream.isInterfaceSound ? stream.description : session.description)
        {
            return byPolicy(.mute, reason)
        }
        if session.phase == .holding { return byPolicy(.cork, .handover) }
        if verdict.ducker >= 0, stream.direction == .playback, let ducker = facts.sessions[Int(verdict.ducker)] {
            return (
                Treatment(
                    gain: catalogue.gain(of: ducker.description, on: session.description), reason: .ducked,
                    cause: cause(of: Int(verdict.ducker))),
                ducker.description
            )
        }
        return (.untouched, nil)
    }

    /// How long one stays lowered after its ducker's session is over: the session has outlived its last sound already.
    private func held(by ducker: DescriptionID?, _ description: DescriptionID) -> Duration {
        guard let ducker, let ducking = catalogue.ducking(of: ducker, on: description) else { return .zero }
        return max(ducking.hold - catalogue.releaseDelay(of: ducker), .zero)
    }

    /// How long a change of treatment takes. What is not heard yet, or not wanted, changes at once (N10).
    private func fade(
        of stream: StreamFacts, of description: DescriptionID, from old: Applied, to new: Applied
    ) -> Duration {
        guard stream.hasRun, !old.treatment.soundsLike(new.treatment) else { return .zero }
        // R37: of an output that is back, no policy says how long that takes.
        func fade(_ actor: DescriptionID?) -> Duration {
            actor.map { catalogue.fade(of: $0, on: description) } ?? Engine.usualFade
        }
        if new.treatment.silence != .none {
            // R64: not one quantum of it comes out of anything else.
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

    // MARK: - What is told

    /// Remembers what the verdict means for what a session is told. Returns whether there is something to tell it.
    private mutating func remember(_ slot: Int, _ session: SessionFacts, at now: Instant) -> Bool {
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

    /// R26, R27, R30: tells a session that it was interrupted once it is silent, and that it may go on once it is not.
    private mutating func announce(_ slot: Int, at now: Instant, _ effects: inout [Effect]) {
        guard var session = facts.sessions[slot], session.interruption != .none else { return }
        let victim = reference(slot, session.description)
        let verdict = verdict(of: slot)
        if session.interruption == .announced, !session.isToldOfRoute, verdict.silencer < 0,
            verdict.block == .awaitedOutput || verdict.block == .mutedInput
        {
            // R64: the session that interrupted it has ended, but what it was heard on has gone meanwhile.
            session.interruption = .begun
            effects.append(.interruptionEnded(victim, shouldResume: false))
        }
        if session.interruption == .begun && session.audible <= 0 {
            if session.isToldActive { effects.append(.sessionDeactivated(victim)) }
            session.isToldActive = false
            session.interruption = .announced
            session.isToldOfRoute = verdict.silencer < 0
            effects.append(.interruptionBegan(victim, by: silencer(of: slot).interrupter))
            if session.isDriven {
                // R26: it is inactive, and only its application makes it active again (R34).
                session.isActivated = false
                session.hasStarted = false
                session.isWaiting = false
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
            let mayResume = session.isDriven ? session.mayResume : session.asks
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

    // MARK: - Who it is

    /// Who or what silences a session, why, and by whose times.
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
            let gone = departed[slot]
            return (
                verdict.block == .rejected ? .rejected : .superseded,
                gone?.interrupter ?? Interrupter(cause: .policy, name: "?", description: "?"), gone?.description
            )
        }
    }

    /// A session as a cause.
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

    /// Who or what a cause is, for people; `nil` for one that nothing refers to any more.
    public func interrupter(_ cause: Cause) -> Interrupter? {
        switch cause {
        case .session(let number), .system(let number):
            if let slot = facts.slot(of: number) { return interrupter(of: slot) }
            return departed.values.first { $0.interrupter.cause == cause }?.interrupter
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
        // Whoever still has it for its cause, silenced in advance, is looked at with the next event.
        for other in 0..<facts.sessions.capacity where facts.sessions[other]?.cause == Int32(truncatingIfNeeded: slot) {
            facts.updateSession(other) { $0.cause = -1 }
        }
        facts.removeSession(slot)
        if slot < verdicts.count { verdicts[slot] = .free }
        if slot < presented.count { presented[slot] = Presentation() }
        departed[slot] = nil
        beginners[slot] = nil
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
