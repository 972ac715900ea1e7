import BusInterface
import RandomEvents

/// Random values of all types of D-Bus but descriptors.
extension SplitMix64 {
    /// A value of a random type.
    mutating func value(depth: Int = 0) -> WireValue { value(of: type(depth: depth), depth: depth) }

    private mutating func basicType() -> String { String(Array("bynqiuxtdsog")[below(12)]) }

    /// A random complete type.
    mutating func type(depth: Int) -> String {
        switch depth < 6 ? below(10) : 0 {
        case 6: return "a" + type(depth: depth + 1)
        case 7: return "a{" + basicType() + type(depth: depth + 1) + "}"
        case 8: return "(" + (0...below(3)).map { _ in type(depth: depth + 1) }.joined() + ")"
        case 9: return "v"
        default: return basicType()
        }
    }

    private mutating func value(of type: String, depth: Int) -> WireValue {
        var letters = Array(type.utf8)[...]
        return value(&letters, depth: depth)
    }

    private mutating func value(_ type: inout ArraySlice<UInt8>, depth: Int) -> WireValue {
        switch Unicode.Scalar(type.removeFirst()) {
        case "b": return .boolean(below(2) == 0)
        case "y": return .byte(UInt8(truncatingIfNeeded: next()))
        case "n": return .int16(Int16(truncatingIfNeeded: next()))
        case "q": return .uint16(UInt16(truncatingIfNeeded: next()))
        case "i": return .int32(Int32(truncatingIfNeeded: next()))
        case "u": return .uint32(UInt32(truncatingIfNeeded: next()))
        case "x": return .int64(Int64(truncatingIfNeeded: next()))
        case "t": return .uint64(next())
        case "d":
            let number = Double(bitPattern: next())
            return .double(number.isNaN ? -0.0 : number)
        case "s": return .string(text())
        case "o": return .objectPath("/" + (0..<below(4)).map { _ in "part_\(below(1000))" }.joined(separator: "/"))
        case "g": return .signature((0..<below(3)).map { _ in self.type(depth: 3) }.joined())
        case "v":
            let inner = self.type(depth: depth + 1)
            return .variant(value(of: inner, depth: depth + 1))
        case "(":
            var members: [WireValue] = []
            while type.first != UInt8(ascii: ")") { members.append(value(&type, depth: depth + 1)) }
            type.removeFirst()
            return .structure(members)
        default:
            let start = type.startIndex
            var end = type
            skip(&end)
            let element = type[start..<end.startIndex]
            type = end
            let count = below(5)
            guard element.first == UInt8(ascii: "{") else {
                return .array(
                    of: String(decoding: element, as: UTF8.self),
                    (0..<count).map { _ in
                        var rest = element
                        return value(&rest, depth: depth + 1)
                    })
            }
            let types = String(decoding: element.dropFirst().dropLast(), as: UTF8.self)
            let entries = (0..<count).map { _ in
                WireValue.Entry(
                    value(of: String(types.prefix(1)), depth: depth + 1),
                    value(of: String(types.dropFirst()), depth: depth + 1))
            }
            return .dictionary(key: String(types.prefix(1)), value: String(types.dropFirst()), entries)
        }
    }

    private func skip(_ type: inout ArraySlice<UInt8>) {
        switch type.removeFirst() {
        case UInt8(ascii: "a"): skip(&type)
        case UInt8(ascii: "("), UInt8(ascii: "{"):
            while type.first != UInt8(ascii: ")") && type.first != UInt8(ascii: "}") { skip(&type) }
            type.removeFirst()
        default: break
        }
    }

    private mutating func text() -> String {
        let scalars: [Unicode.Scalar] = [
            "a", "Z", " ", "\"", "\\", "'", "\n", "\u{1}", "\u{7F}", "ä", "\u{301}", "\u{FFFD}", "\u{2028}", "🎵",
            "\u{10FFFD}",
        ]
        var text = ""
        for _ in 0..<below(12) { text.unicodeScalars.append(scalars[below(scalars.count)]) }
        return text
    }
}
