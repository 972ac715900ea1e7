import SessionCore
import SessionDesktop

/// The streams and opened sessions, and the session of each stream.
///
/// A stream belongs to the session that it names (R80), or else to the oldest session of its process, of the nearest
/// parent process that has one or has begun an interruption, or of its application (R79).
struct StreamMemberships {
    /// A change of a stream's session; `nil` stands for no opened session.
    struct Move: Equatable {
        var stream: StreamID
        var from: SessionID?
        var to: SessionID?
    }

    private var identities: [StreamID: StreamIdentity] = [:]
    private var sessions: [StreamID: SessionID] = [:]
    /// The sessions to which only streams belong that name them.
    private var taggedOnly: Set<SessionID> = []
    private var kin = Kinship()

    /// The opened session of a stream; `nil` for none.
    subscript(stream: StreamID) -> SessionID? { sessions[stream] }

    /// The identity behind a stream; `nil` for an unknown stream.
    func identity(of stream: StreamID) -> StreamIdentity? { identities[stream] }

    /// Whether an application has a stream.
    func hasStream(of application: ApplicationID) -> Bool {
        identities.values.contains { $0.application == application }
    }

    // MARK: - Streams

    /// Adds a stream. Returns its session; `nil` for none.
    mutating func add(_ stream: StreamID, _ identity: StreamIdentity) -> SessionID? {
        _ = remove(stream)
        identities[stream] = identity
        kin.add(stream, of: identity.client)
        let session = session(for: identity)
        sessions[stream] = session
        return session
    }

    /// Removes a stream. Returns its former session; `nil` for none.
    mutating func remove(_ stream: StreamID) -> SessionID? {
        if let identity = identities.removeValue(forKey: stream) { kin.remove(stream, of: identity.client) }
        return sessions.removeValue(forKey: stream)
    }

    // MARK: - Sessions

    /// Adds an opened session. Its streams join with ``reassign(streamsOf:)``.
    mutating func open(_ session: SessionID, of owner: ClientIdentity, takesTaggedOnly: Bool) {
        kin.add(session, of: owner)
        if takesTaggedOnly { taggedOnly.insert(session) }
    }

    /// Removes a closed session. Its streams leave with ``reassign(streamsOf:)``.
    mutating func close(_ session: SessionID, of owner: ClientIdentity) {
        kin.remove(session, of: owner)
        taggedOnly.remove(session)
    }

    /// Adds an interruption. The streams of what its owner has started join with ``reassign(streamsOf:)``.
    mutating func begin(_ interruption: SessionID, of owner: ClientIdentity) {
        kin.add(interruption: interruption, of: owner)
    }

    /// Removes an interruption. Its streams leave with ``reassign(streamsOf:)``.
    mutating func end(_ interruption: SessionID, of owner: ClientIdentity) {
        kin.remove(interruption: interruption, of: owner)
    }

    /// Removes all sessions. The streams keep their session until ``reassign(streamsOf:)``.
    mutating func closeAll() {
        kin = Kinship()
        taggedOnly = []
    }

    /// Determines again the session of each stream that may belong to an owner's sessions, oldest stream first.
    ///
    /// - Returns: The streams whose session has changed.
    mutating func reassign(streamsOf owner: ClientIdentity) -> [Move] {
        var moves: [Move] = []
        for stream in kin.streams(of: owner) {
            guard let identity = identities[stream] else { continue }
            let move = Move(stream: stream, from: sessions[stream], to: session(for: identity))
            guard move.from != move.to else { continue }
            sessions[stream] = move.to
            moves.append(move)
        }
        return moves
    }

    private func session(for identity: StreamIdentity) -> SessionID? {
        let candidates = kin.sessions(of: identity.client)
        let named = identity.session.flatMap { UInt32($0) }.map { SessionID($0) }
        if let named, candidates.contains(named) { return named }
        return candidates.first { !taggedOnly.contains($0) }
    }
}
