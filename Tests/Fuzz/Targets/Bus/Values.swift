import BusInterface

extension Input {
    /// A random value of the first type in a signature; removes that type from the signature.
    mutating func value(_ signature: inout Substring.UTF8View, _ words: [String], depth: Int = 0) -> WireValue {
        guard let letter = signature.popFirst() else { return .byte(0) }
        switch letter {
        case UInt8(ascii: "b"): return .boolean(oneIn(2))
        case UInt8(ascii: "y"): return .byte(byte())
        case UInt8(ascii: "n"): return .int16(Int16(truncatingIfNeeded: number()))
        case UInt8(ascii: "q"): return .uint16(UInt16(truncatingIfNeeded: number()))
        case UInt8(ascii: "i"): return .int32(Int32(truncatingIfNeeded: number()))
        case UInt8(ascii: "u"): return .uint32(UInt32(truncatingIfNeeded: number()))
        case UInt8(ascii: "x"): return .int64(Int64(truncatingIfNeeded: number()))
        case UInt8(ascii: "t"): return .uint64(number())
        case UInt8(ascii: "d"): return .double(double())
        case UInt8(ascii: "h"): return .unixDescriptor(Int32(byte()))
        case UInt8(ascii: "s"): return .string(word(words))
        case UInt8(ascii: "o"): return .objectPath(path())
        case UInt8(ascii: "g"): return .signature(oneIn(4) ? "" : type(depth: 3))
        case UInt8(ascii: "v"):
            let inside = depth > 3 ? "y" : type(depth: depth)
            var rest = inside[...].utf8
            return .variant(value(&rest, words, depth: depth + 1))
        case UInt8(ascii: "("):
            var members: [WireValue] = []
            while let next = signature.first, next != UInt8(ascii: ")") {
                members.append(value(&signature, words, depth: depth + 1))
            }
            _ = signature.popFirst()
            return .structure(members)
        default:
            let element = Input.element(&signature)
            let count = depth > 3 ? 0 : below(6)
            guard element.utf8.first == UInt8(ascii: "{") else {
                return .array(
                    of: element,
                    (0..<count).map { _ in
                        var rest = element[...].utf8
                        return value(&rest, words, depth: depth + 1)
                    })
            }
            let types = String(element.dropFirst().dropLast())
            let entries = (0..<count).map { _ in
                var rest = types[...].utf8
                let key = value(&rest, words, depth: depth + 1)
                return WireValue.Entry(key, value(&rest, words, depth: depth + 1))
            }
            return .dictionary(key: String(types.prefix(1)), value: String(types.dropFirst()), entries)
        }
    }

    /// Random values of all types in a signature.
    mutating func values(_ signature: String, _ words: [String]) -> [WireValue] {
        var rest = signature[...].utf8
        var values: [WireValue] = []
        while !rest.isEmpty { values.append(value(&rest, words)) }
        return values
    }

    /// A random complete type.
    mutating func type(depth: Int = 0) -> String {
        switch below(depth > 3 ? 13 : 18) {
        case 13: "v"
        case 14: "a" + type(depth: depth + 1)
        case 15: "a{sv}"
        case 16: "a{\(pick(["s", "u", "y", "o", "t", "d"]))\(type(depth: depth + 1))}"
        case 17: "(" + (0...below(3)).map { _ in type(depth: depth + 1) }.joined() + ")"
        case let index: String(Array("sbyuinqxtdogh")[index])
        }
    }

    /// Removes the first complete type from a signature, and returns it.
    private static func element(_ signature: inout Substring.UTF8View) -> String {
        var result: [UInt8] = []
        var open = 0
        while let letter = signature.popFirst() {
            result.append(letter)
            if letter == UInt8(ascii: "(") || letter == UInt8(ascii: "{") { open += 1 }
            if letter == UInt8(ascii: ")") || letter == UInt8(ascii: "}") { open -= 1 }
            if open == 0, letter != UInt8(ascii: "a") { break }
        }
        return String(decoding: result, as: UTF8.self)
    }

    mutating func double() -> Double {
        switch byte() {
        case 250: .nan
        case 251: .infinity
        case 252: -.infinity
        case 253: Double(bitPattern: number())
        case 254: -1
        case let number: Double(number) / 16
        }
    }

    /// One of the words, or a random text without NUL.
    mutating func word(_ words: [String]) -> String {
        if oneIn(4) { return text().filter { $0 != "\0" } }
        return pick(words)
    }

    mutating func path() -> String {
        pick(["/", "/org/AudioSession1", "/org/AudioSession1/session/1", "/org/AudioSession1/session/2", "/a/b_1"])
    }
}
