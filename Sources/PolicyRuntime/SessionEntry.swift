public import PolicyEngine

/// What the module knows of one opened session, or interruption, beside the engine's facts. The service adds what it
/// shows on the bus.
open class SessionEntry {
    /// Its id in the engine.
    public let id: SessionID
    /// Who has opened it.
    public let identity: ClientIdentity
    /// Whether it is an interruption, to which the streams belong that its owner has started.
    public let isInterruption: Bool
    /// Whether only streams that name the session belong to it (R80).
    public let takesTaggedOnly: Bool
    /// What its application prefers for its streams while it is active (R74, R76).
    public internal(set) var preferences = StreamPreferences()
    /// Whether its streams, or their outputs or inputs, have changed since somebody last looked.
    public var isStale = false

    /// Describes a session that is not open yet.
    public init(_ id: SessionID, of identity: ClientIdentity, isInterruption: Bool, takesTaggedOnly: Bool = false) {
        self.id = id
        self.identity = identity
        self.isInterruption = isInterruption
        self.takesTaggedOnly = takesTaggedOnly
    }

    /// How near a client's stream is to the session (R79): first sessions of its process, then of its parents from the
    /// nearest up, each before the interruptions that this one has begun, then of its application.
    fileprivate func distance(to client: ClientIdentity) -> Int? {
        guard admits(client) else { return nil }
        let lineage = client.program?.lineage ?? []
        if let process = identity.program?.process, let steps = lineage.firstIndex(of: process) {
            if !isInterruption { return 2 * steps }
            if steps > 0 { return 2 * steps + 1 }
        }
        return !isInterruption && identity.keyOfAllInstances == client.keyOfAllInstances ? .max : nil
    }

    /// Whether a client's stream may belong to the session, whoever has started it: a confined program has no part in
    /// the outside or in another sandbox; nor has an unknown program in a known sandbox.
    private func admits(_ client: ClientIdentity) -> Bool {
        if client.isUnconfined { return true }
        if let own = client.sandbox, let other = identity.sandbox { return own.isSame(as: other) }
        return client.sandbox == nil && identity.sandbox == nil && !identity.isUnconfined
    }
}

extension SessionRuntime {
    /// The session that a stream names (R80), or else the oldest of the nearest (R79).
    func session(for stream: StreamIdentity) -> SessionID? {
        let named = stream.session.flatMap { UInt32($0) }.map { SessionID($0) }
        if let session = named.flatMap({ sessions[$0] }), !session.isInterruption,
            session.distance(to: stream.client) != nil
        {
            return session.id
        }
        return sessions.values.lazy.filter { !$0.takesTaggedOnly }
            .compactMap { session in session.distance(to: stream.client).map { ($0, session.id.rawValue) } }
            .min { $0 < $1 }.map { SessionID($0.1) }
    }

    /// Opens a session by the event `opening`, moves its streams to it, and posts `events`.
    public func open(_ session: SessionEntry, with opening: [Event], then events: [Event] = []) {
        sessions[session.id] = session
        for event in opening { post(event) }
        assignStreams(of: session.identity)
        for event in events { post(event) }
        drain()
    }

    /// Forgets all sessions when their owners have gone.
    public func forgetSessions() { sessions = [:] }

    /// Closes a session. Its streams go to another one, or back to their applications.
    public func close(_ session: SessionID) {
        guard let entry = sessions.removeValue(forKey: session) else { return }
        assignStreams(of: entry.identity)
        post(.sessionClosed(session))
        drain()
    }

    /// Of streams that may belong to a client's sessions.
    private func assignStreams(of client: ClientIdentity) {
        for stream in streamsByAge {
            let owner = stream.identity.client
            guard
                owner.keyOfAllInstances == client.keyOfAllInstances
                    || client.program.map({ owner.program?.lineage.contains($0.process) == true }) == true
            else { continue }
            // The stream may name a session that was not open when it began.
            if let server = stream.server { stream.identity = server.identity }
            let session = session(for: stream.identity)
            if session != stream.session { move(stream, to: session) }
        }
    }
}
