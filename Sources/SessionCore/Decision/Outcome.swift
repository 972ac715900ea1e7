/// What is decided about one session.
struct SessionVerdict: Sendable, Equatable {
    /// Whether its streams are silenced, and how.
    var silence = Silence.none
    /// Whether the silence is that of R31: the interrupter is gone, the application has to resume.
    var isSuperseded = false
    /// The description of the session that silences it.
    var silencerDescription: DescriptionID?
    /// The description of the session that lowers it furthest.
    var ducker: DescriptionID?

    static let free = SessionVerdict()
}

/// Of each description, the session with the strongest claim that is heard and does something to others. It stands for
/// all sessions of its description, so a verdict costs a few operations, however many sessions there are.
struct Actors: Sendable, Equatable {
    /// The descriptions that are present.
    private(set) var present: UInt64 = 0
    /// By description; of interest where present.
    private var claims = [UInt64](repeating: 0, count: Catalogue.capacity)
    private var sessions = [Int32](repeating: -1, count: Catalogue.capacity)
    /// The claim of the one that was there first.
    private var firstClaims = [UInt64](repeating: 0, count: Catalogue.capacity)

    /// Those present, the strongest claim first.
    private var order: [DescriptionID] = []

    mutating func removeAll() {
        present = 0
        order.removeAll(keepingCapacity: true)
    }

    /// Adds one; the strongest claims come first.
    mutating func insert(_ claimant: Claimant) {
        let index = Int(claimant.description.rawValue)
        guard index < claims.count else { return }
        firstClaims[index] = claimant.claim
        guard present & claimant.description.bit == 0 else { return }
        present |= claimant.description.bit
        order.append(claimant.description)
        claims[index] = claimant.claim
        sessions[index] = claimant.session
    }

    func session(_ description: DescriptionID) -> Int32 {
        let index = Int(description.rawValue)
        return index < sessions.count ? sessions[index] : -1
    }

    /// Of these descriptions, the one whose session has the strongest claim above a certain one.
    func strongest(of descriptions: UInt64, above claim: UInt64) -> DescriptionID? {
        var best: DescriptionID?
        var bestClaim = claim
        forEach(descriptions & present) { id, index in
            if claims[index] > bestClaim {
                best = id
                bestClaim = claims[index]
            }
        }
        return best
    }

    /// Those that act on a claimant, of those whose acts depend on who of the two came first.
    ///
    /// - Parameters:
    ///   - playing: Who acts on it if they came later.
    ///   - newcomer: Who acts on it if they came earlier.
    ///   - mustBeAbove: They act only if their claim is the stronger one.
    func acting(
        on claim: UInt64, playing: UInt64, newcomer: UInt64, mustBeAbove: Bool
    ) -> UInt64 {
        var result: UInt64 = 0
        forEach((playing | newcomer) & present) { id, index in
            let later = claims[index]
            let earlier = firstClaims[index]
            if playing & id.bit != 0, later.stamp > claim.stamp, !mustBeAbove || later > claim {
                result |= id.bit
            } else if newcomer & id.bit != 0, earlier.stamp < claim.stamp, !mustBeAbove || earlier > claim {
                result |= id.bit
            }
        }
        return result
    }

    /// Of these descriptions, those of which a session is present that has another claim.
    func others(than claim: UInt64, of descriptions: UInt64) -> UInt64 {
        var result: UInt64 = 0
        forEach(descriptions & present) { id, index in
            if claims[index] != claim || firstClaims[index] != claim { result |= id.bit }
        }
        return result
    }

    /// Whether the strongest session of a description has a claim above a certain one.
    func isAbove(_ claim: UInt64, _ description: DescriptionID) -> Bool {
        let index = Int(description.rawValue)
        return index < claims.count && present & description.bit != 0 && claims[index] > claim
    }

    private func forEach(_ descriptions: UInt64, _ body: (DescriptionID, Int) -> Void) {
        var rest = descriptions
        while rest != 0 {
            let index = rest.trailingZeroBitCount
            rest &= rest &- 1
            if index < claims.count { body(DescriptionID(UInt8(truncatingIfNeeded: index)), index) }
        }
    }

