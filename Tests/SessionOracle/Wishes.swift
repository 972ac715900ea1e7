import RandomEvents
import SessionCore

/// What applications and users want of streams (N19, N24).
extension Oracle {
    /// N24: whether a stream counts as wanted. A muted recording does.
    func isWanted(_ stream: Stream) -> Bool {
        if !stream.isPlayed { return false }
        return stream.direction == .capture || policy.muted == .count || !stream.isMuted
    }

    /// N24: whether a stream would count as wanted if it were played.
    func countsWhenPlayed(_ id: StreamID) -> Bool {
        guard var stream = streams.first(where: { $0.id == id }) else { return true }
        stream.isPlayed = true
        return isWanted(stream)
    }

    /// Changes whether a stream is played or muted.
    mutating func wish(_ place: Int, _ change: (inout Stream) -> Void) {
        var changed = streams[place]
        change(&changed)
        changed.isWanted = isWanted(changed)
        if changed.isWanted, !streams[place].isWanted {
            requestActivation(by: streams[place], in: changed.session)
        }
        streams[place] = changed
    }

    /// N19: lets a session be heard beside those that silence it now; with the action free, also beside those that lower
    /// or reject it, and in spite of blocks and switches.
    mutating func free(_ place: Int, by action: UserAction) {
        let say: UserSay
        switch action {
        case .play: say = policy.user.play
        case .unmute: say = policy.user.unmute
        case .raise: say = policy.user.raise
        case .free: say = .beside
        }
        let stream = streams[place]
        let session = self[stream.session]
        // R64: whoever plays what has lost its output wants to hear it elsewhere.
        var goesOnElsewhere = false
        if action == .play, case .output = session.block?.cause { goesOnElsewhere = true }
        if say == .wait && !goesOnElsewhere || isSuspended || !stream.isWanted || lack(of: stream, in: session) != nil {
            return
        }
        let isFree = action == .free
        if stream.direction == .capture && !isFree { return }
        // Whoever holds the session may be interrupted itself.
        var holders: Set<Int> = []
        var next = session.cause
        while case .session(let number) = next, let other = self.session(number), holds(other),
            holders.insert(number).inserted
        {
            next = other.cause
        }
        for other in sessions where other.number != session.number && say != .wait {
            guard isHeard(other) || holders.contains(other.number) else { continue }
            let isSilenced = isFree || isSilenced(session)
            let isOther =
                isFree && isHeard(other)
                && [false, true].contains { isNewcomer in
                    let kind = Pairs.kind(
                        other.description, on: session.description, isNewcomer: isNewcomer, policy)
                    return kind == .duck || kind == .reject && isNewcomer
                }
            if isSilenced && silences(other, session) || isOther && !spares(other, session) {
                self[session.number].isFreeFrom.insert(other.number)
            }
        }
        guard isFree || goesOnElsewhere else { return }
        if session.block != nil && !session.isDriven {
            self[session.number].lastRequest = nextRequest()
            self[session.number].block = nil
            self[session.number].cause = nil
        }
        if isFree, switchedOff(stream, in: session) != nil { self[session.number].isFreeFromSwitches = true }
    }

    /// N19: whoever has ended is no longer somebody to be free from.
    mutating func endFreedoms() {
        for place in sessions.indices where !sessions[place].isFreeFrom.isEmpty {
            sessions[place].isFreeFrom = sessions[place].isFreeFrom.filter { number in
                session(number).map { holds($0) } ?? false
            }
        }
    }
}
