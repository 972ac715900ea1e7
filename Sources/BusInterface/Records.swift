/// A record on the bus, `a{sv}`: its members are said once, in ``visit(_:)``, which reads and writes them.
///
/// What a record lacks stays as it is in an empty one, so that records of other versions can be read.
public protocol WireRecord: Sendable {
    /// The record as it was received, with what another version adds; `nil` for one that was made here.
    var received: WireValue? { get set }
    /// An empty record.
    init()
    /// Names each member with its field, in the order of the interface's documentation.
    mutating func visit(_ members: inout WireMembers)
}

extension WireRecord {
    /// Reads a record; members that are missing or have another type are left out.
    public init(_ value: WireValue) {
        self.init()
        var members = WireMembers(reading: value)
        visit(&members)
        received = value
    }

    /// The record as a value.
    public var value: WireValue {
        var record = self
        var members = WireMembers()
        record.visit(&members)
        return .record(members.written)
    }

    /// The received record with the known members first, in their order, and all others after them.
    public var record: WireValue {
        guard let received else { return value }
        var empty = Self()
        var members = WireMembers()
        empty.visit(&members)
        let named = (received.entries ?? []).compactMap { entry in entry.key.text.map { ($0, entry.value.bare) } }
        let known = members.names.compactMap { name in named.first { $0.0 == name } }
        return .record(known + named.filter { !members.names.contains($0.0) })
    }
}

/// The members of a record while it is read or written.
public struct WireMembers {
    /// The types of whole numbers.
    public enum Whole: Sendable { case uint32, uint64 }

    private let source: WireValue?
    /// All names so far.
    fileprivate var names: [String] = []
    /// The members so far, while a record is written.
    fileprivate var written: [(String, WireValue)] = []

    fileprivate init(reading source: WireValue? = nil) { self.source = source }

    /// Reads a member into a field, or writes it; a value of `nil` is not written.
    private mutating func member<Value>(
        _ name: String, _ field: inout Value, read: (WireValue) -> Value?, write: (Value) -> WireValue?
    ) {
        names.append(name)
        if let source {
            if let value = source[name].flatMap(read) { field = value }
        } else if let value = write(field) {
            written.append((name, value))
        }
    }

    /// A text.
    public mutating func member(_ name: String, _ text: inout String) {
        member(name, &text, read: { $0.text }, write: { .string($0) })
    }

    /// A text that may be missing.
    public mutating func member(_ name: String, _ text: inout String?) {
        member(name, &text, read: { .some($0.text) }, write: { $0.map { .string($0) } })
    }

    /// Texts.
    public mutating func member(_ name: String, _ texts: inout [String]) {
        member(name, &texts, read: { $0.elements?.compactMap(\.text) }, write: { .strings($0) })
    }

    /// A truth value.
    public mutating func member(_ name: String, _ truth: inout Bool) {
        member(name, &truth, read: { $0.truth }, write: { .boolean($0) })
    }

    /// A truth value that may be missing.
    public mutating func member(_ name: String, _ truth: inout Bool?) {
        member(name, &truth, read: { .some($0.truth) }, write: { $0.map { .boolean($0) } })
    }

    /// A number.
    public mutating func member(_ name: String, _ number: inout Double) {
        member(name, &number, read: { $0.number }, write: { .double($0) })
    }

    /// A number that may be missing.
    public mutating func member(_ name: String, _ number: inout Double?) {
        member(name, &number, read: { .some($0.number) }, write: { $0.map { .double($0) } })
    }

    /// A whole number.
    public mutating func member(_ name: String, _ number: inout Int64, as type: Whole = .uint32) {
        member(name, &number, read: { $0.integer }, write: { WireMembers.value($0, type) })
    }

    /// A whole number that may be missing.
    public mutating func member(_ name: String, _ number: inout Int64?) {
        member(name, &number, read: { .some($0.integer) }, write: { $0.map { WireMembers.value($0, .uint32) } })
    }

    /// Whole numbers.
    public mutating func member(_ name: String, _ numbers: inout [Int64]) {
        member(
            name, &numbers, read: { $0.elements?.compactMap(\.integer) },
            write: { .array(of: "u", $0.map { WireMembers.value($0, .uint32) }) })
    }

    private static func value(_ number: Int64, _ type: Whole) -> WireValue {
        switch type {
        case .uint32: .uint32(UInt32(clamping: number))
        case .uint64: .uint64(UInt64(clamping: number))
        }
    }
}

