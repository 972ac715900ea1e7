import BusInterface

/// D-Bus messages as little-endian bytes (D-Bus Specification, "Message Protocol"). Written and read without sd-bus, so
/// that they can be invalid.
struct WireBytes {
    private(set) var bytes: [UInt8] = []

    mutating func align(_ size: Int) {
        while !bytes.count.isMultiple(of: size) { bytes.append(0) }
    }

    mutating func append(raw: some Sequence<UInt8>) { bytes.append(contentsOf: raw) }

    mutating func append<Number: FixedWidthInteger>(_ number: Number) {
        align(Number.bitWidth / 8)
        withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
    }

    mutating func append(text: String) {
        append(UInt32(truncatingIfNeeded: text.utf8.count))
        append(raw: text.utf8)
        bytes.append(0)
    }

    mutating func append(signature: String) {
        bytes.append(UInt8(truncatingIfNeeded: signature.utf8.count))
        append(raw: signature.utf8)
        bytes.append(0)
    }

    mutating func append(_ value: WireValue) {
        switch value {
        case .boolean(let truth): append(UInt32(truth ? 1 : 0))
        case .byte(let number): append(number)
        case .int16(let number): append(number)
        case .uint16(let number): append(number)
        case .int32(let number): append(number)
        case .uint32(let number): append(number)
        case .int64(let number): append(number)
        case .uint64(let number): append(number)
        case .double(let number): append(number.bitPattern)
        case .string(let text), .objectPath(let text): append(text: text)
        case .signature(let text): append(signature: text)
        case .unixDescriptor(let index): append(UInt32(bitPattern: index))
        case .array(let element, let values):
            array(alignedLike: element) { bytes in for value in values { bytes.append(value) } }
        case .dictionary(_, _, let entries):
            array(alignedLike: "{") { bytes in
                for entry in entries {
                    bytes.align(8)
                    bytes.append(entry.key)
                    bytes.append(entry.value)
                }
            }
        case .structure(let members):
            align(8)
            for member in members { append(member) }
        case .variant(let inside):
            append(signature: inside.typeSignature)
            append(inside)
        }
    }

    private mutating func array(alignedLike type: String, _ write: (inout WireBytes) -> Void) {
        append(UInt32(0))
        let place = bytes.count - 4
        align(WireBytes.alignment(of: type.utf8.first ?? 0))
        let start = bytes.count
        write(&self)
        let length = UInt32(truncatingIfNeeded: bytes.count - start)
        for index in 0..<4 { bytes[place + index] = UInt8(truncatingIfNeeded: length >> (8 * UInt32(index))) }
    }

    static func alignment(of type: UInt8) -> Int {
        switch type {
        case UInt8(ascii: "y"), UInt8(ascii: "g"), UInt8(ascii: "v"): 1
        case UInt8(ascii: "n"), UInt8(ascii: "q"): 2
        case UInt8(ascii: "x"), UInt8(ascii: "t"), UInt8(ascii: "d"), UInt8(ascii: "("), UInt8(ascii: "{"): 8
        default: 4
        }
    }
}

/// One D-Bus message.
struct BusMessage {
    enum Kind: UInt8 {
        case call = 1
        case answer, error, signal
    }

    var kind: Kind
    /// 1: the call wants no answer (`NO_REPLY_EXPECTED`).
    var flags: UInt8 = 0
    var serial: UInt32 = 0
    var path = ""
    var interface = ""
    var member = ""
    var errorName = ""
    /// The serial of the call that this answer or error answers.
    var answers: UInt32 = 0
    var sender = ""
    var destination = ""
    var signature = ""
    var body: [UInt8] = []

    var wantsAnswer: Bool { kind == .call && flags & 1 == 0 }

    mutating func carry(_ values: [WireValue]) {
        var bytes = WireBytes()
        for value in values { bytes.append(value) }
        body = bytes.bytes
        signature = values.map(\.typeSignature).joined()
    }

