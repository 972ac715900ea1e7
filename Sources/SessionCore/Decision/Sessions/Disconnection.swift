/// An output that a session has lost (R64).
struct Disconnection: Sendable, Equatable {
    var port: PortID
    /// The output's name, for people.
    var name: String
    /// When the session stops waiting for the output.
    var until: Instant
}

/// Sessions whose outputs are removed and come back.
extension Engine {
    /// Interrupts the sessions whose output was removed (R64): what was playing in headphones must not continue on a
    /// loudspeaker, unless the application asks for that.
    mutating func lose(
        _ port: PortID, _ name: String, _ streams: [StreamID], at now: Instant, _ effects: inout [Effect]
    ) {
        guard facts.switches.pausedUntil == nil else { return }
        var lost: [Int] = []
        for id in streams {
            guard let slot = facts.slot(of: id), let stream = facts.streams[slot], stream.direction == .playback,
                !stream.isInterfaceSound, let session = facts.sessions[Int(stream.session)], session.block == .none,
                session.hasUse(for: stream),
                session.requestsActivation && stream.isWanted || session.isInterruptedAndMayResume,
                let description = catalogue[session.description], !description.goesOnElsewhere,
                // N25: an application may choose this for its own session.
                configurations[Int(stream.session)]?.interruptionOnRouteDisconnect ?? policy.routes.pausesPlayback,
                !lost.contains(Int(stream.session))
            else { continue }
            disconnections[Int(stream.session)] = Disconnection(
                port: port, name: name, until: now.advanced(by: policy.routes.resumesWithin))
            // The application is told of this loss even if it was told of an earlier one.
            facts.updateSession(Int(stream.session)) { $0.isToldOfRoute = false }
            lost.append(Int(stream.session))
        }
        block(lost, by: .awaitedOutput, at: now, &effects)
    }

    /// Resumes the sessions that lost this output. They do not resume on any other.
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

    /// Stops waiting for outputs that did not come back in time. From then on only the application resumes.
    mutating func stopAwaitingOutputs(at now: Instant, _ effects: inout [Effect]) {
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
            // A call on a Bluetooth headset takes the music's output away for as long as the call lasts. So the time
            // starts when no other session silences this one.
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

    /// R64: stops recordings when the route changes, so that they do not silently continue with another input or
    /// output. Only the application resumes them.
    mutating func stopRecordings(at now: Instant, _ effects: inout [Effect]) {
        guard facts.switches.pausedUntil == nil else { return }
        let slots = (0..<facts.sessions.capacity).filter { isRecording($0) }
        for slot in slots {
            // The session is inactive when it is decided about again, but must still be told of the interruption.
            facts.updateSession(slot) { if $0.interruption == .none { $0.interruption = .begun } }
        }
        block(slots, by: .changedRoute, at: now, &effects)
    }

    /// Whether a session is recording and is no call, or only another recording keeps it from doing so.
    private func isRecording(_ slot: Int) -> Bool {
        guard let session = facts.sessions[slot], session.phase == .active, session.requestsActivation,
            session.block == .none, let description = catalogue[session.description],
            !description.goesOnElsewhere, description.category == .record || captures(session)
        else { return false }
        return verdict(of: slot).silence == .none || isSilencedByRecording(slot)
    }

    /// Whether the session that silences a session only records.
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

    /// Sets or clears the block of several sessions together. One by one, a session could start in the place of
    /// another.
    mutating func block(_ slots: [Int], by block: Block, at now: Instant, _ effects: inout [Effect]) {
        guard !slots.isEmpty else { return }
        for slot in slots {
            if block != .mutedInput { mutedInputs[slot] = nil }
            if block.isFinal, var session = facts.sessions[slot], session.phase == .inactive,
                session.keepsVictimsWaiting
            {
                leave(slot, &session, letsResume: true)
                facts.keepSession(slot, session)
            }
            facts.updateSession(slot) { $0.block = block }
        }
        update(at: now, &effects)
    }
}
