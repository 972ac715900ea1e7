/// All that the engine knows, for people.
public struct Report: Sendable, Equatable {
    /// Where a session is.
    public enum State: String, Sendable {
        case inactive, holding, starting, active, releasing
        /// Silenced by another one (R26).
        case interrupted
        /// Waiting to be activated (N9).
        case delayed
    }

    /// One session.
    public struct Session: Sendable, Equatable {
        /// Its number; not that of an opened session, and never used again.
        public var number: UInt32
        /// Whose and what it is.
        public var reference: SessionReference
        /// What the policy or its application has made of it.
        public var description: SessionDescription
        /// What its application has said; `nil` for one that says nothing here.
        public var configuration: SessionConfiguration?
        /// Where it is.
        public var state: State
        /// Who silences it; `nil` for nobody.
        public var silencer: Interrupter?
        /// Its streams.
        public var streams: [StreamID]
    }

    /// One stream.
    public struct Stream: Sendable, Equatable {
        /// Its number.
        public var id: StreamID
        /// The number of its session.
        public var session: UInt32
        /// What the policy has made of it.
        public var description: String
        /// Which way its sound goes.
        public var direction: StreamDirection
        /// Its application wants it to run.
        public var isWanted: Bool
        /// The server processes it.
        public var isRunning: Bool
        /// What is done to it.
        public var treatment: Treatment
        /// Who causes that; `nil` for nobody.
        public var interrupter: Interrupter?
    }

    /// What the user has switched.
    public var switches: Switches
    /// All sessions, the strongest claim first.
    public var sessions: [Session]
    /// All streams, the oldest first.
    public var streams: [Stream]
}

extension Engine {
    /// All streams, each with the opened session that it belongs to, if any; the engine does not know where they are linked.
    public var routedStreams: [RouteStream] {
        (0..<facts.streams.capacity).compactMap { slot in
            guard let stream = facts.streams[slot] else { return nil }
            let session = Int(stream.session)
            return RouteStream(stream.id, of: shown[session] == nil ? nil : facts.id(of: session), stream.direction)
        }
    }

    /// All that is known at this moment. What tells others does not need it: it asks for one after the other.
    public var report: Report {
        Report(
            switches: facts.switches, sessions: sessionNumbers.compactMap { report(of: $0) },
            streams: streamIDs.compactMap { report(of: $0) })
    }

    /// All sessions, the strongest claim first.
    public var sessionNumbers: [SessionNumber] { facts.order.map { facts.number(of: Int($0)) } }

    /// All streams, the oldest first.
    public var streamIDs: [StreamID] {
        (0..<facts.streams.capacity).compactMap { facts.streams[$0]?.id }.sorted { $0.rawValue < $1.rawValue }
    }

    /// What is known of a session; `nil` for one that is gone.
    public func report(of number: SessionNumber) -> Report.Session? {
        guard let slot = facts.slot(of: number), let session = facts.sessions[slot],
            let description = catalogue[session.description]
        else { return nil }
        let verdict = verdict(of: slot)
        let silencer = verdict.silence == .none ? nil : silencer(of: slot).interrupter
        return Report.Session(
            number: number.rawValue, reference: reference(slot, session.description), description: description,
            configuration: configurations[slot], state: state(of: slot, session), silencer: silencer,
            streams: facts.streams(of: slot).compactMap { facts.streams[$0]?.id }.sorted { $0.rawValue < $1.rawValue })
    }

    /// What is known of a stream; `nil` for one that is left alone.
    public func report(of stream: StreamID) -> Report.Stream? {
        guard let slot = facts.slot(of: stream), let stream = facts.streams[slot] else { return nil }
        let treatment = slot < applied.count ? applied[slot].treatment : .untouched
        return Report.Stream(
            id: stream.id, session: facts.number(of: Int(stream.session)).rawValue,
            description: catalogue[stream.description]?.name ?? "?",
            direction: stream.direction, isWanted: stream.isWanted, isRunning: stream.isRunning,
            treatment: treatment, interrupter: treatment.cause.flatMap { interrupter($0) })
    }

    /// Which session a stream belongs to; `nil` for one that is left alone.
    public func session(of stream: StreamID) -> SessionNumber? {
        facts.slot(of: stream).flatMap { facts.streams[$0] }.map { facts.number(of: Int($0.session)) }
    }

    /// Which session is spoken of; `nil` for one that is gone.
    public func session(_ reference: SessionReference) -> SessionNumber? {
        let slot = reference.id.map { facts.slot(of: $0) } ?? facts.slot(of: reference.application)
        return slot.map { facts.number(of: $0) }
    }

    private func state(of slot: Int, _ session: SessionFacts) -> Report.State {
        if waiting.contains(slot) { return .delayed }
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
