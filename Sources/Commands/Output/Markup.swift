/// Writes XML with nested elements, and escapes text.
struct Markup {
    private(set) var text = ""
    private var depth = 0

    /// Writes an empty element.
    mutating func element(_ name: String, _ attributes: KeyValuePairs<String, String>) {
        line("<\(name)\(Self.written(attributes))/>")
    }

    /// Writes an element with text.
    mutating func element(_ name: String, _ attributes: KeyValuePairs<String, String>, _ content: String) {
        line("<\(name)\(Self.written(attributes))>\(Self.escaped(content))</\(name)>")
    }

    /// Writes an element with nested elements.
    mutating func element(
        _ name: String, _ attributes: KeyValuePairs<String, String>, _ content: (inout Markup) -> Void
    ) {
        line("<\(name)\(Self.written(attributes))>")
        depth += 1
        content(&self)
        depth -= 1
        line("</\(name)>")
    }

    /// Writes a text of a picture.
    mutating func text(_ x: Double, _ y: Double, _ attributes: KeyValuePairs<String, String> = [:], _ content: String) {
        line("<text x=\"\(pixels(x))\" y=\"\(pixels(y))\"\(Self.written(attributes))>\(Self.escaped(content))</text>")
    }

    /// Writes a line of a picture.
    mutating func path(_ path: String, _ attributes: KeyValuePairs<String, String> = [:]) {
        line("<path d=\"\(path)\"\(Self.written(attributes))/>")
    }

    /// Writes a rectangle of a picture.
    mutating func rect(
        _ x: Double, _ y: Double, _ width: Double, _ height: Double, _ attributes: KeyValuePairs<String, String>
    ) {
        let place = "x=\"\(pixels(x))\" y=\"\(pixels(y))\" width=\"\(pixels(width))\" height=\"\(pixels(height))\""
        line("<rect \(place)\(Self.written(attributes))/>")
    }

    private mutating func line(_ line: String) {
        text += String(repeating: "  ", count: depth) + line + "\n"
    }

    private static func written(_ attributes: KeyValuePairs<String, String>) -> String {
        attributes.map { " \($0.key)=\"\(escaped($0.value))\"" }.joined()
    }

    /// The text, escaped for an element or attribute.
    static func escaped(_ text: String) -> String {
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result.append(contentsOf: "&amp;".unicodeScalars)
            case "<": result.append(contentsOf: "&lt;".unicodeScalars)
            case ">": result.append(contentsOf: "&gt;".unicodeScalars)
            case "\"": result.append(contentsOf: "&quot;".unicodeScalars)
            default:
                // XML cannot represent the other characters.
                let isAllowed = scalar.value >= 0x20 && scalar.value & 0xFFFE != 0xFFFE && scalar.value != 0x7F
                result.append(isAllowed || scalar == "\t" || scalar == "\n" ? scalar : "\u{FFFD}")
            }
        }
        return String(result)
    }
}
