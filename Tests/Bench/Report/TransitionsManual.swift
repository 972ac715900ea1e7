import Foundation

/// The table of a run for the manual, in mdoc.
extension TransitionsRun {
    /// The lines between which the table stands in a manual page.
    public static let manualBegin =
        #".\" The text up to the next such comment is printed by Tests/bin/bench transitions --manual."#
    /// The end of the table in a manual page.
    public static let manualEnd = #".\" End of what Tests/bin/bench transitions --manual prints."#

    /// The section's text: machine and date, and a table for each quantum.
    public var manual: String {
        let tables = quanta.map { quantum in
            let title =
                quantum.map { "With a quantum of \($0) frames" }
                ?? "In PulseAudio, which has no quantum, as a card plays it"
            return """
                .Pp
                \(title):
                .Bl -column "WirePlumber\\(aqs roles, cork" "silent" "click" "000 / 000" "0000 / 0000"
                .It Sy what Ta Sy level Ta Sy click Ta Sy heard Ta Sy back
                \(results.filter { $0.quantum == quantum }.map(Self.manualRow).joined(separator: "\n"))
                .El
                """
        }
        return """
            Measured: \(Self.manualText(place.text)); \(runs) interruptions of each kind, in turns.
            The interrupter \(endingText).
            Without the interruptions that the machine was seen to disturb.
            Level: of the interrupted music, in dB relative to its own, median.
            Click: the highest peak above 4 kHz, in dBFS, worst.
            Heard: how many milliseconds the music is heard above half of its amplitude after the interrupter's first sound,
            median and worst.
            Back: milliseconds from the interrupter's last sound until the music is within 1 dB of its own level, with all delays
            and fades of the policy, median and worst.
            .Dq Left alone
            is music that no policy touches: where even that clicks, the machine does.
            \(tables.joined(separator: "\n"))
            .Pp
            \(goalsInShort)
            """
    }

    /// A manual page with this table in place of the former one; nil if the page has no place for it.
    public func replaced(in page: String) -> String? {
        var lines = page.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        guard let begin = lines.firstIndex(of: Self.manualBegin), let end = lines.firstIndex(of: Self.manualEnd),
            begin < end
        else { return nil }
        lines.replaceSubrange(begin + 1..<end, with: manual.split(separator: "\n").map(String.init))
        return lines.joined(separator: "\n")
    }

    private static func manualRow(_ result: TransitionResult) -> String {
        func rounded(_ value: Double?) -> String { format(value, decimals: 0) }
        let back = result.series(\.back)
        let levels = result.series { $0.level ?? -80 }.median
        let cells = [
            // The title says where it is.
            result.row.name.components(separatedBy: ": ").last ?? "",
            levels == -80 ? "silent" : format(levels),
            rounded(result.series { max($0.clickAtBegin, $0.clickAtEnd) }.largest),
            TransitionsRun.heard(result, \.half, decimals: 0) ?? "stays",
            back.isEmpty ? "–" : "\(rounded(back.median)) / \(rounded(back.largest))",
        ]
        return ".It \(cells.map(manualText).joined(separator: " Ta "))"
    }

    /// How many goals there are, and each that was missed, with the quanta with which it was.
    private var goalsInShort: String {
        let missed = verdicts.filter { !$0.isReached && !$0.isUnshown }
        let unshown = verdicts.count { $0.isUnshown }
        if missed.isEmpty, unshown == 0 { return "All of the benchmark's \(verdicts.count) goals were reached." }
        var kinds: [String] = []
        var quanta: [String: [String]] = [:]
        for verdict in missed {
            let kind = "\(verdict.row): \(verdict.figure)"
            if !kinds.contains(kind) { kinds.append(kind) }
            if let quantum = verdict.quantum { quanta[kind, default: []].append("\(quantum)") }
        }
        let items = kinds.map { kind in
            let list = quanta[kind].map { ", with a quantum of \($0.joined(separator: ", "))" } ?? ""
            return ".It\n\(Self.manualText(kind + list))"
        }
        let list = items.isEmpty ? "" : "\n.Bl -bullet -compact\n\(items.joined(separator: "\n"))\n.El"
        return """
            Of the benchmark's \(verdicts.count) goals, \(unshown) could not be shown where the machine broke even the music that no
            policy touches, and \(missed.count) were missed\(items.isEmpty ? "." : ":")\(list)
            """
    }

    /// Text in which groff sees no request and no escape, with its own minus sign and dash.
    static func manualText(_ text: String) -> String {
        text.replacing("\\", with: "\\e").replacing("\u{2212}", with: "\\-").replacing("–", with: "\\(en")
    }
}
