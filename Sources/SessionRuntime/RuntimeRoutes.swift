public import SessionCore

/// Routes (R41–R48, R56–R66): passes what a host observes to the engine.
extension SessionRuntime {
    /// The present route, as listeners were last told (R60).
    public var route: Route { read { $0.route } }
    /// The inputs that can be chosen (R66).
    public var availableInputs: [RoutePort] { read { $0.availableInputs } }
    /// The outputs that can be chosen (R66).
    public var availableOutputs: [RoutePort] { read { $0.availableOutputs } }

    /// Whether nothing about routes is still to come, for tests.
    package var routesAreAtRest: Bool { read { $0.routesAreAtRest } }

    /// The route of an opened session (R57).
    public func route(of session: SessionID) -> Route { read { $0.route(of: session) } }

    /// The sink or source of the first output or input in an opened session's route; `nil` without one.
    public func device(_ direction: PortDirection, of session: SessionID) -> DeviceFigures? {
        route(of: session)[direction].first?.nodeID.flatMap { host.device($0) }
    }

    /// The number of channels of a sink or source, given by its number in the server; `nil` if there is none.
    public func channels(of node: UInt32) -> UInt32? { host.device(node)?.channels }

    /// The ports that an opened session prefers (R66).
    func preference(of session: SessionID) -> (output: String?, input: String?) { read { $0.preference(of: session) } }

    /// Whether losing an output may stop a stream: the policy says so, or a session may have asked for it (N25).
    public var mayStopPlayback: Bool { policy.routes.pausesPlayback || read { $0.hasSessions } }

    /// Handles a change of devices, or a session's preference, at once: streams that must not play elsewhere are silent when
    /// this returns. In the middle of another event it is handled after that.
    ///
    /// - Returns: Whether a lost output was playing a stream that may be stopped. `false` if the output is lost again
    ///   while all of its streams are silent.
    @discardableResult
    public func handle(_ event: RouteEvent) -> Bool {
        let former = losses
        post(.route(event))
        if case .nodeGone(let node) = event { forgetMute(of: node) }
        if case .linked = event { mutedInputs.recordingsChanged() }
        drain()
        return losses != former && mayStopPlayback
    }

    /// The ports on which a stream is heard, by id.
    func portsHeard(_ stream: StreamID) -> Set<String> {
        Set(host.place(of: stream).map { node in read { $0.ports(of: node) }.map(\.id) } ?? [])
    }

    /// Records that streams have lost their output. Those that their clients had stopped a moment ago are stopped again for
    /// the engine, for which they played until then.
    func noteLoss(of port: RoutePort, with streams: [StreamID], stopped: [StreamID]) {
        if streams.contains(where: { isAudible($0) }) { losses &+= 1 }
        host.log(.info, "\(port.name) is gone, and with it the output of \(streams.count) streams")
        for stream in stopped {
            streamRecords[stream]?.isWanted = true
            post(.streamWanted(stream, false))
        }
    }
}

/// Where a runtime's streams are, for the engine.
struct HostPlaces: StreamPlaces {
    let runtime: SessionRuntime

    func node(of stream: StreamID) -> UInt32? { runtime.host.place(of: stream) }

    func streams(heardOn node: UInt32) -> [StreamID] { runtime.host.streams(heardOn: node) }

    /// R64: a stream that was silenced before it came to this output has lost nothing there. A stream that its client has
    /// stopped a moment ago was heard there, too, and will start again by itself.
    func lost(_ heard: [StreamID], with port: RoutePort) -> (streams: [StreamID], stopped: [StreamID]) {
        let lost = heard.filter { runtime.streamRecords[$0]?.heardOn?.contains(port.id) ?? true }
        return (lost, lost.filter { runtime.isStoppedByItself($0) })
    }
}

extension Route {
    /// Text for people.
    var label: String {
        func list(_ ports: [RoutePort]) -> String { ports.map(\.name).joined(separator: " + ") }
        if isEmpty { return "none" }
        let source = inputs.isEmpty ? [] : ["from \(list(inputs))"]
        return ((outputs.isEmpty ? [] : [list(outputs)]) + source).joined(separator: " ")
    }
}
