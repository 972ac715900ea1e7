#if canImport(Glibc)
    import Glibc
#endif

/// A POSIX extended regular expression that is searched for in properties, as in PipeWire.
///
/// Because there are hundreds of rules and a new stream waits for them, expressions that are plain texts are compared
/// directly, and others are only tried on values that contain what they require.
final class Pattern: Sendable, Equatable {
    /// The longest expression, in bytes.
    static let maximumLength = 256

    /// Why an expression is rejected, as parts of a message.
    struct Failure: Error, Equatable {
        let found: String
        let expected: String
    }

    /// The expression.
    let text: String
    /// The letters that every match contains.
    let letters: Letters
    private let shape: PatternShape
    /// The compiled expression; `nil` if the library is not needed.
    private let compiled: CompiledExpression?

    init(_ text: String) throws(Failure) {
        guard text.utf8.count <= Pattern.maximumLength else {
            throw Failure(
                found: "a regular expression of \(text.utf8.count) bytes",
                expected: "at most \(Pattern.maximumLength)")
        }
        guard !text.utf8.contains(0) else {
            throw Failure(found: "a regular expression with a zero byte", expected: "none")
        }
        let shape = PatternShape(text)
        switch shape.refusal {
        case .backReference:
            throw Failure(
                found: "a regular expression with a back reference", expected: "none, as it can take for ever")
        case .size:
            throw Failure(
                found: "a regular expression that repeats too much",
                expected: "at most \(PatternShape.maximumSize) characters with all repetitions")
        case nil: break
        }
        compiled = shape.literals == nil ? try CompiledExpression(text) : nil
        self.text = text
        self.shape = shape
        if let literals = shape.literals {
            letters = literals.dropFirst().reduce(Letters(literals.first ?? [])) { $0.intersection(Letters($1)) }
        } else {
            letters = Letters(shape.required)
        }
    }

    /// Whether a text contains a match.
    func matches(_ subject: Subject) -> Bool {
        if let literals = shape.literals {
            return literals.contains { subject.has($0, atStart: shape.isAtStart, atEnd: shape.isAtEnd) }
        }
        guard subject.has(shape.required, atStart: false, atEnd: false) else { return false }
        return compiled?.matches(subject) ?? false
    }

    static func == (left: Pattern, right: Pattern) -> Bool { left.text == right.text }
}

/// A property's value in the form in which expressions are searched: its first bytes, and a zero.
struct Subject: Sendable {
    /// The maximum number of bytes that are searched, so that no application can make the server search for long.
    static let maximumLength = 256

    fileprivate let bytes: [UInt8]

    /// The letters in the value.
    var letters: Letters { Letters(bytes.dropLast()) }

    init(_ text: String) {
        var bytes = Array(text.utf8.prefix { $0 != 0 }.prefix(Subject.maximumLength + 1))
        if bytes.count > Subject.maximumLength {
            // Remove an incomplete character at the end.
            while let last = bytes.last, last & 0xC0 == 0x80 { bytes.removeLast() }
            bytes.removeLast()
        }
        bytes.append(0)
        self.bytes = bytes
    }

    /// Whether the value contains a plain text.
    fileprivate func has(_ part: [UInt8], atStart: Bool, atEnd: Bool) -> Bool {
        let count = bytes.count - 1
        guard part.count <= count, !atStart || !atEnd || part.count == count else { return false }
        return bytes.withUnsafeBytes { whole in
            part.withUnsafeBytes { part in
                guard let start = whole.baseAddress, let sought = part.baseAddress, !part.isEmpty else { return true }
                if atStart { return memcmp(start, sought, part.count) == 0 }
                if atEnd { return memcmp(start + (count - part.count), sought, part.count) == 0 }
                return isFound(sought, part.count, in: start, count)
            }
        }
    }

    private func isFound(
        _ part: UnsafeRawPointer, _ length: Int, in whole: UnsafeRawPointer, _ count: Int
    ) -> Bool {
        let first = Int32(part.load(as: UInt8.self))
        var start = whole
        var rest = count
        while rest >= length, let hit = memchr(start, first, rest - length + 1) {
            if memcmp(hit, part, length) == 0 { return true }
            rest -= UnsafeRawPointer(hit) - start + 1
            start = UnsafeRawPointer(hit) + 1
        }
        return false
    }

    fileprivate func withCString<Result>(_ body: (UnsafePointer<CChar>?) -> Result) -> Result {
        bytes.withUnsafeBytes { body($0.bindMemory(to: CChar.self).baseAddress) }
    }
}

/// An expression compiled by the C library.
private final class CompiledExpression: Sendable {
    /// Written only before the object is shared; POSIX lets several threads search with it.
    nonisolated(unsafe) private let expression: UnsafeMutablePointer<regex_t>

    init(_ text: String) throws(Pattern.Failure) {
        let expression = UnsafeMutablePointer<regex_t>.allocate(capacity: 1)
        expression.initialize(to: regex_t())
        let code = regcomp(expression, text, REG_EXTENDED | REG_NOSUB)
        guard code == 0 else {
            var reason = [UInt8](repeating: 0, count: 128)
            reason.withUnsafeMutableBytes { buffer in
                _ = regerror(code, expression, buffer.bindMemory(to: CChar.self).baseAddress, buffer.count)
            }
            expression.deallocate()
            throw Pattern.Failure(
                found: "a wrong regular expression (\(String(decoding: reason.prefix { $0 != 0 }, as: UTF8.self)))",
                expected: "a POSIX extended one")
        }
        self.expression = expression
    }

    deinit {
        regfree(expression)
        expression.deallocate()
    }

    func matches(_ subject: Subject) -> Bool {
        subject.withCString { text in text.map { regexec(expression, $0, 0, nil, 0) == 0 } ?? false }
    }
}
