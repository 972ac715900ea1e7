import CPipeWire
import SessionCore
import SessionHost
import SessionService

/// What the service on the bus needs of this host.
extension PipeWireHost: StreamHost {
    /// The running daemon.
    public var server: ServerDescription { .pipeWire(text(pw_get_library_version()) ?? "") }

    /// Its properties may count for something else now.
    package func reconsider(_ stream: StreamNode) { propertiesChanged(stream) }

    /// The user has chosen a port (R66).
    public func choose(_ port: RoutePort, direction: PortDirection) -> Bool { routes.choose(port, direction) }
}

extension StreamNode: HostedStream {
    package var direction: StreamDirection { properties.direction }
    package var application: ApplicationID { properties.identity.application }
    package var complaint: String? { properties.complaint }

    package func property(_ key: String) -> String? {
        // What the server has said of the client is not for the node to say.
        let isOfServer = key.hasPrefix("pipewire.") || key == "client.api"
        let own = isOfServer ? nil : pw_properties_get(pw_impl_node_get_properties(node), key)
        let inherited = host.client(of: node).flatMap { pw_impl_client_get_properties($0) }
        return text(own ?? inherited.flatMap { pw_properties_get($0, key) })
    }

    /// Who it belongs to.
    package var identity: StreamIdentity {
        StreamIdentity(node: global, client: properties.identity, session: property(StreamIdentity.sessionProperty))
    }
}