    /// Whether any of them has come, gone or moved, the first ones of each description too.
    func differs(from old: Actors) -> Bool {
        var differs = present != old.present
        forEach(present & old.present) { _, index in
            if claims[index] != old.claims[index] || firstClaims[index] != old.firstClaims[index] { differs = true }
        }
        return differs
    }

    /// The claims between which a session has to be judged anew because other actors stand above it; `nil` for none.
    ///
    /// Who stands above a session changes only if one of the actors has come, gone or moved past it, and who of them is
    /// the strongest only if they have moved past each other. A ducker lowers others wherever they stand.
    func difference(from old: Actors, duckers: UInt64) -> ClosedRange<UInt64>? {
        let changed = present ^ old.present
        if changed & duckers != 0 { return 0...UInt64.max }
        var low = UInt64.max
        var high: UInt64 = 0
        forEach(present | old.present) { id, index in
            let new = present & id.bit != 0 ? claims[index] : 0
            let former = old.present & id.bit != 0 ? old.claims[index] : 0
            guard new != former else { return }
            low = min(low, new, former)
            high = max(high, new, former)
        }
        guard low <= high else { return nil }
        return (order == old.order ? low : 0)...high
    }

    static func == (left: Actors, right: Actors) -> Bool {
        left.difference(from: right, duckers: 0) == nil && left.present == right.present
    }
}

/// The verdict: for every session, whether it may be heard and how loud. A total function of the facts.
struct Outcome: Sendable, Equatable {
    /// A session about which something else is decided than before.
    struct Change: Sendable {
        var session: Int
        var wasSilenced: Bool
    }

    /// By session slot.
    private var verdicts: [SessionVerdict] = []
    private var actors = Actors()
    /// The actors before; kept for its memory.
    private var oldActors = Actors()
    /// What the user has switched, as of the last ``resolve(_:_:)``.
    private var switches = Switches()

    /// The policy is suspended; any switch is on.
    private var isPaused = false
    private var isSwitched = false

    subscript(session: Int) -> SessionVerdict {
        session >= 0 && session < verdicts.count ? verdicts[session] : .free
    }

    /// Of the sessions with this description, the one that is heard and has the strongest claim; −1 without one.
    func actor(_ description: DescriptionID) -> Int {
        actors.present & description.bit != 0 ? Int(actors.session(description)) : -1
    }

    /// Drops what was decided about a session that is gone, before its slot is used again.
    mutating func forget(_ session: Int) {
        if session >= 0, session < verdicts.count { verdicts[session] = .free }
    }

    /// What is done to a stream, given what is decided about its session.
    func treatment(of stream: StreamFacts, in session: SessionFacts, catalogue: borrowing Catalogue) -> Treatment {
        if isPaused { return .untouched }
        let verdict = self[Int(stream.session)]
        let isInterfaceSound = catalogue.interfaceSounds & stream.description.bit != 0
        if catalogue.deviceless & session.description.bit != 0 && !isInterfaceSound {
            return Treatment(silence: .cork, cause: .noDevice)
        }
        if verdict.silence != .none {
            // R13: a sound of the interface is dropped, not kept for later, and is silent as long as the interruption
            // lasts and no longer.
            if !(isInterfaceSound && verdict.isSuperseded) {
                let actor = verdict.silencerDescription
                let usual: Cause = !verdict.isSuperseded ? .interrupted : session.isRejected ? .rejected : .superseded
                let cause =
                    actor == .mutedInput
                    ? Cause.inputMuted : actor?.isOfRoute ?? false ? Cause.routeDisconnected : usual
                return Treatment(
                    silence: isInterfaceSound ? .mute : verdict.silence, cause: cause, actor: actor)
            }
        }
        // R26: an opened session that is not active is not heard.
        if session.isDriven && !session.isActivated && !isInterfaceSound {
            return Treatment(silence: .cork, cause: .inactive)
        }
        if isSwitched, stream.direction == .playback,
            let cause = catalogue.switchedOff(by: switches, isInterfaceSound ? stream.description : session.description)
        {
            return Treatment(silence: .mute, cause: cause)
        }
        if session.phase == .holding {
            return Treatment(silence: .cork, cause: .handover, actor: session.description)
        }
        if let ducker = verdict.ducker, stream.direction == .playback {
            return Treatment(gain: catalogue.gain(of: ducker, on: session.description), cause: .ducked, actor: ducker)
        }
        return .untouched
    }

