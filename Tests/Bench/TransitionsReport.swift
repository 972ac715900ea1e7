import BenchReport
import Foundation
import SessionTestKit

/// The tables of `Tests/bin/bench transitions`.
struct TransitionsReport {
    let results: [TransitionResult]
    let options: TransitionsOptions

    private var quantum: Duration { .frames(options.quantum) }

    /// How long the peer that corks takes to be back.
    private var peerBack: Duration? {
        results.first { $0.transition.name == Transition.roleCork.name }?.series { $0.back?.milliseconds }.median
            .map { .seconds($0 / 1000) }
    }

    var text: String {
        """
        ## Transitions

        \(options.runs) runs, in turns. Quantum \(options.quantum) at 48 kHz (the PulseAudio peers have none). \
        Music: 440 Hz, amplitude 0.5, paplay. Interrupter: 880 Hz, paplay, \(ending). Each cell: median / worst.

        \(sound.text)

        Clicks: the highest peak above 4 kHz on the music's channel. Overlap: the interrupter sounds, and the music above \
        the middle between its full and its lowered amplitude. \(disturbances)

        \(time.text)

        Back: from the interrupter's last sound until the music is within 0.1 dB of its full level for good. Tail: from that sound \
        until the server sees the interrupter's stream stop, by the server's log. Fade: the policy's, stretched where a \
        quantum is too long for it. Late: back − tail − release delay − fade − quantum; early where negative. In PulseAudio, \
        whose log has no moments, the tail is what module-role-cork takes to be back, and the quantum a step of the fade.

        ### Verdict

        \(verdict.text)
        """
    }

    private var ending: String {
        switch options.ending {
        case .played: "which plays to its end"
        case .killed: "which is killed in the middle of its tone"
        }
    }

    /// A machine that is too busy for its sound server makes clicks where nothing is interrupted. They are not taken out.
    private var disturbances: String {
        let all = results.flatMap(\.measurements)
        return """
            In \(all.count(where: \.isDisturbed)) of \(all.count) captures a server left out sound or the music broke off \
            before it was interrupted: a busy machine. They count everywhere but in the verdict's column "worst, calm".
            """
    }

    private var sound: Table {
        var table = Table([
            "", "overlap (ms)", "level while interrupted (dB)", "click at begin (dBFS)", "click at end (dBFS)",
            "noise floor (dBFS)",
        ])
        for result in results {
            table.add([
                result.transition.name,
                cell(result.series { $0.figures.overlap.milliseconds }),
                level(result),
                cell(result.series { $0.figures.clickAtBegin }),
                cell(result.series { $0.figures.clickAtEnd }),
                cell(result.series { $0.figures.noiseFloor }),
            ])
        }
        return table
    }

    private var time: Table {
        var table = Table(["", "back (ms)", "tail (ms)", "release delay (ms)", "fade (ms)", "late (ms)"])
        for result in results {
            let fade = result.transition.fade(quantum: quantum)
            table.add([
                result.transition.name,
                cell(result.series { $0.back?.milliseconds }, decimals: 0),
                cell(result.series { $0.tail?.milliseconds }, decimals: 0),
                format(fade == nil ? nil : Transition.releaseDelay.milliseconds, decimals: 0),
                format(fade?.milliseconds, decimals: 0),
                cell(
                    result.series { $0.late(result.transition, quantum: quantum, peer: peerBack)?.milliseconds },
                    decimals: 0),
            ])
        }
        return table
    }

    /// What was to be reached, and whether it was: in the median of the runs, and in the worst.
    private var verdict: Table {
        var table = Table(["", "median", "worst", "worst, calm", "goal", "reached"])
        for result in results where !result.transition.isPeer {
            let name = result.transition.name
            if result.transition.holds {
                let overlap = Spread(result) { $0.figures.audibleOverlap.milliseconds }
                table.add(name: "\(name): overlap above −60 dBFS (ms)", overlap, goal: "0") { $0 <= 0 }
            }
            let late = Spread(result) {
                $0.late(result.transition, quantum: quantum, peer: peerBack)?.milliseconds
            }
            table.add(name: "\(name): late (ms)", late, goal: "≤ 0") { $0 <= 0 }
            for peer in results where peer.transition.isPeer {
                for (place, click) in [
                    ("begin", \InterruptionFigures.clickAtBegin), ("end", \InterruptionFigures.clickAtEnd),
                ] {
                    let own = Spread(result) { $0.figures[keyPath: click] }
                    let other = Spread(peer) { $0.figures[keyPath: click] }
                    table.add(
                        name: "\(name): click at \(place) below \(peer.transition.name)'s (dB)", other - own,
                        goal: "≥ 20"
                    ) { $0 >= 20 }
                }
            }
        }
        return table
    }

    private func cell(_ series: Series, decimals: Int = 1) -> String {
        guard !series.isEmpty else { return "–" }
        return format(series.median, decimals: decimals) + " / " + format(series.largest, decimals: decimals)
    }

    /// Silence has no level, so it is said when all was silent.
    private func level(_ result: TransitionResult) -> String {
        let series = result.series { $0.figures.levelWhileInterrupted }
        if series.isEmpty { return "silent" }
        return cell(Series(result.measurements.map { $0.figures.levelWhileInterrupted ?? ToneEnvelope.floor }))
    }
}

/// A figure in short: the middle of all runs, the worst, and the worst of those that nothing disturbed.
private struct Spread {
    var median: Double?
    var worst: Double?
    var worstCalm: Double?

    init(_ result: TransitionResult, _ value: (Measurement) -> Double?) {
        let all = result.series(value)
        median = all.median
        worst = all.largest
        worstCalm = Series(result.measurements.filter { !$0.isDisturbed }.compactMap(value)).largest
    }

    static func - (one: Spread, other: Spread) -> Spread {
        func difference(_ one: Double?, _ other: Double?) -> Double? {
            guard let one, let other else { return nil }
            return one - other
        }
        var result = one
        result.median = difference(one.median, other.median)
        result.worst = difference(one.worst, other.worst)
        result.worstCalm = difference(one.worstCalm, other.worstCalm)
        return result
    }
}

extension Table {
    fileprivate mutating func add(name: String, _ spread: Spread, goal: String, isReached: (Double) -> Bool) {
        let reached =
            switch (spread.median.map(isReached), spread.worst.map(isReached), spread.worstCalm.map(isReached)) {
            case (true?, true?, _): "yes"
            case (true?, _, true?): "when calm"
            case (true?, _, _): "in the median"
            case (false?, _, _): "no"
            case (nil, _, _): "not measured"
            }
        add([name, format(spread.median), format(spread.worst), format(spread.worstCalm), goal, reached])
    }
}
