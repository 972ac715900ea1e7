import PolicyFile
import SessionCore
import SessionDesktop
import SessionService

/// The description that the policy gives to each stream of a host, and the events for the engine that follow.
///
/// A pure value: each call returns the actions that the host carries out, in their order.
struct StreamDescriptions {
    /// An action for the host.
    enum Action: Equatable {
        /// Send the event to the engine at once.
        case post(Event)
        /// Send to the engine whether the stream is wanted and whether it runs now.
        case reportState(StreamID)
        /// Log the warning.
        case warn(String)
    }

    private struct Entry {
        /// The opened session to which the stream belongs; `nil` for none.
        var session: SessionID?
        /// The stream's description; `nil` while the policy leaves the stream alone.
        var description: SessionDescription?
    }

    /// The policy in force, and where it comes from.
    private(set) var policy: LoadedPolicy
    /// Who decides about all streams instead of the policy; `nil` if nobody does.
    private(set) var other: String?
    private var entries: [StreamID: Entry] = [:]
    /// The warnings logged under this policy. Each is logged once.
    private var warned: Set<String> = []
    /// The maximum number of different warnings. Further ones are not logged.
    private static var maximumWarnings: Int { 1024 }

    /// Creates a value without streams.
    init(policy: LoadedPolicy) { self.policy = policy }

    /// The description that the policy gives to a stream; `nil` while it leaves the stream alone.
    func description(of stream: StreamID) -> SessionDescription? { entries[stream]?.description }

    /// Whether the engine knows a stream. It does not while the policy leaves the stream alone.
    func manages(_ stream: StreamID) -> Bool { entries[stream]?.description != nil }

    // MARK: - Streams

    /// Adds a stream.
    ///
    /// - Parameters:
    ///   - session: The opened session to which the stream belongs; `nil` for none.
    ///   - mayRecord: Whether a sandbox may use the microphone.
    mutating func add(
        _ stream: some HostedStream, in session: SessionID?, mayRecord: (AppSandbox) -> Bool
    ) -> [Action] {
        entries[stream.id] = Entry(session: session)
        var actions: [Action] = []
        describe(stream, mayRecord, &actions)
        if let complaint = stream.complaint { warn(complaint, &actions) }
        return actions + appearance(of: stream)
    }

    /// Moves a stream to another opened session, or to none.
    ///
    /// A stream that the policy leaves alone because it has no role is managed while it belongs to a session.
    mutating func move(
        _ stream: some HostedStream, to session: SessionID?, mayRecord: (AppSandbox) -> Bool
    ) -> [Action] {
        guard entries[stream.id] != nil else { return [] }
        let wasManaged = manages(stream.id)
        let wasInSession = entries[stream.id]?.session != nil
        entries[stream.id]?.session = session
        var actions: [Action] = []
        if wasInSession != (session != nil) {
            let (found, warnings) = evaluate(at: stream, mayRecord)
            warn(warnings, &actions)
            if (found != nil) != wasManaged {
                describe(stream, mayRecord, &actions)
                return actions + (wasManaged ? [.post(.streamLeftAlone(stream.id))] : appearance(of: stream))
            }
        }
        guard wasManaged else { return actions }
        let home: SessionKey = session.map { .opened($0) } ?? .application(stream.application)
        return actions + [.post(.streamMoved(stream.id, to: home))]
    }

    /// Removes a stream. The host tells the engine.
    mutating func remove(_ stream: StreamID) { entries[stream] = nil }

    /// Whether the policy now gives a stream another description than before, and the warnings found while classifying.
    mutating func isOutdated(
        _ stream: some HostedStream, mayRecord: (AppSandbox) -> Bool
    ) -> (isOutdated: Bool, actions: [Action]) {
        let (found, warnings) = evaluate(at: stream, mayRecord)
        var actions: [Action] = []
        warn(warnings, &actions)
        return (found != entries[stream.id]?.description, actions)
    }

    /// Puts another policy in force.
    ///
    /// - Returns: The actions; `nil` if the policy is the same.
    mutating func change(
        to policy: LoadedPolicy, _ streams: [some HostedStream], mayRecord: (AppSandbox) -> Bool
    ) -> [Action]? {
        guard policy.policy != self.policy.policy || policy.classifier != self.policy.classifier else { return nil }
        self.policy = policy
        return describeAll(streams, mayRecord: mayRecord)
    }

