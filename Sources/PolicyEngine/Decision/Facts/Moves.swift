/// Streams that change their session (R79, R80).
extension Engine {
    /// R79: a session to which all wanted streams of another move takes its place: a change of session is no request
    /// (R9).
    mutating func move(_ ids: [StreamID], to key: SessionKey, asks: Bool, at now: Instant) {
        let moving = facts.streams.filter { ids.contains($0.id) }
        guard let first = moving.first, let target = target(of: key, first.described), target != first.session else {
            return
        }
        let old = first.session
        let wanted = moving.filter { facts.isWanted($0) }
        let staying = facts.streams.filter { !ids.contains($0.id) && facts.isWanted($0) }
        let isAll = verdict.standings[old].driver != .activated && !staying.contains { $0.session == old }
        if isAll, !wanted.isEmpty, !staying.contains(where: { $0.session == target }) {
            if !verdict.standings[target].driver.isApplication { succeed(target, to: old) }
            if strongest(wanted, old, at: now)?.has(.goesOnElsewhere) == true {
                verdict.standings[target].end(.goesOnElsewhere)
            }
        } else if asks {
            request(by: wanted, in: target, at: now)
        }
        for index in facts.streams.indices where ids.contains(facts.streams[index].id) {
            facts.streams[index].session = target
        }
        if isAll { end(old, isLeftAlone: false) }
    }

    private mutating func target(of key: SessionKey, _ described: Described) -> Int? {
        switch key {
        case .application(let application): session(of: application, described)
        case .opened: facts.session(key)
        }
    }

    /// R1: what a session would be with only these streams.
    private func strongest(_ streams: [Stream], _ place: Int, at now: Instant) -> Described? {
        var some = facts
        some.streams = streams
        let scene = Scene(some, verdict.standings, before: verdict, applied: [], at: now)
        return scene.strongest(scene.sums[place].wanted)
    }

    /// Meanwhile the streams belong to no session (N13).
    private mutating func request(by wanted: [Stream], in target: Int, at now: Instant) {
        let kept = facts.streams.indices.filter { index in
            !wanted.contains { $0.id == facts.streams[index].id }
        }
        var without = facts
        without.streams = kept.map { facts.streams[$0] }
        let applied = kept.map { verdict.applied[$0] }
        for stream in wanted {
            let scene = Scene(without, verdict.standings, before: verdict, applied: applied, at: now)
            let request = scene.request(by: stream, in: target)
            record(request, in: target)
        }
    }

    private mutating func succeed(_ target: Int, to old: Int) {
        let (from, to) = (facts.sessions[old].number, facts.sessions[target].number)
        facts.sessions[target].freeFrom = union(facts.sessions[target].freeFrom, facts.sessions[old].freeFrom)
        facts.sessions[target].isFreeFromSwitches =
            facts.sessions[target].isFreeFromSwitches || facts.sessions[old].isFreeFromSwitches
        facts.sessions[old].freeFrom = []
        facts.sessions[old].isFreeFromSwitches = false
        for place in facts.sessions.indices where facts.sessions[place].freeFrom.contains(from) {
            facts.sessions[place].freeFrom = union(facts.sessions[place].freeFrom, [to])
        }
        facts.sessions[target].request = facts.sessions[old].request
        facts.sessions[old].request = facts.nextRequest()
        verdict.standings[target].cause = verdict.standings[old].cause
        verdict.standings[target].obstacle = verdict.standings[old].obstacle
    }

    private func union(_ some: [UInt32], _ others: [UInt32]) -> [UInt32] {
        some + others.filter { !some.contains($0) }
    }

    // MARK: - Policies

    /// R12: puts another policy in force. Requests and causes stay; streams are described anew, or left alone.
    mutating func change(to policy: Policy, _ descriptions: [StreamID: SessionDescription], at now: Instant) {
        facts.rules = Rules(policy)
        var left: [Int] = []
        for stream in facts.streams where descriptions[stream.id] == nil {
            if let place = remove(stream.id) { left.append(place) }
        }
        var known: [SessionDescription: Described] = [:]
        for index in facts.streams.indices {
            guard let description = descriptions[facts.streams[index].id] else { continue }
            let described = known[description] ?? Described(description, facts.rules)
            known[description] = described
            facts.streams[index].described = described
        }
        for place in left { leaveAlone(place) }
        for place in facts.sessions.indices {
            describe(place)
            let former = verdict.standings[place].described.description
            verdict.standings[place].described = Described(former, facts.rules)
        }
        var scene = scene(at: now)
        for place in scene.standings.indices {
            _ = scene.describe(place)
            if scene.standings[place].described.has(.goesOnElsewhere) {
                verdict.standings[place].end(.goesOnElsewhere)
            }
        }
    }

    mutating func describe(_ place: Int) {
        switch facts.sessions[place].kind {
        case .implicit: break
        case .opened: facts.sessions[place].own = facts.described(facts.sessions[place].configuration)
        case .system:
            if let own = facts.sessions[place].own {
                facts.sessions[place].own = Described(own.description, facts.rules)
            }
        }
    }
}
