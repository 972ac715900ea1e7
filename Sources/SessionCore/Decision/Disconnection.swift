/// An output that a session has lost (R64).
struct Disconnection: Sendable, Equatable {
    var port: PortID
    /// For people.
    var name: String
    /// How long it is waited for.
    var until: Instant
}

/// Outputs that come and go under sessions.
extension Engine {
    /// R64: what was heard in headphones is never heard from the loudspeaker, unless its application asks for that.
    mutating func lose(
        _ port: PortID, _ name: String, _ streams: [StreamID], at now: Instant, _ effects: inout [Effect]
    ) {
        guard policy.routes.pausesPlayback else { return }
        for id in streams {
            guard let slot = facts.slot(of: id), let stream = facts.streams[slot], stream.direction == .playback,
                stream.isWanted, let known = facts.sessions[Int(stream.session)], known.asks(catalogue),
                known.supersededBy == nil, let description = catalogue[known.description],
                !description.goesOnElsewhere
            else { continue }
            let session = Int(stream.session)
            disconnections[session] = Disconnection(
                port: port, name: name, until: now.advanced(by: policy.routes.resumesWithin))
            supersede(session, by: .awaitedOutput, at: now, &effects)
        }
    }

    /// The same output is back: what it has lost goes on there, on no other one.
    mutating func restore(_ port: PortID, _ streams: [StreamID], at now: Instant, _ effects: inout [Effect]) {
        for id in streams {
            guard let slot = facts.slot(of: id).flatMap({ facts.streams[$0] }).map({ Int($0.session) }),
                disconnections[slot]?.port == port
            else { continue }
            disconnections[slot] = nil
            guard facts.sessions[slot]?.supersededBy == .awaitedOutput else { continue }
            supersede(slot, by: nil, at: now, &effects)
        }
    }

    /// What was waited for long enough is not waited for any more: only the application goes on by itself.
    mutating func giveUpOutputs(at now: Instant, _ effects: inout [Effect]) {
        for slot in disconnections.keys.sorted() {
            guard let disconnection = disconnections[slot] else { continue }
            let isAwaited = facts.sessions[slot]?.supersededBy == .awaitedOutput
            guard disconnection.until <= now || !isAwaited else { continue }
            if isAwaited { supersede(slot, by: .lostOutput, at: now, &effects) }
            disconnections[slot] = nil
        }
    }

    private mutating func supersede(
        _ slot: Int, by output: DescriptionID?, at now: Instant, _ effects: inout [Effect]
    ) {
        facts.updateSession(slot) {
            $0.supersededBy = output
            $0.hasNewClaim = true
        }
        update(session: slot, at: now, &effects)
    }
}
