import PolicyEngine

/// Reads SPA-JSON, PipeWire's relaxed JSON, into a tree.
///
/// Braces round the whole are optional, commas too; between key and value stands `=`, `:` or nothing; keys and values
/// are bare words or quoted strings; `#` begins a comment. Everything that is valid for PipeWire is read as PipeWire
/// reads it. What PipeWire passes over in silence although it is a slip (a second `=`, a bracket of the wrong kind, a
/// missing value, an unknown escape) is an error here. After an error the reader goes on, to find the next one.
struct Reader {
    private var scanner: Scanner
    private var diagnosis: Diagnosis
    /// The open brackets, outermost first.
    private var open: [(bracket: Unicode.Scalar, place: Place)] = []
    private var isAbandoned = false

    /// Reads a source. The caller has checked that it is at most ``PolicyFile/maximumSize`` bytes.
    static func read(_ bytes: [UInt8], into diagnosis: inout Diagnosis) -> [Member] {
        var reader = Reader(scanner: Scanner(bytes), diagnosis: diagnosis)
        let members = reader.document()
        diagnosis = reader.diagnosis
        return members
    }

    private init(scanner: Scanner, diagnosis: Diagnosis) {
        self.scanner = scanner
        self.diagnosis = diagnosis
    }

    // MARK: Structure

    private mutating func document() -> [Member] {
        skipSpace(andCommas: true)
        guard scanner.current == "{" else { return members() }
        let result = container { $0.members() } ?? []
        skipSpace(andCommas: true)
        if scanner.current != nil {
            diagnosis.error(at: scanner.place, found: scanner.summary, expected: "the end of the text")
        }
        return result
    }

    /// Reads the content between two brackets; the cursor is on the first. `nil` if they are nested too deeply.
    private mutating func container<Content>(_ content: (inout Reader) -> Content) -> Content? {
        guard let bracket = scanner.current else { return nil }
        guard open.count < PolicyFile.maximumNesting else {
            diagnosis.error(
                at: scanner.place, found: "more than \(PolicyFile.maximumNesting) brackets inside each other",
                expected: "fewer")
            isAbandoned = true
            scanner.abandon()
            return nil
        }
        open.append((bracket, scanner.place))
        scanner.advance()
        let result = content(&self)
        _ = open.popLast()
        return result
    }

    /// Reads keys and values up to the closing brace, or to the end of a source without outer braces.
    private mutating func members() -> [Member] {
        var members: [Member] = []
        while true {
            skipSpace(andCommas: true)
            if isAtEnd() { return members }
            switch scanner.current {
            case "}", "]":
                if closes(expected: "a key") { return members }
            case "=", ":":
                diagnosis.error(
                    at: scanner.place, found: scanner.summary, expected: "a key (a value with spaces needs quotes)")
                scanner.advance()
            case "{", "[":
                diagnosis.error(at: scanner.place, found: scanner.summary, expected: "a key")
                _ = value()
            default:
                let place = scanner.place
                let text = text()
                let value = value(of: text)
                if let text, let value { members.append(Member(key: Key(text: text, place: place), value: value)) }
            }
        }
    }

    /// Reads the values of an array up to the closing bracket.
    private mutating func elements() -> [Node] {
        var elements: [Node] = []
        while true {
            skipSpace(andCommas: true)
            if isAtEnd() { return elements }
            switch scanner.current {
            case "}", "]":
                if closes(expected: "a value") { return elements }
            case "=", ":":
                diagnosis.error(at: scanner.place, found: scanner.summary, expected: "a value")
                scanner.advance()
            default:
                if let value = value() { elements.append(value) }
            }
        }
    }

