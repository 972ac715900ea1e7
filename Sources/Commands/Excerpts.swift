import PolicyEngine
import PolicyFile

/// Formats mistakes with their source lines, and a mark below each place.
struct Excerpts {
    /// Longer lines are shown in part.
    static let longestLine = 160

    private let isColoured: Bool
    /// The lines of each file that was read; empty for a file that cannot be read.
    private var sources: [String: [[Unicode.Scalar]]] = [:]

    init(isColoured: Bool) { self.isColoured = isColoured }

    /// A mistake in one line, followed by two lines with the source if it can be shown.
    mutating func text(of diagnostic: Diagnostic) -> String {
        let headline = headline(diagnostic)
        guard let place = diagnostic.place, let line = line(place.line, of: diagnostic.file) else { return headline }
        let (shown, mark) = Self.excerpt(of: line, at: place.column)
        return "\(headline)\n\(shown)\n\(coloured(mark, Self.green))"
    }

    /// The relevant part of a line, and a second line with a mark below a column.
    static func excerpt(of line: [Unicode.Scalar], at column: Int) -> (shown: String, mark: String) {
        let index = max(0, min(column - 1, line.count))
        var first = 0
        var last = line.count
        if line.count > longestLine {
            first = max(0, index - longestLine / 2)
            last = min(line.count, first + longestLine)
        }
        var shown = String.UnicodeScalarView()
        var padding = ""
        if first > 0 {
            shown.append("…")
            padding += " "
        }
        for position in first..<last {
            let scalar = line[position]
            // Characters that move the cursor or reverse the text direction must not reach a terminal.
            shown.append(scalar == "\t" || scalar.isPrintable ? scalar : "\u{FFFD}")
            if position < index { padding += width(of: scalar) }
        }
        if last < line.count { shown.append("…") }
        return (String(shown), padding + "^")
    }

    /// White space with the width of a scalar on a terminal.
    private static func width(of scalar: Unicode.Scalar) -> String {
        scalar == "\t" ? "\t" : String(repeating: " ", count: scalar.columns)
    }

    private mutating func line(_ number: Int, of file: String) -> [Unicode.Scalar]? {
        let lines = sources[file] ?? Self.lines(of: (try? FileContents.read(file).get()) ?? [])
        sources[file] = lines
        return number >= 1 && number <= lines.count ? lines[number - 1] : nil
    }

    /// The lines of a source, divided as the policy reader does: at LF, CR LF or CR.
    static func lines(of bytes: [UInt8]) -> [[Unicode.Scalar]] {
        guard !bytes.isEmpty else { return [] }
        let text = String(
            decoding: bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...], as: UTF8.self)
        // CR LF is one character.
        return text.split(omittingEmptySubsequences: false) { ["\n", "\r\n", "\r"].contains($0) }
            .map { Array($0.unicodeScalars) }
    }

    // MARK: - Colour

    private func headline(_ diagnostic: Diagnostic) -> String {
        let plain = diagnostic.description
        guard isColoured else { return plain }
        let word = "\(diagnostic.severity.rawValue): "
        let start = plain.dropLast((word + diagnostic.message).count)
        let colour = diagnostic.severity == .error ? Self.red : Self.magenta
        return "\u{1B}[1m\(start)\(coloured(word, colour))\u{1B}[0m\(diagnostic.message)"
    }

    private static let (red, green, magenta) = (31, 32, 35)

    private func coloured(_ text: String, _ colour: Int) -> String {
        isColoured ? "\u{1B}[1;\(colour)m\(text)\u{1B}[0m" : text
    }
}
