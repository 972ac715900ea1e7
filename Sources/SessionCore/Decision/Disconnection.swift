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
        guard policy.routes.pausesPlayback, facts.switches.pausedUntil == nil else { return }
        for id in streams {
            guard let slot = facts.slot(of: id), let stream = facts.streams[slot], stream.direction == .playback,
                stream.isWanted, let known = facts.sessions[Int(stream.session)], known.asks(catalogue),
                known.supersededBy == nil, let description = catalogue[known.description],
                !description.goesOnElsewhere
            else { continue }
            let session = Int(stream.session)
            disconnections[session] = Disconnection(
                port: port, name: name, until: now.advanced(by: policy.routes.resumesWithin))
            supersede([session], by: .awaitedOutput, at: now, &effects)
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
            supersede([slot], by: nil, at: now, &effects)
        }
    }

    /// What was waited for long enough is not waited for any more: only the application goes on by itself.
    mutating func giveUpOutputs(at now: Instant, _ effects: inout [Effect]) {
        for slot in disconnections.keys.sorted() {
            guard let disconnection = disconnections[slot] else { continue }
            let isAwaited = facts.sessions[slot]?.supersededBy == .awaitedOutput
            guard disconnection.until <= now || !isAwaited else { continue }
            // A call on a Bluetooth headset takes its music's output away for as long as it lasts: the time begins when
            // nothing else keeps the session silent.
            if isAwaited, outcome[slot].silence != .none, outcome[slot].silencerDescription?.isOfRoute != true {
                let later = now.advanced(by: policy.routes.resumesWithin)
                disconnections[slot]?.until = later
                continue
            }
            if isAwaited { supersede([slot], by: .lostOutput, at: now, &effects) }
            disconnections[slot] = nil
        }
    }

    /// R64: what is being recorded does not go on with another input, or beside another output, as if nothing had
    /// happened. Only its application goes on.
    mutating func stopRecordings(at now: Instant, _ effects: inout [Effect]) {
        guard facts.switches.pausedUntil == nil else { return }
        let slots = (0..<facts.sessions.capacity).filter { isRecording($0) }
        for slot in slots {
            // It is no longer active when it is looked at again, and is to hear of it all the same.
            facts.updateSession(slot) { if $0.interruption == .none { $0.interruption = .begun } }
        }
        supersede(slots, by: .changedRoute, at: now, &effects)
    }

    /// Whether a session records and is no call, or would in the place of another recording that keeps it silent.
    private func isRecording(_ slot: Int) -> Bool {
        guard let session = facts.sessions[slot], session.phase == .active, session.asks(catalogue),
            session.supersededBy == nil, let description = catalogue[session.description],
            !description.goesOnElsewhere, description.category == .record || captures(session)
        else { return false }
        guard outcome[slot].silence != .none else { return true }
        return outcome[slot].silencerDescription.flatMap { catalogue[$0] }?.category == .record
    }

    private func captures(_ session: SessionFacts) -> Bool {
        var next = session.firstStream
        while let stream = facts.streams[Int(next)] {
            if stream.direction == .capture, stream.isWanted { return true }
            next = stream.next
        }
        return false
    }

    /// Puts a port in the place of another session that keeps these silent, or lets them go on. All at once, or one would
    /// begin in the place of another.
    mutating func supersede(
        _ slots: [Int], by port: DescriptionID?, at now: Instant, _ effects: inout [Effect]
    ) {
        guard let first = slots.first else { return }
        for slot in slots {
            if port != .mutedInput { mutedInputs[slot] = nil }
            facts.updateSession(slot) {
                $0.supersededBy = port
                $0.hasNewClaim = true
            }
        }
        if slots.count == 1 {
            update(session: first, at: now, &effects)
        } else {
            update(everything: true, at: now, &effects)
        }
    }
}
