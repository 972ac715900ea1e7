public import PolicyFile
public import SessionCore
import SessionDesktop
public import SessionRuntime
public import SessionService

/// One stream of a sound server, with the properties that all servers have.
public protocol HostedStream: AnyObject {
    /// Its id in the engine. A stream whose properties change its meaning gets a new id.
    var id: StreamID { get }
    /// Its direction.
    var direction: StreamDirection { get }
    /// The application to which it belongs.
    var application: ApplicationID { get }
    /// What is wrong with its properties, for the log.
    var complaint: String? { get }
    /// Whether its client wants it to run.
    var wantsToPlay: Bool { get }
    /// Whether its user or client has muted it, or has its volume at zero; not whether the policy mutes it.
    var isMuted: Bool { get }
    /// Whether the server processes it.
    var isRunning: Bool { get }
    /// Its owner.
    var identity: StreamIdentity { get }
    /// A property of the stream, or else of its client; `nil` if neither has it.
    func property(_ key: String) -> String?
}

/// The streams of a host. Reports them to the engine and to the D-Bus service.
///
/// ``StreamDescriptions`` classifies the streams. The service decides to which session each belongs.
public final class StreamBook<Stream: HostedStream> {
    private unowned let host: any Host
    private let runtime: SessionRuntime
    /// The D-Bus service `org.AudioSession1`; `nil` if the module's arguments disable it.
    public var service: SessionService?
    private var streams: [StreamID: Stream] = [:]
    private(set) var descriptions: StreamDescriptions
    private var lastStream: UInt32 = 0
    /// Who decides about all streams in this module's place; `nil` if nobody does.
    public var other: String? { descriptions.other }
    /// Schedules the handling of queued events after the server's present call.
    private let wakeLater: () -> Void

    /// Creates a book without streams.
    public init(policy: LoadedPolicy, runtime: SessionRuntime, host: any Host, wakeLater: @escaping () -> Void) {
        self.runtime = runtime
        self.host = host
        self.wakeLater = wakeLater
        descriptions = StreamDescriptions(policy: policy)
    }

    /// The policy in force, and where it comes from.
    public var policy: LoadedPolicy { descriptions.policy }

    /// The stream with an id; `nil` if there is none.
    public subscript(id: StreamID) -> Stream? { streams[id] }

    /// All streams, the oldest first.
    public var all: [Stream] { streams.values.sorted { $0.id.rawValue < $1.id.rawValue } }

    /// An id that no stream has had yet.
    public func nextID() -> StreamID {
        lastStream &+= 1
        return StreamID(lastStream)
    }

    /// Queues an event. With `now`, it is handled at once, inside the server's call: an event that decides whether a
    /// stream may start must come before the first sound. Other events wait until the server's call is over.
    public func post(_ event: Event, now: Bool) {
        runtime.post(event)
        if now { runtime.drain() } else { wakeLater() }
    }

    // MARK: - Streams

    /// Adds a stream.
    public func add(_ stream: Stream) {
        streams[stream.id] = stream
        let session = service?.add(stream.id, stream.identity)
        carryOut(descriptions.add(stream, in: session, mayRecord: mayRecord))
    }

    /// Moves a stream to another opened session, or to none.
    public func move(_ stream: StreamID, to session: SessionID?) {
        guard let stream = streams[stream] else { return }
        carryOut(descriptions.move(stream, to: session, mayRecord: mayRecord))
    }

    /// Removes a stream. With `now`, the engine's effects are carried out at once; otherwise after the server's present
    /// call.
    public func forget(_ stream: Stream, now: Bool) {
        streams[stream.id] = nil
        descriptions.remove(stream.id)
        service?.forget(stream.id)
        post(.streamVanished(stream.id), now: now)
    }

    /// Whether the engine knows a stream. It does not while the policy leaves the stream alone.
    public func manages(_ stream: StreamID) -> Bool { descriptions.manages(stream) }

    /// Whether the policy now gives a stream another description than before.
    public func isOutdated(_ stream: Stream) -> Bool {
        let (isOutdated, actions) = descriptions.isOutdated(stream, mayRecord: mayRecord)
        carryOut(actions)
        return isOutdated
    }

    /// Leaves all streams to another policy, undoing what was done to them; or decides about them again.
    ///
    /// - Parameter other: Who decides, in words; `nil` if nobody else does.
    public func leave(to other: String?) {
        guard other != self.other else { return }
        host.log(
            .warning,
            other.map { "\($0): this module steps back and touches no stream" }
                ?? "no other role policy is left: this module decides again")
        carryOut(descriptions.leave(to: other, all, mayRecord: mayRecord))
        service?.policyChanged()
    }

    private func carryOut(_ actions: [StreamDescriptions.Action]) {
        for action in actions {
            switch action {
            case .post(let event): post(event, now: true)
            case .reportState(let id):
                guard let stream = streams[id] else { continue }
                if stream.isMuted { post(.streamMuted(id, true), now: true) }
                if stream.wantsToPlay { post(.streamWanted(id, true), now: true) }
                if stream.isRunning { post(.streamRunning(id, true), now: false) }
            case .warn(let line): host.log(.warning, line)
            }
        }
    }

    /// Handles a change of a stream's own volume or mute.
    ///
    /// - Parameters:
    ///   - isMuted: Whether the stream was muted before.
    ///   - isHigher: Whether its volume is higher than before.
    public func volumeChanged(of stream: Stream, wasMuted isMuted: Bool, isHigher: Bool) {
        guard manages(stream.id) else { return }
        if stream.isMuted != isMuted { post(.streamMuted(stream.id, stream.isMuted), now: false) }
        if isHigher {
            runtime.turnedUp(stream.id)
            wakeLater()
        }
    }

    // MARK: - The policy

    /// Puts another policy in force. Returns whether it differs from the present one.
    public func apply(_ policy: LoadedPolicy) -> Bool {
        guard let actions = descriptions.change(to: policy, all, mayRecord: mayRecord) else { return false }
        carryOut(actions)
        service?.policyChanged()
        return true
    }

    /// The classification of a stream of this direction with the given properties from a client (N11).
    public func classify(
        _ client: ClientIdentity, _ direction: StreamDirection, _ property: (String) -> String?
    ) -> (description: SessionDescription?, refusedClaim: String?) {
        let result = policy.classifier.classify(
            direction: direction, access: StreamDescriptions.access(of: client, mayRecord), property: property)
        return (result.description, result.refusedClaim)
    }

    /// Whether a client may control the whole desktop (N20).
    public func mayControlDesktop(_ client: ClientIdentity) -> Bool {
        policy.classifier.mayControlDesktop(access: StreamDescriptions.access(of: client, mayRecord)) {
            client.verified($0) ?? nil
        }
    }

    /// The steps by which a stream was classified, each with its origin in the policy; one sentence each.
    public func classificationSteps(of id: StreamID) -> [String] {
        streams[id].map { descriptions.explanation(of: $0, mayRecord: mayRecord) } ?? []
    }

    private func mayRecord(_ sandbox: AppSandbox) -> Bool { service?.mayRecord(sandbox) ?? sandbox.mayRecord }
}