    /// Decides about every session anew.
    mutating func resolve(_ facts: borrowing Facts, _ catalogue: borrowing Catalogue) {
        verdicts.removeAll(keepingCapacity: true)
        switches = facts.switches
        isPaused = switches.pausedUntil != nil
        isSwitched = switches.isSilent || switches.isLocked || switches.isUndisturbed
        findActors(facts, catalogue)
        var changed: [Change] = []
        for claimant in facts.claims.order { judge(claimant, catalogue, &changed) }
    }

    /// Brings the verdicts up to date after some sessions' claims have changed.
    ///
    /// - Parameters:
    ///   - sessions: Those whose claims have changed.
    ///   - isOfActors: One of them can do something to others, or could before.
    ///   - isOfAll: Who does what to whom has changed.
    ///   - changed: Gets the sessions about which something else is decided now.
    mutating func update(
        _ sessions: [Int], isOfActors: Bool, isOfAll: Bool, _ facts: borrowing Facts, _ catalogue: borrowing Catalogue,
        changed: inout [Change]
    ) {
        if isOfActors || isOfAll {
            swap(&actors, &oldActors)
            findActors(facts, catalogue)
            if isOfAll || catalogue.dependsOnOrder {
                if isOfAll || actors.differs(from: oldActors) {
                    for claimant in facts.claims.order { judge(claimant, catalogue, &changed) }
                }
            } else if let range = actors.difference(from: oldActors, duckers: catalogue.duckers) {
                for place in facts.claims.places(in: range) { judge(facts.claims.order[place], catalogue, &changed) }
            }
        }
        for session in sessions {
            guard let claim = facts.sessions[session]?.claim, let claimant = facts.claims[claim] else { continue }
            judge(claimant, catalogue, &changed)
        }
    }

    /// Goes from the strongest claim down, each session against those above it that are heard themselves.
    private mutating func findActors(_ facts: borrowing Facts, _ catalogue: borrowing Catalogue) {
        actors.removeAll()
        if isPaused { return }
        for claimant in facts.claims.order {
            guard claimant.isActive, catalogue.actors & claimant.description.bit != 0, claimant.supersededBy == nil,
                silencers(of: claimant, catalogue) == 0
            else { continue }
            actors.insert(claimant)
        }
    }

    /// The descriptions of those that silence a session.
    private func silencers(of claimant: Claimant, _ catalogue: borrowing Catalogue) -> UInt64 {
        let playing = catalogue.playing(claimant.description).silencers
        let newcomer = catalogue.newcomer(claimant.description).silencers
        guard (playing | newcomer) & actors.present != 0 else { return 0 }
        return actors.acting(on: claimant.claim, playing: playing, newcomer: newcomer, mustBeAbove: true)
    }

    /// R8: who of those that are heard does not let a session of a description begin.
    ///
    /// - Parameter claim: The session's own, which does not stand in its own way.
    func rejecter(
        of description: DescriptionID, claiming claim: UInt64, _ catalogue: borrowing Catalogue
    ) -> DescriptionID? {
        let rejecters = catalogue.newcomer(description).rejecters & actors.present
        return rejecters == 0 ? nil : actors.strongest(of: actors.others(than: claim, of: rejecters), above: 0)
    }

