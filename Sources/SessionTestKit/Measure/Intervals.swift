import Foundation

extension ToneEnvelope {
    /// The stretches of frames in which the tone is at or above a level.
    ///
    /// Their ends are interpolated between two values. Interruptions and stretches shorter than `shortest` are
    /// ignored, in this order.
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

    /// The median level within some frames, in dBFS: the steady level, whatever happens at the edges.
    public func steadyLevel(in frames: Range<Int>? = nil) -> Double {
        quantile(0.5, in: frames)
    }

    /// The level the tone has when nothing reduces it: that which it exceeds in no more than a tenth of the time it
    /// sounds at all.
    public var fullLevel: Double {
        let sorted = levels.filter { $0 > -80 }.sorted()
        return sorted.isEmpty ? ToneEnvelope.floor : sorted[sorted.count * 9 / 10]
    }

    /// The highest level within some frames, in dBFS.
    public func highestLevel(in frames: Range<Int>) -> Double {
        levels[indices(in: frames)].max() ?? ToneEnvelope.floor
    }

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

    /// Where the level was passed between the value before `index` and that at it.
    private func crossing(before index: Int, _ level: Double) -> Int {
        guard index > 0 else { return frame(of: 0) }
        let (a, b) = (pow(10, levels[index - 1] / 20), pow(10, levels[index] / 20))
        let target = pow(10, level / 20)
        let fraction = a == b ? 1 : min(1, max(0, (target - a) / (b - a)))
        return frame(of: index - 1) + Int((fraction * Double(hop)).rounded())
    }
}

/// The frames that two lists of ascending intervals have in common.
public func overlap(_ first: [Range<Int>], _ second: [Range<Int>]) -> Duration {
    var count = 0
    for one in first {
        for other in second where one.overlaps(other) { count += one.clamped(to: other).count }
    }
    return .frames(count)
}

/// The frames during which a channel sounds, in stretches without more than `gap` of silence; exact to the frame for
/// sound that begins and ends abruptly.
///
/// The sum of their counts is how much of a tone was heard. `gap` must exceed half a period of the lowest tone.
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
