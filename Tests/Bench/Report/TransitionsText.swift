/// The tables of a run in Markdown.
extension TransitionsRun {
    /// How the interrupters ended.
    var endingText: String {
        switch ending {
        case "killed": "is killed"
        case "played": "plays to its end"
        default: "plays to its end in PipeWire and is killed in PulseAudio"
        }
    }

    /// All of it.
    public var markdown: String {
        """
        ## Transitions

        \(place.text). \(runs) runs, in turns; the interrupter \(endingText). \
        Each cell: median / worst of the undisturbed trials.

        \(quanta.map(tables).joined(separator: "\n\n"))

        Times are in milliseconds, and nothing is subtracted from them: the policy's own times are in the last column. \
        Heard above: from the interrupter's first sound (−60 dBFS) until the music is last above that level, relative to its own; \
        "stays" to the end. Both: how long both are above −60 dB. Back: from the interrupter's last sound until the music is \
        within 1 dB of its own level. Start: from the start of the interrupter's program to its first sound in the recording, to be compared within a server. \
        Click: the highest peak above 4 kHz on the music's channel. \(disturbances)

        ### Goals

        \(goals)
        """
    }

    /// The tables of one quantum.
    private func tables(_ quantum: Int?) -> String {
        let results = results.filter { $0.quantum == quantum }
        let title = quantum.map { "### Quantum \($0)" } ?? "### PulseAudio"
        return "\(title)\n\n\(sound(results).text)\n\n\(time(results).text)"
    }

    private func sound(_ results: [TransitionResult]) -> Table {
        var table = Table([
            "", "level while interrupted (dB)", "click at begin (dBFS)", "click at end (dBFS)", "noise floor (dBFS)",
            "disturbed",
        ])
        for result in results {
            table.add([
                result.row.name, TransitionsRun.level(result), cell(result.series(\.clickAtBegin)),
                cell(result.series(\.clickAtEnd)), cell(result.series(\.noiseFloor)),
                "\(result.trials.count - result.calm.count) of \(result.trials.count + result.unmeasured)",
            ])
        }
        return table
    }

    private func time(_ results: [TransitionResult]) -> Table {
        var table = Table([
            "", "heard above −6 dB", "−20 dB", "−60 dB", "both", "back", "start", "the policy's times",
        ])
        for result in results {
            table.add([
                result.row.name, heard(result, \.half), heard(result, \.minus20), heard(result, \.minus60),
                cell(result.series(\.both.minus60)), cell(result.series(\.back), decimals: 0),
                cell(result.series(\.start), decimals: 0), result.row.times,
            ])
        }
        return table
    }

    private var goals: String {
        var table = Table(["", "quantum", "figure", "median", "worst", "goal", "reached"])
        for verdict in verdicts where !verdict.isReached || !verdict.isPrerequisite {
            table.add([
                verdict.row, verdict.quantum.map(String.init) ?? "–", verdict.figure, format(verdict.median),
                format(verdict.worst), verdict.goal,
                verdict.isReached ? "yes" : verdict.isUnshown ? "**NO**, nor could it be" : "**NO**",
            ])
        }
        let missed = verdicts.count { !$0.isReached }
        let unshown = verdicts.count { $0.isUnshown }
        return """
            \(table.text)

            \(missed) of \(verdicts.count) goals missed, \(unshown) of them where the machine breaks even the music that no \
            policy touches, so that they could not be reached. Those that only say that something was shown are not listed \
            where they are reached.
            """
    }

    /// Disturbed trials are counted, not hidden.
    private var disturbances: String {
        let all = results.flatMap(\.trials)
        return """
            In \(all.count(where: \.isDisturbed)) of \(all.count) trials the machine broke the sound: the music before \
            the interruption or the interrupter's own tone has a gap, or the server was late by more than 10 ms.
            """
    }

    private func cell(_ series: Series, decimals: Int = 1) -> String {
        if series.isEmpty { return "–" }
        return "\(format(series.median, decimals: decimals)) / \(format(series.largest, decimals: decimals))"
    }

    /// How long the music is heard; it stays if it does so in most of the trials.
    private func heard(_ result: TransitionResult, _ level: KeyPath<ByLevel<Double?>, Double?>) -> String {
        TransitionsRun.heard(result, level) ?? "stays"
    }

    /// Median and worst; nil if the music is heard to the interrupter's end in most of the trials.
    static func heard(
        _ result: TransitionResult, _ level: KeyPath<ByLevel<Double?>, Double?>, decimals: Int = 1
    ) -> String? {
        let trials = result.calm.isEmpty ? result.trials : result.calm
        let values = trials.map { $0.figures.heard[keyPath: level] }
        let ends = Series(values.compactMap(\.self))
        if values.isEmpty { return "–" }
        guard ends.isEmpty == false, values.count(where: { $0 == nil }) * 2 < values.count else { return nil }
        let worst = values.contains(nil) ? "stays" : format(ends.largest, decimals: decimals)
        return "\(format(ends.median, decimals: decimals)) / \(worst)"
    }

    static func level(_ result: TransitionResult) -> String {
        let trials = result.calm.isEmpty ? result.trials : result.calm
        let values = trials.map(\.figures.level)
        if values.isEmpty { return "–" }
        if values.allSatisfy({ $0 == nil }) { return "silent" }
        let series = Series(values.map { $0 ?? -80 })
        return "\(format(series.median)) / \(format(series.largest))"
    }
}
