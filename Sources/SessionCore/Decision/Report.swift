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

    /// All that is known at this moment.
    public var report: Report {
        var sessions: [Report.Session] = []
        var streams: [Report.Stream] = []
        for place in facts.order {
            let slot = Int(place)
            guard let session = facts.sessions[slot], let description = catalogue[session.description] else { continue }
            var own: [StreamID] = []
            var next = session.firstStream
            while let stream = facts.streams[Int(next)] {
                let treatment = Int(next) < applied.count ? applied[Int(next)].treatment : .untouched
                own.append(stream.id)
                streams.append(
                    Report.Stream(
                        id: stream.id, session: facts.number(of: slot).rawValue,
                        description: catalogue[stream.description]?.name ?? "?",
                        direction: stream.direction, isWanted: stream.isWanted, isRunning: stream.isRunning,
                        treatment: treatment, interrupter: treatment.cause.flatMap { interrupter($0) }))
                next = stream.next
            }
            let verdict = verdict(of: slot)
            let silencer = verdict.silence == .none ? nil : silencer(of: slot).interrupter
            sessions.append(
                Report.Session(
                    number: facts.number(of: slot).rawValue, reference: reference(slot, session.description),
                    description: description,
                    configuration: configurations[slot], state: state(of: slot, session), silencer: silencer,
                    streams: own.sorted { $0.rawValue < $1.rawValue }))
        }
        streams.sort { $0.id.rawValue < $1.id.rawValue }
        return Report(switches: facts.switches, sessions: sessions, streams: streams)
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
