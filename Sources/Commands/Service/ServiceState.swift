import BusInterface
import PolicyEngine

/// The service's complete state at one moment.
struct ServiceState {
    /// The version of the software; empty if not reported.
    var version: String
    /// The sound server and its release; empty if not reported.
    var server: String
    /// The features that the server lacks: name and reason.
    var limits: [(name: String, reason: String)]
    /// The preset that the policy in force begins with; empty if not reported.
    var preset: String
    /// The source of the policy in force.
    var policy: String
    var switches: Switches
    /// The inputs and outputs, those in use and those available.
    var route: RouteRecord
    /// Sorted by number.
    var sessions: [SessionRecord]
    /// The streams that the policy manages, sorted by number.
    var streams: [StreamRecord]
    /// Those that it leaves alone, sorted by number.
    var leftAlone: [StreamRecord]
    /// The sessions, the strongest claim first.
    var sessionsByStrength: [SessionRecord]

    /// The user's switches.
    struct Switches: Equatable {
        /// Those that are on, in their order.
        var on: [Switch]
        var pause: Pause
    }

    /// Whether the policy is suspended.
    enum Pause: Equatable {
        case none
        case withoutEnd
        /// Until a time in microseconds since 1970.
        case until(UInt64)

        /// Reads the property PausedUntil.
        init(_ value: WireValue?) {
            switch value?.bare {
            case .uint64(0), nil: self = .none
            case .uint64(.max): self = .withoutEnd
            case .uint64(let moment): self = .until(moment)
            default: self = .none
            }
        }
    }

    /// - Parameters:
    ///   - properties: All properties of the manager, `a{sv}`.
    ///   - sessions: The answer of ListSessions, `aa{sv}`.
    ///   - streams: The answer of ListStreams, `aa{sv}`.
    ///   - leftAlone: The answer of ListLeftAlone, `aa{sv}`.
    init(properties: WireValue, sessions: WireValue, streams: WireValue, leftAlone: WireValue = .records([])) {
        version = properties["Version"]?.text ?? ""
        server = properties["Server"]?.text ?? ""
        limits = (properties["ServerLimits"]?.entries ?? []).compactMap { entry in
            entry.key.text.map { ($0, entry.value.text ?? "") }
        }.sorted { $0.0 < $1.0 }
        preset = properties["Preset"]?.text ?? ""
        policy = properties["Policy"]?.text ?? ""
        switches = Switches(
            on: Switch.allCases.filter { properties[$0.property]?.truth == true },
            pause: Pause(properties["PausedUntil"]))
        route = RouteRecord(properties: properties)
        sessionsByStrength = (sessions.elements ?? []).map(SessionRecord.init)
        self.sessions = sessionsByStrength.sorted { $0.id < $1.id }
        self.streams = (streams.elements ?? []).map(StreamRecord.init).sorted { $0.id < $1.id }
        self.leftAlone = (leftAlone.elements ?? []).map(StreamRecord.init).sorted { $0.id < $1.id }
    }

    /// All streams, those that the policy manages first.
    var everyStream: [StreamRecord] { streams + leftAlone }

    /// The streams of a session.
    func streams(of session: SessionRecord) -> [StreamRecord] { streams.filter { $0.session == session.id } }

    /// The streams without a session.
    var strays: [StreamRecord] { streams.filter { stream in !sessions.contains { $0.id == stream.session } } }

    /// The members of the JSON object, in order.
    var members: [(String, WireValue)] {
        [
            ("version", .string(version)), ("server", .string(server)),
            ("server-limits", .record(limits.map { ($0.name, .string($0.reason)) })),
            ("preset", .string(preset)), ("policy", .string(policy)), ("switches", switches.record),
            ("route", route.record), ("sessions", .records(sessions.map(\.record))),
            ("streams", .records(streams.map(\.record))), ("left-alone", .records(leftAlone.map(\.record))),
        ]
    }
}

extension ServiceState.Switches {
    /// The state as a record, for machines.
    var record: WireValue {
        .record(
            Switch.allCases.map { ($0.rawValue, .boolean(on.contains($0))) }
                + [("paused", .boolean(pause != .none)), ("paused-until", pause.value)])
    }
}

extension ServiceState.Pause {
    /// The end in microseconds since 1970, or `null`.
    var value: WireValue {
        // NaN becomes `null` in JSON.
        if case .until(let moment) = self { .uint64(moment) } else { .double(.nan) }
    }
}
