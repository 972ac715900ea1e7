/// What is decided about one session.
struct SessionVerdict: Sendable, Equatable {
    /// Whether its streams are silenced, and how.
    var silence = Silence.none
    /// The slot of the session that silences it; −1 for none, and for what is not a session.
    var silencer: Int32 = -1
    /// What silences it besides, if no session does.
    var block = Block.none
    /// The slot of the session that lowers it furthest; −1 for none.
    var ducker: Int32 = -1

    static let free = SessionVerdict()
}

/// A session that is heard and does something to others.
struct Actor: Sendable, Equatable {
    var slot: Int32
    var description: DescriptionID
    var claim: UInt64
}

/// What was seen on the way down the claims.
private struct Passed {
    /// The place in the order that comes next.
    var next: Int
    /// How many streams can still be heard of those that are silenced.
    var audible: Int32 = 0
    /// The last one that was passed, if it does something to others.
    var actor: Actor?
    /// The slot of the one that has to be decided about.
    var undecided: Int?
}

/// Lists that live for one event.
struct Work: Sendable {
    /// Sessions about which something is different, each once.
    var changed: [Int] = []
    /// By session slot: whether it is among the changed.
    var isChanged: [Bool] = []
    /// The same in the order of their claims, while that is made.
    var sorted: [Int] = []
    /// Sessions that give up those that they have interrupted.
    var leaving: [Int] = []
    /// Sessions whose description may be another one.
    var toDescribe: [Int] = []
    /// Speech that is stopped by those that are looked at after it.
    var stopped: [Int] = []
    /// By session slot: who that is expected to be; −1 for nobody.
    var stoppers: [Int32] = []
    /// What the present look has changed, as it was before.
    var former: [(slot: Int, session: SessionFacts, verdict: SessionVerdict)] = []
    /// Those who leave, and have stopped speech that was looked at before.
    var gone: [(slot: Int, formerCause: Int32, letsResume: Bool)] = []
    /// Those of the sessions that are heard that lower others.
    var duckers: [Actor] = []
    /// Sessions that may have to be told something.
    var news: [Int] = []

