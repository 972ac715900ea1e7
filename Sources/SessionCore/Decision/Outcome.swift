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
    private var claims = [UInt64](repeating: 0, count: Policy.maximumDescriptions)
    private var sessions = [Int32](repeating: -1, count: Policy.maximumDescriptions)

    /// Those present, the strongest claim first.
    private var order: [DescriptionID] = []

    mutating func removeAll() {
        present = 0
        order.removeAll(keepingCapacity: true)
    }

    mutating func insert(_ claimant: Claimant) {
        let index = Int(claimant.description.rawValue)
        guard index < claims.count, present & claimant.description.bit == 0 else { return }
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

    /// Of these descriptions, those whose session has a claim above a certain one.
    func above(_ claim: UInt64, of descriptions: UInt64) -> UInt64 {
        var result: UInt64 = 0
        forEach(descriptions & present) { id, index in if claims[index] > claim { result |= id.bit } }
        return result
    }

    private func forEach(_ descriptions: UInt64, _ body: (DescriptionID, Int) -> Void) {
        var rest = descriptions
        while rest != 0 {
            let index = rest.trailingZeroBitCount
            rest &= rest &- 1
            if index < claims.count { body(DescriptionID(UInt8(truncatingIfNeeded: index)), index) }
        }
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
    func treatment(of stream: StreamFacts, in session: SessionFacts, policy: borrowing Policy) -> Treatment {
        let verdict = self[Int(stream.session)]
        if verdict.silence != .none {
            // R13: a sound of the interface is dropped, not kept for later, and is silent as long as the interruption
            // lasts and no longer.
            let isInterfaceSound = policy.interplay.interfaceSounds & stream.description.bit != 0
            if !(isInterfaceSound && verdict.isSuperseded) {
                return Treatment(
                    silence: isInterfaceSound ? .mute : verdict.silence,
                    cause: verdict.isSuperseded ? .superseded : .interrupted, actor: verdict.silencerDescription)
            }
        }
        if session.phase == .holding {
            return Treatment(silence: .cork, cause: .handover, actor: session.description)
        }
        if let ducker = verdict.ducker, stream.direction == .playback {
            return Treatment(gain: policy.interplay.gain(of: ducker), cause: .ducked, actor: ducker)
        }
        return .untouched
    }

    /// Decides about every session anew.
    mutating func resolve(_ facts: borrowing Facts, _ policy: borrowing Policy) {
        verdicts.removeAll(keepingCapacity: true)
        findActors(facts, policy)
        var changed: [Change] = []
        for claimant in facts.claims.order { judge(claimant, policy, &changed) }
    }

    /// Brings the verdicts up to date after some sessions' claims have changed.
    ///
    /// - Parameters:
    ///   - sessions: Those whose claims have changed.
    ///   - isOfActors: One of them can do something to others, or could before.
    ///   - changed: Gets the sessions about which something else is decided now.
    mutating func update(
        _ sessions: [Int], isOfActors: Bool, _ facts: borrowing Facts, _ policy: borrowing Policy,
        changed: inout [Change]
    ) {
        if isOfActors {
            swap(&actors, &oldActors)
            findActors(facts, policy)
            if let range = actors.difference(from: oldActors, duckers: policy.interplay.duckers) {
                for place in facts.claims.places(in: range) { judge(facts.claims.order[place], policy, &changed) }
            }
        }
        for session in sessions {
            guard let claim = facts.sessions[session]?.claim, let claimant = facts.claims[claim] else { continue }
            judge(claimant, policy, &changed)
        }
    }

    /// Goes from the strongest claim down, each session against those above it that are heard themselves.
    private mutating func findActors(_ facts: borrowing Facts, _ policy: borrowing Policy) {
        actors.removeAll()
        let table = policy.interplay
        for claimant in facts.claims.order {
            guard claimant.isActive, table.actors & claimant.description.bit != 0, claimant.supersededBy == nil,
                table.silencers(of: claimant.description) & actors.present == 0
            else { continue }
            actors.insert(claimant)
        }
    }

    private mutating func judge(_ claimant: Claimant, _ policy: borrowing Policy, _ changed: inout [Change]) {
        let verdict = verdict(on: claimant, policy.interplay)
        let slot = Int(claimant.session)
        guard slot >= 0 else { return }
        let old = self[slot]
        guard old != verdict else { return }
        while verdicts.count <= slot { verdicts.append(.free) }
        verdicts[slot] = verdict
        changed.append(Change(session: slot, wasSilenced: old.silence != .none))
    }

    private func verdict(on claimant: Claimant, _ table: borrowing InterplayTable) -> SessionVerdict {
        var verdict = SessionVerdict()
        let suspects = table.silencers(of: claimant.description) & actors.present
        if suspects != 0 {
            let corkers = table.corkers(of: claimant.description)
            if let silencer = actors.strongest(of: suspects & corkers, above: claimant.claim) {
                verdict.silence = .cork
                verdict.silencerDescription = silencer
                return verdict
            }
            if let silencer = actors.strongest(of: suspects & ~corkers, above: claimant.claim) {
                verdict.silence = .mute
                verdict.silencerDescription = silencer
                return verdict
            }
        }
        if let successor = claimant.supersededBy {
            verdict.silence = .cork
            verdict.isSuperseded = true
            verdict.silencerDescription = successor
        }
        // R45: all other audio is lowered, whichever came first. But a ducker is lowered by the duckers that come before
        // it only, or two prompts would both be faint.
        var duckers = table.duckers(of: claimant.description) & actors.present
        if duckers != 0 {
            if table.duckers & claimant.description.bit != 0 {
                duckers = actors.above(claimant.claim, of: duckers)
            }
            verdict.ducker = table.deepest(of: duckers)
        }
        return verdict
    }
}
