import CPulseCore
public import SessionCore
import SessionHost
public import SessionService

/// What the service on the bus needs of this host.
extension PulseAudioHost: StreamHost {
    /// The running daemon.
    public var server: ServerDescription { .pulseAudio(text(cpc_running_release()) ?? "") }

    /// Its properties may count for something else now.
    package func reconsider(_ stream: PulseStream) { propertiesChanged(stream.handle) }

    /// The user has chosen a port (R66).
    public func choose(_ port: RoutePort, direction: PortDirection) -> Bool { routes.choose(port, direction) }
}
