import BusInterface

/// A session as ListSessions and events describe it. Missing members become empty or zero, so that services of other
/// versions can be shown, too.
struct SessionRecord {
    var id: Int64
    var application: String
    var displayName: String
    var description: String
    var category: String
    var options: [String]
    var mode: String
    var priority: Int64
    var state: String
    /// The session that interrupts this one, for people; empty if none.
    var by: String
    /// The numbers of the session's streams.
    var streams: [Int64]
    /// The milliseconds until the state ends by itself; 0 without such an end.
    var remaining: Int64
    /// The received record, with its keys in the documented order.
    var record: WireValue

    /// The keys in the order of the interface's documentation.
    private static let keys = [
        "id", "path", "application", "display-name", "kind", "description", "category", "options", "mode", "priority",
        "state", "by", "streams", "remaining",
    ]

    init(_ value: WireValue) {
        id = value["id"]?.integer ?? 0
        application = value["application"]?.text ?? ""
        displayName = value["display-name"]?.text ?? ""
        description = value["description"]?.text ?? ""
        category = value["category"]?.text ?? ""
        options = value["options"]?.elements?.compactMap(\.text) ?? []
        mode = value["mode"]?.text ?? ""
        priority = value["priority"]?.integer ?? 0
        state = value["state"]?.text ?? ""
        by = value["by"]?.text ?? ""
        streams = value["streams"]?.elements?.compactMap(\.integer) ?? []
        remaining = value["remaining"]?.integer ?? 0
        record = value.ordered(by: Self.keys)
    }

    /// The name for people.
    var name: String { displayName.isEmpty ? application : displayName }
}

/// A stream as ListStreams and events describe it.
struct StreamRecord {
    var id: Int64
    var node: Int64
    var application: String
    var process: Int64
    var direction: String
    /// The number of the stream's session; 0 without one.
    var session: Int64
    var description: String
    var wanted: Bool
    /// Whether its user or application mutes it.
    var muted: Bool
    var running: Bool
    /// `untouched`, `ducked`, `muted`, `corked` or `player-paused`.
    var treatment: String
    /// In dB.
    var gain: Double
    var cause: String
    /// The session that causes the treatment, for people.
    var by: String
    /// The start of the treatment in microseconds since 1970; 0 for an untreated stream.
    var since: Int64
    /// The sessions beside which it is heard because its user wants that, for people.
    var beside: [String]
    /// In dB, at the moment of the record.
    var presentGain: Double
    /// The milliseconds until the fade ends; 0 without a fade.
    var fadeRemaining: Int64
    /// Whether its fades have no steps; `nil` if the service does not say.
    var glides: Bool?
    /// The received record, with its keys in the documented order.
    var record: WireValue

    private static let keys = [
        "id", "node", "application", "process", "direction", "session", "description", "wanted", "muted", "running",
        "treatment", "gain", "cause", "by", "since", "beside", "gain-now", "fade-remaining",
        "glides",
    ]

    init(_ value: WireValue) {
        id = value["id"]?.integer ?? 0
        node = value["node"]?.integer ?? 0
        application = value["application"]?.text ?? ""
        process = value["process"]?.integer ?? 0
        direction = value["direction"]?.text ?? ""
        session = value["session"]?.integer ?? 0
        description = value["description"]?.text ?? ""
        wanted = value["wanted"]?.truth ?? false
        muted = value["muted"]?.truth ?? false
        running = value["running"]?.truth ?? false
        treatment = value["treatment"]?.text ?? ""
        gain = value["gain"]?.number ?? 0
        cause = value["cause"]?.text ?? ""
        by = value["by"]?.text ?? ""
        since = value["since"]?.integer ?? 0
        beside = value["beside"]?.elements?.compactMap(\.text) ?? []
        // An older service says only where the fade leads.
        presentGain = value["gain-now"]?.number ?? gain
        fadeRemaining = value["fade-remaining"]?.integer ?? 0
        glides = value["glides"]?.truth
        record = value.ordered(by: Self.keys)
    }

    /// Whether the stream is untreated.
    var isFree: Bool { treatment.isEmpty || treatment == "untouched" }
    /// Whether the stream is inaudible because of its treatment.
    var isSilenced: Bool { !isFree && treatment != "ducked" }
}

extension WireValue {
    /// The record with the given keys first, in that order, and all others after them.
    func ordered(by keys: [String]) -> WireValue {
        guard let entries else { return .record([]) }
        let named = entries.compactMap { entry in entry.key.text.map { ($0, entry.value.bare) } }
        let known = keys.compactMap { key in named.first { $0.0 == key } }
        return .record(known + named.filter { !keys.contains($0.0) })
    }
}