/// A session as `ListSessions`, `DumpState` and events describe it; `ListSessions` documents the members.
public struct SessionRecord: WireRecord {
    /// The session's number.
    public var id: Int64 = 0
    /// The path of the session's object; empty if its application has not opened it.
    public var path = ""
    /// The application's key, for programs.
    public var application = ""
    /// The application's name, for people.
    public var displayName = ""
    /// `implicit`, `explicit` or `system`.
    public var kind = ""
    /// The name of its description in the policy.
    public var description = ""
    /// The category, by its word.
    public var category = ""
    /// The options in force, by their words.
    public var options: [String] = []
    /// The mode in force, by its word.
    public var mode = ""
    /// The priority, 0…255.
    public var priority: Int64 = 0
    /// The state, by its word.
    public var state = ""
    /// The session that interrupts this one, for people; empty if none.
    public var by = ""
    /// The numbers of the session's streams.
    public var streams: [Int64] = []
    /// The milliseconds until the state ends by itself; 0 without such an end.
    public var remaining: Int64 = 0
    /// See ``WireRecord/received``.
    public var received: WireValue?

    /// An empty record.
    public init() {}

    /// The members in the order of the interface's documentation.
    public mutating func visit(_ members: inout WireMembers) {
        members.member("id", &id)
        members.member("path", &path)
        members.member("application", &application)
        members.member("display-name", &displayName)
        members.member("kind", &kind)
        members.member("description", &description)
        members.member("category", &category)
        members.member("options", &options)
        members.member("mode", &mode)
        members.member("priority", &priority)
        members.member("state", &state)
        members.member("by", &by)
        members.member("streams", &streams)
        members.member("remaining", &remaining)
    }
}

/// A stream as `ListStreams`, `DumpState` and events describe it; `ListStreams` documents the members.
public struct StreamRecord: WireRecord {
    /// The stream's number.
    public var id: Int64 = 0
    /// The server's own number.
    public var node: Int64 = 0
    /// The application's key; `?` if it is unknown.
    public var application = ""
    /// The process; 0 if it is unknown.
    public var process: Int64 = 0
    /// `playback` or `capture`.
    public var direction = ""
    /// The number of the stream's session; 0 without one.
    public var session: Int64 = 0
    /// The name of its description in the policy.
    public var description = ""
    /// Whether its application wants it to run.
    public var wanted = false
    /// Whether its user or application mutes it.
    public var muted = false
    /// Whether the server runs it.
    public var running = false
    /// `untouched`, `ducked`, `muted`, `corked` or `player-paused`.
    public var treatment = ""
    /// Where its fade leads, in dB.
    public var gain = 0.0
    /// The reason of the treatment, by its word.
    public var cause = ""
    /// The session that causes the treatment, for people.
    public var by = ""
    /// The start of the treatment in microseconds since 1970; 0 for an untreated stream.
    public var since: Int64 = 0
    /// The sessions beside which it is heard because its user wants that, for people.
    public var beside: [String] = []
    /// In dB, at the moment of the record; `nil` from an older service.
    public var gainNow: Double?
    /// The milliseconds until the fade ends; 0 without a fade.
    public var fadeRemaining: Int64 = 0
    /// Whether its fades have no steps; `nil` if the service does not say.
    public var glides: Bool?
    /// See ``WireRecord/received``.
    public var received: WireValue?

    /// An empty record.
    public init() {}

    /// The members in the order of the interface's documentation.
    public mutating func visit(_ members: inout WireMembers) {
        members.member("id", &id)
        members.member("node", &node)
        members.member("application", &application)
        members.member("process", &process)
        members.member("direction", &direction)
        members.member("session", &session)
        members.member("description", &description)
        members.member("wanted", &wanted)
        members.member("muted", &muted)
        members.member("running", &running)
        members.member("treatment", &treatment)
        members.member("gain", &gain)
        members.member("cause", &cause)
        members.member("by", &by)
        members.member("since", &since, as: .uint64)
        members.member("beside", &beside)
        members.member("gain-now", &gainNow)
        members.member("fade-remaining", &fadeRemaining)
        members.member("glides", &glides)
    }
}

/// An input or output; `CurrentRoute` documents the members.
public struct PortRecord: WireRecord {
    /// The type, by its word.
    public var type = ""
    /// The name for people.
    public var name = ""
    /// The id, the same after it was removed and came back.
    public var id = ""
    /// The sink or source that uses it; `nil` if none does now.
    public var nodeName: String?
    /// The server's number of that sink or source.
    public var node: Int64?
    /// The card; `nil` without one.
    public var device: String?
    /// The server's number of the card.
    public var deviceID: Int64?
    /// Whether something is plugged in: `no`, `yes` or `unknown`.
    public var availability = ""
    /// The server's own word for the type.
    public var serverType: String?
    /// The number of channels; `nil` while it is not in use, or unknown.
    public var channels: Int64?
    /// See ``WireRecord/received``.
    public var received: WireValue?

    /// An empty record.
    public init() {}

    /// The members in the order of the interface's documentation.
    public mutating func visit(_ members: inout WireMembers) {
        members.member("type", &type)
        members.member("name", &name)
        members.member("id", &id)
        members.member("node-name", &nodeName)
        members.member("node", &node)
        members.member("device", &device)
        members.member("device-id", &deviceID)
        members.member("availability", &availability)
        members.member("server-type", &serverType)
        members.member("channels", &channels)
    }
}