    var bytes: [UInt8] {
        var bytes = WireBytes()
        bytes.append(raw: [UInt8(ascii: "l"), kind.rawValue, flags, 1])
        bytes.append(UInt32(truncatingIfNeeded: body.count))
        bytes.append(serial)
        var fields: [(UInt8, WireValue)] = []
        if !path.isEmpty { fields.append((1, .objectPath(path))) }
        if !interface.isEmpty { fields.append((2, .string(interface))) }
        if !member.isEmpty { fields.append((3, .string(member))) }
        if !errorName.isEmpty { fields.append((4, .string(errorName))) }
        if kind == .answer || kind == .error { fields.append((5, .uint32(answers))) }
        if !destination.isEmpty { fields.append((6, .string(destination))) }
        if !sender.isEmpty { fields.append((7, .string(sender))) }
        if !signature.isEmpty { fields.append((8, .signature(signature))) }
        bytes.append(
            .array(of: "(yv)", fields.map { .structure([.byte($0.0), .variant($0.1)]) }))
        bytes.align(8)
        bytes.append(raw: body)
        return bytes.bytes
    }

    /// Parses the first message in bytes that sd-bus has written, so they are valid; `nil` if the message is incomplete.
    ///
    /// - Returns: The message and its length.
    static func first(in bytes: ArraySlice<UInt8>) -> (BusMessage, Int)? {
        let base = bytes.startIndex
        func number(at place: Int) -> UInt32? {
            guard base + place + 4 <= bytes.endIndex else { return nil }
            return (0..<4).reduce(0) { $0 | UInt32(bytes[base + place + $1]) << (8 * UInt32($1)) }
        }
        guard let bodyLength = number(at: 4), let serial = number(at: 8), let fieldsLength = number(at: 12) else {
            return nil
        }
        let fieldsEnd = 16 + Int(fieldsLength)
        let start = (fieldsEnd + 7) / 8 * 8
        let end = start + Int(bodyLength)
        guard base + end <= bytes.endIndex else { return nil }
        found("sd-bus has written a message of another kind", Kind(rawValue: bytes[base + 1]) == nil)
        var letter = BusMessage(kind: Kind(rawValue: bytes[base + 1]) ?? .call, flags: bytes[base + 2], serial: serial)
        var place = 16
        while place < fieldsEnd {
            place = (place + 7) / 8 * 8
            guard place < fieldsEnd else { break }
            let code = bytes[base + place]
            let type = bytes[base + place + 2]
            place += 4
            var text = ""
            if type == UInt8(ascii: "u") {
                if code == 5 { letter.answers = number(at: place) ?? 0 }
                place += 4
            } else if type == UInt8(ascii: "g") {
                let length = Int(bytes[base + place])
                text = String(decoding: bytes[(base + place + 1)..<(base + place + 1 + length)], as: UTF8.self)
                place += length + 2
            } else {
                let length = Int(number(at: place) ?? 0)
                text = String(decoding: bytes[(base + place + 4)..<(base + place + 4 + length)], as: UTF8.self)
                place += length + 5
            }
            switch code {
            case 1: letter.path = text
            case 2: letter.interface = text
            case 3: letter.member = text
            case 4: letter.errorName = text
            case 6: letter.destination = text
            case 7: letter.sender = text
            case 8: letter.signature = text
            default: break
            }
        }
        letter.body = Array(bytes[(base + start)..<(base + end)])
        return (letter, end)
    }

    /// The first argument, if it is a string or path.
    var firstText: String? { texts.first }

    /// The strings and paths at the beginning of the arguments.
    var texts: [String] {
        var result: [String] = []
        var place = 0
        for type in signature.utf8 {
            guard type == UInt8(ascii: "s") || type == UInt8(ascii: "o") else { break }
            place = (place + 3) / 4 * 4
            guard place + 4 <= body.count else { break }
            let length = (0..<4).reduce(0) { $0 | Int(body[place + $1]) << (8 * $1) }
            guard place + 4 + length <= body.count else { break }
            result.append(String(decoding: body[(place + 4)..<(place + 4 + length)], as: UTF8.self))
            place += length + 5
        }
        return result
    }
}
