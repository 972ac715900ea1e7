/// The decision about one session.
struct SessionVerdict: Sendable, Equatable {
    /// Whether its streams are silenced, and how.
    var silence = Silence.none
    /// The slot of the session that silences it; −1 if no session does.
    var silencer: Int32 = -1
    /// What silences it if no session does.
    var block = Block.none
    /// The slot of the session that ducks it furthest; −1 for none.
    var ducker: Int32 = -1

    static let free = SessionVerdict()
}

/// A session that is heard and affects others.
struct Actor: Sendable, Equatable {
    var slot: Int32
    var description: DescriptionID
    var claim: UInt64
}

/// What was found while skipping unchanged sessions.
private struct SkippedSessions {
    /// The next position in the order of claims.
    var next: Int
    /// The number of audible streams in the silenced sessions among those skipped.
    var audible: Int32 = 0
    /// The last session skipped, if it affects others.
    var actor: Actor?
    /// The slot of a session that needs a new decision.
    var undecided: Int?
}

/// Lists used during one event.
struct Work: Sendable {
    /// The slots of sessions whose facts or verdict have changed, each once.
    var changed: [Int] = []
    /// By session slot: whether the session is in `changed`.
    var isChanged: [Bool] = []
    /// The changed sessions while they are being sorted by claim.
    var sorted: [Int] = []
    /// The slots of sessions that give up the sessions they have interrupted.
    var leaving: [Int] = []
    /// The slots of sessions whose description may have changed.
    var toDescribe: [Int] = []
    /// The slots of speech sessions that a session with a weaker claim is expected to stop.
    var stopped: [Int] = []
    /// By slot of a speech session: the session expected to stop it; −1 for none.
    var stoppers: [Int32] = []
    /// The former state of each session that the present pass has changed.
    var former: [(slot: Int, session: SessionFacts, verdict: SessionVerdict)] = []
    /// Sessions that have left after they stopped speech with a stronger claim.
    var gone: [(slot: Int, formerCause: Int32, letsResume: Bool, tellsToStay: Bool)] = []
    /// The sessions in `heardActors` that duck others.
    var duckers: [Actor] = []
    /// The slots of sessions that may have to be told something.
    var toAnnounce: [Int] = []

    mutating func markChanged(_ session: Int) {
        guard session >= 0 else { return }
        while isChanged.count <= session { isChanged.append(false) }
        guard !isChanged[session] else { return }
        isChanged[session] = true
        changed.append(session)
    }

    mutating func expect(_ stopper: Int32, for session: Int) {
        while stoppers.count <= session { stoppers.append(-1) }
        stoppers[session] = stopper
        stopped.append(session)
    }

    func stopper(for session: Int) -> Int32 { session < stoppers.count ? stoppers[session] : -1 }

    mutating func forgetStoppers() {
        while let session = stopped.popLast() { stoppers[session] = -1 }
    }
}

/// Derives the verdict from the facts, for every session at every event.
///
/// Sessions are decided in order of their claims, strongest first. Whether a session is silenced, and its phase, depend
/// only on sessions with stronger claims, so one pass is enough. There are two exceptions. If a session with a weaker
/// claim stops speech, the pass is undone and repeated. If the description of a session that has ended changes, another
/// pass follows.
extension Engine {
    /// Updates phases, causes, verdicts and treatments after facts have changed.
    mutating func update(stream: Int? = nil, at now: Instant, _ effects: inout [Effect]) {
        resolve(at: now)
        let granted = delayed.isEmpty ? [] : grantDelayed(at: now)
        deriveEffects(stream, granted, at: now, &effects)
        requestWake(&effects)
    }

    func verdict(of slot: Int) -> SessionVerdict { slot >= 0 && slot < verdicts.count ? verdicts[slot] : .free }

    /// Decides about all sessions, in at most four passes.
    mutating func resolve(at now: Instant) {
        while verdicts.count < facts.sessions.capacity { verdicts.append(.free) }
        var passes = 0
        var isFirst = true
        var isAgain = true
        while isAgain, passes < 4 {
            passes += 1
            let leaving = work.leaving.count
            work.former.removeAll(keepingCapacity: true)
            if isFirst { work.forgetStoppers() }
            decideAll(isFirst: isFirst, at: now)
            isFirst = false
            isAgain = passes < 4 && stopSpeech(leaving)
            if isAgain { continue }
            while let slot = work.toDescribe.popLast() { if describe(slot) { isAgain = true } }
            isFirst = isAgain
        }
        findDuckers()
        if fading <= 0, !holders.isEmpty {
            for slot in holders {
                facts.updateSession(slot) {
                    $0.phase = .starting
                    $0.deadline = now.advanced(by: Engine.startLimit)
                }
                work.markChanged(slot)
                nextEnd = min(nextEnd ?? Switches.never, facts.sessions[slot]?.deadline ?? Switches.never)
            }
            holders.removeAll(keepingCapacity: true)
        }
    }

