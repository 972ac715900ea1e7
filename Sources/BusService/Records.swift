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
        var record = SessionRecord()
        record.id = Int64(session.number)
        record.path = path ?? ""
        record.application = session.reference.application.name
        record.displayName = displayName ?? record.application
        let origin: SessionOrigin =
            session.reference.id == nil ? .implicit : session.configuration == nil ? .system : .explicit
        record.kind = origin.rawValue
        record.description = session.description.name
        record.category = session.description.category.rawValue
        record.options = (session.configuration?.effectiveOptions ?? session.description.options).names
        record.mode = (session.configuration?.effectiveMode ?? session.description.mode).rawValue
        record.priority = Int64(session.description.priority.rawValue)
        record.state = session.state.rawValue
        record.by = session.silencer?.label ?? ""
        record.streams = session.streams.map { Int64($0.rawValue) }
        record.remaining = milliseconds(session.ends.map { now.duration(to: $0) } ?? .zero)
        return record.value
    }

    /// The members that all streams have.
    private static func stream(
        _ id: StreamID, _ identity: StreamIdentity?, _ direction: StreamDirection, knownBy: [String]
    ) -> StreamRecord {
        var record = StreamRecord()
        record.id = Int64(id.rawValue)
        record.node = Int64(identity?.node ?? 0)
        record.application = identity?.application.name ?? "?"
        record.process = Int64(identity?.process ?? 0)
        record.direction = direction.rawValue
        record.knownBy = knownBy
        return record
    }

    /// The record of a stream that the policy leaves alone.
    static func leftAlone(
        _ stream: StreamEntry, _ server: any ServerStream, since: UInt64, knownBy: [String], why: String
    ) -> WireValue {
        var record = Self.stream(stream.id, stream.identity, stream.direction, knownBy: knownBy)
        record.wanted = server.wantsToPlay
        record.muted = server.isMuted
        record.running = server.isRunning
        record.treatment = TreatmentTerm.untouched.rawValue
        record.cause = Reason.none.rawValue
        record.since = Int64(clamping: since)
        record.leftAlone = why
        return record.value
    }

    /// The record of a stream that the policy manages.
    ///
    /// - Parameter level: Its gain at this moment, how long its fade still takes, and whether its fades have no steps.
    static func stream(
        _ stream: EngineSnapshot.Stream, _ identity: StreamIdentity?, since: UInt64,
        level: (gain: LinearGain, remaining: Duration, canRamp: Bool), knownBy: [String]
    ) -> WireValue {
        var record = Self.stream(stream.id, identity, stream.direction, knownBy: knownBy)
        record.session = Int64(stream.session)
        record.description = stream.description
        record.wanted = stream.isWanted
        record.muted = stream.isMuted
        record.running = stream.isRunning
        record.treatment = TreatmentText(stream.treatment).term.rawValue
        record.gain = stream.treatment.silence == .none ? stream.treatment.gain.decibels : -.infinity
        record.cause = stream.treatment.reason.rawValue
        record.by = stream.interrupter?.label ?? ""
        record.since = Int64(clamping: since)
        record.beside = stream.besides.map(\.label)
        record.gainNow = level.gain.decibels
        record.fadeRemaining = milliseconds(level.remaining)
        record.glides = level.canRamp
        return record.value
    }

    /// A time in milliseconds, rounded up, so that only a time that is over is 0.
    private static func milliseconds(_ time: Duration) -> Int64 {
        (max(time, .zero).wholeNanoseconds + 999_999) / 1_000_000
    }

    /// The server's limits, each with its reason.
    static func limits(_ server: ServerDescription) -> WireValue {
        .record(server.limits.map { ($0.rawValue, .string($0.reason)) })
    }

    /// The record of an input or output. Unknown members are left out.
    ///
    /// - Parameter channels: The number of channels of the sink or source with this number; `nil` or 0 if unknown.
    static func port(_ port: RoutePort, channels: (UInt32) -> UInt32?) -> WireValue {
        var record = PortRecord()
        record.type = port.type.rawValue
        record.name = port.name
        record.id = port.id
        record.nodeName = port.nodeName.isEmpty ? nil : port.nodeName
        record.node = port.nodeID.map { Int64($0) }
        record.device = port.deviceName
        record.deviceID = port.deviceID.map { Int64($0) }
        record.availability = port.availability.rawValue
        record.serverType = port.serverType.isEmpty ? nil : port.serverType
        record.channels = port.nodeID.flatMap(channels).flatMap { $0 > 0 ? Int64($0) : nil }
        return record.value
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
        .strings(options.names)
    }
}
