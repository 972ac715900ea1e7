import Glibc
import RandomEvents
import Testing

@testable import PolicyFile

@Suite struct PatternTests {
    /// The library's own verdict.
    private func found(_ pattern: String, _ text: String) -> Bool? {
        var expression = regex_t()
        guard regcomp(&expression, pattern, REG_EXTENDED | REG_NOSUB) == 0 else { return nil }
        defer { regfree(&expression) }
        return regexec(&expression, text, 0, nil, 0) == 0
    }

    /// 2,000 expressions of the pieces that matter, each on several texts: comparing plain texts directly, and asking
    /// first for what an expression requires, changes no verdict.
    @Test("the short cuts never differ from the library") func shortCutsNeverDifferFromLibrary() throws {
        var random = SplitMix64(seed: 3)
        let pieces = [
            "a", "b", "ab", "c", "^", "$", "(", ")", "|", "*", "+", "?", ".", "\\.", "\\(", "[ab]", "[^a]", "{2}",
            "{0,1}",
            "é", "-", "]", "}", "[[:alpha:]]", "\\\\", "\\w",
        ]
        let texts = ["", "a", "b", "ab", "ba", "abab", "abc", "a.b", "c(a", "é", "aé", "aab]", "\\", "b-a}", "cab c"]
        var usable = 0
        for _ in 0..<2_000 {
            let pattern = (0..<Int.random(in: 0...5, using: &random)).map { _ in
                pieces.randomElement(using: &random) ?? ""
            }.joined()
            guard let ours = try? Pattern(pattern) else {
                #expect(found(pattern, "") == nil, "\(pattern)")
                continue
            }
            usable += 1
            for text in texts {
                // What is plain to us must be plain to the library.
                guard let expected = found(pattern, text) else {
                    Issue.record("'\(pattern)' is refused by the library only")
                    break
                }
                #expect(ours.matches(Subject(text)) == expected, "'\(pattern)' in '\(text)'")
            }
        }
        #expect(usable > 500)
    }

    @Test(
        "what is nothing but plain text is seen as such",
        arguments: [
            ("a", ["a"]), ("^a$", ["a"]), ("^(a|bc)$", ["a", "bc"]), ("a|b", ["a", "b"]), ("a\\.b", ["a.b"]),
            ("", [""]),
            ("^a|b$", nil), ("a+", nil), ("a.b", nil), ("(a)(b)", nil), ("a\\wb", nil), ("^^a", nil), ("a||b", nil),
        ] as [(String, [String]?)])
    func whatIsNothingButPlainTextIsSeenAsSuch(pattern: String, literals: [String]?) {
        #expect(PatternShape(pattern).literals?.map { String(decoding: $0, as: UTF8.self) } == literals)
    }

    @Test(
        "what an expression requires is found",
        arguments: [
            ("^Chrom(e|ium)", "Chrom"), ("a+bcd", "bcd"), ("abc?", "ab"), ("abc*d", "ab"), ("x(abc)y+", "x"),
            ("ab|cd", ""),
            ("[abc]de", "de"), ("a+?bb", "bb"), ("ab{0}c", "a"), ("\\.bin.", ".bin"), ("(a|b)c", "c"), ("éab.", "ab"),
        ])
    func whatExpressionRequiresIsFound(pattern: String, required: String) {
        #expect(String(decoding: PatternShape(pattern).required, as: UTF8.self) == required)
    }

    @Test(
        "an expression that could take for ever or fill the memory is refused",
        arguments: [
            ("(a*)\\1", "a regular expression with a back reference"),
            ("((a{1,100}){1,100})", "a regular expression that repeats too much"),
            ("a{2000}", "a regular expression that repeats too much"),
            ("((((((((((((a+)+)+)+)+)+)+)+)+)+)+)+)", "a regular expression that repeats too much"),
            (String(repeating: "a", count: 257), "a regular expression of 257 bytes"),
            ("a\0b", "a regular expression with a zero byte"),
        ])
    func expressionThatCouldTakeForEverOrFillMemory(pattern: String, found: String) {
        #expect { try Pattern(pattern) } throws: { ($0 as? Pattern.Failure)?.found == found }
    }

    @Test("no more than the first 256 bytes are looked at, and no half a character")
    func noMoreThanFirst256BytesAreLookedAtAndNoHalf() throws {
        let end = try Pattern("z$")
        #expect(end.matches(Subject(String(repeating: "a", count: 255) + "z")))
        #expect(!end.matches(Subject(String(repeating: "a", count: 256) + "z")))
        let word = try Pattern("^a*(é)?$")
        #expect(word.matches(Subject(String(repeating: "a", count: 255) + "éz")))
        #expect(try Pattern("a").matches(Subject("a\0b")))
        #expect(try !Pattern("b").matches(Subject("a\0b")))
    }
}