    /// Reads the value of a key; `nil` if it is missing or invalid.
    private mutating func value(of key: String?) -> Node? {
        skipSpace(andCommas: false)
        if scanner.current == "=" || scanner.current == ":" {
            scanner.advance()
            skipSpace(andCommas: false)
        }
        switch scanner.current {
        case nil where isAbandoned: return nil
        case nil, "}", "]", ",", "=", ":":
            diagnosis.error(
                at: scanner.place, found: scanner.summary, expected: "the value of '\(printable(key ?? ""))'")
        default: return value()
        }
        while scanner.current == "=" || scanner.current == ":" { scanner.advance() }
        skipSpace(andCommas: false)
        switch scanner.current {
        case nil, "}", "]", ",": return nil
        default: return value()
        }
    }

    /// Reads one value; the cursor is on its first scalar, which is no closing bracket and no separator. `nil` if the
    /// value is invalid; this is reported once, and the rest of the value is ignored.
    private mutating func value() -> Node? {
        let place = scanner.place
        switch scanner.current {
        case "{": return container { $0.members() }.map { Node(content: .object($0), place: place) }
        case "[": return container { $0.elements() }.map { Node(content: .array($0), place: place) }
        default:
            let isQuoted = scanner.current == "\""
            return text().map { Node(content: .text($0, isQuoted: isQuoted), place: place) }
        }
    }

    /// Whether the end is reached. Reports brackets that are still open.
    private mutating func isAtEnd() -> Bool {
        guard scanner.current == nil else { return false }
        if let innermost = open.last, !isAbandoned {
            diagnosis.error(at: scanner.place, found: scanner.summary, expected: closing(innermost))
        }
        return true
    }

    /// Whether the closing bracket under the cursor ends the innermost container.
    ///
    /// A bracket of the wrong kind is an error. If an outer container is waiting for it, the innermost one's bracket
    /// was forgotten, so it ends here too. Otherwise the bracket is skipped.
    private mutating func closes(expected: String) -> Bool {
        guard let bracket = scanner.current else { return true }
        let opening: Unicode.Scalar = bracket == "}" ? "{" : "["
        guard let innermost = open.last else {
            diagnosis.error(at: scanner.place, found: scanner.summary, expected: expected)
            scanner.advance()
            return false
        }
        if innermost.bracket == opening {
            scanner.advance()
            return true
        }
        diagnosis.error(at: scanner.place, found: scanner.summary, expected: closing(innermost))
        if open.contains(where: { $0.bracket == opening }) { return true }
        scanner.advance()
        return false
    }

    /// Skips white space and comments.
    private mutating func skipSpace(andCommas: Bool) {
        while let scalar = scanner.current {
            switch scalar {
            case " ", "\t", "\r", "\n": scanner.advance()
            case "," where andCommas: scanner.advance()
            case "#":
                while let scalar = scanner.current, scalar != "\n", scalar != "\r" { scanner.advance() }
            default: return
            }
        }
    }

    // MARK: Text

    /// Reads a bare word or a quoted string; `nil` if it is invalid.
    private mutating func text() -> String? {
        scanner.current == "\"" ? string() : word()
    }

    private mutating func word() -> String? {
        var result = Text.sound(String.UnicodeScalarView())
        while let scalar = scanner.current {
            switch scalar {
            case " ", "\t", "\r", "\n", ",", "=", ":", "{", "}", "[", "]", "#", "\"": return result.string
            default: append(scalar, into: &result)
            }
        }
        return result.string
    }

    private mutating func string() -> String? {
        let start = scanner.place
        var result = Text.sound(String.UnicodeScalarView())
        scanner.advance()
        while let scalar = scanner.current, scalar != "\n", scalar != "\r" {
            switch scalar {
            case "\"":
                scanner.advance()
                return result.string
            case "\\": result.append(escape())
            default: append(scalar, into: &result)
            }
        }
        diagnosis.error(
            at: scanner.place, found: scanner.current == nil ? scanner.summary : "the end of the line",
            expected: "'\"' for the '\"' at line \(start.line), column \(start.column)")
        return nil
    }

