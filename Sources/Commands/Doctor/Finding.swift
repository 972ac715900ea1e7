import BusInterface
import PolicyEngine

/// What one check of `audio-session doctor` has found.
struct Finding: Equatable {
    /// How much it matters.
    enum Mark: String {
        /// As it should be.
        case ok
        /// Worth knowing: it may be what is wanted, and may be the reason for what is heard.
        case note
        /// Something does not work.
        case problem
    }

    var mark: Mark
    /// What was looked at, in a word or two.
    var subject = ""
    /// What was found, in a sentence without a full stop.
    var text: String
    /// More about it, a line for each.
    var details: [String] = []
    /// What to do about it, a line for each.
    var advice: [String] = []

    static func ok(_ text: String, details: [String] = []) -> Finding {
        Finding(mark: .ok, text: text, details: details)
    }

    static func note(_ text: String, details: [String] = [], advice: String...) -> Finding {
        Finding(mark: .note, text: text, details: details, advice: advice)
    }

    static func problem(_ text: String, details: [String] = [], advice: String...) -> Finding {
        Finding(mark: .problem, text: text, details: details, advice: advice)
    }
}

/// All findings, as people and machines read them.
struct DoctorReport {
    var findings: [Finding]
    var version = AudioSessionBus.version
    /// The user's home folder, which is written as `~`.
    var home: String?

    /// Whether anything does not work.
    var hasProblems: Bool { findings.contains { $0.mark == .problem } }

    private static let width = 100
    private static let indentation = 24

    /// A line for each finding with its mark, and below it what belongs to it; with a final newline.
    func text(_ style: Style) -> String {
        var lines = [style.text("audio-session \(version)", .name)]
        for finding in findings {
            let mark = style.text(finding.mark.rawValue.padded(to: 9), finding.mark.meaning)
            let start = "\(mark)\(style.safe(finding.subject).padded(to: 15))"
            let arrow = style.isUnicode ? "→ " : "-> "
            lines += wrapped(finding.text, first: start, style)
            let blank = String(repeating: " ", count: Self.indentation)
            for detail in finding.details { lines += wrapped(detail, first: blank, more: "  ", style) }
            for advice in finding.advice { lines += wrapped(arrow + advice, first: blank, more: "  ", style) }
        }
        lines += ["", summary]
        return lines.joined(separator: "\n") + "\n"
    }

    /// The numbers of problems and notes.
    private var summary: String {
        func count(_ mark: Finding.Mark, _ word: String) -> String? {
            let number = findings.count { $0.mark == mark }
            return number == 0 ? nil : "\(number) \(word)\(number == 1 ? "" : "s")"
        }
        let counts = [count(.problem, "problem"), count(.note, "note")].compactMap { $0 }
        return counts.isEmpty ? "Nothing stands in the way." : counts.joined(separator: ", ") + "."
    }

    /// The findings as one JSON object.
    var json: String {
        func written(_ texts: [String]) -> WireValue { .strings(texts.map(discreet)) }
        let records = findings.map { finding in
            WireValue.record([
                ("mark", .string(finding.mark.rawValue)), ("subject", .string(finding.subject)),
                ("text", .string(discreet(finding.text))), ("details", written(finding.details)),
                ("advice", written(finding.advice)),
            ])
        }
        return SchemaJSON.text([
            ("version", .string(version)), ("problems", .uint32(UInt32(findings.count { $0.mark == .problem }))),
            ("findings", .records(records)),
        ])
    }

    /// A text without the name of the user's home folder, and safe to print.
    func discreet(_ text: String) -> String {
        let shown = printable(text, limit: 1000)
        guard let home, home.count > 1 else { return shown }
        var result = ""
        var rest = shown[...]
        while let first = rest.first {
            guard rest.hasPrefix(home) else {
                result.append(first)
                rest.removeFirst()
                continue
            }
            rest = rest.dropFirst(home.count)
            // The home of somebody else may begin with the same letters.
            let isWhole = rest.first.map { !$0.isLetter && !$0.isNumber && !"-_.".contains($0) } ?? true
            result += isWhole ? "~" : home
        }
        return result
    }

    private func wrapped(_ text: String, first: String, more: String = "", _ style: Style) -> [String] {
        let shown = style.safe(discreet(text), limit: 1000)
        let pieces = shown.wrapped(to: Self.width - Self.indentation, breakingWords: false)
        let blank = String(repeating: " ", count: Self.indentation) + more
        return pieces.enumerated().map { ($0 == 0 ? first : blank) + $1 }
    }
}

extension Finding.Mark {
    fileprivate var meaning: Style.Meaning {
        switch self {
        case .ok: .good
        case .note: .lowered
        case .problem: .silenced
        }
    }
}
