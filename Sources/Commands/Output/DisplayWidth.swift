/// How much room characters take on a terminal.
extension Unicode.Scalar {
    /// The columns that the character takes: none for a mark on the character before it, two for Chinese, Japanese, Korean
    /// and pictograms.
    var columns: Int {
        switch properties.generalCategory {
        case .nonspacingMark, .enclosingMark: return 0
        // The soft hyphen is shown.
        case .format: return value == 0xAD ? 1 : 0
        default: break
        }
        switch value {
        case 0x1160...0x11FF: return 0
        case 0x1100...0x115F, 0x2E80...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60,
            0xFFE0...0xFFE6, 0x1F300...0x1F64F, 0x1F680...0x1F6FF, 0x1F900...0x1F9FF, 0x20000...0x3FFFD:
            return 2
        default: return 1
        }
    }
}

extension String {
    /// The columns that a printable text takes.
    var columns: Int { unicodeScalars.reduce(0) { $0 + $1.columns } }

    /// The text in at most some columns; a sign at its end says that it was cut.
    func cut(to width: Int, _ style: Style) -> String {
        if columns <= width { return self }
        let sign = style.isUnicode ? "…" : "~"
        var result = String.UnicodeScalarView()
        var used = 0
        for scalar in unicodeScalars {
            // Marks that belong to the last character still fit.
            guard used + scalar.columns <= max(0, width - 1) else { break }
            used += scalar.columns
            result.append(scalar)
        }
        return width > 0 ? String(result) + sign : ""
    }

    /// The text in exactly some columns, cut or followed by blanks, or with blanks before it.
    func fitted(to width: Int, _ style: Style, isRight: Bool = false) -> String {
        cut(to: width, style).padded(to: width, isRight: isRight)
    }

    /// The text with blanks after it, or before it, to at least some columns.
    func padded(to width: Int, isRight: Bool = false) -> String {
        let blanks = String(repeating: " ", count: max(0, width - columns))
        return isRight ? blanks + self : self + blanks
    }

    /// The text without the blanks at its end.
    var trimmingBlanks: Substring {
        var text = self[...]
        while text.last == " " { text.removeLast() }
        return text
    }

    /// The text in lines of at most some columns, broken at blanks where there are any, and elsewhere only with
    /// `breakingWords`.
    func wrapped(to width: Int, breakingWords: Bool = true) -> [String] {
        var lines: [String] = []
        for word in split(separator: " ").map(String.init) {
            if let last = lines.last, last.columns + 1 + word.columns <= width {
                lines[lines.count - 1] += " \(word)"
                continue
            }
            var line = ""
            for scalar in word.unicodeScalars {
                if breakingWords, line.columns + scalar.columns > max(2, width) {
                    lines.append(line)
                    line = ""
                }
                line.unicodeScalars.append(scalar)
            }
            lines.append(line)
        }
        return lines.isEmpty ? [""] : lines
    }
}
