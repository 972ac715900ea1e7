/// What the runtime asks.
extension Engine {
    /// What is done to a stream now, and why; `nil` for a stream that the policy leaves alone.
    public func treatment(of id: StreamID) -> Treatment? {
        facts.stream(id).map { verdict.applied[$0].treatment }
    }

    /// Whether a stream's session may resume what was interrupted (R31); `false` if the session has given up since.
    public func mayResume(_ id: StreamID) -> Bool {
        guard let index = facts.stream(id) else { return false }
        let standing = verdict.standings[facts.streams[index].session]
        if standing.driver.hasGivenUp || standing.interruption == .mustNotResume { return false }
        return standing.interruption.prospect ?? .mayResume == .mayResume
    }

    /// The state of an opened session; `nil` if the session is unknown.
    public func state(of id: SessionID) -> SessionState? { facts.session(id).map { verdict.standings[$0].shown } }

    /// The streams of an opened session; empty if the session is unknown.
    public func streams(of id: SessionID) -> [(id: StreamID, direction: StreamDirection)] {
        guard let place = facts.session(id) else { return [] }
        return facts.streams.reversed().filter { $0.session == place }.map { ($0.id, $0.direction) }
    }

    /// All recording streams, the oldest first.
    public var recordings: [StreamID] {
        facts.streams.filter { $0.direction == .capture }.map(\.id).sorted { $0.rawValue < $1.rawValue }
    }

    /// `nil` for a session of the system, and for an unknown session.
    public func configuration(of id: SessionID) -> SessionConfiguration? {
        guard let place = facts.session(id), facts.sessions[place].kind == .opened else { return nil }
        return facts.sessions[place].configuration
    }

    /// Whether a stream that should be silent can still be heard.
    public var isFading: Bool { scene.isFading }

    /// R8: whether a stream would be rejected if its application started it; `false` for started and unknown streams.
    public func wouldReject(_ id: StreamID) -> Bool {
        guard facts.rules.hasRejections, let index = facts.stream(id), !facts.streams[index].isPlayed else {
            return false
        }
        let scene = scene
        var stream = facts.streams[index]
        let place = stream.session
        stream.isPlayed = true
        stream.callsAt = callBegin(of: stream, at: verdict.now)
        guard facts.isWanted(stream), scene.mayRequest(stream, place), scene.isNew(stream, place) else { return false }
        return scene.rejecter(of: stream.described, place) != nil
    }

    /// Whether a stream would perhaps wait until others are silent, as ringing does, if its application started it now
    /// (R34); `false` for started and unknown streams.
    public func mayWait(_ id: StreamID) -> Bool {
        guard let index = facts.stream(id), !facts.streams[index].isPlayed else { return false }
        let place = facts.streams[index].session
        if verdict.standings[place].phase.isHandover { return true }
        // The session may then be what any of its streams is.
        let mayWait =
            verdict.standings[place].described.has(.waitsForSilence) || facts.rules.call?.holdsOnHandover == true
            || facts.streams.contains { $0.session == place && $0.described.has(.waitsForSilence) }
        return mayWait
            && facts.streams.indices.contains { facts.streams[$0].isRunning && !verdict.applied[$0].isSettled }
    }

    /// Whether an opened session is active, or an activation would succeed now (N26). `false` if the session is
    /// unknown.
    public func canBeActivated(_ id: SessionID) -> Bool {
        guard let place = facts.session(id) else { return false }
        let scene = scene
        return verdict.standings[place].driver == .activated && !scene.isSilenced(place)
            || scene.blocker(of: place) == nil
    }

    private var scene: Scene { scene(at: verdict.now) }
}

// MARK: - For tests

extension Engine {
    package var streamCount: Int { facts.streams.count }
    /// What a new decision would change, in words; `nil` for nothing.
    package var inconsistency: String? {
        var again = self
        let effects = again.handle(.clockReached, at: verdict.now).filter { if case .wake = $0 { false } else { true } }
        return effects.first.map { "decided anew, there is the effect \($0)" }
    }

    package var routesAreAtRest: Bool { routing.deadline == nil }
    package var sessionCount: Int { facts.sessions.count }
    package var nextEnd: Instant? { verdict.next }
}
