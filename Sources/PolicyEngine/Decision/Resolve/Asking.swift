/// What comes of a stream that asks for its session.
enum Request {
    case none
    case asks
    /// It is rejected (R8).
    case rejected(by: FormerSession)
}

/// Whether sessions may begin.
extension Scene {
    /// R9: a stream asks for its session if it is the first to play, or if the session is silenced.
    func request(by stream: Stream, in place: Int) -> Request {
        guard mayRequest(stream, place) else { return .none }
        // R8: a rejected session does nothing to others.
        if isNew(stream, place), let rejecter = rejecter(of: stream.described, place) {
            return .rejected(by: FormerSession(facts.sessions[rejecter], standings[rejecter].described))
        }
        return .asks
    }

    /// R9: whether a stream asks for its session when its application starts it.
    func mayRequest(_ stream: Stream, _ place: Int) -> Bool {
        // R34: only the application asks where it drives its session. R17, R18: see `lack`.
        if standings[place].driver.isApplication { return false }
        // R13: a user interface sound asks for nothing in a silenced session.
        if stream.isUISound { return sums[place].wantedCount == 0 }
        if lack(stream.direction, place) != nil { return false }
        return !hasWantedSound(place) || isSilenced(place) || standings[place].obstacle != nil
    }

    /// R8: a session can be rejected while it is not heard yet.
    func isNew(_ stream: Stream, _ place: Int) -> Bool {
        if stream.isUISound { return false }
        // R36: nothing rejects a call, whatever its streams are.
        if !isDescribedByStreams(place), isExempt(place) { return false }
        return standings[place].phase == .inactive || isSilenced(place) || standings[place].described.has(.uiSound)
    }

    /// R8: the heard session that rejects this description.
    func rejecter(of described: Described, _ place: Int) -> Int? {
        guard rules.hasRejections else { return nil }
        return allHeard().first { actor in
            actor != place && rules.pair(standings[actor].described, on: described).newcomer == .reject
                && !spares(actor, place)
        }
    }

    /// R8: the heard session that would reject or silence a session if it were activated now.
    func blocker(of place: Int) -> Int? {
        let described = ownDescribed(place)
        if let rejecter = rejecter(of: described, place) { return rejecter }
        let asking = Party(place: place, described: described, request: facts.requests &+ 1)
        return allHeard().first { silencing(party($0), asking) != .mix }
    }

    /// The strongest claim first.
    func allHeard() -> [Int] {
        let heard = standings.indices.filter { standings[$0].described.has(.acts) && isHeard($0) }
        return heard.count < 2 ? heard : heard.sorted { isAbove($0, $1) }
    }
}
