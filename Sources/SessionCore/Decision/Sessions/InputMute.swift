/// A muted input that a session waits for (N7).
struct MutedInput: Sendable, Equatable {
    var port: PortID
    /// For people.
    var name: String
}

/// Inputs that their user mutes under recordings (N7).
///
/// The phone interrupts whoever records from an input that is muted. On a desktop people mute themselves in a call and go on
/// listening, so a session of play-and-record is left alone and may only read that it is not heard
/// (``SessionState/isInputMuted``); one of the category record has nothing left to do, and is interrupted. None is that
/// begins with an input that is muted already: its application can see that. And nothing is done to what nobody has opened:
/// to a level meter, or to a program that could not be told why it was stopped.
extension Engine {
    /// Takes over whether the input is muted that streams record from.
    mutating func take(
        _ input: MutedInput, _ isMuted: Bool, _ streams: [StreamID], at now: Instant, _ effects: inout [Effect]
    ) {
        mutedInputs = mutedInputs.filter { facts.sessions[$0.key]?.block == .mutedInput }
        var concerned: Set<Int> = []
        // Those under which it was muted: what does not run yet finds it so.
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
        for slot in sessions where shown[slot] != nil { toShow.append(slot) }
        guard isMuted else {
            hasMutedInput = (0..<facts.streams.capacity).contains { facts.streams[$0]?.isInputMuted ?? false }
            // They record from another input instead, which the user has not unmuted: that one may have been chosen by nobody.
            let moved = sessions.filter { slot in
                mutedInputs[slot].map { $0.port != input.port } ?? false && !isInputMuted(slot)
            }
            block(moved, by: .changedRoute, at: now, &effects)
            return release(waitingFor: input.port, isGone: false, at: now, &effects)
        }
        if !sessions.isEmpty { hasMutedInput = true }
        var interrupted: [Int] = []
        var isOther = false
        for slot in sessions {
            if mutedInputs[slot] == nil {
                guard mayInterrupt(slot, isRunning: running.contains(slot)) else { continue }
                interrupted.append(slot)
            }
            if mutedInputs[slot] != nil, mutedInputs[slot] != input, slot < presented.count {
                // Another input is what it waits for now.
                facts.updateSession(slot) { _ in }
                presented[slot].description = nil
                isOther = true
            }
            mutedInputs[slot] = input
        }
        block(interrupted, by: .mutedInput, at: now, &effects)
        if isOther { update(at: now, &effects) }
    }

    /// Nobody waits for an input any more: because it may be recorded from again, or because it has gone, and only their
    /// applications begin with another one.
    mutating func release(waitingFor port: PortID, isGone: Bool, at now: Instant, _ effects: inout [Effect]) {
        let waiting = mutedInputs.filter { slot, input in
            input.port == port && facts.sessions[slot]?.block == .mutedInput
        }
        block(waiting.keys.sorted(), by: isGone ? .changedRoute : .none, at: now, &effects)
    }

    /// Whether an application has opened a session only to record, and does, or would in the place of another recording that
    /// keeps it silent.
    private func mayInterrupt(_ slot: Int, isRunning: Bool) -> Bool {
        guard facts.switches.pausedUntil == nil, configurations[slot] != nil, let session = facts.sessions[slot],
            session.phase == .active, session.asks, session.block == .none,
            catalogue[session.description]?.category == .record, isInputMuted(slot)
        else { return false }
        return verdict(of: slot).silence == .none ? isRunning : isSilencedByRecording(slot)
    }

    /// Whether all that a session records from is muted.
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
