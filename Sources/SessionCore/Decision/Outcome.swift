/// What is decided about one session.
struct SessionVerdict: Sendable, Equatable {
    /// Whether its streams are silenced, and how.
    var silence = Silence.none
    /// Whether the silence is that of R31: the interrupter is gone, the application has to resume.
    var isSuperseded = false
    /// The session that silences it, and its description.
    var silencer: Int?
    var silencerDescription: DescriptionID?
    /// The description of the session that lowers it furthest.
    var ducker: DescriptionID?

    static let free = SessionVerdict()
}

/// The verdict: for every session, whether it may be heard and how loud. A total function of the facts.
struct Outcome: Sendable, Equatable {
    /// By session slot.
    private(set) var sessions: [SessionVerdict] = []

    subscript(session: Int) -> SessionVerdict {
        session >= 0 && session < sessions.count ? sessions[session] : .free
    }

    /// Drops what was decided about a session that is gone, before its slot is used again.
    mutating func forget(_ session: Int) {
        if session >= 0, session < sessions.count { sessions[session] = .free }
    }

    /// What is done to a stream, given what is decided about its session.
    func treatment(of stream: StreamFacts, in session: SessionFacts, policy: Policy) -> Treatment {
        let verdict = self[stream.session]
        if verdict.silence != .none {
            // R13: a sound of the interface is dropped, not kept for later.
            let isInterfaceSound = policy[stream.description]?.category == .uiSound
            return Treatment(
                silence: isInterfaceSound ? .mute : verdict.silence,
                cause: verdict.isSuperseded ? .superseded : .interrupted, actor: verdict.silencerDescription)
        }
        if session.phase == .holding {
            return Treatment(silence: .cork, cause: .handover, actor: session.description)
        }
        if let ducker = verdict.ducker, stream.direction == .playback, let ducking = policy[ducker]?.ducking {
            return Treatment(gain: ducking.gain.linear, cause: .ducked, actor: ducker)
        }
        return .untouched
    }

    /// Decides about every session.
    ///
    /// Sessions are judged from the strongest claim down, each against those above it that are heard themselves. Two
    /// words hold the descriptions of these, so that a session costs a few operations, however many there are.
    mutating func resolve(_ facts: borrowing Facts, _ policy: borrowing Policy) {
        let table = policy.interplay
        sessions.removeAll(keepingCapacity: true)
        sessions.append(contentsOf: repeatElement(.free, count: facts.sessions.capacity))
        var active: UInt64 = 0
        var strongest = [Int](repeating: -1, count: policy.descriptions.count)
        for slot in facts.order {
            guard let session = facts.sessions[slot], slot < sessions.count else { continue }
            let description = Int(session.description.rawValue)
            guard description < strongest.count else { continue }
            let corkers = table.corkedBy[description] & active
            let silencers = corkers | (table.mutedBy[description] & active)
            if silencers != 0 {
                let silencer = Self.first(of: silencers, in: strongest, facts)
                sessions[slot].silence = corkers != 0 ? .cork : .mute
                sessions[slot].silencer = silencer
                sessions[slot].silencerDescription = silencer.flatMap { facts.sessions[$0]?.description }
            } else if let successor = session.supersededBy {
                sessions[slot].silence = .cork
                sessions[slot].isSuperseded = true
                sessions[slot].silencerDescription = successor
            } else {
                let bit: UInt64 = 1 << UInt64(truncatingIfNeeded: description)
                // A ducker is lowered by the duckers that come before it only, or two prompts would both be faint.
                if table.duckers & bit != 0 {
                    sessions[slot].ducker = Self.deepest(of: table.duckedBy[description] & active, policy)
                }
                if session.phase != .inactive {
                    active |= bit
                    if strongest[description] < 0 { strongest[description] = slot }
                }
            }
        }
        let duckers = active & table.duckers
        guard duckers != 0 else { return }
        // R45: all other audio is lowered, whichever came first.
        for slot in facts.order {
            guard let session = facts.sessions[slot], slot < sessions.count else { continue }
            let description = Int(session.description.rawValue)
            guard description < strongest.count else { continue }
            let bit: UInt64 = 1 << UInt64(truncatingIfNeeded: description)
            if table.duckers & bit == 0 {
                sessions[slot].ducker = Self.deepest(of: table.duckedBy[description] & duckers, policy)
            }
        }
    }

    /// Of the sessions that represent these descriptions, the one with the strongest claim.
    private static func first(of descriptions: UInt64, in strongest: [Int], _ facts: borrowing Facts) -> Int? {
        var best: Int?
        var bestClaim: UInt64 = 0
        var rest = descriptions
        while rest != 0 {
            let index = rest.trailingZeroBitCount
            rest &= rest &- 1
            guard index < strongest.count, let claim = facts.sessions[strongest[index]]?.claim else { continue }
            if best == nil || claim > bestClaim {
                best = strongest[index]
                bestClaim = claim
            }
        }
        return best
    }

    /// N10: of several duckers, the one that asks for the lowest level; they do not add up.
    private static func deepest(of descriptions: UInt64, _ policy: borrowing Policy) -> DescriptionID? {
        var best: DescriptionID?
        var bestGain = Decibels(.infinity)
        var rest = descriptions
        while rest != 0 {
            let id = DescriptionID(UInt8(truncatingIfNeeded: rest.trailingZeroBitCount))
            rest &= rest &- 1
            guard let gain = policy[id]?.ducking.gain else { continue }
            if gain < bestGain {
                best = id
                bestGain = gain
            }
        }
        return best
    }
}
