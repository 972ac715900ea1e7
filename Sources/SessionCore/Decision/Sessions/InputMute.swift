/// A muted input that a session waits for (N7).
struct MutedInput: Sendable, Equatable {
    var port: PortID
    /// The input's name, for people.
    var name: String
}

/// Inputs that their user mutes during recordings (N7).
///
/// On the phone a session that records from a muted input is interrupted. On a desktop, people mute themselves in a
/// call and continue to listen. So a play-and-record session is left alone, and its application can read that its input
/// is muted (``SessionState/isInputMuted``). A session of the category record has nothing left to do and is
/// interrupted. A session that starts with a muted input is not interrupted, because its application can see the mute.
/// Streams without an opened session are left alone: they may be level meters, or programs that could not be told why
/// they were stopped.
extension Engine {
    /// Records whether an input is muted, and interrupts or resumes the sessions that record from it.
    mutating func setMuted(
        _ input: MutedInput, _ isMuted: Bool, _ streams: [StreamID], at now: Instant, _ effects: inout [Effect]
    ) {
        mutedInputs = mutedInputs.filter { facts.sessions[$0.key]?.block == .mutedInput }
        var concerned: Set<Int> = []
        // The sessions that were recording when the input was muted. Others start with the input already muted.
        var running: Set<Int> = []
        for id in streams {
            guard let slot = facts.slot(of: id), let stream = facts.streams[slot], stream.direction == .capture else {
                continue
            }
            concerned.insert(Int(stream.session))
            if stream.isRunning, !stream.isInputMuted { running.insert(Int(stream.session)) }
            facts.changeStream(slot) { $0.isInputMuted = isMuted }
        }
        let sessions = concerned.sorted()
        for slot in sessions where publishedStates[slot] != nil { toPublish.append(slot) }
        guard isMuted else {
            hasMutedInput = (0..<facts.streams.capacity).contains { facts.streams[$0]?.isInputMuted ?? false }
            // These sessions now record from another input, which the user did not unmute and perhaps nobody chose.
            let moved = sessions.filter { slot in
                mutedInputs[slot].map { $0.port != input.port } ?? false && !isInputMuted(slot)
            }
            block(moved, by: .changedRoute, at: now, &effects)
            return endWait(for: input.port, isGone: false, at: now, &effects)
        }
        if !sessions.isEmpty { hasMutedInput = true }
        var interrupted: [Int] = []
        var isOther = false
        for slot in sessions {
            if mutedInputs[slot] == nil {
                guard mayInterrupt(slot, isRunning: running.contains(slot)) else { continue }
                interrupted.append(slot)
            }
            if mutedInputs[slot] != nil, mutedInputs[slot] != input, slot < treatmentInputs.count {
                // The session waits for a different input now.
                facts.updateSession(slot) { _ in }
                treatmentInputs[slot].description = nil
                isOther = true
            }
            mutedInputs[slot] = input
        }
        block(interrupted, by: .mutedInput, at: now, &effects)
        if isOther { update(at: now, &effects) }
    }

    /// Ends the wait for an input: it was unmuted, or it was removed. If it was removed, only the applications resume.
    mutating func endWait(for port: PortID, isGone: Bool, at now: Instant, _ effects: inout [Effect]) {
        let affected = mutedInputs.filter { slot, input in
            input.port == port && facts.sessions[slot]?.block == .mutedInput
        }
        block(affected.keys.sorted(), by: isGone ? .changedRoute : .none, at: now, &effects)
    }

    /// Whether muting may interrupt a session: its application opened it only to record, and it is recording or another
    /// recording keeps it from doing so.
    private func mayInterrupt(_ slot: Int, isRunning: Bool) -> Bool {
        guard facts.switches.pausedUntil == nil, configurations[slot] != nil, let session = facts.sessions[slot],
            session.phase == .active, session.requestsActivation, session.block == .none,
            catalogue[session.description]?.category == .record, isInputMuted(slot)
        else { return false }
        return verdict(of: slot).silence == .none ? isRunning : isSilencedByRecording(slot)
    }

    /// Whether a session has recording streams and the inputs of all of them are muted.
    func isInputMuted(_ slot: Int) -> Bool {
        guard hasMutedInput else { return false }
        var isAny = false
        var next = facts.sessions[slot]?.firstStream ?? -1
        while let stream = facts.streams[Int(next)] {
            next = stream.next
            guard stream.direction == .capture else { continue }
            guard stream.isInputMuted else { return false }
            isAny = true
        }
        return isAny
    }
}
