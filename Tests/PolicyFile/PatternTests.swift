import Testing

@testable import PolicyFile

@Suite struct PatternTests {
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
        #expect(end.matches(String(repeating: "a", count: 255) + "z"))
        #expect(!end.matches(String(repeating: "a", count: 256) + "z"))
        let word = try Pattern("^a*(é)?$")
        #expect(word.matches(String(repeating: "a", count: 255) + "éz"))
        #expect(try Pattern("a").matches("a\0b"))
        #expect(try !Pattern("b").matches("a\0b"))
    }
}
