public import PolicyEngine
public import PolicyFile

/// The streams of the server, and what the policy makes of each.
extension SessionRuntime {
    /// All streams, the oldest first.
    public var streamsByAge: [StreamEntry] { streams { _ in true } }

    /// The streams that satisfy a condition, the oldest first.
    public func streams(where isIncluded: (StreamEntry) -> Bool) -> [StreamEntry] {
        var found: [StreamEntry] = []
        for stream in streams.values where isIncluded(stream) { found.append(stream) }
        return found.count < 2 ? found : found.sorted { $0.id.rawValue < $1.id.rawValue }
    }

    // MARK: - Streams

    /// Adds a stream of the server, by a new id or a given one. On return, the stream is silent if it has to be.
    public func add(_ server: any ServerStream, as id: StreamID? = nil) {
        lastStream = max(lastStream &+ 1, id?.rawValue ?? 0)
        let stream = StreamEntry(id ?? StreamID(lastStream), server)
        stream.appeared = host.now
        server.id = stream.id
        streams[stream.id] = stream
        stream.session = session(for: stream.identity)
        noteChange(of: stream.session)
        describe(stream)
        if let complaint = server.complaint { warn(complaint) }
        introduce(stream)
        drain()
    }

    /// The server has removed a stream. With `now`, applies the effects; otherwise after the server's call.
    public func remove(_ stream: any ServerStream, now: Bool) {
        guard let entry = streams[stream.id], entry.server === stream else { return }
        if entry.isMeasured { stream.measure(false) }
        entry.isMeasured = false
        entry.server = nil
        noteChange(of: entry.session)
        post(.streamVanished(entry.id), now: now)
    }

    /// Whether the policy now gives a stream another description than before.
    public func isOutdated(_ stream: StreamID) -> Bool {
        streams[stream].map { classify($0) != $0.description } ?? false
    }

    /// The permissions of sandboxed applications may have changed, and with them the meaning of properties.
    public func accessChanged() {
        for stream in streamsByAge { stream.server?.readProperties() }
        drain()
    }

    /// A stream that the policy leaves alone for lack of a role is managed while it belongs to a session.
    func move(_ stream: StreamEntry, to session: SessionID?) {
        let (wasManaged, wasInSession) = (stream.isManaged, stream.session != nil)
        noteChange(of: stream.session)
        stream.session = session
        noteChange(of: session)
        if wasInSession != (session != nil), (classify(stream) != nil) != wasManaged {
            describe(stream)
            return wasManaged ? post(.streamLeftAlone(stream.id)) : introduce(stream)
        }
        guard wasManaged else { return }
        post(.streamMoved(stream.id, to: session.map { .opened($0) } ?? .application(stream.application)))
    }

    /// The stream joins its session before it is wanted (R79).
    private func introduce(_ stream: StreamEntry) {
        guard stream.server != nil, let description = stream.description else { return }
        let id = stream.id
        post(
            .streamAppeared(
                id, application: stream.application, description: description, direction: stream.direction))
        if let session = stream.session { post(.streamMoved(id, to: .opened(session))) }
        introduced.append(id)
    }

    private func noteChange(of session: SessionID?) {
        if let session { sessions[session]?.isStale = true }
    }

    /// Handles a change of a stream's own volume or mute. `isHigher` compares the volume with the one before.
    public func volumeChanged(of stream: StreamID, wasMuted: Bool, isHigher: Bool) {
        guard let entry = streams[stream], entry.isManaged, let server = entry.server else { return }
        if server.isMuted != wasMuted { post(.streamMuted(stream, server.isMuted), now: false) }
        if isHigher {
            turnedUp(entry)
            host.drainLater()
        }
    }

    /// N19: the user may have turned up a silent stream to hear it. Session managers restore the volumes of new
    /// streams, so those do not count.
    private func turnedUp(_ stream: StreamEntry) {
        guard stream.treatment.silence != .none, let known = stream.knownSince,
            known.duration(to: host.now) >= Self.settlingTime
        else { return }
        post(.streamFreed(stream.id, by: .raise))
    }

