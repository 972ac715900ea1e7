/// What follows from the text of a POSIX extended regular expression: whether it is safe to use, and what every match
/// must contain.
struct PatternShape: Sendable, Equatable {
    /// Why an expression is rejected.
    enum Refusal: Sendable, Equatable {
        /// It refers back to an earlier part, which can take unlimited time to match.
        case backReference
        /// It is longer than ``PatternShape/maximumSize`` when its repetitions are written out.
        case size
    }

    /// The maximum number of positions in an expression, with each repetition counted. The C library copies a repeated
    /// part for each repetition and has no limit of its own.
    static let maximumSize = 2000

    /// The texts that the expression matches, if it consists of plain texts only; `nil` otherwise.
    private(set) var literals: [[UInt8]]?
    /// Whether a match must be at the start, and at the end, of the value.
    private(set) var isAtStart = false
    private(set) var isAtEnd = false
    /// Bytes that every match contains; empty if none are known.
    private(set) var required: [UInt8] = []
    private(set) var refusal: Refusal?

    init(_ pattern: String) {
        let bytes = Array(pattern.utf8)
        measure(bytes)
        findLiterals(bytes)
    }

    // MARK: Size, and what is required

    private mutating func measure(_ bytes: [UInt8]) {
        var rest = bytes[...]
        /// The sizes of the open groups so far, and that of the last item, which may be repeated.
        var outer: [Int] = []
        var size = 0
        var last = 0
        var run: [UInt8] = []
        var longest: [UInt8] = []
        var isAlternative = false
        func end() {
            if run.count > longest.count { longest = run }
            run = []
        }
        while let byte = rest.popFirst() {
            var added = 1
            switch byte {
            case UInt8(ascii: "("):
                end()
                outer.append(size)
                size = 0
                last = 0
                continue
            case UInt8(ascii: ")"):
                end()
                added = size &+ 1
                size = outer.popLast() ?? 0
            case UInt8(ascii: "["):
                end()
                skipBracket(&rest)
            case UInt8(ascii: "\\"):
                let escaped = rest.popFirst() ?? 0
                if UInt8(ascii: "1")...UInt8(ascii: "9") ~= escaped { refusal = .backReference }
                if outer.isEmpty, isPlain(escaped: escaped) { run.append(escaped) } else { end() }
            case UInt8(ascii: "|"):
                end()
                if outer.isEmpty { isAlternative = true }
            case UInt8(ascii: "+"), UInt8(ascii: "*"), UInt8(ascii: "?"), UInt8(ascii: "{"):
                // The item before a repetition may occur zero times, so it is not required.
                _ = run.popLast()
                end()
                let times = byte == UInt8(ascii: "{") ? interval(&rest) : byte == UInt8(ascii: "+") ? 2 : 1
                added = last.multipliedReportingOverflow(by: times).partialValue
                size &-= last
            case UInt8(ascii: "^"), UInt8(ascii: "$"), UInt8(ascii: "."): end()
            case 0x80...: end()
            default:
                if outer.isEmpty { run.append(byte) }
            }
            last = added
            size &+= added
            guard size <= PatternShape.maximumSize, added <= PatternShape.maximumSize else {
                refusal = .size
                return
            }
        }
        end()
        if !isAlternative { required = longest }
    }

    /// Skips `[…]`, in which `]` may come first and classes have brackets of their own.
    private func skipBracket(_ rest: inout ArraySlice<UInt8>) {
        if rest.first == UInt8(ascii: "^") { rest.removeFirst() }
        if rest.first == UInt8(ascii: "]") { rest.removeFirst() }
        while let byte = rest.popFirst(), byte != UInt8(ascii: "]") {
            guard byte == UInt8(ascii: "["), let kind = rest.first, ":.=".utf8.contains(kind) else { continue }
            rest.removeFirst()
            while let inner = rest.popFirst() {
                if inner == kind, rest.first == UInt8(ascii: "]") {
                    rest.removeFirst()
                    break
                }
            }
        }
    }

    /// The maximum number of repetitions that `{…}` allows.
    private func interval(_ rest: inout ArraySlice<UInt8>) -> Int {
        var largest = 0
        var number = 0
        while let byte = rest.first, byte != UInt8(ascii: "}") {
            guard byte == UInt8(ascii: ",") || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte else { break }
            number = byte == UInt8(ascii: ",") ? 0 : min(number * 10 + Int(byte - UInt8(ascii: "0")), 100_000)
            largest = max(largest, number)
            rest.removeFirst()
        }
        if rest.first == UInt8(ascii: "}") { rest.removeFirst() }
        return largest + 1
    }

    // MARK: Plain texts

    /// Finds the plain texts in `text`, `^text`, `text$`, `^(one|other)$` and the like.
    private mutating func findLiterals(_ bytes: [UInt8]) {
        var rest = bytes[...]
        if rest.first == UInt8(ascii: "^") {
            rest.removeFirst()
            isAtStart = true
        }
        if rest.last == UInt8(ascii: "$"), rest.dropLast().last != UInt8(ascii: "\\") {
            rest.removeLast()
            isAtEnd = true
        }
        let isGroup = rest.first == UInt8(ascii: "(") && rest.last == UInt8(ascii: ")")
        if isGroup { rest = rest.dropFirst().dropLast() }
        var texts: [[UInt8]] = []
        var text: [UInt8] = []
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "|"), isGroup || !(isAtStart || isAtEnd) {
                texts.append(text)
                text = []
            } else if byte == UInt8(ascii: "\\"), let escaped = rest.popFirst(), isPlain(escaped: escaped) {
                text.append(escaped)
            } else if "^$.[]()|*+?{}\\".utf8.contains(byte) {
                return
            } else {
                text.append(byte)
            }
        }
        texts.append(text)
        // The library decides what an empty alternative means.
        if texts.allSatisfy({ !$0.isEmpty }) || bytes.isEmpty { literals = texts }
    }

    /// Whether a character stands for itself after a backslash: letters and some others may mean something.
    private func isPlain(escaped byte: UInt8) -> Bool { "^$.[]()|*+?{}\\/-".utf8.contains(byte) }
}
