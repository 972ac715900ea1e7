public import PolicyFile
public import SessionCore
public import SessionRuntime
public import SessionService

/// One stream of a sound server, in what every server has of it.
public protocol HostedStream: AnyObject {
    /// Its number in the engine. A stream that says something else of itself gets another one.
    var id: StreamID { get }
    /// Which way its sound goes.
    var direction: StreamDirection { get }
    /// The application that it belongs to.
    var application: ApplicationID { get }
    /// What is wrong with what it says of itself, for the log.
    var complaint: String? { get }
    /// What the policy makes of it, by itself or as part of a session that was opened; `nil` when it is left alone.
    var description: SessionDescription? { get set }
    /// Its client wants it to run.
    var wantsToPlay: Bool { get }
    /// The server processes it.
    var isRunning: Bool { get }
    /// Who it belongs to.
    var identity: StreamIdentity { get }
    /// A property of the stream, or else of its client.
    func property(_ key: String) -> String?
}

/// The streams of a host: tells the engine and the service what they are, and what they have become.
public final class StreamBook<Stream: HostedStream> {
    private unowned let host: any Host
    private let runtime: SessionRuntime
    /// `org.AudioSession1`, unless the module's arguments say that there is none.
    public var service: SessionService?
    /// What is in force, and where it comes from.
    public private(set) var policy: LoadedPolicy
    private var streams: [StreamID: Stream] = [:]
    private var lastStream: UInt32 = 0
    /// The applications whose claims were refused, each with the claim, and what others say wrongly of themselves; said
    /// once.
    private var refused: Set<String> = []
    /// This module keeps its hands off all streams: the engine has forgotten them, and is not to hear of them again.
    public private(set) var hasSteppedBack = false
    /// Has what is waiting taken when the server has finished what it is doing.
    private let wakeLater: () -> Void

    /// What streams make of themselves.
    private var tags = TagBudget()

    private static var mostRefused: Int { 1024 }

    /// A book without streams.
    public init(policy: LoadedPolicy, runtime: SessionRuntime, host: any Host, wakeLater: @escaping () -> Void) {
        self.policy = policy
        self.runtime = runtime
        self.host = host
        self.wakeLater = wakeLater
    }

    /// The stream of a number.
    public subscript(id: StreamID) -> Stream? { streams[id] }

    /// All of them, the oldest first.
    public var all: [Stream] { streams.values.sorted { $0.id.rawValue < $1.id.rawValue } }

    /// A number that no stream had yet.
    public func nextID() -> StreamID {
        lastStream &+= 1
        return StreamID(lastStream)
    }

    /// Queues an event. What decides whether a stream may start is taken at once, inside the server's own call, so that it
    /// comes before the first sound; everything else waits until the server has finished what it is doing.
    public func post(_ event: Event, now: Bool) {
        if hasSteppedBack, event != .shutdown { return }
        runtime.post(event)
        if now { runtime.drain() } else { wakeLater() }
    }

    /// A stream is there.
    public func introduce(_ stream: Stream) {
        streams[stream.id] = stream
        guard !hasSteppedBack else { return }
        service?.introduce(stream.id, stream.identity)
        stream.description = settle(stream)
        if let complaint = stream.complaint { warn(complaint) }
        present(stream)
    }

    private func present(_ stream: Stream) {
        guard let description = stream.description else { return }
        post(
            .streamAppeared(
                stream.id, application: stream.application, description: description, direction: stream.direction),
            now: true)
        service?.place(stream.id)
        if stream.wantsToPlay { post(.streamWanted(stream.id, true), now: true) }
        if stream.isRunning { post(.streamRunning(stream.id, true), now: false) }
    }

    /// A session that was opened has a stream now, or none has it any more: what the policy leaves alone for want of a role
    /// joins the session of its application, and is left alone again after that.
    ///
    /// - Returns: Whether that is the case here.
    public func claimChanged(of id: StreamID) -> Bool {
        guard !hasSteppedBack, let stream = streams[id] else { return false }
        let description = classify(stream)
        guard (description == nil) != (stream.description == nil) else { return false }
        stream.description = settle(stream)
        if description == nil { post(.streamLeftAlone(id), now: true) } else { present(stream) }
        return true
    }

    /// Whether the policy makes something else of a stream than before.
    public func isOutdated(_ stream: Stream) -> Bool { classify(stream) != stream.description }

