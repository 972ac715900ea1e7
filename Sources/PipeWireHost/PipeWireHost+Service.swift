import CPipeWire
import SessionCore
import SessionHost
import SessionService

/// The host as the bus service sees it.
extension PipeWireHost: StreamHost {
    /// The running daemon.
    public var server: ServerDescription { .pipeWire(text(pw_get_library_version()) ?? "") }

    /// Classifies a stream again, because its properties may now mean something else.
    package func reclassify(_ stream: StreamNode) { propertiesChanged(stream) }

    /// Applies the user's choice of a port (R66).
    public func choose(_ port: RoutePort, direction: PortDirection) -> Bool { routes.choose(port, direction) }
}

extension StreamNode: HostedStream {
    package var direction: StreamDirection { properties.direction }
    package var application: ApplicationID { properties.identity.application }
    package var complaint: String? { properties.complaint }

    package func property(_ key: String) -> String? {
        // Only the server may set these properties; the node's own value does not count.
        let isOfServer = key.hasPrefix("pipewire.") || key == "client.api"
        let own = isOfServer ? nil : pw_properties_get(pw_impl_node_get_properties(node), key)
        let inherited = host.client(of: node).flatMap { pw_impl_client_get_properties($0) }
        return text(own ?? inherited.flatMap { pw_properties_get($0, key) })
    }

    /// Who owns the stream.
    package var identity: StreamIdentity {
        StreamIdentity(node: global, client: properties.identity, session: property(StreamIdentity.sessionProperty))
    }
}
