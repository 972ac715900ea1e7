import Foundation
import TestKit

/// Tells which frame of a capture is recorded at which moment.
///
/// Frames come in blocks, and late by as long as the recorder takes; of many looks the one counts that came soonest after
/// a block.
struct CaptureClock {
    /// The moment of the first frame, in seconds of the clock of this process.
    private let firstFrame: Double

    /// Looks at a capture for 150 ms.
    init(of capture: Capture) async throws {
        var first = Double.infinity
        for _ in 0..<150 {
            first = min(first, CaptureClock.now - Duration.frames(capture.frameCount) / .seconds(1))
            try await Task.sleep(for: .milliseconds(1))
        }
        firstFrame = first
    }

    /// How much sound is missing since an earlier clock of the same capture, or was late by: a server that does not get
    /// its turn in time leaves out rounds, and the tones jump.
    func lost(since earlier: CaptureClock) -> Duration { .seconds(firstFrame - earlier.firstFrame) }

    /// The frame that is recorded now. It is in the capture a little later, with the rest of its block.
    var presentFrame: Int { Duration.seconds(CaptureClock.now - firstFrame).frames }

    /// Seconds of the monotonic clock.
    private static var now: Double {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
