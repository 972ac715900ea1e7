import SessionCore
import SessionDesktop

/// Finds the sessions of a stream's owner and the streams of a session's owner, by look-up, without going through all
/// of them.
struct Kinship {
    private var sessionsOfProcess: [ProcessID: [Entry]] = [:]
    private var sessionsOfApplication: [String: [Entry]] = [:]
    /// The interruptions that each process has begun.
    private var interruptions: [ProcessID: [Entry]] = [:]
    private var streamsOfProcess: [ProcessID: Set<StreamID>] = [:]
    private var streamsOfApplication: [String: Set<StreamID>] = [:]

    private struct Entry {
        let id: SessionID
        let owner: ClientIdentity

        /// Whether a client's stream may belong to the session. Whoever has started it, a confined program has no part in what
        /// is outside, or in another sandbox; nor has one of which nothing is known in what is in a known sandbox.
        func admits(_ client: ClientIdentity) -> Bool {
            if client.isUnconfined { return true }
            if let own = client.sandbox, let other = owner.sandbox { return own.isSame(as: other) }
            return client.sandbox == nil && owner.sandbox == nil && !owner.isUnconfined
        }
    }

    // MARK: - Streams

    /// Adds a client's stream.
    mutating func add(_ stream: StreamID, of client: ClientIdentity) {
        for process in client.program?.lineage ?? [] { streamsOfProcess[process, default: []].insert(stream) }
        streamsOfApplication[client.keyOfAllInstances, default: []].insert(stream)
    }

    /// Removes a client's stream.
    mutating func remove(_ stream: StreamID, of client: ClientIdentity) {
        for process in client.program?.lineage ?? [] {
            streamsOfProcess[process]?.remove(stream)
            if streamsOfProcess[process]?.isEmpty ?? false { streamsOfProcess[process] = nil }
        }
        let key = client.keyOfAllInstances
        streamsOfApplication[key]?.remove(stream)
        if streamsOfApplication[key]?.isEmpty ?? false { streamsOfApplication[key] = nil }
    }

    /// The streams that may belong to an owner's sessions, the oldest first.
    func streams(of owner: ClientIdentity) -> [StreamID] {
        let ofProcess = owner.program.flatMap { streamsOfProcess[$0.process] } ?? []
        return ofProcess.union(streamsOfApplication[owner.keyOfAllInstances] ?? []).sorted { $0.rawValue < $1.rawValue }
    }

    // MARK: - Sessions

    /// Adds an owner's session.
    mutating func add(_ session: SessionID, of owner: ClientIdentity) {
        let entry = Entry(id: session, owner: owner)
        if let process = owner.program?.process { sessionsOfProcess[process, default: []].append(entry) }
        sessionsOfApplication[owner.keyOfAllInstances, default: []].append(entry)
    }

    /// Removes an owner's session.
    mutating func remove(_ session: SessionID, of owner: ClientIdentity) {
        if let process = owner.program?.process {
            sessionsOfProcess[process]?.removeAll { $0.id == session }
            if sessionsOfProcess[process]?.isEmpty ?? false { sessionsOfProcess[process] = nil }
        }
        let key = owner.keyOfAllInstances
        sessionsOfApplication[key]?.removeAll { $0.id == session }
        if sessionsOfApplication[key]?.isEmpty ?? false { sessionsOfApplication[key] = nil }
    }

    /// Adds an interruption, to which what its owner starts belongs.
    mutating func add(interruption session: SessionID, of owner: ClientIdentity) {
        guard let process = owner.program?.process else { return }
        interruptions[process, default: []].append(Entry(id: session, owner: owner))
    }

    /// Removes an interruption.
    mutating func remove(interruption session: SessionID, of owner: ClientIdentity) {
        guard let process = owner.program?.process else { return }
        interruptions[process]?.removeAll { $0.id == session }
        if interruptions[process]?.isEmpty ?? false { interruptions[process] = nil }
    }

    /// The sessions that a client's stream may belong to: those of its process, then those of the parent processes from
    /// the nearest up and what these have begun, then those of its application; within each group the oldest first.
    func sessions(of client: ClientIdentity) -> [SessionID] {
        var found: [SessionID] = []
        let own = client.program?.process
        let ofProcesses = (client.program?.lineage ?? []).flatMap {
            (sessionsOfProcess[$0] ?? []) + ($0 == own ? [] : interruptions[$0] ?? [])
        }
        for entry in ofProcesses + (sessionsOfApplication[client.keyOfAllInstances] ?? [])
        where entry.admits(client) && !found.contains(entry.id) {
            found.append(entry.id)
        }
        return found
    }
}
