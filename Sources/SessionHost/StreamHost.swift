package import SessionCore
package import SessionRuntime
package import SessionService

/// A host that keeps its streams in a book. It serves the D-Bus service's needs in the same way for every sound server.
package protocol StreamHost: ServiceHost {
    /// The type of its streams.
    associatedtype Stream: HostedStream
    /// The streams; `nil` before the host has started and after it has ended.
    var book: StreamBook<Stream>? { get }
    /// Connects the engine to the server.
    var runtime: SessionRuntime? { get }
    /// Classifies a stream again, because the policy may now describe it differently.
    func reclassify(_ stream: Stream)
}

extension StreamHost {
    /// The origin of the policy in force, and who decides in its place.
    public var policyOrigin: String {
        guard let book else { return "" }
        return (book.other.map { "not in force, as \($0): " } ?? "") + book.policy.origin
    }

    /// The classification of a stream with the given properties from a client (N11).
    public func classify(
        _ client: ClientIdentity, _ direction: StreamDirection, _ property: (String) -> String?
    ) -> (description: SessionDescription?, refusedClaim: String?) {
        book?.classify(client, direction, property) ?? (nil, nil)
    }

    /// Whether a client may control the whole desktop (N20).
    public func mayControlDesktop(_ client: ClientIdentity) -> Bool { book?.mayControlDesktop(client) ?? false }

    /// Classifies all streams again, because the permissions of sandboxed applications may have changed.
    public func accessChanged() {
        for stream in book?.all ?? [] where book?[stream.id] === stream { reclassify(stream) }
        runtime?.drain()
    }

    /// The steps by which a stream was classified, each with its origin in the policy.
    public func classificationSteps(of stream: StreamID) -> [String] { book?.classificationSteps(of: stream) ?? [] }

    /// Moves a stream to another opened session, or to none.
    public func move(_ stream: StreamID, to session: SessionID?) { book?.move(stream, to: session) }
}
