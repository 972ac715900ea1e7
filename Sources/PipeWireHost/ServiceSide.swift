import CPipeWire
import SessionCore
import SessionHost
import SessionService

/// What the service on the bus needs of this host.
extension PipeWireHost: ServiceHost {
    /// The running daemon.
    public var server: ServerDescription { .pipeWire(text(pw_get_library_version()) ?? "") }

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
        for stream in book?.all ?? [] where book?[stream.id] === stream { propertiesChanged(stream) }
        runtime?.drain()
    }

    /// What decided what a stream is, each with the place that says so.
    public func steps(of stream: StreamID) -> [String] { book?.steps(of: stream) ?? [] }

    /// A session that was opened has a stream now, or none has it any more.
    public func claimChanged(of stream: StreamID) -> Bool { book?.claimChanged(of: stream) ?? false }

    /// The user has chosen a port (R66).
    public func choose(_ port: RoutePort, direction: PortDirection) -> Bool { routes.choose(port, direction) }
}

extension StreamNode: HostedStream {
    var direction: StreamDirection { properties.direction }
    var application: ApplicationID { properties.identity.application }
    var complaint: String? { properties.complaint }

    func property(_ key: String) -> String? {
        // What the server has said of the client is not for the node to say.
        let isOfServer = key.hasPrefix("pipewire.") || key == "client.api"
        let own = isOfServer ? nil : pw_properties_get(pw_impl_node_get_properties(node), key)
        let inherited = host.client(of: node).flatMap { pw_impl_client_get_properties($0) }
        return text(own ?? inherited.flatMap { pw_properties_get($0, key) })
    }

    /// Who it belongs to.
    var identity: StreamIdentity {
        StreamIdentity(node: global, client: properties.identity, session: property("audio-session.id"))
    }
}
