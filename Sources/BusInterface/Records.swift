import Terms

/// A record on the bus, `a{sv}`: its members are said once, in ``visit(_:)``, which reads and writes them.
///
/// What a record lacks stays as it is in an empty one, so that records of other versions can be read.
public protocol WireRecord: Sendable {
    /// The record as it was received, with what another version adds; `nil` for one that was made here.
    var received: WireValue? { get set }
    /// An empty record.
    init()
    /// Names each member with its field and what the name does not say, in the order of the interface's documentation.
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

    /// The members, for the interface's documentation: `id (u), path (s: what it is), …`.
    static var description: String {
        var empty = Self()
        var members = WireMembers(isDescribing: true)
        empty.visit(&members)
        return members.described.joined(separator: ", ")
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

/// What a member of a record can be.
public protocol WireField {
    /// The type on the bus.
    static var wireType: String { get }
    /// Reads a value; `nil` if it has another type.
    init?(wire value: WireValue)
    /// The value on the bus.
    var wire: WireValue { get }
}

extension String: WireField {
    /// Text.
    public static var wireType: String { "s" }
    /// Reads a text.
    public init?(wire value: WireValue) { if let text = value.text { self = text } else { return nil } }
    /// The text on the bus.
    public var wire: WireValue { .string(self) }
}

extension Bool: WireField {
    /// Truth.
    public static var wireType: String { "b" }
    /// Reads a truth value.
    public init?(wire value: WireValue) { if let truth = value.truth { self = truth } else { return nil } }
    /// The truth value on the bus.
    public var wire: WireValue { .boolean(self) }
}

extension Double: WireField {
    /// A number.
    public static var wireType: String { "d" }
    /// Reads a number of any type.
    public init?(wire value: WireValue) { if let number = value.number { self = number } else { return nil } }
    /// The number on the bus.
    public var wire: WireValue { .double(self) }
}

extension Int64: WireField {
    /// A whole number, of 32 bits on the bus.
    public static var wireType: String { "u" }
    /// Reads a whole number of any type.
    public init?(wire value: WireValue) { if let number = value.integer { self = number } else { return nil } }
    /// The number on the bus, or the nearest one that fits.
    public var wire: WireValue { .uint32(UInt32(clamping: self)) }
}

extension UInt64: WireField {
    /// A whole number of 64 bits.
    public static var wireType: String { "t" }
    /// Reads a whole number of any type.
    public init?(wire value: WireValue) {
        if let number = value.integer { self.init(clamping: number) } else { return nil }
    }
    /// The number on the bus.
    public var wire: WireValue { .uint64(self) }
}

extension Array: WireField where Element: WireField {
    /// Values of one type.
    public static var wireType: String { "a" + Element.wireType }
    /// Reads values, without those of another type.
    public init?(wire value: WireValue) {
        guard let elements = value.elements else { return nil }
        self = elements.compactMap { Element(wire: $0) }
    }
    /// The values on the bus.
    public var wire: WireValue { .array(of: Element.wireType, map(\.wire)) }
}

/// The members of a record while it is read, written or described.
public struct WireMembers {
    private let source: WireValue?
    private let isDescribing: Bool
    /// All names so far.
    fileprivate var names: [String] = []
    /// The members so far, while a record is written.
    fileprivate var written: [(String, WireValue)] = []
    /// The members so far, while they are described.
    fileprivate var described: [String] = []

    fileprivate init(reading source: WireValue? = nil, isDescribing: Bool = false) {
        self.source = source
        self.isDescribing = isDescribing
    }

    /// Reads, writes or describes a member.
    ///
    /// - Parameter note: What its name does not say, for the interface's documentation.
    public mutating func member<Field: WireField>(
        _ name: String, _ field: inout Field, _ note: @autoclosure () -> String? = nil
    ) {
        var optional: Field? = field
        member(name, &optional, note())
        if let optional { field = optional }
    }

    /// The same for a member that may be missing.
    public mutating func member<Field: WireField>(
        _ name: String, _ field: inout Field?, _ note: @autoclosure () -> String? = nil
    ) {
        names.append(name)
        if isDescribing {
            described.append("\(name) (\(Field.wireType)\(note().map { ": \($0)" } ?? ""))")
        } else if let source {
            if let value = source[name] { field = Field(wire: value) }
        } else if let value = field {
            written.append((name, value.wire))
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
        members.member("path", &path, "empty unless the session was opened here")
        members.member("application", &application)
        members.member("display-name", &displayName)
        members.member("kind", &kind, WireInterface.words(SessionOrigin.allCases))
        members.member("description", &description, "the role or category")
        members.member("category", &category)
        members.member("options", &options, "in effect")
        members.member("mode", &mode, "in effect")
        members.member("priority", &priority)
        members.member("state", &state, WireInterface.words(SessionPhase.allCases))
        members.member("by", &by, "the session that interrupts it")
        members.member("streams", &streams)
        members.member(
            "remaining", &remaining,
            "milliseconds until its state ends by itself, as the wait for headphones does; 0 without such an end")
    }
}

/// A stream as `ListStreams`, `ListLeftAlone`, `DumpState` and events describe it; `ListStreams` documents the members.
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
    /// The start of the treatment in microseconds since 1970; 0 for an untreated stream. Of a stream that is left alone,
    /// when it came.
    public var since: Int64 = 0
    /// The sessions beside which it is heard because its user wants that, for people.
    public var beside: [String] = []
    /// In dB, at the moment of the record; `nil` from an older service.
    public var gainNow: Double?
    /// The milliseconds until the fade ends; 0 without a fade.
    public var fadeRemaining: Int64 = 0
    /// Whether its fades have no steps; `nil` if the service does not say.
    public var glides: Bool?
    /// The properties by which a rule tells its program from others, each as `KEY=VALUE`.
    public var knownBy: [String] = []
    /// Why the policy leaves it alone, with the line that says so; `nil` for a stream that it manages.
    public var leftAlone: String?
    /// See ``WireRecord/received``.
    public var received: WireValue?

    /// An empty record.
    public init() {}

    /// The members in the order of the interface's documentation.
    public mutating func visit(_ members: inout WireMembers) {
        members.member("id", &id)
        members.member("node", &node, "its number in the sound server")
        members.member("application", &application)
        members.member("process", &process)
        members.member("direction", &direction, WireInterface.words(StreamDirection.allCases))
        members.member("session", &session)
        members.member("description", &description)
        members.member("wanted", &wanted, "its application wants it to run")
        members.member("muted", &muted, "by its user or application")
        members.member("running", &running)
        members.member("treatment", &treatment, WireInterface.words(TreatmentTerm.allCases))
        members.member("gain", &gain, "dB, at the end of the fade")
        members.member("cause", &cause, WireInterface.words(Reason.allCases))
        members.member("by", &by, "the session that causes it")
        var moment = UInt64(clamping: since)
        members.member("since", &moment, "microseconds since 1970")
        since = Int64(clamping: moment)
        members.member("beside", &beside, "the sessions beside which it is heard because its user wants that")
        members.member("gain-now", &gainNow, "dB, at this moment")
        members.member("fade-remaining", &fadeRemaining, "milliseconds until the fade ends; 0 without a fade")
        members.member(
            "glides", &glides, "its fades change with every sample; otherwise in steps of the server's quantum")
        members.member(
            "known-by", &knownBy, "the properties by which a rule tells its program from others, each KEY=VALUE")
        members.member("left-alone", &leftAlone, "in ListLeftAlone: why, with the line of the policy that says so")
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
        members.member("type", &type, WireInterface.words(PortType.allCases))
        members.member("name", &name, "for people")
        members.member("id", &id, "the same after the port was removed and came back")
        members.member("node-name", &nodeName, "the sink or source in the sound server")
        members.member("node", &node, "its number")
        members.member("device", &device, "the card")
        members.member("device-id", &deviceID, "the card's number in the sound server")
        members.member("availability", &availability, "yes, no or unknown: whether something is plugged in")
        members.member("server-type", &serverType, "the server's own word")
        members.member("channels", &channels, "of its node")
    }
}