    /// Makes one pass over all sessions, strongest claim first.
    private mutating func decideAll(isFirst: Bool, at now: Instant) {
        heardActors.removeAll(keepingCapacity: true)
        fading = 0
        nextEnd = nil
        var position = 0
        while position < facts.order.count {
            let skipped = skipUnchanged(from: position)
            fading &+= skipped.audible
            if let actor = skipped.actor { heardActors.append(actor) }
            if let slot = skipped.undecided { decide(slot, isFirst: isFirst, at: now) }
            position = skipped.next
        }
    }

    /// Skips sessions whose verdict cannot have changed: nothing about them has changed, and either their cause still
    /// silences them or nobody with a stronger claim does. Most sessions are skipped most of the time.
    ///
    /// `decide` would reach the same verdicts, but takes ten times as long because it copies each session; here each is
    /// read in place. The function is non-mutating because in a mutating one the compiler copies the whole engine for
    /// every query.
    ///
    /// - Returns: What was found up to the next session that affects others or needs a new decision.
    private func skipUnchanged(from first: Int) -> SkippedSessions {
        var skipped = SkippedSessions(next: first)
        while skipped.next < facts.order.count {
            let slot = Int(facts.order[skipped.next])
            skipped.next += 1
            let isPassed = facts.sessions.read(slot) { session in
                guard session.isAtRest else { return false }
                if session.cause >= 0 {
                    guard isStillSilenced(slot, session.description, session.claim, by: session.cause) else {
                        return false
                    }
                    skipped.audible &+= max(session.audible, 0)
                    return true
                }
                if session.phase == .inactive, heardActors.isEmpty { return true }
                let traits = catalogue.traits(of: session.description)
                // Sessions with weaker claims may stop speech too.
                guard
                    heardActors.isEmpty
                        || !traits.contains(.speech) && !isSilencedByAny(slot, session.description, session.claim)
                else { return false }
                guard session.phase != .inactive, traits.contains(.affectsOthers) else { return true }
                guard facts.switches.pausedUntil == nil else { return false }
                skipped.actor = Actor(
                    slot: Int32(truncatingIfNeeded: slot), description: session.description, claim: session.claim)
                return true
            }
            if isPassed == false { skipped.undecided = slot }
            if skipped.undecided != nil || skipped.actor != nil { break }
        }
        return skipped
    }

    /// Whether the cause of a session still silences it in the same way.
    @inline(__always)
    private func isStillSilenced(
        _ slot: Int, _ description: DescriptionID, _ claim: UInt64, by cause: Int32
    ) -> Bool {
        // If the cause only mutes the session, another session may stop it.
        guard facts.switches.pausedUntil == nil, slot < verdicts.count, verdicts[slot].silencer == cause,
            verdicts[slot].silence != .mute
        else { return false }
        let act = facts.sessions.read(Int(cause)) { actor in
            guard actor.keepsVictimsWaiting else { return Interplay.Kind.mix }
            let interplay = catalogue.interplay(of: actor.description, on: description)
            if interplay == .none { return .mix }
            return silencing(
                Actor(slot: cause, description: actor.description, claim: actor.claim), interplay, slot, description,
                claim: claim)
        }
        return verdicts[slot].silence == (act == .pausePlayer ? .pausePlayer : act == .cork ? .cork : Silence.none)
    }

    private func isSilencedByAny(_ slot: Int, _ description: DescriptionID, _ claim: UInt64) -> Bool {
        for index in heardActors.indices {
            let interplay = catalogue.interplay(of: heardActors[index].description, on: description)
            if interplay != .none, silencing(heardActors[index], interplay, slot, description, claim: claim) != .mix {
                return true
            }
        }
        return false
    }

