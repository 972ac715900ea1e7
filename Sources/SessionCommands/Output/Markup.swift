/// Writes XML: elements inside each other, with what has a meaning in XML escaped.
struct Markup {
    private(set) var text = ""
    private var depth = 0

    /// An element without anything inside.
    mutating func element(_ name: String, _ attributes: KeyValuePairs<String, String>) {
        line("<\(name)\(Self.written(attributes))/>")
    }

    /// An element with text inside.
    mutating func element(_ name: String, _ attributes: KeyValuePairs<String, String>, _ content: String) {
        line("<\(name)\(Self.written(attributes))>\(Self.escaped(content))</\(name)>")
    }

    /// An element with others inside.
    mutating func element(
        _ name: String, _ attributes: KeyValuePairs<String, String>, _ content: (inout Markup) -> Void
    ) {
        line("<\(name)\(Self.written(attributes))>")
        depth += 1
        content(&self)
        depth -= 1
        line("</\(name)>")
    }

    private mutating func line(_ line: String) {
        text += String(repeating: "  ", count: depth) + line + "\n"
    }

    private static func written(_ attributes: KeyValuePairs<String, String>) -> String {
        attributes.map { " \($0.key)=\"\(escaped($0.value))\"" }.joined()
    }

    /// Text as it can stand in an element or an attribute.
    static func escaped(_ text: String) -> String {
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result.append(contentsOf: "&amp;".unicodeScalars)
            case "<": result.append(contentsOf: "&lt;".unicodeScalars)
            case ">": result.append(contentsOf: "&gt;".unicodeScalars)
            case "\"": result.append(contentsOf: "&quot;".unicodeScalars)
            default:
                // XML has no way to write the others.
                let isAllowed = scalar.value >= 0x20 && scalar.value & 0xFFFE != 0xFFFE && scalar.value != 0x7F
                result.append(isAllowed || scalar == "\t" || scalar == "\n" ? scalar : "\u{FFFD}")
            }
        }
        return String(result)
    }
}
