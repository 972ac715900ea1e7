import Foundation

extension ToneEnvelope {
    /// The ranges of frames in which the tone is at or above a level.
    ///
    /// The ends are interpolated between two values. First, gaps shorter than `shortest` are ignored, then ranges
    /// shorter than `shortest`.
    public func intervals(above level: Double, shortest: Duration = .milliseconds(2)) -> [Range<Int>] {
        var found: [Range<Int>] = []
        var start: Int?
        for index in levels.indices {
            if levels[index] >= level {
                start = start ?? crossing(before: index, level)
            } else if let begin = start {
                found.append(begin..<max(begin, crossing(before: index, level)))
                start = nil
            }
        }
        if let start { found.append(start..<max(start, frame(of: levels.count - 1))) }
        var joined: [Range<Int>] = []
        for interval in found {
            if let last = joined.last, interval.lowerBound - last.upperBound < shortest.frames {
                joined[joined.count - 1] = last.lowerBound..<interval.upperBound
            } else {
                joined.append(interval)
            }
        }
        return joined.filter { $0.count >= shortest.frames }
    }

    /// The median level within some frames, in dBFS: the steady level, independent of the edges.
    public func steadyLevel(in frames: Range<Int>? = nil) -> Double {
        quantile(0.5, in: frames)
    }

    /// The tone's undisturbed level: it is exceeded for at most a tenth of the time in which the tone sounds.
    public var fullLevel: Double {
        let sorted = levels.filter { $0 > -80 }.sorted()
        return sorted.isEmpty ? ToneEnvelope.floor : sorted[sorted.count * 9 / 10]
    }

    /// The highest level, in dBFS; nil for a sound that is too short to have one.
    public var highestLevel: Double? { levels.max() }

    /// The first frame from `start` on at which the tone is at or above a level and stays so for 20 ms.
    public func firstFrame(from start: Int, above level: Double) -> Int? {
        let run = max(1, Duration.milliseconds(20).frames / hop)
        var count = 0
        for index in indices(in: start..<Int.max / 2) {
            count = levels[index] >= level ? count + 1 : 0
            if count == run { return frame(of: index - run + 1) }
        }
        return nil
    }

    private func quantile(_ fraction: Double, in frames: Range<Int>?) -> Double {
        let sorted = levels[frames.map(indices(in:)) ?? levels.indices].sorted()
        return sorted.isEmpty ? ToneEnvelope.floor : sorted[Int(Double(sorted.count - 1) * fraction)]
    }

    /// The frame at which the level was crossed, between the value before `index` and the value at it.
    private func crossing(before index: Int, _ level: Double) -> Int {
        guard index > 0 else { return frame(of: 0) }
        let (a, b) = (pow(10, levels[index - 1] / 20), pow(10, levels[index] / 20))
        let target = pow(10, level / 20)
        let fraction = a == b ? 1 : min(1, max(0, (target - a) / (b - a)))
        return frame(of: index - 1) + Int((fraction * Double(hop)).rounded())
    }
}

/// The total duration that two lists of ascending intervals have in common.
public func overlap(_ first: [Range<Int>], _ second: [Range<Int>]) -> Duration {
    var count = 0
    for one in first {
        for other in second where one.overlaps(other) { count += one.clamped(to: other).count }
    }
    return .frames(count)
}

/// The frames in which a channel sounds, in ranges without more than `gap` of silence. Exact to the frame for sound
/// that begins and ends abruptly.
///
/// The sum of their counts is the audible length of a tone. `gap` must exceed half a period of the lowest tone.
public func soundingFrames(
    of samples: [Float], above amplitude: Float = 1e-4, gap: Duration = .milliseconds(5)
) -> [Range<Int>] {
    var found: [Range<Int>] = []
    let gapFrames = gap.frames
    samples.withUnsafeBufferPointer { samples in
        var start = -1
        var last = -1
        for index in samples.indices where samples[index].magnitude > amplitude {
            if start < 0 {
                start = index
            } else if index - last > gapFrames {
                found.append(start..<last + 1)
                start = index
            }
            last = index
        }
        if start >= 0 { found.append(start..<last + 1) }
    }
    return found
}
