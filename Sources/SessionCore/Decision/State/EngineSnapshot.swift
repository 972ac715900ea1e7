/// The sessions, streams and switches of the engine at one moment, for people.
public struct EngineSnapshot: Sendable, Equatable {
    /// The state of a session.
    public enum State: String, Sendable {
        case inactive, holding, starting, active, releasing
        /// Silenced by another session (R26).
        case interrupted
        /// Waiting for its delayed activation (N9).
        case delayed
    }

    /// One session.
    public struct Session: Sendable, Equatable {
        /// A unique number that is never reused; not the id of an opened session.
        public var number: UInt32
        /// Its application and description.
        public var reference: SessionReference
        /// The description that the policy or its application gives it.
        public var description: SessionDescription
        /// The configuration that its application has set; `nil` if there is none.
        public var configuration: SessionConfiguration?
        /// Its state.
        public var state: State
        /// Who or what silences it; `nil` if it is not silenced.
        public var silencer: Interrupter?
        /// Its streams.
        public var streams: [StreamID]
        /// When its state ends by itself, as a wait for headphones does; `nil` if only an event ends it.
        public var ends: Instant?
    }

    /// One stream.
    public struct Stream: Sendable, Equatable {
        /// Its id.
        public var id: StreamID
        /// The number of its session.
        public var session: UInt32
        /// The name of the description that the policy gives it.
        public var description: String
        /// Its direction: playback or capture.
        public var direction: StreamDirection
        /// Whether its application wants it to run.
        public var isWanted: Bool
        /// Whether its user or application has muted it (N24).
        public var isMuted: Bool
        /// Whether the server processes it.
        public var isRunning: Bool
        /// Its present treatment.
        public var treatment: Treatment
        /// Who or what causes the treatment; `nil` while nothing is done.
        public var interrupter: Interrupter?
        /// The output that the policy has for its role; `nil` for the server's choice (N23).
        public var output: OutputPattern?
        /// Those beside whom it is heard because its user wants that (N19).
        public var besides: [Interrupter]
    }

    /// The user's switches.
    public var switches: Switches
    /// All sessions, the strongest claim first.
    public var sessions: [Session]
    /// All streams, the oldest first.
    public var streams: [Stream]
}

extension Engine {
    /// All streams, each with its opened session, if any. Where they are linked is not known to the engine.
    public var routedStreams: [RouteStream] {
        (0..<facts.streams.capacity).compactMap { slot in
            guard let stream = facts.streams[slot] else { return nil }
            let session = Int(stream.session)
            return RouteStream(
                stream.id, of: publishedStates[session] == nil ? nil : facts.id(of: session), stream.direction,
                output: stream.direction == .playback ? catalogue[stream.description]?.output : nil)
        }
    }

    /// Whether a description has an output of its own (N23).
    public var haveOutputs: Bool { catalogue.haveOutputs }

    /// A snapshot of everything. To read single sessions or streams, use `snapshot(of:)`.
    public var snapshot: EngineSnapshot {
        EngineSnapshot(
            switches: facts.switches, sessions: sessionNumbers.compactMap { snapshot(of: $0) },
            streams: streamIDs.compactMap { snapshot(of: $0) })
    }

    /// All sessions, the strongest claim first.
    public var sessionNumbers: [SessionNumber] { facts.order.map { facts.number(of: Int($0)) } }

    /// All streams, the oldest first.
    public var streamIDs: [StreamID] {
        (0..<facts.streams.capacity).compactMap { facts.streams[$0]?.id }.sorted { $0.rawValue < $1.rawValue }
    }

    /// The snapshot of a session; `nil` if it no longer exists.
    public func snapshot(of number: SessionNumber) -> EngineSnapshot.Session? {
        guard let slot = facts.slot(of: number), let session = facts.sessions[slot],
            let description = catalogue[session.description]
        else { return nil }
        let verdict = verdict(of: slot)
        let silencer = verdict.silence == .none ? nil : silencer(of: slot).interrupter
        return EngineSnapshot.Session(
            number: number.rawValue, reference: reference(slot, session.description), description: description,
            configuration: configurations[slot], state: state(of: slot, session), silencer: silencer,
            streams: facts.streams(of: slot).compactMap { facts.streams[$0]?.id }.sorted { $0.rawValue < $1.rawValue },
            ends: end(of: slot, session))
    }

    /// The snapshot of a stream; `nil` for a stream that is left alone.
    public func snapshot(of stream: StreamID) -> EngineSnapshot.Stream? {
        guard let slot = facts.slot(of: stream), let stream = facts.streams[slot] else { return nil }
        let treatment = slot < applied.count ? applied[slot].treatment : .untouched
        return EngineSnapshot.Stream(
            id: stream.id, session: facts.number(of: Int(stream.session)).rawValue,
            description: catalogue[stream.description]?.name ?? "?",
            direction: stream.direction, isWanted: stream.isPlayed, isMuted: stream.isMuted,
            isRunning: stream.isRunning,
            treatment: treatment, interrupter: treatment.cause.flatMap { interrupter($0) },
            output: catalogue[stream.description]?.output,
            besides: freedoms(of: Int(stream.session)).map { interrupter(of: $0) })
    }

    /// The number of a stream's session; `nil` for a stream that is left alone.
    public func session(of stream: StreamID) -> SessionNumber? {
        facts.slot(of: stream).flatMap { facts.streams[$0] }.map { facts.number(of: Int($0.session)) }
    }

    /// The number of the session that a reference names; `nil` if it no longer exists.
    public func session(_ reference: SessionReference) -> SessionNumber? {
        let slot = reference.id.map { facts.slot(of: $0) } ?? facts.slot(of: reference.application)
        return slot.map { facts.number(of: $0) }
    }

    /// When a session's phase is over, the wait for its output, or the time in which it may go on.
    private func end(of slot: Int, _ session: SessionFacts) -> Instant? {
        let output = session.block == .awaitedOutput ? disconnections[slot]?.until : nil
        return [session.deadline, session.resumesUntil, output].compactMap { $0 }.filter { $0 != Switches.never }.min()
    }

    private func state(of slot: Int, _ session: SessionFacts) -> EngineSnapshot.State {
        if delayed.contains(slot) { return .delayed }
        if verdict(of: slot).silence != .none, session.phase != .inactive || session.interruption != .none {
            return .interrupted
        }
        switch session.phase {
        case .inactive: return session.interruption == .announced ? .interrupted : .inactive
        case .holding: return .holding
        case .starting: return .starting
        case .active: return .active
        case .releasing: return .releasing
        }
    }
}
