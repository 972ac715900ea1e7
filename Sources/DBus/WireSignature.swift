/// Signatures of D-Bus types (D-Bus Specification, "Valid Signatures").
enum WireSignature {
    /// Whether a text is a list of complete types, with at most 255 letters and 32 nested arrays or structures.
    static func isValid(_ text: String) -> Bool {
        let letters = Array(text.utf8)
        guard letters.count <= MessageLimit.signature else { return false }
        var index = 0
        while index < letters.count {
            guard let next = end(of: letters, from: index, depth: 0) else { return false }
            index = next
        }
        return true
    }

    /// The index after the complete type that begins at an index; nil if none begins there.
    private static func end(of letters: [UInt8], from index: Int, depth: Int) -> Int? {
        guard index < letters.count, depth <= MessageLimit.depth else { return nil }
        switch letters[index] {
        case UInt8(ascii: "v"): return index + 1
        case UInt8(ascii: "a"):
            guard index + 1 < letters.count, letters[index + 1] == UInt8(ascii: "{") else {
                return end(of: letters, from: index + 1, depth: depth + 1)
            }
            guard index + 2 < letters.count, isBasic(letters[index + 2]),
                let last = end(of: letters, from: index + 3, depth: depth + 1), last < letters.count,
                letters[last] == UInt8(ascii: "}")
            else { return nil }
            return last + 1
        case UInt8(ascii: "("):
            var member = index + 1
            repeat {
                guard let next = end(of: letters, from: member, depth: depth + 1), next < letters.count else {
                    return nil
                }
                member = next
            } while letters[member] != UInt8(ascii: ")")
            return member + 1
        default: return isBasic(letters[index]) ? index + 1 : nil
        }
    }

    private static func isBasic(_ letter: UInt8) -> Bool {
        switch letter {
        case UInt8(ascii: "b"), UInt8(ascii: "y"), UInt8(ascii: "n"), UInt8(ascii: "q"), UInt8(ascii: "i"),
            UInt8(ascii: "u"), UInt8(ascii: "x"), UInt8(ascii: "t"), UInt8(ascii: "d"), UInt8(ascii: "h"),
            UInt8(ascii: "s"), UInt8(ascii: "o"), UInt8(ascii: "g"):
            true
        default: false
        }
    }
}