    mutating func note(_ session: Int) {
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

/// From facts to the verdict, for every event and every session anew.
///
/// Sessions are looked at from the strongest claim down. Whether one is silenced depends on those above it alone, and so
/// does its phase; so each is looked at once. It is done again, for all, only where speech is stopped by somebody with a
/// weaker claim, from where the first look began, and where a session that has ended is something else now.
extension Engine {
    /// Brings phases, causes, verdicts and treatments up to date after facts have changed.
    mutating func update(stream: Int? = nil, at now: Instant, _ effects: inout [Effect]) {
        settle(at: now)
        let granted = waiting.isEmpty ? [] : grantWhatWaits(at: now)
        conclude(stream, granted, at: now, &effects)
        requestWake(&effects)
    }

    func verdict(of slot: Int) -> SessionVerdict { slot >= 0 && slot < verdicts.count ? verdicts[slot] : .free }

    /// Decides about all sessions.
    mutating func settle(at now: Instant) {
        while verdicts.count < facts.sessions.capacity { verdicts.append(.free) }
        var looks = 0
        var isFirst = true
        var isAgain = true
        while isAgain, looks < 4 {
            looks += 1
            let leaving = work.leaving.count
            work.former.removeAll(keepingCapacity: true)
            if isFirst { work.forgetStoppers() }
            look(isFirst: isFirst, at: now)
            isFirst = false
            isAgain = looks < 4 && stopSpeech(leaving)
            if isAgain { continue }
            while let slot = work.toDescribe.popLast() { if describe(slot) { isAgain = true } }
            isFirst = isAgain
        }
        lower()
        if fading <= 0, !holders.isEmpty {
            for slot in holders {
                facts.updateSession(slot) {
                    $0.phase = .starting
                    $0.deadline = now.advanced(by: Engine.startLimit)
                }
                work.note(slot)
                nextEnd = min(nextEnd ?? Switches.never, facts.sessions[slot]?.deadline ?? Switches.never)
            }
            holders.removeAll(keepingCapacity: true)
        }
    }

    /// Looks at all sessions, from the strongest claim down.
    private mutating func look(isFirst: Bool, at now: Instant) {
        heardActors.removeAll(keepingCapacity: true)
        fading = 0
        nextEnd = nil
        var place = 0
        while place < facts.order.count {
            let passed = pass(from: place)
            fading &+= passed.audible
            if let actor = passed.actor { heardActors.append(actor) }
            if let slot = passed.undecided { decide(slot, isFirst: isFirst, at: now) }
            place = passed.next
        }
    }

    /// Passes those of which nothing has changed and which all above them leave as they are: whoever silences one still does,
    /// and whom nobody silences nobody would. That is most sessions, most of the time.
    ///
    /// `decide` would come to the same for them, and takes ten times as long: here each is looked at where it lies. This
    /// changes nothing of the engine, because what does so copies the whole engine for every question that it asks it.
    ///
    /// - Returns: What was seen until the next one that does something to others, or that has to be decided about.
    private func pass(from first: Int) -> Passed {
        var passed = Passed(next: first)
        while passed.next < facts.order.count {
            let slot = Int(facts.order[passed.next])
            passed.next += 1
            let isPassed = facts.sessions.read(slot) { session in
                guard session.isAtRest else { return false }
                if session.cause >= 0 {
                    guard isStillSilenced(slot, session.description, session.claim, by: session.cause) else {
                        return false
                    }
                    passed.audible &+= max(session.audible, 0)
                    return true
                }
                if session.phase == .inactive, heardActors.isEmpty { return true }
                let traits = catalogue.traits(of: session.description)
                // Speech may be stopped by those below it too.
                guard
                    heardActors.isEmpty
                        || !traits.contains(.speech) && !isSilencedByAny(slot, session.description, session.claim)
                else { return false }
                guard session.phase != .inactive, traits.contains(.acts) else { return true }
                guard facts.switches.pausedUntil == nil else { return false }
                passed.actor = Actor(
                    slot: Int32(truncatingIfNeeded: slot), description: session.description, claim: session.claim)
                return true
            }
            if isPassed == false { passed.undecided = slot }
            if passed.undecided != nil || passed.actor != nil { break }
        }
        return passed
    }

    /// Whether the cause of a session goes on stopping it.
    @inline(__always)
    private func isStillSilenced(
        _ slot: Int, _ description: DescriptionID, _ claim: UInt64, by cause: Int32
    ) -> Bool {
        // One that is muted may be stopped by another one.
        guard facts.switches.pausedUntil == nil, slot < verdicts.count, verdicts[slot].silencer == cause,
            verdicts[slot].silence != .mute
        else { return false }
        let act = facts.sessions.read(Int(cause)) { actor in
            guard actor.holds else { return Interplay.Kind.mix }
            let acts = catalogue.acts(of: actor.description, on: description)
            if acts == .none { return .mix }
            return silencing(
                Actor(slot: cause, description: actor.description, claim: actor.claim), acts, slot, description,
                claim: claim)
        }
        return verdicts[slot].silence == (act == .pausePlayer ? .pausePlayer : act == .cork ? .cork : Silence.none)
    }

    private func isSilencedByAny(_ slot: Int, _ description: DescriptionID, _ claim: UInt64) -> Bool {
        for index in heardActors.indices {
            let acts = catalogue.acts(of: heardActors[index].description, on: description)
            if acts != .none, silencing(heardActors[index], acts, slot, description, claim: claim) != .mix {
                return true
            }
        }
        return false
    }

    /// Looks at one session, when all above it have been looked at.
    private mutating func decide(_ slot: Int, isFirst: Bool, at now: Instant) {
        guard let old = facts.sessions[slot] else { return }
        let isPaused = facts.switches.pausedUntil != nil
        var session = old
        if session.block != .none { unblock(&session) }
        var act = Interplay.Kind.mix
        var cause: Int32 = -1
        // Where only its own application makes it go on, nobody else matters.
        let isStopped = session.block.isFinal
        if old.cause >= 0, !isStopped, let actor = facts.sessions[Int(old.cause)], actor.holds {
            act = silencing(Int(old.cause), actor, slot, old)
            if act != .mix { cause = old.cause }
        }
        if isStopped {
            cause = -1
        } else if old.cause >= 0, cause < 0 {
            let letsResume = passOn(slot, session, &cause, &act)
            if cause < 0 || act == .mute { find(slot, session, isFirst: isFirst, &cause, &act) }
            if cause < 0, !letsResume, !isPaused {
                stay(slot, &session)
                unblock(&session)
            }
            // Who has given up meanwhile is told the end of it, though somebody else would silence it now.
            if !session.asks, session.interruption == .announced, !session.isInterruptedAndMayResume {
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
            work.note(slot)
        }
        if verdict.silence != .none, session.audible > 0 {
            // R13: a sound of the interface is not silenced by what is over.
            fading &+= verdict.block.isFinal ? facts.audibleStreams(of: slot) : session.audible
        }
        if let end = session.deadline { nextEnd = min(nextEnd ?? end, end) }
        if let end = session.resumesUntil { nextEnd = min(nextEnd ?? end, end) }
        if session.phase != .inactive, verdict.silence == .none, !isPaused,
            catalogue.traits(of: session.description).contains(.acts)
        {
            heardActors.append(
                Actor(
                    slot: Int32(truncatingIfNeeded: slot), description: session.description, claim: session.claim))
        }
    }

    /// Lets go of what keeps a session silent besides others, where that is over.
    private func unblock(_ session: inout SessionFacts) {
        // Who drives the session itself is told that another one took over, and asks again.
        if !session.asks, !session.isDriven { session.block = .none }
        if !mayBeStopped(session) { session.block = .none }
    }

    /// R36: nothing keeps a call silent. R13, R31: what was told to stay silent is gone; a sound of the interface that remains
    /// has no part in it.
    func mayBeStopped(_ session: SessionFacts) -> Bool {
        catalogue.traits(of: session.description).isDisjoint(with: [.interfaceSound, .call])
    }

    // MARK: - Who silences whom

    /// How a session silences another one; ``Interplay/Kind/mix`` if it does not.
    @inline(__always)
    func silencing(_ actor: Int, _ acting: SessionFacts, _ slot: Int, _ session: SessionFacts) -> Interplay.Kind {
        let acts = catalogue.acts(of: acting.description, on: session.description)
        if acts == .none { return .mix }
        return silencing(
            Actor(slot: Int32(truncatingIfNeeded: actor), description: acting.description, claim: acting.claim), acts,
            slot, session.description, claim: session.claim)
    }

    @inline(__always)
    func silencing(
        _ actor: Actor, _ acts: PairActs, _ slot: Int, _ description: DescriptionID, claim: UInt64
    ) -> Interplay.Kind {
        guard Int(actor.slot) != slot, !spares(actor.slot, slot) else { return .mix }
        let kind = actor.claim.stampOfClaim > claim.stampOfClaim ? acts.playing : acts.newcomer
        if actor.claim > claim { return kind.silences ? kind : .mix }
        // N1, N2: speech is stopped rather than spoken over, whoever came first; of two that stop each other, the latter.
        guard acts.stopsSpeech, actor.claim.priorityOfClaim >= claim.priorityOfClaim else { return .mix }
        let back = catalogue.acts(of: description, on: actor.description)
        return back.playing.silences ? .mix : .cork
    }

    /// R36: an interruption by the system does nothing to the application that has begun it.
    @inline(__always)
    func spares(_ actor: Int32, _ slot: Int) -> Bool {
        guard facts.sessions.read(Int(actor), { $0.sparesItsOwn }) == true else { return false }
        return beginners[Int(actor)].map { facts.application(of: slot) == $0 } ?? false
    }

    /// Of those that are heard, the strongest that silences a session. What is muted already may be stopped by another one.
    private mutating func find(
        _ slot: Int, _ session: SessionFacts, isFirst: Bool, _ cause: inout Int32, _ act: inout Interplay.Kind
    ) {
        for actor in heardActors {
            let acts = catalogue.acts(of: actor.description, on: session.description)
            if acts == .none { continue }
            let kind = silencing(actor, acts, slot, session.description, claim: session.claim)
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

    /// N17: whoever has interrupted a session's cause takes its place, if it silences the session too.
    ///
    /// - Returns: What the session is told if nobody takes the place: as its cause leaves; or as that one does to which the
    ///   cause would have left it, if it leaves too.
    private func passOn(
        _ slot: Int, _ session: SessionFacts, _ cause: inout Int32, _ act: inout Interplay.Kind
    ) -> Bool {
        guard let left = facts.sessions[Int(session.cause)] else { return true }
        // N1: if the cause is speech that ends because this session is heard, its end does not tell this session to stay.
        let isOwnDoing =
            work.stopper(for: Int(session.cause)) == Int32(truncatingIfNeeded: slot) || speaksOver(slot, session, left)
        var letsResume = !left.isLeaving || left.letsResume || isOwnDoing
        // R64: a session that a route change has stopped tells its own end, not that of whoever had interrupted it.
        var isStoppedByRoute = left.block == .changedRoute
        var next = left.isLeaving ? left.formerCause : left.cause
        var steps = facts.order.count
        while next >= 0, steps > 0, let actor = facts.sessions[Int(next)] {
            steps -= 1
            let kind = silencing(Int(next), actor, slot, session)
            if kind != .mix, actor.holds {
                cause = next
                act = kind
                break
            }
            if kind != .mix, actor.isLeaving, !isStoppedByRoute { letsResume = actor.letsResume }
            if actor.block == .changedRoute { isStoppedByRoute = true }
            next = actor.isLeaving ? actor.formerCause : actor.cause
        }
        return letsResume
    }

    /// R31: the cause of a session has ended without letting it resume, and nobody takes its place.
    private mutating func stay(_ slot: Int, _ session: inout SessionFacts) {
        if session.isDriven {
            guard session.interruption != .none else { return }
            session.mayResume = false
            leave(slot, &session, letsResume: true)
            // R27: that it was interrupted it is told first, when it is silent.
            guard session.interruption == .begun else { return }
        } else {
            // Nor does it wait for its output any more (R64).
            guard session.asks, !session.block.isFinal, mayBeStopped(session) else { return }
            leave(slot, &session)
        }
        let cause = Int(session.cause)
        departed[slot] = Departed(interrupter(of: cause), facts.sessions[cause]?.description)
        session.block = .toldToStay
    }

    /// Gives up those that a session has interrupted: whoever has interrupted it gets them, or they are told its end.
    ///
    /// - Parameter letsResume: What they are told; by default what its description says (R31), and that they may resume if
    ///   it was never heard. Of an interruption by the system that has been activated, always what its role says.
    mutating func leave(_ slot: Int, _ session: inout SessionFacts, letsResume: Bool? = nil) {
        guard !session.isLeaving else { return }
        session.isLeaving = true
        session.formerCause = session.cause
        let isSystem = session.isOpened && configurations[slot] == nil
        session.letsResume =
            (isSystem && session.isDriven ? nil : letsResume)
            ?? (catalogue.traits(of: session.description).contains(.letsOthersResume) || !session.wasHeard && !isSystem)
        session.wasHeard = false
        session.resumesUntil = nil
        work.leaving.append(slot)
    }

    // MARK: - Who may begin

    /// R8: who of those that are heard does not let a session of a description begin.
    func rejecter(of description: DescriptionID, _ slot: Int) -> Actor? {
        guard catalogue.hasRejections else { return nil }
        return firstHeard(besides: slot) { catalogue.acts(of: $0.description, on: description).newcomer == .reject }
    }

    /// R8: who of those that are heard would silence a session if it asked to be heard now, or does not let it begin. That can be
    /// one with a weaker claim, which stops speech (N1): an activation that is interrupted at once would be of no use.
    func blocker(of slot: Int, as description: DescriptionID? = nil) -> Actor? {
        guard let session = facts.sessions[slot] else { return nil }
        let description = description ?? session.description
        if let rejecter = rejecter(of: description, slot) { return rejecter }
        let claim = facts.nextClaim(of: description, catalogue: catalogue)
        return firstHeard(besides: slot) {
            let acts = catalogue.acts(of: $0.description, on: description)
            return silencing($0, acts, slot, description, claim: claim) != .mix
        }
    }

    /// Of those that are heard, the one with the strongest claim that does something to a session.
    private func firstHeard(besides slot: Int, where acts: (Actor) -> Bool) -> Actor? {
        if facts.switches.pausedUntil != nil { return nil }
        for place in facts.order where Int(place) != slot {
            guard let session = facts.sessions[Int(place)], session.phase != .inactive,
                verdict(of: Int(place)).silence == .none, !spares(place, slot)
            else { continue }
            let actor = Actor(slot: place, description: session.description, claim: session.claim)
            if acts(actor) { return actor }
        }
        return nil
    }
}
