/// Who is lowered by whom, when it is known who is heard.
extension Engine {
    /// Finds out who lowers whom.
    mutating func lower() {
        work.duckers.removeAll(keepingCapacity: true)
        for index in heardActors.indices
        where catalogue.traits(of: heardActors[index].description).contains(.ducks) {
            work.duckers.append(heardActors[index])
        }
        if work.duckers.isEmpty && !isLowering { return }
        isLowering = false
        for slot in 0..<facts.sessions.capacity {
            let verdict = verdicts[slot]
            guard !work.duckers.isEmpty || verdict.ducker >= 0, let session = facts.sessions[slot] else { continue }
            let isFree = verdict.silence == .none || verdict.silencer < 0
            let ducker = isFree ? ducker(of: slot, session, now: verdict.ducker) : -1
            verdicts[slot].ducker = ducker
            if ducker >= 0 { isLowering = true }
            // One that is something else now lowers others otherwise.
            let isSame = slot < presented.count && presented[slot].gain == gain(of: ducker, on: session)
            if ducker != verdict.ducker || !isSame { work.note(slot) }
        }
    }

    /// R45, N10: all other audio is lowered, whichever came first, by the one that asks for the lowest level. But of two that
    /// lower each other, only the one with the weaker claim is lowered, or two prompts would both be faint.
    private func ducker(of slot: Int, _ session: SessionFacts, now present: Int32) -> Int32 {
        var best: Int32 = -1
        var lowest = LinearGain.unity
        for index in work.duckers.indices {
            let actor = work.duckers[index]
            guard Int(actor.slot) != slot, !spares(actor.slot, slot) else { continue }
            let acts = catalogue.acts(of: actor.description, on: session.description)
            let kind = actor.claim.stampOfClaim > session.claim.stampOfClaim ? acts.playing : acts.newcomer
            guard kind == .duck else { continue }
            if actor.claim < session.claim {
                let back = catalogue.acts(of: session.description, on: actor.description)
                if back.playing == .duck || back.newcomer == .duck { continue }
            }
            let gain = catalogue.gain(of: actor.description, on: session.description)
            // Who lowers it already goes on doing so among equals.
            if best < 0 || gain < lowest || gain == lowest && actor.slot == present {
                best = actor.slot
                lowest = gain
            }
        }
        return best
    }
}