    /// A new stream's volume may be its session manager's (N19).
    private static var settlingTime: Duration { .seconds(1) }

    // MARK: - The policy

    /// Where the policy in force comes from, and who decides in its place, for people.
    public var policyOrigin: String { (otherPolicy.map { "not in force, as \($0): " } ?? "") + inForce.origin }

    /// The name of the preset that the policy in force begins with.
    public var preset: String { inForce.preset }

    /// Puts another policy in force. Returns whether it differs from the present one, be it only in its origin.
    @discardableResult
    public func apply(_ policy: PolicyInForce) -> Bool {
        guard policy != inForce else { return false }
        inForce = policy
        describeAll()
        return true
    }

    /// Leaves all streams to another policy in the same server (`other`, in words), or decides about them again.
    public func leave(to other: String?) {
        guard other != otherPolicy else { return }
        host.log(
            .warning,
            other.map { "\($0): this module steps back and touches no stream" }
                ?? "no other role policy is left: this module decides again")
        let wasLeft = otherPolicy != nil
        otherPolicy = other
        if wasLeft != (other != nil) { describeAll() }
    }

    private func describeAll() {
        warned.removeAll()
        var known: [StreamID: SessionDescription] = [:]
        var newcomers: [StreamEntry] = []
        for stream in streamsByAge where stream.server != nil {
            let wasManaged = stream.isManaged
            describe(stream)
            if wasManaged { known[stream.id] = stream.description } else { newcomers.append(stream) }
        }
        post(.policyChanged(inForce.policy, known))
        for stream in newcomers { introduce(stream) }
        drain()
    }

    // MARK: - Classification

    private func describe(_ stream: StreamEntry) { stream.description = classify(stream) }

    /// `nil` if the policy leaves the stream alone. Warns of mistakes in its properties.
    private func classify(_ stream: StreamEntry) -> SessionDescription? {
        guard otherPolicy == nil, let result = classification(of: stream) else { return nil }
        let name = stream.application.name
        if let claim = result.refusedClaim { warn("\(name) may not claim the priority of \(claim)") }
        for complaint in result.complaints { warn("\(name): \(complaint)") }
        return stream.session == nil ? result.description : result.descriptionInSession
    }

    private func classification(of stream: StreamEntry) -> Classification? {
        guard stream.server != nil else { return nil }
        return inForce.classifier.classify(direction: stream.direction, access: access(of: stream.identity.client)) {
            stream.property($0)
        }
    }

    /// What the policy makes of a client's stream of this direction with the given properties (N11).
    public func classify(
        _ client: ClientIdentity, _ direction: StreamDirection, _ property: (String) -> String?
    ) -> (description: SessionDescription?, refusedClaim: String?) {
        let result = inForce.classifier.classify(direction: direction, access: access(of: client), property: property)
        return (result.description, result.refusedClaim)
    }

    /// Whether a client may control the whole desktop (N20).
    public func mayControlDesktop(_ client: ClientIdentity) -> Bool {
        inForce.classifier.mayControlDesktop(access: access(of: client)) { client.verified($0) ?? nil }
    }

    /// N20: by the sandbox in which the client runs.
    private func access(of client: ClientIdentity) -> ClientAccess {
        if client.isUnconfined { return .outside }
        return .confined(mayRecord: client.sandbox.map { mayRecord($0) } ?? false)
    }

    /// The steps by which a stream was classified, each with its origin in the policy; one sentence each.
    public func classificationSteps(of stream: StreamID) -> [String] {
        if let otherPolicy { return ["it is left alone, as all streams are: \(otherPolicy)"] }
        guard let stream = streams[stream], let result = classification(of: stream) else { return [] }
        let joins = stream.isManaged && result.description == nil
        return result.steps.map { step in step.text + (step.origin.map { " (\($0))" } ?? "") }
            + (joins ? ["but it is part of its application's session"] : [])
    }

    /// Further warnings are not logged.
    private static var maximumWarnings: Int { 1024 }

    /// Logs a warning once under each policy.
    private func warn(_ line: String) {
        if warned.count < Self.maximumWarnings, warned.insert(line).inserted { host.log(.warning, line) }
    }
}