    /// Leaves all streams to somebody else, or decides about them again.
    ///
    /// - Parameter other: Who decides about them; `nil` if nobody else does.
    mutating func leave(
        to other: String?, _ streams: [some HostedStream], mayRecord: (AppSandbox) -> Bool
    ) -> [Action] {
        let wasLeft = self.other != nil
        self.other = other
        return wasLeft == (other != nil) ? [] : describeAll(streams, mayRecord: mayRecord)
    }

    private mutating func describeAll(
        _ streams: [some HostedStream], mayRecord: (AppSandbox) -> Bool
    ) -> [Action] {
        warned.removeAll()
        var known: [StreamID: SessionDescription] = [:]
        var actions: [Action] = []
        var newcomers: [Action] = []
        for stream in streams {
            let wasManaged = manages(stream.id)
            describe(stream, mayRecord, &actions)
            if wasManaged {
                known[stream.id] = entries[stream.id]?.description
            } else {
                newcomers += appearance(of: stream)
            }
        }
        return actions + [.post(.policyChanged(policy.policy, known))] + newcomers
    }

    /// The actions that make a stream known to the engine; empty if the policy leaves the stream alone. The stream
    /// joins its session before it is wanted (R79).
    private func appearance(of stream: some HostedStream) -> [Action] {
        guard let entry = entries[stream.id], let description = entry.description else { return [] }
        var actions: [Action] = [
            .post(
                .streamAppeared(
                    stream.id, application: stream.application, description: description, direction: stream.direction))
        ]
        if let session = entry.session { actions.append(.post(.streamMoved(stream.id, to: .opened(session)))) }
        return actions + [.reportState(stream.id)]
    }

    // MARK: - Classification

    /// Updates a stream's description.
    private mutating func describe(
        _ stream: some HostedStream, _ mayRecord: (AppSandbox) -> Bool, _ actions: inout [Action]
    ) {
        let (found, warnings) = evaluate(at: stream, mayRecord)
        warn(warnings, &actions)
        entries[stream.id]?.description = found
    }

    /// The description of a stream under the policy, and warnings. The description is `nil` if the policy leaves the
    /// stream alone.
    private func evaluate(
        at stream: some HostedStream, _ mayRecord: (AppSandbox) -> Bool
    ) -> (found: SessionDescription?, warnings: [String]) {
        if other != nil { return (nil, []) }
        let result = classification(of: stream, mayRecord)
        let name = stream.application.name
        var warnings = result.refusedClaim.map { ["\(name) may not claim the priority of \($0)"] } ?? []
        warnings += result.complaints.map { "\(name): \($0)" }
        let isInSession = entries[stream.id]?.session != nil
        return (isInSession ? result.descriptionInSession : result.description, warnings)
    }

    private mutating func warn(_ line: String, _ actions: inout [Action]) {
        guard warned.count < Self.maximumWarnings, warned.insert(line).inserted else { return }
        actions.append(.warn(line))
    }

    private mutating func warn(_ lines: [String], _ actions: inout [Action]) {
        for line in lines { warn(line, &actions) }
    }

    /// The policy's classification of a stream. Properties that the kernel verifies take precedence over the stream's
    /// own.
    private func classification(of stream: some HostedStream, _ mayRecord: (AppSandbox) -> Bool) -> Classification {
        let client = stream.identity.client
        return policy.classifier.classify(direction: stream.direction, access: Self.access(of: client, mayRecord)) {
            client.verified($0) ?? stream.property($0)
        }
    }

    /// What a client may do, depending on the sandbox in which it runs (N20).
    static func access(of client: ClientIdentity, _ mayRecord: (AppSandbox) -> Bool) -> ClientAccess {
        if client.isUnconfined { return .outside }
        guard let sandbox = client.sandbox else { return .confined(mayRecord: false) }
        return .confined(mayRecord: mayRecord(sandbox))
    }

    /// The steps by which a stream was classified, each with its origin in the policy; one sentence each.
    func explanation(of stream: some HostedStream, mayRecord: (AppSandbox) -> Bool) -> [String] {
        if let other { return ["it is left alone, as all streams are: \(other)"] }
        let result = classification(of: stream, mayRecord)
        let joins = manages(stream.id) && result.description == nil
        return result.steps.map { step in step.text + (step.origin.map { " (\($0))" } ?? "") }
            + (joins ? ["but it is part of its application's session"] : [])
    }
}
