import CPulseCore
public import SessionCore
import SessionHost
public import SessionService

/// The host as the bus service sees it.
extension PulseAudioHost: StreamHost {
    /// The running daemon.
    public var server: ServerDescription { .pulseAudio(text(cpc_running_release()) ?? "") }

    /// Classifies a stream again, because its properties may now mean something else.
    package func reclassify(_ stream: PulseStream) { propertiesChanged(stream.handle) }

    /// Applies the user's choice of a port (R66).
    public func choose(_ port: RoutePort, direction: PortDirection) -> Bool { routes.choose(port, direction) }
}
