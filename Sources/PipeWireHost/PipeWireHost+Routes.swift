import CPipeWire
import DesktopServices
public import PolicyEngine
public import PolicyRuntime

/// The runtime's queries and commands about routes.
extension PipeWireHost {
    /// The streams whose sound goes to a sink.
    public func streams(heardOn node: UInt32) -> [StreamID] {
        let sources = routes.sources(of: node)
        guard let runtime, !sources.isEmpty else { return [] }
        return runtime.streams { entry in
            entry.isManaged && (entry.server as? StreamNode).map { sources.contains($0.global) } == true
        }.map(\.id)
    }

    /// Whether a managed stream may be audible on a sink.
    func isHeard(on node: UInt32) -> Bool {
        streams(heardOn: node).contains { runtime?.streams[$0]?.isAudible ?? false }
    }

    /// Applies a change of devices, links or the session manager, with all its effects, before returning.
    func handle(_ event: RouteEvent) { runtime?.handle(event) }

    /// Holds the session manager back until nothing of what was heard is left in a card's buffer.
    public func outputLost(_ port: RoutePort) { routes.lostHeardOutput() }

    /// Records that the user muted or unmuted a source (N7).
    func muted(_ input: RouteNode, _ isMuted: Bool) { runtime?.muted(input, isMuted) }

    /// The graph's quantum.
    var graphQuantum: Duration { clock.quantum }

    /// The sample rate of the graph, in Hz.
    var graphRate: Double { clock.sampleRate }

    /// Arms the timer that ends the hold of the session manager.
    func armHold(at moment: Instant) {
        if let holdTimer { cpw_loop_arm_timer(loop, holdTimer, moment.nanoseconds) }
    }

    /// Whether the loss of an output may stop playback.
    var stopsPlayback: Bool { runtime?.otherPolicy == nil && runtime?.mayStopPlayback ?? false }

    /// Whether the policy takes the place of the session manager's own pause of players: it is in force, and does not say
    /// that such things are kept.
    var replacesManagersPause: Bool {
        guard let runtime, runtime.otherPolicy == nil else { return false }
        return runtime.inForce.policy.stockModules == .unload && service?.isPolicyPaused != true
    }

    /// Applies a changed or suspended policy to the session manager's settings, and mutes each stream in advance that would be
    /// rejected (R8), or might have to wait (R34), if it started now.
    public func turnEnded() {
        routes.updateSettings()
        guard let runtime else { return }
        for record in runtime.streams.values {
            guard let stream = record.server as? StreamNode, stream.mayStart else { continue }
            stream.guardStart(runtime.mustBeginSilent(stream.id))
        }
    }

    /// Whether a node is an application's stream that the policy manages.
    func isStream(_ node: UInt32) -> Bool {
        stream(of: node).map { runtime?.streams[$0.id]?.isManaged ?? false } ?? false
    }

    /// The program behind a client, as it was when it connected.
    func program(of client: OpaquePointer) -> Program? { clients[client]?.programs.connected }

    /// Whether a client's messages are held back.
    func isBusy(_ client: OpaquePointer) -> Bool { clients[client]?.isBusy ?? false }

    /// The channels, the volume and the latency of a sink or source.
    public func device(_ node: UInt32) -> DeviceProperties? { routes.properties(of: node) }

    /// How long the longest buffer of a card lasts.
    public var longestBuffer: Duration { routes.longestBuffer }

    /// Handles a sink or source whose channels, volume or latency have changed.
    func deviceChanged() {
        service?.graphChanged()
        drainLater()
    }

    /// Moves a stream, or activates another port.
    public func carryOut(_ command: RouteCommand) {
        switch command {
        case .send(let stream, let node):
            if let global = (runtime?.streams[stream]?.server as? StreamNode)?.global { routes.send(global, to: node) }
        case .usePort(let id, let direction, let device, let node):
            routes.use(id, direction, device: device, node: node, isSaved: false)
        }
    }

    /// Applies the user's choice of a port (R66).
    public func choose(_ port: RoutePort, direction: PortDirection) -> Bool { routes.choose(port, direction) }
}
