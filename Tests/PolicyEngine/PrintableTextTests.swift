import PolicyEngine
import Testing

/// Text from outside, made safe to print.
@Suite struct PrintableTextTests {
    private static let table: [(text: String, limit: Int, printed: String)] = [
        ("", 4, ""), ("Music", 48, "Music"), ("Ünïcode 漢字 🎵", 48, "Ünïcode 漢字 🎵"),
        // A right-to-left word, and a mark for joining: text, though not Latin.
        ("שלום", 48, "שלום"), ("👨\u{200D}👩", 48, "👨\u{200D}👩"),
        // Lines of the log, escape sequences, the C1 controls, with which some terminals begin a sequence too.
        ("a\nb\r\tc", 48, "a\u{FFFD}b\u{FFFD}\u{FFFD}c"), ("\u{0}\u{1}\u{1F} ", 48, "\u{FFFD}\u{FFFD}\u{FFFD} "),
        ("\u{1B}[2J", 48, "\u{FFFD}[2J"),
        ("~\u{7F}\u{80}\u{9B}2J\u{9F}\u{A0}", 48, "~\u{FFFD}\u{FFFD}\u{FFFD}2J\u{FFFD}\u{A0}"),
        // Ends of lines and changes of the writing direction.
        ("\u{2027}\u{2028}\u{2029}\u{202A}\u{202E}\u{202F}", 48, "\u{2027}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{202F}"),
        ("\u{205F}\u{2066}\u{2069}\u{2070}", 48, "\u{205F}\u{FFFD}\u{FFFD}\u{2070}"),
        // What is not seen; joiners are part of words.
        ("\u{AD}\u{61C}\u{200B}\u{200F}\u{2060}\u{FEFF}\u{E0041}", 48, String(repeating: "\u{FFFD}", count: 7)),
        ("a\u{200C}b\u{200D}c", 48, "a\u{200C}b\u{200D}c"),
        ("gnp\u{202E}exe", .max, "gnp\u{FFFD}exe"),
        // Limits count characters, not bytes.
        ("abcd", 4, "abcd"), ("abcde", 4, "abcd…"), ("äöüß", 4, "äöüß"), ("äöüßa", 4, "äöüß…"), ("abc", 0, "…"),
        ("a\n\n\nb", 4, "a\u{FFFD}\u{FFFD}\u{FFFD}…"), ("a\nb", .max, "a\u{FFFD}b"),
        // A combining mark is a character of its own, so that no number of them passes the limit.
        ("e\u{301}\u{301}\u{301}", 3, "e\u{301}\u{301}…"),
    ]

    @Test("text from outside is printed without what controls a terminal", arguments: table)
    func textFromOutsideIsPrintedWithoutWhatControls(
        text: String, limit: Int, printed: String
    ) {
        #expect(Array(printable(text, limit: limit).unicodeScalars) == Array(printed.unicodeScalars))
        #expect(printable(printable(text, limit: .max), limit: .max) == printable(text, limit: .max))
    }

    @Test("a word in a sentence has 48 characters") func wordInSentenceHas48Characters() {
        let word = String(repeating: "w", count: 48)
        #expect(printable(word) == word)
        #expect(printable(word + "w") == word + "…")
    }
}
