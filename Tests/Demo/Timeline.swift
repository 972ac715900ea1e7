import Foundation
import Synchronization
import TestKit

/// An event and its time since the start.
struct Moment: Sendable {
    let seconds: Double
    let text: String
}

/// Prints what the demonstration does and what the module decides, as it happens.
final class Timeline: Sendable {
    private let origin: ContinuousClock.Instant
    private let kept = Mutex<[Moment]>([])
    private let isTerminal = isatty(STDOUT_FILENO) == 1

    /// Starts the clock at a moment.
    init(from origin: ContinuousClock.Instant = .now) { self.origin = origin }

    /// The decisions so far.
    var decisions: [Moment] { kept.withLock { $0 } }

    /// Prints an action of the demonstration, with the command by which a reader can repeat it.
    func act(_ text: String, command: String? = nil) {
        say("\(stamp(seconds))  \(emphasised(text))")
        if let command { say("             $ \(command)") }
    }

    /// Prints a decision or observation.
    func decide(_ text: String) {
        let moment = Moment(seconds: seconds, text: text)
        kept.withLock { $0.append(moment) }
        say("\(stamp(moment.seconds))    \u{2192} \(text)")
    }

    private var seconds: Double { (ContinuousClock.now - origin) / .seconds(1) }

    private func stamp(_ seconds: Double) -> String { String(format: "%7.2f s", seconds) }

    private func emphasised(_ text: String) -> String { isTerminal ? "\u{1b}[1m\(text)\u{1b}[0m" : text }

    /// Follows a daemon's log and prints each decision of the module, until cancelled.
    func follow(_ log: LogFile) async {
        var told = 0
        while true {
            // Check for cancellation before reading, so that everything written before is printed.
            let isLast = Task.isCancelled
            let lines = log.text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
            for line in lines.dropFirst(told) {
                if let text = Timeline.decision(in: line) { decide(text) }
            }
            told = lines.count
            if isLast { return }
            try? await Task.sleep(for: .milliseconds(5))
        }
    }

    /// The message in a line such as `[I][01234.567890] mod.audio-session | [ shim.c: 52 cpw_log()] message`.
    static func decision(in line: Substring) -> String? {
        guard line.hasPrefix("[I]"), let topic = line.range(of: "mod.audio-session"),
            let place = line.range(of: ")] ", range: topic.upperBound..<line.endIndex)
        else { return nil }
        return String(line[place.upperBound...])
    }
}
