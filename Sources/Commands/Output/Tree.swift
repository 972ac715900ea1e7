/// A tree for people, in lines of at most 80 columns.
struct Tree {
    /// A part of a line that is not broken.
    struct Part {
        var text: String
        var meaning: Style.Meaning?

        init(_ text: String, _ meaning: Style.Meaning? = nil) {
            self.text = text
            self.meaning = meaning
        }
    }

    var parts: [Part]
    var branches: [Tree] = []

    /// The width of the widest line, in columns.
    static let width = 80

    /// The lines of the branches, without the tree's own line.
    func lines(_ style: Style) -> [String] { lines(style, below: "") }

    private func lines(_ style: Style, below start: String) -> [String] {
        let marks = style.isUnicode ? (fork: "├─ ", last: "└─ ", line: "│  ") : (fork: "|- ", last: "`- ", line: "|  ")
        var lines: [String] = []
        for (index, branch) in branches.enumerated() {
            let isLast = index == branches.count - 1
            let deeper = start + (isLast ? "   " : marks.line)
            // Continuation lines leave room for the lines of the branch's own branches.
            let more = deeper + (branch.branches.isEmpty ? "   " : marks.line)
            lines += Self.wrapped(branch.parts, first: start + (isLast ? marks.last : marks.fork), more: more, style)
            lines += branch.lines(style, below: deeper)
        }
        return lines
    }

    private static func wrapped(_ parts: [Part], first: String, more: String, _ style: Style) -> [String] {
        var lines: [String] = []
        var line = style.text(first, .faint)
        var column = first.columns
        var isEmpty = true
        let pieces = parts.flatMap { part in
            part.text.wrapped(to: width - more.columns, breakingWords: false).map { Part($0, part.meaning) }
        }
        for piece in pieces where !piece.text.isEmpty {
            if !isEmpty, column + 2 + piece.text.columns > width {
                lines.append(line)
                line = style.text(more, .faint)
                column = more.columns
                isEmpty = true
            }
            let gap = isEmpty ? "" : "  "
            line += gap + style.text(piece.text, piece.meaning)
            column += gap.count + piece.text.columns
            isEmpty = false
        }
        return lines + [line]
    }
}
