/// Decides which session ducks which, after it is known who is heard.
extension Engine {
    /// Finds the ducker of every session.
    mutating func findDuckers() {
        work.duckers.removeAll(keepingCapacity: true)
        for index in heardActors.indices
        where catalogue.traits(of: heardActors[index].description).contains(.ducks) {
            work.duckers.append(heardActors[index])
        }
        if work.duckers.isEmpty && !isDucking { return }
        isDucking = false
        for slot in 0..<facts.sessions.capacity {
            let verdict = verdicts[slot]
            guard !work.duckers.isEmpty || verdict.ducker >= 0, let session = facts.sessions[slot] else { continue }
            let isFree = verdict.silence == .none || verdict.silencer < 0
            let ducker = isFree ? ducker(of: slot, session, now: verdict.ducker) : -1
            verdicts[slot].ducker = ducker
            if ducker >= 0 { isDucking = true }
            // The same ducker may have another description now, with another gain.
            let isSame = slot < treatmentInputs.count && treatmentInputs[slot].gain == gain(of: ducker, on: session)
            if ducker != verdict.ducker || !isSame { work.markChanged(slot) }
        }
    }

    /// R45, N10: the heard session that lowers this one furthest; −1 for none. All other audio is ducked, whichever
    /// came first. If two sessions duck each other, only the one with the weaker claim is ducked; otherwise two prompts
    /// would both be faint.
    private func ducker(of slot: Int, _ session: SessionFacts, now present: Int32) -> Int32 {
        var best: Int32 = -1
        var lowest = LinearGain.unity
        for index in work.duckers.indices {
            let actor = work.duckers[index]
            guard Int(actor.slot) != slot, !spares(actor.slot, slot) else { continue }
            let interplay = catalogue.interplay(of: actor.description, on: session.description)
            let kind = actor.claim.stampOfClaim > session.claim.stampOfClaim ? interplay.playing : interplay.newcomer
            guard kind == .duck else { continue }
            if actor.claim < session.claim {
                let back = catalogue.interplay(of: session.description, on: actor.description)
                if back.playing == .duck || back.newcomer == .duck { continue }
            }
            let gain = catalogue.gain(of: actor.description, on: session.description)
            // Among equal gains the present ducker stays.
            if best < 0 || gain < lowest || gain == lowest && actor.slot == present {
                best = actor.slot
                lowest = gain
            }
        }
        return best
    }
}
