import Testing

@testable import Commands

/// The line of a source that a mistake is in, and the mark below it.
@Suite struct ExcerptTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var line: String
        var column: Int
        var shown: String
        var mark: String
    }

    static let cases = [
        Case(testDescription: "first column", line: "x = 1", column: 1, shown: "x = 1", mark: "^"),
        Case(testDescription: "behind the end", line: "x =", column: 4, shown: "x =", mark: "   ^"),
        Case(testDescription: "far behind the end", line: "x", column: 99, shown: "x", mark: " ^"),
        Case(testDescription: "an empty line", line: "", column: 1, shown: "", mark: "^"),
        Case(testDescription: "tabs are kept", line: "\tx\ty", column: 4, shown: "\tx\ty", mark: "\t \t^"),
        Case(testDescription: "scalars, not bytes", line: "äöü x", column: 5, shown: "äöü x", mark: "    ^"),
        Case(testDescription: "wide signs", line: "漢字 x", column: 4, shown: "漢字 x", mark: "     ^"),
        Case(testDescription: "combined signs", line: "e\u{301} x", column: 4, shown: "e\u{301} x", mark: "  ^"),
        Case(
            testDescription: "nothing that steers the terminal", line: "\u{1B}[2Jx", column: 5,
            shown: "\u{FFFD}[2Jx", mark: "    ^"),
    ]

    @Test("the mark is below its column", arguments: cases) func markIsBelowItsColumn(_ expected: Case) {
        let excerpt = Excerpts.excerpt(of: Array(expected.line.unicodeScalars), at: expected.column)
        #expect(excerpt.shown == expected.shown)
        #expect(excerpt.mark == expected.mark)
    }

    @Test("of a long line the part round the place is shown", arguments: [1, 80, 81, 500, 999, 1000])
    func ofLongLinePartRoundPlaceIsShown(column: Int) {
        let line = (0..<1000).map { Unicode.Scalar(UInt8(ascii: "a") + UInt8($0 % 26)) }
        let excerpt = Excerpts.excerpt(of: line, at: column)
        let shown = Array(excerpt.shown.unicodeScalars)
        #expect(shown.count <= Excerpts.longestLine + 2)
        #expect(shown[excerpt.mark.count - 1] == line[column - 1])
    }

    @Test("lines end as policy files have it", arguments: ["a\nb\nc", "a\r\nb\r\nc", "a\rb\rc", "\u{FEFF}a\nb\r\nc"])
    func linesEndAsPolicyFilesHaveIt(text: String) {
        let lines = Excerpts.lines(of: Array(text.utf8)).map { String(String.UnicodeScalarView($0)) }
        #expect(lines == ["a", "b", "c"])
    }
}
