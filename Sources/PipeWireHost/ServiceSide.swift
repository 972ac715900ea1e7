import CPipeWire
import PolicyFile
import SessionCore
import SessionService

/// What the service on the bus needs of this host.
extension PipeWireHost: ServiceHost {
    /// Where the policy in force comes from.
    public var policyOrigin: String { policy.origin }

    /// What a stream of the given properties would be (N11).
    public func classify(
        _ property: (String) -> String?
    ) -> (description: SessionDescription?, refusedClaim: String?) {
        let result = policy.classifier.classify(direction: .playback, property: property)
        return (result.description, result.refusedClaim)
    }

    /// What decided what a stream is, each with the place that says so.
    public func steps(of stream: StreamID) -> [String] {
        guard let node = byStream[stream] else { return [] }
        return classification(of: node).steps.map { step in
            step.text + (step.origin.map { " (\($0))" } ?? "")
        }
    }

    /// The user has chosen a port (R66).
    public func choose(_ port: RoutePort, direction: PortDirection) { routes.choose(port, direction) }

    /// Who a stream belongs to.
    func identity(of stream: StreamNode) -> StreamIdentity {
        let own = pw_impl_node_get_properties(stream.node)
        let inherited = client(of: stream.node).flatMap { pw_impl_client_get_properties($0) }
        func value(_ key: String) -> String? {
            text(pw_properties_get(own, key) ?? inherited.flatMap { pw_properties_get($0, key) })
        }
        // The kernel's word, but for clients of pipewire-pulse, which speaks for them, and those in sandboxes, whose
        // numbers of their own mean nothing here.
        let claimed = stream.properties.isOfPulseClient ? value("application.process.id") : nil
        return StreamIdentity(
            node: stream.global, application: stream.properties.application,
            process: (claimed ?? value("pipewire.sec.pid")).flatMap { UInt32($0) },
            portal: value("pipewire.access.portal.app_id"), session: value("audio-session.id"))
    }
}
