import Glibc
import PolicyEngine
import PolicyFile

/// The abilities of a terminal: colours, and characters beyond ASCII.
struct Style {
    var isColoured: Bool
    /// Whether tree lines, dots and other characters beyond ASCII can be used.
    var isUnicode: Bool

    /// The style for standard output.
    static var output: Style { Style(isColoured: Terminal.isColoured(STDOUT_FILENO), isUnicode: isUnicodeLocale) }

    /// Whether the locale for characters uses UTF-8 (POSIX, "Environment Variables": the first variable that is set
    /// decides).
    private static var isUnicodeLocale: Bool {
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap { environment($0) }.first { !$0.isEmpty } ?? ""
        let letters = locale.lowercased().filter { $0.isLetter || $0.isNumber || $0 == "." }
        return letters.hasSuffix(".utf8") || letters == "utf8"
    }

    /// The meaning of a part of a line.
    enum Meaning: String {
        case name = "1"
        case good = "32"
        case lowered = "33"
        case silenced = "31"
        case faint = "2"
    }

    /// A text in the colour of its meaning.
    func text(_ text: String, _ meaning: Meaning?) -> String {
        guard isColoured, let meaning, !text.isEmpty else { return text }
        return "\u{1B}[\(meaning.rawValue)m\(text)\u{1B}[0m"
    }

    /// A text from another program, cut, without characters that control a terminal.
    func safe(_ text: String, limit: Int = 40) -> String {
        let shown = printable(text, limit: limit)
        if isUnicode { return shown }
        return shown.unicodeScalars.map { $0.isASCII ? String($0) : $0 == "…" ? "..." : "?" }.joined()
    }

    /// A gain such as `−20 dB`, to a tenth.
    func decibels(_ gain: Double) -> String {
        guard gain.isFinite else { return "silence" }
        let number = ((abs(gain) * 10).rounded() / 10).short
        return (gain < 0 ? (isUnicode ? "−" : "-") : "") + number + " dB"
    }
}
