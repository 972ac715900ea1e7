public import PolicyEngine

/// Routes (R41–R48, R56–R66): passes what a host observes to the engine.
extension SessionRuntime {
    /// The sink or source of the first output or input in an opened session's route; `nil` without one.
    public func device(_ direction: PortDirection, of session: SessionID) -> DeviceProperties? {
        engine.route(of: session)[direction].first?.nodeID.flatMap { host.device($0) }
    }

    /// The sink of the first output in the route; `nil` without one.
    public var defaultOutput: DeviceProperties? { engine.route.outputs.first?.nodeID.flatMap { host.device($0) } }

    /// The number of channels of a sink or source, given by its number in the server; `nil` if there is none.
    public func channels(of node: UInt32) -> UInt32? { host.device(node)?.channels }

    /// Whether the loss of an output may stop a stream, by the policy or for a session (N25).
    public var mayStopPlayback: Bool { engine.policy.routes.pausesPlayback || engine.hasSessions }

    /// Handles a change of devices, or a preference, at once: streams that must not play elsewhere are silent on
    /// return. In the middle of another event, the change waits for the end of that.
    public func handle(_ event: RouteEvent) { handle(.route(event)) }

    func portsHeard(_ stream: StreamEntry) -> Set<String> {
        Set(stream.server?.place.map { engine.ports(of: $0).map(\.id) } ?? [])
    }

    /// For the engine, streams that their clients had stopped a moment ago played until the loss, and stop now.
    func noteLoss(of port: RoutePort, with streams: [StreamID], stopped: [StreamID]) {
        host.log(.info, "\(port.name) is gone, and with it the output of \(streams.count) streams")
        if mayStopPlayback, streams.contains(where: { self.streams[$0]?.isAudible ?? false }) {
            host.outputLost(port)
        }
        for stream in stopped {
            self.streams[stream]?.isWanted = true
            post(.streamWanted(stream, false))
        }
    }
}

struct HostPlaces: StreamPlaces {
    let runtime: SessionRuntime

    func node(of stream: StreamID) -> UInt32? { runtime.streams[stream]?.server?.place }

    func streams(heardOn node: UInt32) -> [StreamID] { runtime.host.streams(heardOn: node) }

    /// R64: a stream that was silenced before it came to this output has lost nothing there; one that its client has
    /// stopped a moment ago has, and will start again by itself.
    func lost(_ heard: [StreamID], with port: RoutePort) -> (streams: [StreamID], stopped: [StreamID]) {
        let lost = heard.filter { runtime.streams[$0]?.heardOn?.contains(port.id) ?? true }
        return (lost, lost.filter { runtime.isStoppedByItself($0) })
    }
}

extension Route {
    var label: String {
        func list(_ ports: [RoutePort]) -> String { ports.map(\.name).joined(separator: " + ") }
        if isEmpty { return "none" }
        let source = inputs.isEmpty ? [] : ["from \(list(inputs))"]
        return ((outputs.isEmpty ? [] : [list(outputs)]) + source).joined(separator: " ")
    }
}
