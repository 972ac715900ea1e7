import Foundation
import SessionTestKit

/// A moment of the clock that PipeWire's log shows: seconds of the raw monotonic clock, which begin anew after a day or so.
struct LogMoment: Sendable, Comparable {
    let seconds: Double

    static var now: LogMoment {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC_RAW, &time)
        return LogMoment(seconds: Double(time.tv_sec % 100_000) + Double(time.tv_nsec) / 1e9)
    }

    init(seconds: Double) { self.seconds = seconds }

    /// Reads `[I][06118.127797] …`; nil for a line of another form.
    init?(logLine: Substring) {
        let parts = logLine.split(separator: "[", maxSplits: 2)
        guard parts.count > 1, let seconds = parts[1].split(separator: "]").first.flatMap({ Double($0) }) else {
            return nil
        }
        self.init(seconds: seconds)
    }

    static func < (one: LogMoment, other: LogMoment) -> Bool { one.seconds < other.seconds }

    func duration(to other: LogMoment) -> Duration { .seconds(other.seconds - seconds) }
}

/// Tells at which moment a frame of a capture was processed.
///
/// Frames come in blocks, and late by as long as the recorder takes; of many looks the one counts that came soonest after
/// a block.
struct CaptureClock {
    private let firstFrame: Double

    init(of capture: Capture) async throws {
        var first = Double.infinity
        for _ in 0..<150 {
            first = min(first, LogMoment.now.seconds - Duration.frames(capture.frameCount) / .seconds(1))
            try await Task.sleep(for: .milliseconds(1))
        }
        firstFrame = first
    }

    /// How much sound is missing since an earlier clock of the same capture, or was late by: a server that does not get
    /// its turn in time leaves out rounds, and the tones jump.
    func lost(since earlier: CaptureClock) -> Duration { .seconds(firstFrame - earlier.firstFrame) }

    func moment(of frame: Int) -> LogMoment { LogMoment(seconds: firstFrame + Duration.frames(frame) / .seconds(1)) }
}
