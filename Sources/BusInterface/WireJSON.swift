/// D-Bus values as JSON, for `DumpState` and for `--json`.
extension WireValue {
    /// The value as JSON (RFC 8259) without whitespace. Records become objects and variants their content; NaN and
    /// infinities become `null`.
    public var json: String {
        var text = ""
        write(to: &text)
        return text
    }

    private func write(to text: inout String) {
        switch self {
        case .boolean(let truth): text += truth ? "true" : "false"
        case .double(let number):
            if number.isFinite {
                text += number == number.rounded() && abs(number) < 1e15 ? "\(Int64(number))" : "\(number)"
            } else {
                text += "null"
            }
        case .byte, .int16, .uint16, .int32, .uint32, .int64: text += integer.map { "\($0)" } ?? "null"
        case .uint64(let number): text += "\(number)"
        case .unixDescriptor: text += "null"
        case .string(let string), .objectPath(let string), .signature(let string): WireValue.quote(string, to: &text)
        case .variant(let value): value.write(to: &text)
        case .array(_, let elements), .structure(let elements):
            text += "["
            for (index, element) in elements.enumerated() {
                if index > 0 { text += "," }
                element.write(to: &text)
            }
            text += "]"
        case .dictionary(_, _, let entries):
            text += "{"
            for (index, entry) in entries.enumerated() {
                if index > 0 { text += "," }
                if let key = entry.key.text {
                    WireValue.quote(key, to: &text)
                } else {
                    WireValue.quote(entry.key.json, to: &text)
                }
                text += ":"
                entry.value.write(to: &text)
            }
            text += "}"
        }
    }

    private static func quote(_ string: String, to text: inout String) {
        text += "\""
        for scalar in string.unicodeScalars {
            switch scalar {
            case "\"": text += "\\\""
            case "\\": text += "\\\\"
            case "\n": text += "\\n"
            case "\t": text += "\\t"
            case "\r": text += "\\r"
            case "\u{0}"..<"\u{20}", "\u{7F}":
                let digits = String(scalar.value, radix: 16)
                text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: text.unicodeScalars.append(scalar)
            }
        }
        text += "\""
    }
}
