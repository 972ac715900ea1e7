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

    /// What a stream of the given properties would be (N11).
    public func classify(
        _ property: (String) -> String?
    ) -> (description: SessionDescription?, refusedClaim: String?) {
        book?.classify(property) ?? (nil, nil)
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
    var application: ApplicationID { properties.application }
    var complaint: String? { properties.complaint }

    func property(_ key: String) -> String? {
        let own = pw_properties_get(pw_impl_node_get_properties(node), key)
        let inherited = host.client(of: node).flatMap { pw_impl_client_get_properties($0) }
        return text(own ?? inherited.flatMap { pw_properties_get($0, key) })
    }

    /// Who it belongs to.
    var identity: StreamIdentity {
        // The kernel's word, but for clients of pipewire-pulse, which speaks for them, and those in sandboxes, whose
        // numbers of their own mean nothing here.
        let claimed = properties.isOfPulseClient ? property("application.process.id") : nil
        return StreamIdentity(
            node: global, application: application,
            process: (claimed ?? property("pipewire.sec.pid")).flatMap { UInt32($0) },
            portal: property("pipewire.access.portal.app_id"), session: property("audio-session.id"))
    }
}
