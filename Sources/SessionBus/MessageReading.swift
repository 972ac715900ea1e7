import CSystemdBus
import Glibc
import SessionWire

/// How much of a message is made into values. What is larger is refused, however it is built.
enum MessageLimit {
    /// How deep containers may lie in each other.
    static let depth = 32
    /// How many values, each element, member, key and variant counted.
    static let values = 65_536
    /// How many bytes of text and numbers.
    static let bytes = 1 << 20
    /// The longest signature (D-Bus Specification, "Valid Signatures").
    static let signature = 255
}

extension Message {
    /// The arguments. Fails with `LimitsExceeded` as soon as there turn out to be too many or too deep.
    func arguments() throws(WireError) -> [WireValue] {
        sd_bus_message_rewind(pointer, 1)
        var reader = MessageReader(message: pointer)
        return try reader.values(depth: 0)
    }
}

extension Message {
    /// What it weighs while it waits, in bytes: what sd-bus has for each message, and what it carries. One that carries
    /// much counts as one that carries as much as is read at all, so that weighing takes no time.
    var weight: Int {
        var scale = MessageScale(message: pointer)
        let header = path.utf8.count + interface.utf8.count + member.utf8.count + sender.utf8.count
        guard header < MessageLimit.bytes, scale.weigh(depth: 0) else { return MessageLimit.bytes }
        return min(MessageScale.own + header + scale.bytes, MessageLimit.bytes)
    }

    /// Whom the bus says has lost a name, if that is what it says: `NameOwnerChanged`, of the name, its old owner and its
    /// new one.
    var formerOwner: String? {
        guard member == "NameOwnerChanged", let values = try? arguments(), values.count == 3 else { return nil }
        return values[1].text.flatMap { $0.isEmpty ? nil : $0 }
    }
}

/// Adds up what a message carries without making values of it.
private struct MessageScale {
    /// What sd-bus has for each message.
    static let own = 1024
    /// More values are not counted.
    private static let most = 1024

    let message: OpaquePointer
    private(set) var bytes = 0
    private var values = 0

    init(message: OpaquePointer) {
        self.message = message
        sd_bus_message_rewind(message, 1)
    }

    /// Weighs all values up to the end of the message or container. Returns whether that could be done.
    mutating func weigh(depth: Int) -> Bool {
        var type: CChar = 0
        var contents: UnsafePointer<CChar>?
        while true {
            let code = sd_bus_message_peek_type(message, &type, &contents)
            if code <= 0 { return code == 0 }
            values += 1
            guard values <= Self.most, bytes < MessageLimit.bytes else { return false }
            if let contents {
                // Copied, for the next look at a type overwrites it.
                let inside = String(cString: contents)
                guard depth < MessageLimit.depth, sd_bus_message_enter_container(message, type, inside) > 0,
                    weigh(depth: depth + 1), sd_bus_message_exit_container(message) >= 0
                else { return false }
                continue
            }
            switch UInt8(bitPattern: type) {
            case UInt8(ascii: "s"), UInt8(ascii: "o"), UInt8(ascii: "g"):
                var text: UnsafePointer<CChar>?
                guard sd_bus_message_read_basic(message, type, &text) > 0, let text else { return false }
                bytes += strlen(text)
            default:
                guard sd_bus_message_skip(message, nil) > 0 else { return false }
                bytes += MemoryLayout<UInt64>.size
            }
        }
    }
}

/// Makes values of what a message has, from where it is being read.
private struct MessageReader {
    let message: OpaquePointer
    private var values = MessageLimit.values
    private var bytes = MessageLimit.bytes

    init(message: OpaquePointer) { self.message = message }

    /// All values up to the end of the message or container.
    mutating func values(depth: Int) throws(WireError) -> [WireValue] {
        var values: [WireValue] = []
        while let value = try next(depth: depth) { values.append(value) }
        return values
    }

