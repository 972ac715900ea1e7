import PolicyFile

/// Mistakes with the line of the source that each is in, and a mark below the place.
struct Excerpts {
    /// Lines that are longer are shown in part.
    static let longestLine = 160

    private let isColoured: Bool
    /// The lines of the files that were read already; without any for what cannot be read.
    private var sources: [String: [[Unicode.Scalar]]] = [:]

    init(isColoured: Bool) { self.isColoured = isColoured }

    /// A mistake as one line, and two more where its source can be shown.
    mutating func text(of diagnostic: Diagnostic) -> String {
        let headline = headline(diagnostic)
        guard let place = diagnostic.place, let line = line(place.line, of: diagnostic.file) else { return headline }
        let (shown, mark) = Self.excerpt(of: line, at: place.column)
        return "\(headline)\n\(shown)\n\(coloured(mark, .green))"
    }

    /// The part of a line that is worth showing, and a line that marks a column of it.
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
            // What would move the cursor or turn the line round must not reach a terminal.
            shown.append(isHarmless(scalar) ? scalar : "\u{FFFD}")
            if position < index { padding += width(of: scalar) }
        }
        if last < line.count { shown.append("…") }
        return (String(shown), padding + "^")
    }

    /// White space as wide as a scalar on a terminal.
    private static func width(of scalar: Unicode.Scalar) -> String {
        if scalar == "\t" { return "\t" }
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark: return ""
        default: break
        }
        switch scalar.value {
        // Chinese, Japanese, Korean and pictures take two columns.
        case 0x1100...0x115F, 0x2E80...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60,
            0xFFE0...0xFFE6, 0x1F300...0x1F64F, 0x1F900...0x1F9FF, 0x20000...0x3FFFD:
            return "  "
        default: return " "
        }
    }

    private static func isHarmless(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x09: true
        case 0..<0x20, 0x7F..<0xA0, 0x2028...0x202E, 0x2066...0x2069: false
        default: true
        }
    }

    private mutating func line(_ number: Int, of file: String) -> [Unicode.Scalar]? {
        let lines = sources[file] ?? Self.lines(of: (try? FileContents.read(file).get()) ?? [])
        sources[file] = lines
        return number >= 1 && number <= lines.count ? lines[number - 1] : nil
    }

    /// The lines of a source, as the reader of policy files counts them: ended by LF, CR LF or CR.
    static func lines(of bytes: [UInt8]) -> [[Unicode.Scalar]] {
        guard !bytes.isEmpty else { return [] }
        var lines: [[Unicode.Scalar]] = [[]]
        var previous: Unicode.Scalar?
        for (position, scalar) in String(decoding: bytes, as: UTF8.self).unicodeScalars.enumerated() {
            if position == 0, scalar == "\u{FEFF}" { continue }
            if scalar == "\n", previous == "\r" {
                // The second half of an end that was counted already.
            } else if scalar == "\n" || scalar == "\r" {
                lines.append([])
            } else {
                lines[lines.count - 1].append(scalar)
            }
            previous = scalar
        }
        return lines
    }

    // MARK: - Colour

    private enum Colour: String {
        case red = "31"
        case magenta = "35"
        case green = "32"
    }

    private func headline(_ diagnostic: Diagnostic) -> String {
        let plain = diagnostic.description
        guard isColoured else { return plain }
        let word = "\(diagnostic.severity.rawValue): "
        let end = "\(word)\(diagnostic.message)"
        let start = plain.dropLast(end.count)
        let colour: Colour = diagnostic.severity == .error ? .red : .magenta
        return "\u{1B}[1m\(start)\(coloured(word, colour))\u{1B}[0m\(diagnostic.message)"
    }

    private func coloured(_ text: String, _ colour: Colour) -> String {
        isColoured ? "\u{1B}[1;\(colour.rawValue)m\(text)\u{1B}[0m" : text
    }
}
