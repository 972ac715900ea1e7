package import SessionCore
package import SessionRuntime
package import SessionService

/// A sound server's host that keeps its streams in a book: what the service on the bus needs of it is the same in every server.
package protocol StreamHost: ServiceHost {
    /// The kind of its streams.
    associatedtype Stream: HostedStream
    /// The streams; `nil` before the host has begun and after it has ended.
    var book: StreamBook<Stream>? { get }
    /// Joins the engine to the server.
    var runtime: SessionRuntime? { get }
    /// A stream may be something else to the policy than before.
    func reconsider(_ stream: Stream)
}

extension StreamHost {
    /// Where the policy in force comes from.
    public var policyOrigin: String { book?.policy.origin ?? "" }

    /// What a stream of a client with the given properties would be (N11).
    public func classify(
        _ client: ClientIdentity, _ property: (String) -> String?
    ) -> (description: SessionDescription?, refusedClaim: String?) {
        book?.classify(client, property) ?? (nil, nil)
    }

    /// Whether a client may do what concerns the whole desktop (N20).
    public func mayControlDesktop(_ client: ClientIdentity) -> Bool { book?.mayControlDesktop(client) ?? false }

    /// Applications in sandboxes may do something else than before.
    public func accessChanged() {
        for stream in book?.all ?? [] where book?[stream.id] === stream { reconsider(stream) }
        runtime?.drain()
    }

    /// What decided what a stream is, each with the place that says so.
    public func steps(of stream: StreamID) -> [String] { book?.steps(of: stream) ?? [] }

    /// A session that was opened has a stream now, or none has it any more.
    public func claimChanged(of stream: StreamID) -> Bool { book?.claimChanged(of: stream) ?? false }
}
