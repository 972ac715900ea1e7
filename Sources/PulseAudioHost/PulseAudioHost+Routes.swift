import CPulseCore
import HostSupport
public import PolicyEngine
public import PolicyRuntime

/// The runtime's queries and commands about routes.
extension PulseAudioHost {
    /// The streams whose sound goes to a sink.
    public func streams(heardOn node: UInt32) -> [StreamID] {
        (runtime?.streamsByAge ?? []).filter {
            guard $0.isManaged, $0.direction == .playback, let stream = $0.server as? PulseStream else { return false }
            return routes.isHeard(stream.handle, on: node)
        }.map(\.id)
    }

    /// The channels, the volume and the latency of a sink or source.
    public func device(_ node: UInt32) -> DeviceProperties? { routes.properties(of: node) }

    /// How long the longest buffer of a card lasts.
    public var longestBuffer: Duration { routes.longestBuffer }

    /// Handles a sink whose volume, or a device whose latency has changed.
    func deviceChanged() {
        service?.graphChanged()
        drainLater()
    }

    /// Does nothing: the daemon itself moves streams, after they were stopped.
    public func outputLost(_ port: RoutePort) {}

    /// The running daemon.
    public var server: ServerDescription { .pulseAudio(text(cpc_running_release()) ?? "") }

    /// Applies the user's choice of a port (R66).
    public func choose(_ port: RoutePort, direction: PortDirection) -> Bool { routes.choose(port, direction) }

    /// Moves a stream, or activates another port.
    public func carryOut(_ command: RouteCommand) {
        switch command {
        case .send(let stream, let node):
            if let stream = runtime?.streams[stream]?.server as? PulseStream { routes.send(stream.handle, to: node) }
        case .usePort(let id, let direction, _, let node): routes.use(id, direction, node: node, isSaved: false)
        }
    }

    /// Applies a change of devices or links, with all its effects, before returning.
    func handle(_ event: RouteEvent) { runtime?.handle(event) }

    /// Records that the user muted or unmuted a source (N7).
    func muted(_ input: RouteNode, _ isMuted: Bool) { runtime?.muted(input, isMuted) }
}
