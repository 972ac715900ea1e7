import SessionWire

/// All that the service knows at one moment.
struct ServiceState {
    /// The version of the software; empty when it is not said.
    var version: String
    /// The sound server, with its release; empty when it is not said.
    var server: String
    /// What cannot be had there, each with the reason, by name.
    var limits: [(name: String, reason: String)]
    /// Where the policy in force comes from.
    var policy: String
    var switches: Switches
    /// The inputs and outputs, those in use and those that there are.
    var route: RouteRecord
    /// By number.
    var sessions: [SessionRecord]
    /// By number.
    var streams: [StreamRecord]

    /// What the user has switched.
    struct Switches: Equatable {
        var silent: Bool
        var doNotDisturb: Bool
        var locked: Bool
        var pause: Pause
    }

    /// Whether the policy is suspended.
    enum Pause: Equatable {
        case none
        case withoutEnd
        /// In microseconds since 1970.
        case until(UInt64)

        /// What the property PausedUntil means.
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
    ///   - sessions: What ListSessions answers, `aa{sv}`.
    ///   - streams: What ListStreams answers, `aa{sv}`.
    init(properties: WireValue, sessions: WireValue, streams: WireValue) {
        version = properties["Version"]?.text ?? ""
        server = properties["Server"]?.text ?? ""
        limits = (properties["ServerLimits"]?.entries ?? []).compactMap { entry in
            entry.key.text.map { ($0, entry.value.text ?? "") }
        }.sorted { $0.0 < $1.0 }
        policy = properties["Policy"]?.text ?? ""
        switches = Switches(
            silent: properties["Silent"]?.truth ?? false, doNotDisturb: properties["DoNotDisturb"]?.truth ?? false,
            locked: properties["Locked"]?.truth ?? false, pause: Pause(properties["PausedUntil"]))
        route = RouteRecord(properties: properties)
        self.sessions = (sessions.elements ?? []).map(SessionRecord.init).sorted { $0.id < $1.id }
        self.streams = (streams.elements ?? []).map(StreamRecord.init).sorted { $0.id < $1.id }
    }

    /// For machines: what each key is called and where it stands.
    var members: [(String, WireValue)] {
        [
            ("version", .string(version)), ("server", .string(server)),
            ("server-limits", .record(limits.map { ($0.name, .string($0.reason)) })),
            ("policy", .string(policy)), ("switches", switches.record),
            ("route", route.record), ("sessions", .records(sessions.map(\.record))),
            ("streams", .records(streams.map(\.record))),
        ]
    }
}

extension ServiceState.Switches {
    /// For machines.
    var record: WireValue {
        .record([
            ("silent", .boolean(silent)), ("do-not-disturb", .boolean(doNotDisturb)), ("locked", .boolean(locked)),
            ("paused", .boolean(pause != .none)), ("paused-until", pause.value),
        ])
    }
}

extension ServiceState.Pause {
    /// The end in microseconds since 1970, as JSON has it: `null` without one.
    var value: WireValue {
        // JSON has no other word for a number that is none.
        if case .until(let moment) = self { .uint64(moment) } else { .double(.nan) }
    }
}
