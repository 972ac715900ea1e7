import Foundation
import TestKit

/// One property that the capture must have.
struct Finding: Sendable {
    let subject: String
    let expected: String
    let measured: String
    let holds: Bool
}

/// Compares the capture with the announced behaviour.
struct Findings: Sendable {
    private(set) var checks: [Finding] = []

    /// How far a prompt lowers the music, in decibels.
    static let duck = -20.0
    /// The tolerance for levels, in decibels.
    static let tolerance = 0.5
    /// How long the music may take to return to its full level, in seconds: release delay, fade, and the end of the
    /// players.
    static let returnLimit = 2.0
    /// How far from its interruption the music may resume. The quiet ends of its two fades of 100 ms are not heard, 50 ms of
    /// them, and fades begin and end with a cycle of the graph (21 ms).
    static let positionLimit = Duration.milliseconds(100)

    /// No checks yet.
    init() {}

    /// Measures the recording.
    init(of recording: Recording, decisions: [Moment]) {
        let cues = recording.cues
        // A player that can pause is paused (mpv with its plug-in); others are corked.
        for words in [["duck"], ["cork", "pause"], ["restore"]] {
            let count = decisions.count { decision in words.contains { decision.text.hasPrefix($0) } }
            add("decisions to \(words.joined(separator: " or "))", "at least one in the log", "\(count)", count > 0)
        }
        guard let start = recording.audibleMusic(in: 0..<cues.prompt).first?.lowerBound,
            var delay = recording.delay(at: start + Sound.rate, expecting: start, radius: Sound.rate / 10),
            let prompt = recording.sounding(cues.prompt..<cues.ringing),
            let call = recording.sounding(cues.ringing..<cues.end),
            let last = recording.audibleMusic(in: prompt.upperBound..<call.upperBound).first?.upperBound
        else {
            add("the capture", "music, a prompt and a call", "at least one of them cannot be found", false)
            return
        }
        checkPrompt(prompt, recording, delay: &delay)
        checkCall(call, recording, delay: delay, last: last)
    }

    private mutating func checkPrompt(_ prompt: Range<Int>, _ recording: Recording, delay: inout Int) {
        func gains(_ start: Int, _ end: Int) -> [(frame: Int, decibels: Double)] {
            recording.gains(in: start..<max(start, end), delay: &delay)
        }
        addLevel("music before the prompt", 0, gains(recording.cues.prompt - 2 * Sound.rate, recording.cues.prompt))
        // The attack of 250 ms, which long cycles of the graph prolong.
        let attack = Duration.milliseconds(700).frames
        addLevel("music under the prompt", Findings.duck, gains(prompt.lowerBound + attack, prompt.upperBound))
        addReturn(
            "music back after the prompt", from: prompt.upperBound, gains(prompt.upperBound, recording.cues.ringing))
    }

    private mutating func checkCall(_ call: Range<Int>, _ recording: Recording, delay: Int, last: Int) {
        let peak = recording.musicPeak(in: call)
        let level = peak.isFinite ? String(format: "%.0f dBFS at its peak", peak) : "digital silence"
        add("music while it rings and in the call", "silent, below \u{2212}90 dBFS", level, peak < -90)
        let both = overlap(recording.audibleMusic(in: recording.cues.ringing..<recording.cues.end), [call])
        add("overlap of music and phone", "0 ms", String(format: "%.1f ms", both.milliseconds), both == .zero)

        let afterwards = call.upperBound..<recording.cues.end
        guard let first = recording.audibleMusic(in: afterwards).first?.lowerBound,
            var newDelay = recording.delay(
                at: first + Sound.rate / 2, expecting: delay + first - last, radius: Sound.rate / 2)
        else {
            add("music after the call", "goes on", "it cannot be found", false)
            return
        }
        let skipped = Duration.frames((first - newDelay) - (last - delay)).milliseconds
        addReturn("music back after the call", from: call.upperBound, recording.gains(in: afterwards, delay: &newDelay))
        let limit = Findings.positionLimit.milliseconds
        add(
            "where the music goes on", "within \(Int(limit)) ms of where it stopped",
            String(format: "%+.1f ms", skipped), abs(skipped) <= limit)
    }

    /// Adds a check.
    mutating func add(_ subject: String, _ expected: String, _ measured: String, _ holds: Bool) {
        checks.append(Finding(subject: subject, expected: expected, measured: measured, holds: holds))
    }

    private mutating func addLevel(_ subject: String, _ level: Double, _ gains: [(frame: Int, decibels: Double)]) {
        let lowest = gains.map(\.decibels).min() ?? -.infinity
        let highest = gains.map(\.decibels).max() ?? .infinity
        add(
            subject, "\(decibels(level)) \u{b1} \(Findings.tolerance) dB",
            "\(decibels(lowest)) to \(decibels(highest)) dB",
            abs(lowest - level) <= Findings.tolerance && abs(highest - level) <= Findings.tolerance)
    }

    private mutating func addReturn(_ subject: String, from end: Int, _ gains: [(frame: Int, decibels: Double)]) {
        // The first moment after which the level stays at full.
        let lastLow = gains.lastIndex { abs($0.decibels) > Findings.tolerance }
        let index = lastLow.map { $0 + 1 } ?? gains.startIndex
        let isBack = index < gains.endIndex
        let seconds = isBack ? Double(gains[index].frame - end) / Double(Sound.rate) : .infinity
        add(
            subject, "0 \u{b1} \(Findings.tolerance) dB within \(Findings.returnLimit) s",
            isBack ? String(format: "after %.2f s", seconds) : "never", seconds <= Findings.returnLimit)
    }

    private func decibels(_ value: Double) -> String {
        let text = String(format: "%.1f", value.magnitude)
        return value < 0 && text != "0.0" ? "\u{2212}\(text)" : text
    }

    /// Whether all checks hold.
    var hold: Bool { checks.allSatisfy(\.holds) }

    /// Prints the checks. Returns whether all hold.
    func report(heading: String = "What the capture shows:") -> Bool {
        func column(_ text: String, _ width: Int) -> String {
            text + String(repeating: " ", count: max(0, width - text.count))
        }
        say("\n\(heading)")
        for check in checks {
            let mark = check.holds ? "ok  " : "NO  "
            say("  \(mark)\(column(check.subject, 38))\(column(check.measured, 26))(expected: \(check.expected))")
        }
        for check in checks where !check.holds {
            complain("Not as announced: \(check.subject): expected \(check.expected), measured \(check.measured)")
        }
        return hold
    }
}
