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
        guard facts.switches.pausedUntil == nil else { return }
        var lost: [Int] = []
        for id in streams {
            guard let slot = facts.slot(of: id), let stream = facts.streams[slot], stream.direction == .playback,
                !stream.isInterfaceSound, let session = facts.sessions[Int(stream.session)], session.block == .none,
                session.hasUse(for: stream),
                session.asks && stream.isWanted || session.isInterruptedAndMayResume,
                let description = catalogue[session.description], !description.goesOnElsewhere,
                // N25: an application that holds a session may ask for the one or the other.
                configurations[Int(stream.session)]?.interruptionOnRouteDisconnect ?? policy.routes.pausesPlayback,
                !lost.contains(Int(stream.session))
            else { continue }
            disconnections[Int(stream.session)] = Disconnection(
                port: port, name: name, until: now.advanced(by: policy.routes.resumesWithin))
            // Of this one it is told anew.
            facts.updateSession(Int(stream.session)) { $0.isToldOfRoute = false }
            lost.append(Int(stream.session))
        }
        block(lost, by: .awaitedOutput, at: now, &effects)
    }

    /// The same output is back: what it has lost goes on there, on no other one.
    mutating func restore(_ port: PortID, _ streams: [StreamID], at now: Instant, _ effects: inout [Effect]) {
        var back: [Int] = []
        for id in streams {
            guard let slot = facts.slot(of: id).flatMap({ facts.streams[$0] }).map({ Int($0.session) }),
                disconnections[slot]?.port == port, facts.sessions[slot]?.block == .awaitedOutput
            else { continue }
            disconnections[slot] = nil
            back.append(slot)
        }
        block(back, by: .none, at: now, &effects)
    }

    /// What was waited for long enough is not waited for any more: only the application goes on by itself.
    mutating func giveUpOutputs(at now: Instant, _ effects: inout [Effect]) {
        var lost: [Int] = []
        for slot in disconnections.keys.sorted() {
            guard let disconnection = disconnections[slot] else { continue }
            switch facts.sessions[slot]?.block {
            case .lostOutput: continue
            case .awaitedOutput: break
            default:
                disconnections[slot] = nil
                continue
            }
            guard disconnection.until <= now else { continue }
            // A call on a Bluetooth headset takes its music's output away for as long as it lasts: the time begins when
            // nothing else keeps the session silent.
            if verdict(of: slot).silencer >= 0 {
                let later = now.advanced(by: policy.routes.resumesWithin)
                disconnections[slot]?.until = later
                continue
            }
            disconnections[slot]?.until = Switches.never
            lost.append(slot)
        }
        block(lost, by: .lostOutput, at: now, &effects)
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
        block(slots, by: .changedRoute, at: now, &effects)
    }

    /// Whether a session records and is no call, or would in the place of another recording that keeps it silent.
    private func isRecording(_ slot: Int) -> Bool {
        guard let session = facts.sessions[slot], session.phase == .active, session.asks,
            session.block == .none, let description = catalogue[session.description],
            !description.goesOnElsewhere, description.category == .record || captures(session)
        else { return false }
        return verdict(of: slot).silence == .none || isSilencedByRecording(slot)
    }

    /// Whether what silences a session is another one that records only.
    func isSilencedByRecording(_ slot: Int) -> Bool {
        facts.sessions[Int(verdict(of: slot).silencer)].flatMap { catalogue[$0.description] }?.category == .record
    }

    private func captures(_ session: SessionFacts) -> Bool {
        var next = session.firstStream
        while let stream = facts.streams[Int(next)] {
            if stream.direction == .capture, stream.isWanted, session.hasUse(for: stream) { return true }
            next = stream.next
        }
        return false
    }

    /// Has an output, an input or the route keep sessions silent, or lets them go on. All at once, or one would begin in the
    /// place of another.
    mutating func block(_ slots: [Int], by block: Block, at now: Instant, _ effects: inout [Effect]) {
        guard !slots.isEmpty else { return }
        for slot in slots {
            if block != .mutedInput { mutedInputs[slot] = nil }
            if block.isFinal, var session = facts.sessions[slot], session.phase == .inactive, session.holds {
                leave(slot, &session, letsResume: true)
                facts.keepSession(slot, session)
            }
            facts.updateSession(slot) { $0.block = block }
        }
        update(at: now, &effects)
    }
}