    private mutating func next(depth: Int) throws(WireError) -> WireValue? {
        var type: CChar = 0
        var contents: UnsafePointer<CChar>?
        guard try check(sd_bus_message_peek_type(message, &type, &contents)) else { return nil }
        let kind = UInt8(bitPattern: type)
        guard let contents else { return try basic(kind) }
        // Copied, for the next look at a type overwrites it.
        let inside = String(cString: contents)
        guard depth < MessageLimit.depth else {
            throw WireError(WireErrorName.limitsExceeded, "values more than \(MessageLimit.depth) containers deep")
        }
        try spend(bytes: 0)
        try check(sd_bus_message_enter_container(message, type, inside))
        let value: WireValue
        switch kind {
        case UInt8(ascii: "v"): value = .variant(try one(depth + 1))
        case UInt8(ascii: "r"): value = .structure(try values(depth: depth + 1))
        case UInt8(ascii: "a"):
            if inside.utf8.first == UInt8(ascii: "{") {
                value = try dictionary(inside, depth: depth + 1)
            } else {
                value = .array(of: inside, try values(depth: depth + 1))
            }
        default: throw Self.unknown(kind)
        }
        try check(sd_bus_message_exit_container(message))
        return value
    }

    private mutating func dictionary(_ entry: String, depth: Int) throws(WireError) -> WireValue {
        let types = String(entry.dropFirst().dropLast())
        var entries: [WireValue.Entry] = []
        while try check(sd_bus_message_enter_container(message, CChar(UInt8(ascii: "e")), types)) {
            entries.append(WireValue.Entry(try one(depth), try one(depth)))
            try check(sd_bus_message_exit_container(message))
        }
        return .dictionary(key: String(types.prefix(1)), value: String(types.dropFirst()), entries)
    }

    private mutating func one(_ depth: Int) throws(WireError) -> WireValue {
        guard let value = try next(depth: depth) else {
            throw WireError(WireErrorName.invalidArguments, "a value is missing in the message")
        }
        return value
    }

    private mutating func basic(_ kind: UInt8) throws(WireError) -> WireValue {
        switch kind {
        case UInt8(ascii: "b"): return .boolean(try read(kind, Int32(0)) != 0)
        case UInt8(ascii: "y"): return .byte(try read(kind, 0))
        case UInt8(ascii: "n"): return .int16(try read(kind, 0))
        case UInt8(ascii: "q"): return .uint16(try read(kind, 0))
        case UInt8(ascii: "i"): return .int32(try read(kind, 0))
        case UInt8(ascii: "u"): return .uint32(try read(kind, 0))
        case UInt8(ascii: "x"): return .int64(try read(kind, 0))
        case UInt8(ascii: "t"): return .uint64(try read(kind, 0))
        case UInt8(ascii: "d"): return .double(try read(kind, 0))
        case UInt8(ascii: "h"): return .unixDescriptor(try read(kind, -1))
        case UInt8(ascii: "s"): return .string(try text(kind))
        case UInt8(ascii: "o"): return .objectPath(try text(kind))
        case UInt8(ascii: "g"): return .signature(try text(kind))
        default: throw Self.unknown(kind)
        }
    }

    private mutating func read<Number: BitwiseCopyable>(_ kind: UInt8, _ initial: Number) throws(WireError) -> Number {
        try spend(bytes: MemoryLayout<Number>.size)
        var number = initial
        try check(sd_bus_message_read_basic(message, CChar(bitPattern: kind), &number))
        return number
    }

    private mutating func text(_ kind: UInt8) throws(WireError) -> String {
        var string: UnsafePointer<CChar>?
        try check(sd_bus_message_read_basic(message, CChar(bitPattern: kind), &string))
        guard let string else { return "" }
        try spend(bytes: strlen(string))
        return String(cString: string)
    }

    private mutating func spend(bytes used: Int) throws(WireError) {
        values -= 1
        bytes -= min(used, bytes + 1)
        guard values >= 0, bytes >= 0 else {
            throw WireError(
                WireErrorName.limitsExceeded,
                "the message is too large: at most \(MessageLimit.values) values and \(MessageLimit.bytes) bytes are read"
            )
        }
    }

    /// False at the end of what is being read.
    @discardableResult private func check(_ code: Int32) throws(WireError) -> Bool {
        if code < 0 {
            throw WireError(WireErrorName.invalidArguments, WireError(code: code, "cannot read the message").message)
        }
        return code > 0
    }

    private static func unknown(_ kind: UInt8) -> WireError {
        WireError(WireErrorName.invalidArguments, "a value of the unknown type with the code \(kind)")
    }
}
