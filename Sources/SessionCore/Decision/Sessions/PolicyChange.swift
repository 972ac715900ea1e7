/// Replaces the policy while streams play.
extension Engine {
    /// Puts another policy in force and changes all streams to the state that it requires.
    ///
    /// What happened stays: who plays, who asked last, who was told what. Descriptions differ between policies, so
    /// references to them are translated by name or derived anew.
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
            facts.changeWish(slot, policy.muted) { _ in }
        }
        func translated(_ id: DescriptionID?) -> DescriptionID? {
            id.flatMap { old[$0]?.name }.flatMap { catalogue.id(named: $0) }
        }
        for slot in 0..<facts.sessions.capacity {
            guard let session = facts.sessions[slot] else { continue }
            // A session in its release delay keeps its former description.
            if let former = old[session.description], let description = id(of: former) {
                facts.updateSession(slot) { $0.description = description }
            }
            facts.claim(slot, stamp: session.stamp, catalogue: catalogue)
            describe(slot)
            guard let described = facts.sessions[slot]?.description, session.block.isOfRoute,
                catalogue[described]?.goesOnElsewhere == true
            else { continue }
            // R36: a session that is a call under the new policy plays on any output.
            facts.updateSession(slot) { $0.block = .none }
        }
        // A session whose streams are all left alone from now on ends at once, without its release delay, and the
        // sessions that it silenced may resume.
        for slot in emptied where facts.sessions[slot]?.wanted == 0 {
            endAtOnce(slot, letsResume: true, at: now)
        }
        for slot in applied.indices { applied[slot].actor = translated(applied[slot].actor) }
        for (slot, gone) in formerInterrupters { formerInterrupters[slot]?.description = translated(gone.description) }
        reconsider()
        update(at: now, &effects)
    }

    /// Undoes everything done to streams that the new policy leaves alone or has no room for. Returns their sessions.
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

    /// Leaves one stream alone that belonged to a session until now.
    mutating func leaveAlone(_ id: StreamID, at now: Instant, _ effects: inout [Effect]) {
        guard let slot = facts.slot(of: id), let stream = facts.streams[slot] else { return }
        let session = Int(stream.session)
        giveBack(slot, stream, &effects)
        // A session without wanted streams ends at once, without its release delay, and the sessions that it silenced
        // may resume.
        if facts.sessions[session]?.wanted == 0 { endAtOnce(session, letsResume: true, at: now) }
        describe(session)
        update(at: now, &effects)
    }

    /// Undoes everything done to a stream and removes the stream.
    private mutating func giveBack(_ slot: Int, _ stream: StreamFacts, _ effects: inout [Effect]) {
        if slot < applied.count, applied[slot].treatment != .untouched {
            let fade = stream.isRunning ? Engine.usualFade : .zero
            effects.append(.treat(stream.id, .untouched, within: fade, after: .zero))
            applied[slot] = AppliedTreatment()
        }
        facts.removeStream(slot)
    }

    /// The descriptions that are still referred to.
    var descriptionsInUse: Set<DescriptionID> {
        var result: Set<DescriptionID> = []
        for slot in 0..<facts.streams.capacity {
            if let stream = facts.streams[slot] { result.insert(stream.description) }
            if slot < applied.count, let actor = applied[slot].actor { result.insert(actor) }
        }
        for slot in 0..<facts.sessions.capacity {
            if let session = facts.sessions[slot] { result.insert(session.description) }
        }
        for gone in formerInterrupters.values { if let description = gone.description { result.insert(description) } }
        return result
    }
}
