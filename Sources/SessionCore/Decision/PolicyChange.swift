/// How another policy takes the place of the present one, while streams play.
extension Engine {
    /// Brings everything into the state that the new policy asks for, from wherever it is.
    ///
    /// What happened stays: who plays, who asked last, who was told what. Descriptions are other ones, so everything that
    /// refers to them is translated by name or derived anew.
    mutating func change(
        to policy: Policy, _ descriptions: [StreamID: SessionDescription], at now: Instant, _ effects: inout [Effect]
    ) {
        let old = catalogue
        catalogue = Catalogue(policy: policy)
        let emptied = leaveAlone(except: descriptions, &effects)
        var ids: [DescriptionID?] = []
        for slot in 0..<facts.streams.capacity {
            ids.append(
                facts.streams[slot].flatMap { descriptions[$0.id] }.flatMap {
                    catalogue.id(of: $0)
                })
        }
        func translated(_ id: DescriptionID?) -> DescriptionID? {
            id.flatMap { old[$0]?.name }.flatMap { catalogue.id(named: $0) }
        }
        // A session that outlives its last stream for a moment stays what it was.
        var former: [DescriptionID?] = []
        for slot in 0..<facts.sessions.capacity {
            former.append(facts.sessions[slot].flatMap { old[$0.description] }.flatMap { catalogue.id(of: $0) })
        }
        facts.redescribe(ids, sessions: former, catalogue: catalogue) { session in
            // R31, R8: nobody stays superseded by what does not do so any more.
            if let port = session.supersededBy, port.isOfRoute {
                // R36: what is a call now goes on wherever it is heard.
                return catalogue[session.description]?.goesOnElsewhere == true ? nil : port
            }
            guard let successor = translated(session.supersededBy) else { return nil }
            let isStill = catalogue.isKept(session.description, fromBeginning: session.isRejected, by: successor)
            return isStill ? successor : nil
        }
        // What the policy leaves alone from now on does nothing to others, not even for the time of its release delay.
        for slot in emptied where facts.sessions[slot]?.firstStream ?? 0 < 0 {
            release(slot, at: now)
        }
        for slot in applied.indices { applied[slot].actor = translated(applied[slot].actor) }
        reconsider(at: now, &effects)
    }

    /// Gives back the streams that the new policy leaves alone, or for which it has no room. Returns their sessions.
    private mutating func leaveAlone(
        except descriptions: [StreamID: SessionDescription], _ effects: inout [Effect]
    ) -> Set<Int> {
        var sessions: Set<Int> = []
        for slot in 0..<facts.streams.capacity {
            guard let stream = facts.streams[slot] else { continue }
            if let description = descriptions[stream.id], catalogue.id(of: description) != nil { continue }
            giveBack(slot, stream, &effects)
            if facts.sessions[Int(stream.session)]?.phase != .inactive { sessions.insert(Int(stream.session)) }
        }
        return sessions
    }

    /// Leaves one stream alone that was part of a session until now.
    mutating func leaveAlone(_ id: StreamID, at now: Instant, _ effects: inout [Effect]) {
        guard let slot = facts.slot(of: id), let stream = facts.streams[slot] else { return }
        let session = Int(stream.session)
        giveBack(slot, stream, &effects)
        // Nothing is left there that could claim anything for the time of a release delay.
        if let known = facts.sessions[session], known.wanted == 0, !known.isDriven { release(session, at: now) }
        update(session: session, at: now, &effects)
    }

    /// Undoes what was done to a stream, and forgets it.
    private mutating func giveBack(_ slot: Int, _ stream: StreamFacts, _ effects: inout [Effect]) {
        if slot < applied.count, applied[slot] != .untouched {
            let fade = stream.isRunning ? Engine.usualFade : .zero
            effects.append(.treat(stream.id, .untouched, within: fade, after: .zero))
            applied[slot] = .untouched
        }
        change(slot) {
            $0.isWanted = false
            $0.isRunning = false
        }
        facts.removeStream(slot)
    }

    /// The descriptions that anything refers to.
    var descriptionsInUse: UInt64 {
        var result: UInt64 = 0
        func note(_ id: DescriptionID?) { result |= id?.bit ?? 0 }
        for slot in 0..<facts.sessions.capacity {
            guard let session = facts.sessions[slot] else { continue }
            result |= session.descriptions | session.wantedDescriptions
            note(session.description)
            note(session.supersededBy)
            note(outcome[slot].ducker)
            note(outcome[slot].silencerDescription)
        }
        for slot in applied.indices where facts.streams.has(slot) { note(applied[slot].actor) }
        return result
    }
}
