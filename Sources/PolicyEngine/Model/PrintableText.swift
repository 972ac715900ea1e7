/// Makes text from outside safe to print in one line of a message, a table or the log. No program can forge lines,
/// control a terminal or change the writing direction: characters that would are replaced by U+FFFD.
///
/// - Parameter limit: How many characters (Unicode scalars) are kept; "…" follows where text was cut off. The default
///   suits a word in a sentence.
public func printable(_ text: String, limit: Int = 48) -> String {
    if text.utf8.count <= limit, text.unicodeScalars.allSatisfy({ $0.isPrintable }) { return text }
    var result = String.UnicodeScalarView()
    var count = 0
    for scalar in text.unicodeScalars {
        guard count < limit else {
            result.append("…")
            break
        }
        result.append(scalar.isPrintable ? scalar : "\u{FFFD}")
        count &+= 1
    }
    return String(result)
}

extension Unicode.Scalar {
    /// Whether the character neither controls a terminal, nor ends a line, nor changes the writing direction, nor hides.
    /// Zero-width joiners are part of words in some scripts.
    public var isPrintable: Bool {
        switch value {
        case 0..<0x20, 0x7F..<0xA0, 0xAD, 0x61C, 0x200B, 0x200E...0x200F, 0x2028...0x202E, 0x2060...0x206F, 0xFEFF,
            0xFFF9...0xFFFB, 0xE0000...0xE007F:
            false
        default: true
        }
    }
}