    /// Decides about one session after all sessions with stronger claims.
    private mutating func decide(_ slot: Int, isFirst: Bool, at now: Instant) {
        guard let old = facts.sessions[slot] else { return }
        let isPaused = facts.switches.pausedUntil != nil
        var session = old
        if session.block != .none { unblock(&session) }
        var act = Interplay.Kind.mix
        var cause: Int32 = -1
        // If only the session's own application can end its block, other sessions do not matter.
        let isStopped = session.block.isFinal
        if old.cause >= 0, !isStopped, let actor = facts.sessions[Int(old.cause)], actor.keepsVictimsWaiting {
            act = silencing(Int(old.cause), actor, slot, old)
            if act != .mix { cause = old.cause }
        }
        if isStopped {
            cause = -1
        } else if old.cause >= 0, cause < 0 {
            let letsResume = inheritCause(slot, session, &cause, &act)
            if cause < 0 || act == .mute { find(slot, session, isFirst: isFirst, &cause, &act) }
            if cause < 0, !letsResume, !isPaused {
                tellToStay(slot, &session)
                unblock(&session)
            }
            // The session has stopped asking since it was interrupted: it is told the end, even if another session
            // would silence it.
            if !session.requestsActivation, session.interruption == .announced, !session.isInterruptedAndMayResume {
                session.interruption = .ended
            }
        } else if cause < 0 || act == .mute {
            find(slot, session, isFirst: isFirst, &cause, &act)
        }
        session.cause = cause
        var verdict = SessionVerdict()
        if !isPaused {
            if cause >= 0 {
                verdict.silence = act == .mute ? .mute : act == .pausePlayer ? .pausePlayer : .cork
                verdict.silencer = cause
            } else if session.block != .none {
                verdict.silence = .cork
                verdict.block = session.block
            }
        }
        verdict.ducker = verdicts[slot].ducker
        let isSame =
            verdict == verdicts[slot] && session == old && !old.isDirty && !(old.deadline.map { $0 <= now } ?? false)
        if !isSame || old.resumesUntil.map({ $0 <= now }) ?? false {
            session.isDirty = false
            if catalogue.hasSpeech { work.former.append((slot, old, verdicts[slot])) }
            advance(slot, &session, old, verdict, at: now)
            verdicts[slot] = verdict
            facts.keepSession(slot, session)
            work.markChanged(slot)
        }
        if verdict.silence != .none, session.audible > 0 {
            fading &+= audible(slot, session, under: verdict)
        }
        if let end = session.deadline { nextEnd = min(nextEnd ?? end, end) }
        if let end = session.resumesUntil { nextEnd = min(nextEnd ?? end, end) }
        if session.phase != .inactive, verdict.silence == .none, !isPaused,
            catalogue.traits(of: session.description).contains(.affectsOthers)
        {
            heardActors.append(
                Actor(
                    slot: Int32(truncatingIfNeeded: slot), description: session.description, claim: session.claim))
        }
    }

    /// The number of a session's streams that can still be heard although they should be silent. R13: only other sessions
    /// silence user interface sounds, no block does.
    func audible(_ slot: Int, _ session: SessionFacts, under verdict: SessionVerdict) -> Int32 {
        verdict.silencer < 0 ? facts.audibleStreams(of: slot) : session.audible
    }

    /// Clears the block of a session to which it no longer applies.
    private func unblock(_ session: inout SessionFacts) {
        // A session that its application drives keeps its block: its application was told of it and has to activate
        // again.
        if !session.requestsActivation, !session.isDriven { session.block = .none }
        if !mayBeStopped(session) { session.block = .none }
    }

    /// Whether a block may silence a session. R36: nothing silences a call. R13, R31: a user interface sound does not
    /// inherit the block of streams that have ended.
    func mayBeStopped(_ session: SessionFacts) -> Bool {
        catalogue.traits(of: session.description).isDisjoint(with: [.interfaceSound, .call])
    }

    // MARK: - Causes

    /// How one session silences another; ``Interplay/Kind/mix`` if it does not.
    @inline(__always)
    func silencing(_ actor: Int, _ acting: SessionFacts, _ slot: Int, _ session: SessionFacts) -> Interplay.Kind {
        let interplay = catalogue.interplay(of: acting.description, on: session.description)
        if interplay == .none { return .mix }
        return silencing(
            Actor(slot: Int32(truncatingIfNeeded: actor), description: acting.description, claim: acting.claim),
            interplay,
            slot, session.description, claim: session.claim)
    }

