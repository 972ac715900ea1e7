import SessionCore
import SessionWire

/// What the engine knows, as records of D-Bus. Their members are documented at `ListSessions` and `ListStreams`.
enum Records {
    /// One session.
    static func session(_ session: Report.Session, path: String?, displayName: String?) -> WireValue {
        let description = session.description
        let configuration = session.configuration
        return .record([
            ("id", .uint32(session.number)),
            ("path", .string(path ?? "")),
            ("application", .string(session.reference.application.name)),
            ("display-name", .string(displayName ?? session.reference.application.name)),
            ("kind", .string(session.reference.id == nil ? "implicit" : configuration == nil ? "system" : "explicit")),
            ("description", .string(description.name)),
            ("category", .string(description.category.rawValue)),
            ("options", options(configuration?.effectiveOptions ?? description.options)),
            ("mode", .string((configuration?.effectiveMode ?? description.mode).rawValue)),
            ("priority", .uint32(UInt32(description.priority.rawValue))),
            ("state", .string(session.state.rawValue)),
            ("by", .string(session.silencer?.label ?? "")),
            ("streams", .array(of: "u", session.streams.map { .uint32($0.rawValue) })),
        ])
    }

    /// One stream.
    static func stream(_ stream: Report.Stream, _ identity: StreamIdentity?, since: UInt64) -> WireValue {
        .record([
            ("id", .uint32(stream.id.rawValue)),
            ("node", .uint32(identity?.node ?? 0)),
            ("application", .string(identity?.application.name ?? "?")),
            ("process", .uint32(identity?.process ?? 0)),
            ("direction", .string(stream.direction == .playback ? "playback" : "capture")),
            ("session", .uint32(stream.session)),
            ("description", .string(stream.description)),
            ("wanted", .boolean(stream.isWanted)),
            ("running", .boolean(stream.isRunning)),
            ("treatment", .string(word(stream.treatment))),
            ("gain", .double(stream.treatment.silence == .none ? stream.treatment.gain.decibels : -.infinity)),
            ("cause", .string(stream.treatment.reason.words().name)),
            ("by", .string(stream.interrupter?.label ?? "")),
            ("since", .uint64(since)),
        ])
    }

    /// What a server cannot do, each with the reason.
    static func limits(_ server: ServerDescription) -> WireValue {
        .record(server.limits.map { ($0.rawValue, .string($0.reason)) })
    }

    /// One input or output. What is not known is left out.
    static func port(_ port: RoutePort) -> WireValue {
        var members: [(String, WireValue)] = [
            ("type", .string(port.type.rawValue)), ("name", .string(port.name)), ("id", .string(port.id)),
        ]
        if !port.nodeName.isEmpty { members.append(("node-name", .string(port.nodeName))) }
        if let node = port.nodeID { members.append(("node", .uint32(node))) }
        if let device = port.deviceName { members.append(("device", .string(device))) }
        if let device = port.deviceID { members.append(("device-id", .uint32(device))) }
        members.append(("availability", .string(port.availability.rawValue)))
        if !port.serverType.isEmpty { members.append(("server-type", .string(port.serverType))) }
        return .record(members)
    }

    static func ports(_ ports: [RoutePort]) -> WireValue { .records(ports.map { port($0) }) }

    /// Inputs and outputs in use.
    static func route(_ route: Route) -> WireValue {
        .record([("inputs", ports(route.inputs)), ("outputs", ports(route.outputs))])
    }

    static func options(_ options: CategoryOptions) -> WireValue {
        .strings(CategoryOptions.named.filter { options.contains($0.option) }.map(\.name))
    }

    static func word(_ treatment: Treatment) -> String {
        switch treatment.silence {
        case .none: treatment.gain == .unity ? "untouched" : "ducked"
        case .mute: "muted"
        case .cork: "corked"
        case .pausePlayer: "player-paused"
        }
    }
}
