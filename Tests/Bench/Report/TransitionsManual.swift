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
            let results = results.filter { $0.quantum == quantum && $0.row.effect != .none }
            let title =
                quantum.map { "With a quantum of \($0) frames" } ?? "In PulseAudio, whose mixing has no fixed quantum"
            return """
                .Pp
                \(title):
                .Bl -column "WirePlumber's roles, cork##" "level##" "-000 / -000##" "0000 / 0000##" "000 / 000##"
                .It Sy what Ta Sy level Ta Sy click Ta Sy heard Ta Sy back
                \(results.map(Self.manualRow).joined(separator: "\n"))
                .El
                """
        }
        return """
            Measured on \(Self.manualText(place.text)); \(runs) interruptions of each kind, in turns.
            Each figure is the median of the interruptions that a busy machine did not disturb, and the worst of those.
            Level: of the interrupted music, in dB relative to its own.
            Click: the highest peak above 4 kHz, in dBFS.
            Heard: how many milliseconds the music is heard above half of its amplitude after the interrupter's first sound.
            Back: milliseconds from the interrupter's last sound until the music is within 1 dB of its own level, with all delays
            and fades of the policy.
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
        func cell(_ value: (TransitionFigures) -> Double?) -> String {
            let series = result.series(value)
            return series.isEmpty
                ? "–" : "\(format(series.median, decimals: 0)) / \(format(series.largest, decimals: 0))"
        }
        let cells = [
            result.row.name, TransitionsRun.level(result), cell { max($0.clickAtBegin, $0.clickAtEnd) },
            TransitionsRun.heard(result, \.half) ?? "stays", cell(\.back),
        ]
        return ".It \(cells.map(manualText).joined(separator: " Ta "))"
    }

    private var goalsInShort: String {
        let missed = verdicts.filter { !$0.isReached }
        if missed.isEmpty { return "All of the benchmark's \(verdicts.count) goals were reached." }
        return """
            Of the benchmark's \(verdicts.count) goals, \(missed.count) were missed.
            """
    }

    /// Text in which groff sees no request and no escape, with its own minus sign and dash.
    static func manualText(_ text: String) -> String {
        text.replacing("\\", with: "\\e").replacing("\u{2212}", with: "\\-").replacing("–", with: "\\(en")
    }
}