    /// A stream is gone. What the engine has to do about it is done at once, or when the server has finished what it is doing.
    public func forget(_ stream: Stream, now: Bool) {
        streams[stream.id] = nil
        tags.forget(stream.id)
        service?.forget(stream.id)
        post(.streamVanished(stream.id), now: now)
    }

    /// Leaves all streams to another policy that is at work.
    public func stepBack(from other: String) {
        hasSteppedBack = true
        host.log(.warning, "\(other): this module steps back and touches no stream")
        // What is undone needs the streams; when this happens amid other effects, it is done after them.
        runtime.shutDown()
    }

    // MARK: - The policy

    /// What the policy makes of a stream, as things are; `nil` when it leaves it alone.
    private func classify(_ stream: Stream) -> SessionDescription? { look(at: stream).description }

    /// The same, and what it would make of it if the stream said nothing of itself but its role.
    private func look(at stream: Stream) -> (description: SessionDescription?, plain: SessionDescription?) {
        let result = classification(of: stream)
        let name = stream.application.name
        if let claim = result.refusedClaim { warn("\(name) may not claim the priority of \(claim)") }
        for complaint in result.complaints { warn("\(name): \(complaint)") }
        let isClaimed = isClaimed(stream)
        let described = isClaimed ? result.descriptionInSession : result.description
        let plain = isClaimed ? result.withoutTagsInSession : result.withoutTags
        guard let described, described != plain else { return (described, plain) }
        if tags.admits(stream.id, of: stream.application, as: described) { return (described, plain) }
        warn("\(name) has too many streams with properties of their own: they count as \(plain?.name ?? "left alone")")
        return (plain, plain)
    }

    /// The same, to be what the stream is from now on.
    private func settle(_ stream: Stream) -> SessionDescription? {
        let (description, plain) = look(at: stream)
        tags.set(stream.id, of: stream.application, as: description == plain ? nil : description)
        return description
    }

    private func isClaimed(_ stream: Stream) -> Bool { service?.isClaimed(stream.id) ?? false }

    private func warn(_ line: String) {
        guard refused.count < Self.mostRefused, refused.insert(line).inserted else { return }
        host.log(.warning, line)
    }

    private func classification(of stream: Stream) -> Classification {
        let client = stream.identity.client
        return policy.classifier.classify(direction: stream.direction, access: access(of: client)) {
            // What is verified is not for the stream to say.
            client.verified($0) ?? stream.property($0)
        }
    }

    /// Puts another policy in force. Returns whether it differs from the present one.
    public func apply(_ policy: LoadedPolicy) -> Bool {
        guard policy.policy != self.policy.policy || policy.classifier != self.policy.classifier else { return false }
        self.policy = policy
        refused.removeAll()
        // Anew, the oldest first.
        tags = TagBudget()
        var known: [StreamID: SessionDescription] = [:]
        var newcomers: [Stream] = []
        for stream in all {
            let wasManaged = stream.description != nil
            stream.description = settle(stream)
            if wasManaged { known[stream.id] = stream.description } else { newcomers.append(stream) }
        }
        post(.policyChanged(policy.policy, known), now: true)
        if !hasSteppedBack { for stream in newcomers { present(stream) } }
        service?.policyChanged()
        return true
    }

    /// What a stream of a client with the given properties would be (N11).
    public func classify(
        _ client: ClientIdentity, _ property: (String) -> String?
    ) -> (description: SessionDescription?, refusedClaim: String?) {
        let result = policy.classifier.classify(direction: .playback, access: access(of: client), property: property)
        return (result.description, result.refusedClaim)
    }

    /// Whether a client may do what concerns the whole desktop (N20).
    public func mayControlDesktop(_ client: ClientIdentity) -> Bool {
        policy.classifier.mayControlDesktop(access: access(of: client)) { client.verified($0) ?? nil }
    }

    private func access(of client: ClientIdentity) -> ClientAccess {
        if client.isUnconfined { return .outside }
        return .confined(mayRecord: client.sandbox.map { service?.mayRecord($0) ?? $0.mayRecord } ?? false)
    }

    /// What decided what a stream is, each with the place that says so.
    public func steps(of id: StreamID) -> [String] {
        guard let stream = streams[id] else { return [] }
        let result = classification(of: stream)
        let joins = stream.description != nil && result.description == nil
        return result.steps.map { step in step.text + (step.origin.map { " (\($0))" } ?? "") }
            + (joins ? ["but it is part of its application's session"] : [])
    }
}
