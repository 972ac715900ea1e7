/// Whether the text of a POSIX extended regular expression is safe to compile.
enum PatternRefusal: Sendable, Equatable {
    /// It refers back to an earlier part, which can take unlimited time to match.
    case backReference
    /// It is longer than ``maximumSize`` when its repetitions are written out.
    case size

    /// The maximum number of positions in an expression, with each repetition counted. The C library copies a repeated
    /// part for each repetition and has no limit of its own.
    static let maximumSize = 2000

    /// Why an expression is rejected; `nil` if it is safe.
    init?(_ pattern: String) {
        var rest = Array(pattern.utf8)[...]
        /// The sizes of the open groups so far, and that of the last item, which may be repeated.
        var outer: [Int] = []
        var size = 0
        var last = 0
        var refersBack = false
        while let byte = rest.popFirst() {
            var added = 1
            switch byte {
            case UInt8(ascii: "("):
                outer.append(size)
                size = 0
                last = 0
                continue
            case UInt8(ascii: ")"):
                added = size &+ 1
                size = outer.popLast() ?? 0
            case UInt8(ascii: "["): Self.skipBracket(&rest)
            case UInt8(ascii: "\\"):
                if UInt8(ascii: "1")...UInt8(ascii: "9") ~= rest.popFirst() ?? 0 { refersBack = true }
            case UInt8(ascii: "+"), UInt8(ascii: "*"), UInt8(ascii: "?"), UInt8(ascii: "{"):
                let times = byte == UInt8(ascii: "{") ? Self.interval(&rest) : byte == UInt8(ascii: "+") ? 2 : 1
                added = last.multipliedReportingOverflow(by: times).partialValue
                size &-= last
            default: break
            }
            last = added
            size &+= added
            guard size <= Self.maximumSize, added <= Self.maximumSize else {
                self = .size
                return
            }
        }
        guard refersBack else { return nil }
        self = .backReference
    }

    /// Skips `[…]`, in which `]` may come first and classes have brackets of their own.
    private static func skipBracket(_ rest: inout ArraySlice<UInt8>) {
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
    private static func interval(_ rest: inout ArraySlice<UInt8>) -> Int {
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
}