    @inline(__always)
    func silencing(
        _ actor: Actor, _ interplay: PairInterplay, _ slot: Int, _ description: DescriptionID, claim: UInt64
    ) -> Interplay.Kind {
        guard Int(actor.slot) != slot, !spares(actor.slot, slot) else { return .mix }
        let kind = actor.claim.stampOfClaim > claim.stampOfClaim ? interplay.playing : interplay.newcomer
        if actor.claim > claim { return kind.silences ? kind : .mix }
        // N1, N2: speech is stopped rather than ducked, whichever came first. If two stop each other, the later one
        // wins.
        guard interplay.stopsSpeech, actor.claim.priorityOfClaim >= claim.priorityOfClaim else { return .mix }
        let back = catalogue.interplay(of: description, on: actor.description)
        return back.playing.silences ? .mix : .cork
    }

    /// Whether an actor leaves a session alone: an interruption by the system spares the application that began it
    /// (R36), everybody spares a session whose user wants it to be heard (N19), and who is quiet may spare everybody
    /// (N13). Who is heard elsewhere spares everybody here (N27).
    @inline(__always)
    func spares(_ actor: Int32, _ slot: Int) -> Bool {
        if catalogue.hasSounding, isQuiet(Int(actor)) { return true }
        if catalogue.hasZones, !facts.zones(of: Int(actor)).concerns(facts.zones(of: slot)) { return true }
        guard facts.sessions.read(Int(actor), { $0.sparesBeginner || $0.isOverruled }) == true else { return false }
        if freedoms[slot]?.contains(actor) == true { return true }
        return beginners[Int(actor)].map { facts.application(of: slot) == $0 } ?? false
    }

    /// Whether a session does something to others only while it sounds, and is quiet now (N13).
    private func isQuiet(_ slot: Int) -> Bool {
        facts.sessions.read(slot) { session in
            session.sounding <= 0 && session.firstStream >= 0
                && catalogue.traits(of: session.description).contains(.actsWhileSounding)
        } ?? false
    }

    /// Finds the heard session with the strongest claim that silences a session. If that one only mutes it, another may
    /// stop it.
    private mutating func find(
        _ slot: Int, _ session: SessionFacts, isFirst: Bool, _ cause: inout Int32, _ act: inout Interplay.Kind
    ) {
        for actor in heardActors {
            let interplay = catalogue.interplay(of: actor.description, on: session.description)
            if interplay == .none { continue }
            let kind = silencing(actor, interplay, slot, session.description, claim: session.claim)
            guard kind != .mix else { continue }
            if cause < 0 {
                cause = actor.slot
                act = kind
            } else if kind != .mute {
                act = kind
            }
            if act != .mute { return }
        }
        guard catalogue.traits(of: session.description).contains(.speech) else { return }
        if isFirst, let stopper = weakerStopper(of: slot, session) { work.expect(stopper, for: slot) }
        let stopper = work.stopper(for: slot)
        guard stopper >= 0 else { return }
        if cause < 0 { cause = stopper }
        act = .cork
    }

    /// N17: makes whoever interrupted a session's former cause its new cause, if it silences the session too.
    ///
    /// - Returns: Whether the session may resume if there is no new cause. The former cause decides that, or, if the
    ///   session that interrupted it is leaving and would silence this session too, that one.
    private func inheritCause(
        _ slot: Int, _ session: SessionFacts, _ cause: inout Int32, _ act: inout Interplay.Kind
    ) -> Bool {
        guard let left = facts.sessions[Int(session.cause)] else { return true }
        // N1: if the cause is speech that ends because this session is heard, its end does not tell this session to
        // stay.
        let isOwnDoing =
            work.stopper(for: Int(session.cause)) == Int32(truncatingIfNeeded: slot) || speaksOver(slot, session, left)
        var letsResume = !left.isLeaving || lets(slot, session, resumeAfter: left) || isOwnDoing
        // R64: if a route change stopped the former cause, its own end counts, not that of the session that interrupted
        // it.
        var isStoppedByRoute = left.block == .changedRoute
        var next = left.isLeaving ? left.formerCause : left.cause
        var steps = facts.order.count
        while next >= 0, steps > 0, let actor = facts.sessions[Int(next)] {
            steps -= 1
            let kind = silencing(Int(next), actor, slot, session)
            if kind != .mix, actor.keepsVictimsWaiting {
                cause = next
                act = kind
                break
            }
            if kind != .mix, actor.isLeaving, !isStoppedByRoute { letsResume = lets(slot, session, resumeAfter: actor) }
            if actor.block == .changedRoute { isStoppedByRoute = true }
            next = actor.isLeaving ? actor.formerCause : actor.cause
        }
        return letsResume
    }

