/// Whether a text is JSON (RFC 8259), and nothing else.
func isJSON(_ text: String) -> Bool {
    var reader = JSONReader(rest: Array(text.utf8)[...])
    return reader.readValue() && reader.rest.isEmpty
}

/// Reads JSON without blanks, as the service writes it.
private struct JSONReader {
    var rest: ArraySlice<UInt8>

    private mutating func skip(_ word: String) -> Bool {
        guard rest.starts(with: word.utf8) else { return false }
        rest = rest.dropFirst(word.utf8.count)
        return true
    }

    mutating func readValue(depth: Int = 0) -> Bool {
        guard depth < 100, let first = rest.first else { return false }
        switch first {
        case UInt8(ascii: "{"):
            return readList("{", "}") { $0.readText() && $0.skip(":") && $0.readValue(depth: depth + 1) }
        case UInt8(ascii: "["): return readList("[", "]") { $0.readValue(depth: depth + 1) }
        case UInt8(ascii: "\""): return readText()
        case UInt8(ascii: "t"): return skip("true")
        case UInt8(ascii: "f"): return skip("false")
        case UInt8(ascii: "n"): return skip("null")
        default: return readNumber()
        }
    }

    private mutating func readList(
        _ start: String, _ end: String, _ readElement: (inout JSONReader) -> Bool
    ) -> Bool {
        guard skip(start) else { return false }
        if skip(end) { return true }
        repeat { if !readElement(&self) { return false } } while skip(",")
        return skip(end)
    }

    private mutating func readText() -> Bool {
        guard skip("\"") else { return false }
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "\""): return true
            case UInt8(ascii: "\\"):
                guard let escaped = rest.popFirst() else { return false }
                if escaped == UInt8(ascii: "u") {
                    let digits = rest.prefix(4)
                    let isNumber = digits.count == 4 && digits.allSatisfy { Character(Unicode.Scalar($0)).isHexDigit }
                    guard isNumber else { return false }
                    rest = rest.dropFirst(4)
                } else if !"\"\\/bfnrt".utf8.contains(escaped) {
                    return false
                }
            case 0..<0x20: return false
            default: break
            }
        }
        return false
    }

    private mutating func readDigits() -> Bool {
        let digits = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        rest = rest.dropFirst(digits.count)
        return !digits.isEmpty
    }

    private mutating func readNumber() -> Bool {
        _ = skip("-")
        if !skip("0"), !readDigits() { return false }
        if skip("."), !readDigits() { return false }
        guard skip("e") || skip("E") else { return true }
        if !skip("+") { _ = skip("-") }
        return readDigits()
    }
}
