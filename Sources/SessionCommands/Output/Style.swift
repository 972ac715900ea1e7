import Glibc
import PolicyFile

/// What a terminal can show: colours, and letters beyond ASCII.
struct Style {
    var isColoured: Bool
    /// Whether lines of trees, dots and what else is beyond ASCII is understood.
    var isUnicode: Bool

    /// For the standard output as it is.
    static var output: Style { Style(isColoured: Terminal.isColoured(STDOUT_FILENO), isUnicode: isUnicodeLocale) }
    /// For files, and for tests.
    static let plain = Style(isColoured: false, isUnicode: false)

    /// Whether the locale for letters is one of UTF-8 (POSIX, "Environment Variables": the first of them that is set).
    private static var isUnicodeLocale: Bool {
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap { environment($0) }.first { !$0.isEmpty } ?? ""
        let letters = locale.lowercased().filter { $0.isLetter || $0.isNumber || $0 == "." }
        return letters.hasSuffix(".utf8") || letters == "utf8"
    }

    /// What a part of a line means.
    enum Meaning: String {
        case name = "1"
        case good = "32"
        case lowered = "33"
        case silenced = "31"
        case faint = "2"
    }

    /// Text in the colour of its meaning.
    func text(_ text: String, _ meaning: Meaning?) -> String {
        guard isColoured, let meaning, !text.isEmpty else { return text }
        return "\u{1B}[\(meaning.rawValue)m\(text)\u{1B}[0m"
    }

    /// Somebody else's text, cut and without what would steer a terminal.
    func safe(_ text: String, limit: Int = 40) -> String {
        let shown = printable(text, limit: limit)
        guard !isUnicode else { return shown }
        var result = String.UnicodeScalarView()
        for scalar in shown.unicodeScalars {
            if scalar.isASCII {
                result.append(scalar)
            } else {
                result.append(contentsOf: (scalar == "…" ? "..." : "?").unicodeScalars)
            }
        }
        return String(result)
    }

    /// A gain such as `−20 dB`, to a tenth.
    func decibels(_ gain: Double) -> String {
        guard gain.isFinite else { return "silence" }
        let number = ((abs(gain) * 10).rounded() / 10).short
        return (gain < 0 ? (isUnicode ? "−" : "-") : "") + number + " dB"
    }
}