    /// R31: whether a session that is leaving lets one resume that it has interrupted.
    private func lets(_ slot: Int, _ session: SessionFacts, resumeAfter left: SessionFacts) -> Bool {
        if left.letsResume || left.tellsToStay { return left.letsResume }
        let interplay = catalogue.interplay(of: left.description, on: session.description)
        // A weaker claim stops speech only as it does what was playing.
        let wasPlaying = left.claim < session.claim || left.stamp > session.stamp
        return wasPlaying ? interplay.playingResumes : interplay.newcomerResumes
    }

    /// Tells a session to stay silent: its cause ended without letting it resume, and there is no new cause (R31).
    private mutating func tellToStay(_ slot: Int, _ session: inout SessionFacts) {
        if session.isDriven {
            guard session.interruption != .none else { return }
            session.mayResume = false
            leave(slot, &session, letsResume: true)
            // R27: a session must be silent before it is told of an interruption, and hears of the beginning before the
            // end.
            guard session.interruption == .begun else { return }
        } else {
            // The session no longer waits for its output either (R64).
            guard session.requestsActivation, !session.block.isFinal, mayBeStopped(session) else { return }
            leave(slot, &session)
        }
        let cause = Int(session.cause)
        formerInterrupters[slot] = FormerInterrupter(interrupter(of: cause), facts.sessions[cause]?.description)
        session.block = .toldToStay
    }

    /// Gives up the sessions that this session has interrupted. Whoever interrupted this session becomes their cause;
    /// if nobody did, they are told the end.
    ///
    /// - Parameter letsResume: Whether they may resume. By default the session's description decides (R31), and a
    ///   session that was never heard lets them resume. For an activated interruption by the system, its role always
    ///   decides.
    mutating func leave(_ slot: Int, _ session: inout SessionFacts, letsResume: Bool? = nil) {
        guard !session.isLeaving else { return }
        session.isLeaving = true
        session.formerCause = session.cause
        let isSystem = session.isOpened && configurations[slot] == nil
        let said = isSystem && session.isDriven ? nil : letsResume
        session.tellsToStay = said == false
        session.letsResume =
            said
            ?? (catalogue.traits(of: session.description).contains(.letsOthersResume) || !session.wasHeard && !isSystem)
        session.wasHeard = false
        session.resumesUntil = nil
        work.leaving.append(slot)
    }

    // MARK: - Rejection

    /// R8: the heard session that rejects a session of this description; `nil` for none.
    func rejecter(of description: DescriptionID, _ slot: Int) -> Actor? {
        guard catalogue.hasRejections else { return nil }
        return firstHeard(besides: slot) {
            catalogue.interplay(of: $0.description, on: description).newcomer == .reject
        }
    }

    /// R8: the heard session that would reject or silence a session if it were activated now; `nil` for none. It can
    /// have a weaker claim if it stops speech (N1); an activation that is interrupted at once would be useless.
    func blocker(of slot: Int, as description: DescriptionID? = nil) -> Actor? {
        guard let session = facts.sessions[slot] else { return nil }
        let description = description ?? session.description
        if let rejecter = rejecter(of: description, slot) { return rejecter }
        let claim = facts.nextClaim(of: description, catalogue: catalogue)
        return firstHeard(besides: slot) {
            let interplay = catalogue.interplay(of: $0.description, on: description)
            return silencing($0, interplay, slot, description, claim: claim) != .mix
        }
    }

    /// The heard session with the strongest claim that satisfies a condition.
    private func firstHeard(besides slot: Int, where condition: (Actor) -> Bool) -> Actor? {
        if facts.switches.pausedUntil != nil { return nil }
        for other in facts.order where Int(other) != slot {
            guard let session = facts.sessions[Int(other)], session.phase != .inactive,
                verdict(of: Int(other)).silence == .none, !spares(other, slot)
            else { continue }
            let actor = Actor(slot: other, description: session.description, claim: session.claim)
            if condition(actor) { return actor }
        }
        return nil
    }
}
