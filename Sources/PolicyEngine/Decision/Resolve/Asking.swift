/// What comes of a stream that asks for its session.
enum Request {
    case none
    /// The session asks to be heard.
    case asks
    /// It is rejected (R8).
    case rejected(by: FormerSession)
}

/// Whether sessions may begin.
extension Scene {
    /// R9: what comes of a stream that its application starts. It asks for its session if no other stream of it plays, or
    /// if it is silenced.
    func request(by stream: Stream, in place: Int) -> Request {
        guard mayRequest(stream, place) else { return .none }
        // R8: a session that is rejected does nothing to others.
        if isNew(stream, place), let rejecter = rejecter(of: stream.described, place) {
            return .rejected(by: FormerSession(facts.sessions[rejecter], standings[rejecter].described))
        }
        return .asks
    }

    /// R9: whether a stream that its application starts asks for its session.
    func mayRequest(_ stream: Stream, _ place: Int) -> Bool {
        // R34: only the application asks where it drives its session. R17, R18: a stream that the category keeps silent
        // asks for nothing.
        if standings[place].driver.isApplication { return false }
        // R13: a user interface sound has asked for nothing, and asks for nothing in a silenced session.
        if stream.isUISound { return sums[place].wantedCount == 0 }
        if lack(stream.direction, place) != nil { return false }
        return !hasWantedSound(place) || isSilenced(place) || standings[place].obstacle != nil
    }

    /// R8: whether a session can be rejected because of a stream, as it is not heard yet.
    func isNew(_ stream: Stream, _ place: Int) -> Bool {
        if stream.isUISound { return false }
        // R36: nothing rejects a call, whatever its streams are.
        if !isDescribedByStreams(place), isExempt(place) { return false }
        return standings[place].phase == .inactive || isSilenced(place) || standings[place].described.has(.uiSound)
    }

    /// R8: the heard session that rejects a session of this description; `nil` for none.
    func rejecter(of described: Described, _ place: Int) -> Int? {
        guard rules.hasRejections else { return nil }
        return allHeard().first { actor in
            actor != place && rules.pair(standings[actor].described, on: described).newcomer == .reject
                && !spares(actor, place)
        }
    }

    /// R8: the heard session that would reject or silence a session if it were activated now; `nil` for none.
    func blocker(of place: Int) -> Int? {
        let described = ownDescribed(place)
        if let rejecter = rejecter(of: described, place) { return rejecter }
        let asking = Party(place: place, described: described, request: facts.requests &+ 1)
        return allHeard().first { silencing(party($0), asking) != .mix }
    }

    /// The sessions that are heard and can do something to others, the strongest claim first.
    func allHeard() -> [Int] {
        let heard = standings.indices.filter { standings[$0].described.has(.acts) && isHeard($0) }
        return heard.count < 2 ? heard : heard.sorted { isAbove($0, $1) }
    }
}
