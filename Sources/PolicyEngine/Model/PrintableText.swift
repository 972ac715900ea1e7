/// Replaces characters by U+FFFD with which a program could forge lines of a message, a table or the log, control a
/// terminal, or change the writing direction.
///
/// - Parameter limit: How many Unicode scalars are kept; "…" follows a cut. The default suits a word in a sentence.
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
    /// Whether the character shows and leaves its surroundings alone. Joiners (U+200C, U+200D) belong to words.
    public var isPrintable: Bool {
        switch value {
        case 0..<0x20, 0x7F..<0xA0, 0xAD, 0x61C, 0x200B, 0x200E...0x200F, 0x2028...0x202E, 0x2060...0x206F, 0xFEFF,
            0xFFF9...0xFFFB, 0xE0000...0xE007F:
            false
        default: true
        }
    }
}
