import BusInterface
import PolicyEngine
import PolicyRuntime

/// The engine's state as D-Bus records. `ListSessions` and `ListStreams` document the members.
enum Records {
    /// The record of a session.
    ///
    /// - Parameter now: The moment from which the remaining time counts.
    static func session(
        _ session: EngineSnapshot.Session, path: String?, displayName: String?, at now: Instant
    ) -> WireValue {
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
            ("remaining", .uint32(milliseconds(session.ends.map { now.duration(to: $0) } ?? .zero))),
        ])
    }

    /// The record of a stream.
    ///
    /// - Parameter level: Its gain at this moment, how long its fade still takes, and whether its fades have no steps.
    static func stream(
        _ stream: EngineSnapshot.Stream, _ identity: StreamIdentity?, since: UInt64,
        level: (gain: LinearGain, remaining: Duration, canRamp: Bool)
    ) -> WireValue {
        .record([
            ("id", .uint32(stream.id.rawValue)),
            ("node", .uint32(identity?.node ?? 0)),
            ("application", .string(identity?.application.name ?? "?")),
            ("process", .uint32(identity?.process ?? 0)),
            ("direction", .string(stream.direction == .playback ? "playback" : "capture")),
            ("session", .uint32(stream.session)),
            ("description", .string(stream.description)),
            ("wanted", .boolean(stream.isWanted)),
            ("muted", .boolean(stream.isMuted)),
            ("running", .boolean(stream.isRunning)),
            ("treatment", .string(word(stream.treatment))),
            ("gain", .double(stream.treatment.silence == .none ? stream.treatment.gain.decibels : -.infinity)),
            ("cause", .string(stream.treatment.reason.words().name)),
            ("by", .string(stream.interrupter?.label ?? "")),
            ("since", .uint64(since)),
            ("beside", .strings(stream.besides.map(\.label))),
            ("gain-now", .double(level.gain.decibels)),
            ("fade-remaining", .uint32(milliseconds(level.remaining))),
            ("glides", .boolean(level.canRamp)),
        ])
    }

    /// A time in whole milliseconds; one that has begun counts, so that only what is over is 0.
    private static func milliseconds(_ time: Duration) -> UInt32 {
        UInt32(clamping: (max(time, .zero).wholeNanoseconds + 999_999) / 1_000_000)
    }

    /// The server's limits, each with its reason.
    static func limits(_ server: ServerDescription) -> WireValue {
        .record(server.limits.map { ($0.rawValue, .string($0.reason)) })
    }

    /// The record of an input or output. Unknown members are left out.
    ///
    /// - Parameter channels: The number of channels of the sink or source with this number; `nil` or 0 if unknown.
    static func port(_ port: RoutePort, channels: (UInt32) -> UInt32?) -> WireValue {
        var members: [(String, WireValue)] = [
            ("type", .string(port.type.rawValue)), ("name", .string(port.name)), ("id", .string(port.id)),
        ]
        if !port.nodeName.isEmpty { members.append(("node-name", .string(port.nodeName))) }
        if let node = port.nodeID { members.append(("node", .uint32(node))) }
        if let device = port.deviceName { members.append(("device", .string(device))) }
        if let device = port.deviceID { members.append(("device-id", .uint32(device))) }
        members.append(("availability", .string(port.availability.rawValue)))
        if !port.serverType.isEmpty { members.append(("server-type", .string(port.serverType))) }
        if let count = port.nodeID.flatMap(channels), count > 0 { members.append(("channels", .uint32(count))) }
        return .record(members)
    }

    static func ports(_ ports: [RoutePort], channels: (UInt32) -> UInt32?) -> WireValue {
        .records(ports.map { port($0, channels: channels) })
    }

    /// The record of the inputs and outputs in use.
    static func route(_ route: Route, channels: (UInt32) -> UInt32?) -> WireValue {
        .record([
            ("inputs", ports(route.inputs, channels: channels)), ("outputs", ports(route.outputs, channels: channels)),
        ])
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
