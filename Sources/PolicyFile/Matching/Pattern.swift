#if canImport(Glibc)
    import Glibc
#endif

/// A POSIX extended regular expression that is searched for in properties, as in PipeWire.
final class Pattern: Sendable, Equatable {
    /// The longest expression, and how much of a value is searched, in bytes: no application can make the server search for
    /// long.
    static let maximumLength = 256

    /// Why an expression is rejected, as parts of a message.
    struct Failure: Error, Equatable {
        let found: String
        let expected: String
    }

    /// The expression.
    let text: String
    /// Compiled by the C library. Written only before the object is shared; POSIX lets several threads search with it.
    nonisolated(unsafe) private let expression: UnsafeMutablePointer<regex_t>

    init(_ text: String) throws(Failure) {
        guard text.utf8.count <= Pattern.maximumLength else {
            throw Failure(
                found: "a regular expression of \(text.utf8.count) bytes",
                expected: "at most \(Pattern.maximumLength)")
        }
        guard !text.utf8.contains(0) else {
            throw Failure(found: "a regular expression with a zero byte", expected: "none")
        }
        switch PatternRefusal(text) {
        case .backReference:
            throw Failure(
                found: "a regular expression with a back reference", expected: "none, as it can take for ever")
        case .size:
            throw Failure(
                found: "a regular expression that repeats too much",
                expected: "at most \(PatternRefusal.maximumSize) characters with all repetitions")
        case nil: break
        }
        let expression = UnsafeMutablePointer<regex_t>.allocate(capacity: 1)
        expression.initialize(to: regex_t())
        let code = regcomp(expression, text, REG_EXTENDED | REG_NOSUB)
        guard code == 0 else {
            var reason = [UInt8](repeating: 0, count: 128)
            reason.withUnsafeMutableBytes { buffer in
                _ = regerror(code, expression, buffer.bindMemory(to: CChar.self).baseAddress, buffer.count)
            }
            expression.deallocate()
            throw Failure(
                found: "a wrong regular expression (\(String(decoding: reason.prefix { $0 != 0 }, as: UTF8.self)))",
                expected: "a POSIX extended one")
        }
        self.text = text
        self.expression = expression
    }

    deinit {
        regfree(expression)
        expression.deallocate()
    }

    /// Whether the beginning of a text contains a match.
    func matches(_ text: String) -> Bool {
        var end = text.utf8.count
        if end > Pattern.maximumLength {
            // Without an incomplete character at the end.
            end = Pattern.maximumLength
            while end > 0, text.utf8[text.utf8.index(text.startIndex, offsetBy: end)] & 0xC0 == 0x80 { end -= 1 }
            return String(text.utf8.prefix(end)).map(matches) ?? false
        }
        return text.withCString { regexec(expression, $0, 0, nil, 0) == 0 }
    }

    static func == (left: Pattern, right: Pattern) -> Bool { left.text == right.text }
}
