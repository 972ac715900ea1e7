import Foundation
import TestKit

/// Draws the captured levels over time with the decisions marked, by gnuplot.
struct DemoPicture: Sendable {
    let recording: Recording
    let decisions: [Moment]

    private struct Track {
        let title: String
        let colour: String
        let samples: [Float]
        let frames: Range<Int>
    }

    /// Draws a PNG file.
    func draw(to path: String, in sandbox: Sandbox) async throws {
        let cues = recording.cues
        let end = recording.music.count
        let tracks = [
            Track(title: "music (mpv)", colour: "#2a7ab9", samples: recording.music, frames: 0..<end),
            Track(
                title: "navigator (paplay)", colour: "#2e9e5b", samples: recording.others,
                frames: cues.prompt - 4_800..<cues.ringing - 4_800),
            Track(
                title: "ringing (pw-play)", colour: "#e08214", samples: recording.others,
                frames: cues.ringing - 4_800..<cues.call),
            Track(title: "call (paplay)", colour: "#b5338a", samples: recording.others, frames: cues.call..<end),
        ]
        var data = ""
        for track in tracks {
            for point in Recording.levels(of: track.samples, in: track.frames) {
                data += String(format: "%.3f %.2f\n", point.seconds, max(-60, point.level))
            }
            data += "\n\n"
        }
        try sandbox.write(data, to: "tmp/levels.dat")
        try sandbox.write(script(tracks, output: path, data: sandbox.path("tmp/levels.dat")), to: "tmp/levels.gp")
        try FileManager.default.createDirectory(
            atPath: (path as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
        try await sandbox.run(Invocation("gnuplot", [sandbox.path("tmp/levels.gp")]))
    }

    private func script(_ tracks: [Track], output: String, data: String) -> String {
        let seconds = Double(recording.music.count) / Double(Sound.rate)
        let verbs: Set<Substring> = ["duck", "mute", "cork", "pause", "keep", "hold", "restore"]
        let treatments = decisions.filter { $0.text.split(separator: " ").first.map(verbs.contains) ?? false }
        let marks = Marks(treatments, until: seconds)
        let total = Marks.plotHeight + marks.height
        var lines = [
            "set terminal pngcairo size \(Marks.width),\(Int(total)) font 'sans,12' background '#ffffff'",
            "set output \(quoted(output))",
            "set lmargin at screen \(Marks.left / Double(Marks.width))",
            "set rmargin at screen \(1 - Marks.right / Double(Marks.width))",
            "set tmargin at screen \(1 - marks.height / total)",
            "set bmargin at screen \(Marks.bottom / total)",
            "set label 1000 'What was heard, and what was decided about it' at screen 0.5, screen \(1 - 28 / total) center font 'sans,17' textcolor '#222222'",
            "set xrange [0:\(seconds)]", "set yrange [-60:0]",
            "set ylabel 'level in dBFS' textcolor '#444444'",
            "set xtics 2 nomirror scale 0.5 format '%g s' textcolor '#444444'",
            "set ytics 10 nomirror scale 0.5 textcolor '#444444'",
            "set grid ytics linetype 1 linewidth 1 linecolor '#e4e4e4'", "set border 3 linecolor '#888888'",
            "set key at screen 0.5, screen \(14 / total) center bottom horizontal Left reverse samplen 1.5 width 3 textcolor '#333333'",
        ]
        lines += marks.lines()
        let curves = tracks.enumerated().map { number, track in
            """
            \(quoted(data)) index \(number) using 1:2 with filledcurves y1=-60 fillcolor rgb '\(track.colour)' \
            fillstyle transparent solid 0.30 noborder notitle, \
            \(quoted(data)) index \(number) using 1:2 with lines linewidth 1.6 linecolor rgb '\(track.colour)' \
            title \(quoted(track.title))
            """
        }
        lines.append("plot " + curves.joined(separator: ", "))
        return lines.joined(separator: "\n") + "\n"
    }
}

/// A single-quoted string for gnuplot.
private func quoted(_ text: String) -> String { "'\(text.replacingOccurrences(of: "'", with: "''"))'" }

/// Vertical lines for the decisions, with labels above the plot, in as many rows as needed to avoid overlaps.
private struct Marks {
    static let width = 1600
    static let plotHeight = 560.0
    static let left = 80.0
    static let right = 40.0
    static let bottom = 76.0
    private static let row = 22.0
    private static let title = 56.0
    /// The mean width of a character in a short label; in a long one it is a little less.
    private static let characterWidth = 7.9

    private struct Mark {
        let moment: Moment
        let isLeft: Bool
        let row: Int
    }
    private var marks: [Mark] = []
    private var rows = 0
    private let perSecond: Double

    /// The height of the labels and the title, in pixels.
    var height: Double { Marks.title + Double(max(rows, 1)) * Marks.row + 8 }

    init(_ decisions: [Moment], until end: Double) {
        perSecond = (Double(Marks.width) - Marks.left - Marks.right) / end
        // Labels are placed from right to left. A label's line goes down from its left end and must cross no other
        // label, so labels to its right that are in its way stand in lower rows.
        var taken: [Double] = []
        let edge = end * perSecond + Marks.right
        for moment in decisions.reversed() {
            // A label that does not fit at the right edge stands to the left of its line.
            let width = Double(moment.text.count) * Marks.characterWidth + 14
            let isLeft = moment.seconds * perSecond + width > edge
            let x = moment.seconds * perSecond - (isLeft ? width : 0)
            var row = taken.lastIndex { $0 < x + width }.map { $0 + 1 } ?? 0
            row = min(row, taken.count)
            if row == taken.count { taken.append(x) } else { taken[row] = x }
            // The line through the lower rows must not cross labels there that begin further left. Those are placed
            // later, and this entry keeps them away.
            for lower in 0..<row { taken[lower] = min(taken[lower], x) }
            marks.append(Mark(moment: moment, isLeft: isLeft, row: row))
        }
        rows = taken.count
    }

    /// The gnuplot commands.
    func lines() -> [String] {
        marks.enumerated().flatMap { number, mark -> [String] in
            let top = 12 + Double(mark.row) * Marks.row
            let decibels = top * 60 / (Marks.plotHeight - Marks.bottom)
            return [
                """
                set arrow \(number + 1) from \(mark.moment.seconds), -60 to \(mark.moment.seconds), \(decibels) nohead \
                linewidth 1 dashtype 3 linecolor '#777777' back
                """,
                """
                set label \(number + 1) \(quoted(mark.moment.text)) at \(mark.moment.seconds), \(decibels) \
                \(mark.isLeft ? "right offset character -0.6" : "left offset character 0.6"), 0 font 'sans,11' textcolor '#222222' noenhanced
                """,
            ]
        }
    }
}