    /// R8: who of those that are heard would silence a session with a claim, or does not let it begin.
    ///
    /// - Parameters:
    ///   - claim: What it would claim.
    ///   - own: What it claims now: it does not stand in its own way.
    func blocker(
        of description: DescriptionID, claiming claim: UInt64, own: UInt64, _ catalogue: borrowing Catalogue
    ) -> DescriptionID? {
        if let rejecter = rejecter(of: description, claiming: own, catalogue) { return rejecter }
        let playing = catalogue.playing(description).silencers
        let newcomer = catalogue.newcomer(description).silencers
        let silencers = actors.acting(on: claim, playing: playing, newcomer: newcomer, mustBeAbove: true)
        return actors.strongest(of: actors.others(than: own, of: silencers), above: claim)
    }

    private mutating func judge(_ claimant: Claimant, _ catalogue: borrowing Catalogue, _ changed: inout [Change]) {
        let verdict = verdict(on: claimant, catalogue)
        let slot = Int(claimant.session)
        guard slot >= 0 else { return }
        let old = self[slot]
        guard old != verdict else { return }
        while verdicts.count <= slot { verdicts.append(.free) }
        verdicts[slot] = verdict
        changed.append(Change(session: slot, wasSilenced: old.silence != .none))
    }

    @inline(__always)
    private func verdict(on claimant: Claimant, _ catalogue: borrowing Catalogue) -> SessionVerdict {
        var verdict = SessionVerdict()
        if isPaused { return verdict }
        let suspects = silencers(of: claimant, catalogue)
        if suspects != 0 {
            // One that would cork a newcomer may only mute what was there before, and the other way round.
            let corkers = actors.acting(
                on: claimant.claim, playing: catalogue.playing(claimant.description).corkers,
                newcomer: catalogue.newcomer(claimant.description).corkers, mustBeAbove: true)
            if let silencer = actors.strongest(of: corkers, above: claimant.claim) {
                verdict.silence = .cork
                verdict.silencerDescription = silencer
                let playing = catalogue.playing(claimant.description).pausers & silencer.bit
                let newcomer = catalogue.newcomer(claimant.description).pausers & silencer.bit
                if playing | newcomer != 0 {
                    let pausers = actors.acting(
                        on: claimant.claim, playing: playing, newcomer: newcomer, mustBeAbove: true)
                    if pausers != 0 { verdict.silence = .pausePlayer }
                }
                return verdict
            }
            if let silencer = actors.strongest(of: suspects, above: claimant.claim) {
                verdict.silence = .mute
                verdict.silencerDescription = silencer
                return verdict
            }
        }
        if let successor = claimant.supersededBy {
            verdict.silence = .cork
            verdict.isSuperseded = successor != .awaitedOutput && successor != .mutedInput
            verdict.silencerDescription = successor
        }
        verdict.ducker = ducker(of: claimant, catalogue)
        return verdict
    }

    /// R45: all other audio is lowered, whichever came first. But of two that lower each other, only the one with the
    /// weaker claim is lowered, or two prompts would both be faint.
    private func ducker(of claimant: Claimant, _ catalogue: borrowing Catalogue) -> DescriptionID? {
        let playing = catalogue.playing(claimant.description).duckers
        let newcomer = catalogue.newcomer(claimant.description).duckers
        guard (playing | newcomer) & actors.present != 0 else { return nil }
        var duckers = actors.acting(on: claimant.claim, playing: playing, newcomer: newcomer, mustBeAbove: false)
        var rest = duckers
        while rest != 0 {
            let id = DescriptionID(UInt8(truncatingIfNeeded: rest.trailingZeroBitCount))
            rest &= rest &- 1
            let isMutual =
                (catalogue.playing(id).duckers | catalogue.newcomer(id).duckers) & claimant.description.bit != 0
            if isMutual && !actors.isAbove(claimant.claim, id) { duckers &= ~id.bit }
        }
        return catalogue.deepest(of: duckers, on: claimant.description)
    }
}

extension UInt64 {
    /// Of a claim: when it was made, in the order of all claims.
    fileprivate var stamp: UInt64 { self & (1 << 55 - 1) }
}