    /// Appends one scalar to a text if it is allowed there. An error is reported once for each text.
    private mutating func append(_ scalar: Unicode.Scalar, into text: inout Text) {
        defer { scanner.advance() }
        let isControl = scalar.value < 0x20 || scalar.value == 0x7F
        guard isControl || scanner.isInvalid else { return text.append(scalar) }
        if case .broken = text { return }
        text = .broken
        diagnosis.error(
            at: scanner.place,
            found: scanner.isInvalid
                ? "bytes that are no UTF-8" : "the control character U+\(hexadecimal(scalar.value))",
            expected: scanner.isInvalid ? "UTF-8" : "text (in quotes, \\t is a tab and \\n a new line)")
    }

    /// Reads an escape; the cursor is on its backslash. `nil` if it is invalid.
    private mutating func escape() -> Unicode.Scalar? {
        let place = scanner.place
        scanner.advance()
        guard let scalar = scanner.current, scalar != "\n", scalar != "\r" else { return nil }
        scanner.advance()
        switch scalar {
        case "\"", "\\", "/": return scalar
        case "b": return "\u{8}"
        case "f": return "\u{C}"
        case "n": return "\n"
        case "r": return "\r"
        case "t": return "\t"
        case "u": return unicodeEscape(at: place)
        default:
            diagnosis.error(
                at: place, found: "'\\\(printable(String(Character(scalar))))'",
                expected: "one of \\\" \\\\ \\/ \\b \\f \\n \\r \\t \\uXXXX")
            return nil
        }
    }

    /// Reads the digits after `\u`: four of them, or two such escapes that form one scalar as surrogates.
    private mutating func unicodeEscape(at place: Place) -> Unicode.Scalar? {
        guard let first = fourDigits(at: place) else { return nil }
        if let scalar = Unicode.Scalar(first) { return scalar }
        guard first < 0xDC00, scanner.current == "\\" else { return loneSurrogate(first, at: place) }
        let secondPlace = scanner.place
        scanner.advance()
        guard scanner.current == "u" else { return loneSurrogate(first, at: place) }
        scanner.advance()
        guard let second = fourDigits(at: secondPlace) else { return nil }
        guard 0xDC00..<0xE000 ~= second else { return loneSurrogate(first, at: place) }
        return Unicode.Scalar(0x10000 + ((first & 0x3FF) << 10 | second & 0x3FF))
    }

    private mutating func loneSurrogate(_ value: UInt32, at place: Place) -> Unicode.Scalar? {
        diagnosis.error(
            at: place, found: "'\\u\(hexadecimal(value))', one half of a pair", expected: "both halves, high then low")
        return nil
    }

    private mutating func fourDigits(at place: Place) -> UInt32? {
        var value: UInt32 = 0
        for _ in 0..<4 {
            guard let scalar = scanner.current, let digit = UInt32(String(Character(scalar)), radix: 16) else {
                diagnosis.error(at: place, found: "an incomplete '\\u'", expected: "four hexadecimal digits after it")
                return nil
            }
            value = value << 4 | digit
            scanner.advance()
        }
        return value
    }
}

/// A text while it is being read.
private enum Text {
    case sound(String.UnicodeScalarView)
    /// The text contained a forbidden scalar, which has been reported.
    case broken

    mutating func append(_ scalar: Unicode.Scalar?) {
        guard case .sound(var scalars) = self else { return }
        // Drop the other reference, so that the text grows in place.
        self = .broken
        guard let scalar else { return }
        scalars.append(scalar)
        self = .sound(scalars)
    }

    var string: String? {
        if case .sound(let scalars) = self { String(scalars) } else { nil }
    }
}

/// The bracket that closes another, as part of a message.
private func closing(_ opening: (bracket: Unicode.Scalar, place: Place)) -> String {
    let bracket = opening.bracket == "{" ? "}" : "]"
    return "'\(bracket)' for the '\(opening.bracket)' at line \(opening.place.line), column \(opening.place.column)"
}

private func hexadecimal(_ value: UInt32) -> String {
    let digits = String(value, radix: 16, uppercase: true)
    return String(repeating: "0", count: max(0, 4 - digits.utf8.count)) + digits
}
