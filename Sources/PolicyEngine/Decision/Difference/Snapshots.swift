/// What people and other programs may read.
extension Engine {
    /// A snapshot of everything. To read single sessions or streams, use `snapshot(of:)`.
    public var snapshot: EngineSnapshot {
        EngineSnapshot(
            switches: facts.switches, sessions: sessionNumbers.compactMap { snapshot(of: $0) },
            streams: streamIDs.compactMap { snapshot(of: $0) })
    }

    /// All sessions, the strongest claim first.
    public var sessionNumbers: [SessionNumber] {
        let claims = facts.sessions.indices.map { place in
            (claim(verdict.standings[place].described, facts.sessions[place].request), facts.sessions[place].number)
        }
        return claims.sorted { $0.0 > $1.0 }.map { SessionNumber($0.1) }
    }

    /// All streams, the oldest first.
    public var streamIDs: [StreamID] { facts.streams.map(\.id).sorted { $0.rawValue < $1.rawValue } }

    /// The snapshot of a session; `nil` if it no longer exists.
    public func snapshot(of number: SessionNumber) -> EngineSnapshot.Session? {
        guard let place = facts.place(number.rawValue) else { return nil }
        let (session, standing) = (facts.sessions[place], verdict.standings[place])
        let silencer = isSilenced(place) ? facts.interrupter(of: place, verdict.standings) : nil
        return EngineSnapshot.Session(
            number: session.number, reference: session.reference(standing.described),
            description: standing.described.description,
            configuration: session.kind == .opened ? session.configuration : nil, state: state(of: place),
            silencer: silencer,
            streams: facts.streams.filter { $0.session == place }.map(\.id).sorted { $0.rawValue < $1.rawValue },
            ends: nextMoment(of: standing))
    }

    /// The snapshot of a stream; `nil` for a stream that is left alone.
    public func snapshot(of stream: StreamID) -> EngineSnapshot.Stream? {
        guard let index = facts.stream(stream) else { return nil }
        let stream = facts.streams[index]
        let session = facts.sessions[stream.session]
        let treatment = verdict.applied[index].treatment
        return EngineSnapshot.Stream(
            id: stream.id, session: session.number, description: stream.described.description.name,
            direction: stream.direction, isWanted: stream.isPlayed, callsAt: stream.callsAt,
            isMuted: stream.isMuted, isRunning: stream.isRunning, treatment: treatment,
            interrupter: treatment.cause.flatMap { interrupter($0) }, output: stream.described.description.output,
            besides: session.freeFrom.sorted().compactMap { number in
                facts.place(number).map { facts.sessions[$0].interrupter(verdict.standings[$0].described) }
            })
    }

    /// The number of a stream's session; `nil` for a stream that is left alone.
    public func session(of stream: StreamID) -> SessionNumber? {
        facts.stream(stream).map { SessionNumber(facts.sessions[facts.streams[$0].session].number) }
    }

    /// The number of the session that a reference names; `nil` if it no longer exists.
    public func session(_ reference: SessionReference) -> SessionNumber? {
        let key = reference.id.map { SessionKey.opened($0) } ?? .application(reference.application)
        return facts.session(key).map { SessionNumber(facts.sessions[$0].number) }
    }

    /// The session, output or input behind a cause, for people; `nil` if nothing refers to it any more.
    public func interrupter(_ cause: Cause) -> Interrupter? {
        if let number = cause.session, let place = facts.place(number.rawValue) {
            return facts.sessions[place].interrupter(verdict.standings[place].described)
        }
        return verdict.standings.lazy.compactMap(\.obstacle?.interrupter).first { $0.cause == cause }
    }

    private func state(of place: Int) -> SessionPhase {
        let standing = verdict.standings[place]
        if facts.waiting.contains(facts.sessions[place].number) { return .delayed }
        let isInterrupted = standing.interruption.prospect != nil
        if isSilenced(place), standing.phase != .inactive || isInterrupted { return .interrupted }
        switch standing.phase {
        case .inactive: return standing.interruption.isNotified ? .interrupted : .inactive
        case .handover: return .holding
        case .starting: return .starting
        case .active: return .active
        case .releasing, .leaving: return .releasing
        }
    }
}
