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
        for slot in 0..<facts.streams.capacity {
            guard let stream = facts.streams[slot], let described = descriptions[stream.id],
                let description = id(of: described, stream.direction)
            else { continue }
            facts.describe(stream: slot, as: description, catalogue: catalogue)
        }
        func translated(_ id: DescriptionID?) -> DescriptionID? {
            id.flatMap { old[$0]?.name }.flatMap { catalogue.id(named: $0) }
        }
        for slot in 0..<facts.sessions.capacity {
            guard let session = facts.sessions[slot] else { continue }
            // A session that outlives its last stream for a moment stays what it was.
            if let former = old[session.description], let description = id(of: former) {
                facts.updateSession(slot) { $0.description = description }
            }
            facts.claim(slot, stamp: session.stamp, catalogue: catalogue)
            describe(slot)
            guard let described = facts.sessions[slot]?.description, session.block.isOfRoute,
                catalogue[described]?.goesOnElsewhere == true
            else { continue }
            // R36: what is a call now goes on wherever it is heard.
            facts.updateSession(slot) { $0.block = .none }
        }
        // What the policy leaves alone from now on does nothing to others, not even for the time of its release delay, and
        // lets those be that it has silenced.
        for slot in emptied where facts.sessions[slot]?.wanted == 0 {
            release(slot, letsResume: true, at: now)
        }
        for slot in applied.indices { applied[slot].actor = translated(applied[slot].actor) }
        for (slot, gone) in departed { departed[slot]?.description = translated(gone.description) }
        reconsider()
        update(at: now, &effects)
    }

    /// Gives back the streams that the new policy leaves alone, or for which it has no room. Returns their sessions.
    private mutating func leaveAlone(
        except descriptions: [StreamID: SessionDescription], _ effects: inout [Effect]
    ) -> Set<Int> {
        var sessions: Set<Int> = []
        for slot in 0..<facts.streams.capacity {
            guard let stream = facts.streams[slot] else { continue }
            if let description = descriptions[stream.id], id(of: description, stream.direction) != nil { continue }
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
        // Nothing is left there that could claim anything for the time of a release delay. It lets those be that it has
        // silenced.
        if facts.sessions[session]?.wanted == 0 { release(session, letsResume: true, at: now) }
        describe(session)
        update(at: now, &effects)
    }

    /// Undoes what was done to a stream, and forgets it.
    private mutating func giveBack(_ slot: Int, _ stream: StreamFacts, _ effects: inout [Effect]) {
        if slot < applied.count, applied[slot].treatment != .untouched {
            let fade = stream.isRunning ? Engine.usualFade : .zero
            effects.append(.treat(stream.id, .untouched, within: fade, after: .zero))
            applied[slot] = Applied()
        }
        facts.removeStream(slot)
    }

    /// The descriptions that anything refers to.
    var descriptionsInUse: Set<DescriptionID> {
        var result: Set<DescriptionID> = []
        for slot in 0..<facts.streams.capacity {
            if let stream = facts.streams[slot] { result.insert(stream.description) }
            if slot < applied.count, let actor = applied[slot].actor { result.insert(actor) }
        }
        for slot in 0..<facts.sessions.capacity {
            if let session = facts.sessions[slot] { result.insert(session.description) }
        }
        for gone in departed.values { if let description = gone.description { result.insert(description) } }
        return result
    }
}
