import Foundation
import TestKit

/// The amplitude of one tone, frame by frame, in a channel that contains nothing else.
///
/// For a tone of amplitude A, two samples x and y that are an angle of θ apart give
/// A² · sin² θ = x² + y² − 2 · x · y · cos θ. With a quarter of a period between them, an abrupt end of a tone of 440 Hz is
/// found to 0.3 ms, whatever the threshold; a window of an envelope would blur it.
public struct AmplitudeTrack: Sendable {
    /// The amplitude at each frame, 1 for full scale. At both ends of the sound, the nearest known amplitude.
    public let values: [Float]

    /// Measures one channel.
    ///
    /// - Parameter frequency: In hertz, 100 to 4,000.
    public init(of samples: [Float], frequency: Double) {
        let distance = Int((Double(Sound.rate) / frequency / 4).rounded())
        guard samples.count > distance else {
            values = []
            return
        }
        let angle = 2 * Double.pi * frequency * Double(distance) / Double(Sound.rate)
        let cosine = Float(2 * cos(angle))
        let scale = Float(1 / (sin(angle) * sin(angle)))
        let pairs = (0..<samples.count - distance).map { frame in
            let (x, y) = (samples[frame], samples[frame + distance])
            return (max(0, x * x + y * y - cosine * x * y) * scale).squareRoot()
        }
        // Each value belongs to the middle of its pair.
        let before = distance / 2
        values =
            [Float](repeating: pairs.first ?? 0, count: before) + pairs
            + [Float](repeating: pairs.last ?? 0, count: distance - before)
    }

    /// The median amplitude within some frames; 0 of none.
    public func steady(in frames: Range<Int>) -> Float {
        let sorted = values[frames.clamped(to: values.indices)].sorted()
        return sorted.isEmpty ? 0 : sorted[sorted.count / 2]
    }

    /// The number of frames above an amplitude.
    public func count(above amplitude: Float, in frames: Range<Int>) -> Int {
        values[frames.clamped(to: values.indices)].count { $0 > amplitude }
    }

    /// The last frame above an amplitude; nil without any.
    public func last(above amplitude: Float, in frames: Range<Int>) -> Int? {
        values[frames.clamped(to: values.indices)].lastIndex { $0 > amplitude }
    }

    /// The first frame from which on all amplitudes of 20 ms are at least a given one; nil without any.
    public func first(atLeast amplitude: Float, from start: Int) -> Int? {
        let length = Duration.milliseconds(20).frames
        var count = 0
        for frame in max(0, start)..<max(0, start, values.count) {
            count = values[frame] >= amplitude ? count + 1 : 0
            if count == length { return frame - length + 1 }
        }
        return nil
    }

    /// The level in decibels relative to an amplitude, for every millisecond of some frames, as far as the
    /// recording goes; −80 at least.
    public func levels(in frames: Range<Int>, relativeTo amplitude: Float) -> [Double] {
        let step = Duration.milliseconds(1).frames
        return stride(from: frames.lowerBound, to: min(frames.upperBound, values.count - step), by: step).map { start in
            decibels(steady(in: start..<start + step), relativeTo: amplitude) ?? -80
        }
    }
}

/// A ratio of amplitudes in decibels; nil below −80 dB, which counts as silence.
func decibels(_ amplitude: Float, relativeTo full: Float) -> Double? {
    guard amplitude > 0, full > 0 else { return nil }
    let level = 20 * log10(Double(amplitude / full))
    return level < -80 ? nil : level
}
