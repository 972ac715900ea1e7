import BusInterface
import CSystemdBus
import Glibc

/// The limits for messages that are read into values; a larger message is refused, however it is built.
enum MessageLimit {
    /// The nesting depth of containers.
    static let depth = 32
    /// The number of values; each element, member, key and variant counts.
    static let values = 65_536
    /// The bytes of strings and numbers.
    static let bytes = 1 << 20
    /// The longest signature (D-Bus Specification, "Valid Signatures").
    static let signature = 255
}

extension Message {
    /// Reads the arguments. Throws `LimitsExceeded` as soon as a limit is exceeded.
    func arguments() throws(WireError) -> [WireValue] {
        sd_bus_message_rewind(pointer, 1)
        var reader = MessageReader(message: pointer)
        return try reader.values(depth: 0)
    }
}

extension Message {
    /// The weight of the waiting message in bytes: sd-bus's own memory and the content. Beyond the limit for reading,
    /// every message counts the same, so that weighing takes no time.
    var weight: Int {
        var scale = MessageScale(message: pointer)
        let header = path.utf8.count + interface.utf8.count + member.utf8.count + sender.utf8.count
        guard header < MessageLimit.bytes, scale.weigh(depth: 0) else { return MessageLimit.bytes }
        return min(MessageScale.own + header + scale.bytes, MessageLimit.bytes)
    }

    /// For a `NameOwnerChanged` signal, the old owner that has lost its name; otherwise nil.
    var formerOwner: String? {
        guard member == "NameOwnerChanged", let values = try? arguments(), values.count == 3 else { return nil }
        return values[1].text.flatMap { $0.isEmpty ? nil : $0 }
    }
}

/// Computes the weight of a message's content without making values of it.
private struct MessageScale {
    /// The memory of sd-bus for each message, in bytes.
    static let own = 1024
    /// The number of values that are weighed at most.
    private static let most = 1024

    let message: OpaquePointer
    private(set) var bytes = 0
    private var values = 0

    init(message: OpaquePointer) {
        self.message = message
        sd_bus_message_rewind(message, 1)
    }

    /// Weighs all values up to the end of the message or container. Returns whether that succeeded.
    mutating func weigh(depth: Int) -> Bool {
        var type: CChar = 0
        var contents: UnsafePointer<CChar>?
        while true {
            let code = sd_bus_message_peek_type(message, &type, &contents)
            if code <= 0 { return code == 0 }
            values += 1
            guard values <= Self.most, bytes < MessageLimit.bytes else { return false }
            if let contents {
                // Copied, because the next call that reads a type overwrites the text.
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

/// Reads values from a message's present position.
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
        // Copied, because the next call that reads a type overwrites the text.
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

    /// Throws an error code. False at the end of the container or message.
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
