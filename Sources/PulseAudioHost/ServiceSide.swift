import CPulseCore
public import SessionCore
import SessionHost
public import SessionService

/// What the service on the bus needs of this host.
extension PulseAudioHost: ServiceHost {
    /// The running daemon.
    public var server: ServerDescription { .pulseAudio(text(cpc_running_release()) ?? "") }

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
