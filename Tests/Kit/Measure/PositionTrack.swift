import Foundation

/// The position signal's position in its file, frame by frame, and the breaks in its playback.
public struct PositionTrack: Sendable, Equatable {
    /// A place where the signal was silent or jumped.
    public struct Break: Sendable, Equatable {
        /// The frames of the capture without signal; empty for a jump without silence.
        public let silence: Range<Int>
        /// The frames of the file that were never heard; negative for frames that were repeated. Modulo one turn.
        public let skipped: Int
    }

    /// The frames in which the signal can be heard.
    public let sounding: [Range<Int>]
    /// The position in the file at the first frame heard, modulo one turn.
    public let firstPosition: Double?
    /// All places where playback was not continuous.
    public let breaks: [Break]

    /// The frames of the file that were never heard, over all breaks.
    public var lostFrames: Int { breaks.reduce(0) { $0 + max(0, $1.skipped) } }
    /// The frames of the file that were heard more than once, over all breaks. They do not make up for lost ones.
    public var repeatedFrames: Int { breaks.reduce(0) { $0 + max(0, -$1.skipped) } }

    /// Decodes a capture.
    ///
    /// - Parameters:
    ///   - framesPerTurn: The value with which the signal was made.
    ///   - threshold: The amplitude below which sound counts as silence. A fade-out is followed down to it.
    ///   - tolerance: The number of frames by which the position may deviate without being a jump; covers rounding.
    public init(
        of sound: Sound, framesPerTurn: Int = Signal.framesPerTurn, threshold: Float = 1e-5, tolerance: Double = 16
    ) {
        let turn = Double(framesPerTurn)
        var silences: [(silence: Range<Int>, skipped: Int)] = []
        var stretches: [Range<Int>] = []
        var first: Double?
        sound.left.withUnsafeBufferPointer { left in
            sound.right.withUnsafeBufferPointer { right in
                let decoder = Decoder(left: left, right: right, turn: turn)
                stretches = decoder.stretches(above: threshold)
                for stretch in stretches {
                    for jump in decoder.jumps(in: stretch, tolerance: tolerance) { silences.append(jump) }
                }
                for (before, after) in zip(stretches, stretches.dropFirst()) {
                    let last = decoder.position(at: before.upperBound - 1, from: before.suffix(480))
                    let next = decoder.position(at: after.lowerBound, from: after.prefix(480))
                    let skipped = Int(decoder.wrapped(next - last - 1).rounded())
                    silences.append((before.upperBound..<after.lowerBound, skipped))
                }
                if let stretch = stretches.first {
                    let position = decoder.position(at: stretch.lowerBound, from: stretch.prefix(480))
                    first = position < 0 ? position + turn : position
                }
            }
        }
        sounding = stretches
        firstPosition = first
        breaks = silences.map { Break(silence: $0.silence, skipped: $0.skipped) }
            .sorted { $0.silence.lowerBound < $1.silence.lowerBound }
    }
}

/// Reads positions from samples.
private struct Decoder {
    let left: UnsafeBufferPointer<Float>
    let right: UnsafeBufferPointer<Float>
    let turn: Double

    /// The ranges of frames whose amplitude is above the threshold, without single frames.
    func stretches(above threshold: Float) -> [Range<Int>] {
        var found: [Range<Int>] = []
        var start = -1
        for frame in 0...left.count {
            let isHeard =
                frame < left.count
                && left[frame] * left[frame] + right[frame] * right[frame] > threshold * threshold
            if isHeard {
                if start < 0 { start = frame }
            } else if start >= 0 {
                if frame - start > 8 { found.append(start..<frame) }
                start = -1
            }
        }
        return found
    }

    /// The position at a frame, by the majority of its neighbours.
    ///
    /// Weighted by amplitude, because a faded sample has lost digits. Computed as a mean of differences to the loudest
    /// sample, because positions wrap around.
    func position(at frame: Int, from neighbours: Range<Int>) -> Double {
        guard let loudest = neighbours.max(by: { amplitude($0) < amplitude($1) }) else { return 0 }
        let reference = raw(loudest) + Double(frame - loudest)
        var sum = 0.0
        var weights = 0.0
        for neighbour in neighbours {
            let weight = amplitude(neighbour)
            sum += weight * wrapped(raw(neighbour) + Double(frame - neighbour) - reference)
            weights += weight
        }
        return wrapped(reference + (weights > 0 ? sum / weights : 0))
    }

    /// The places in a range where the position does not advance by one frame per frame.
    func jumps(in stretch: Range<Int>, tolerance: Double) -> [(silence: Range<Int>, skipped: Int)] {
        var found: [(silence: Range<Int>, skipped: Int)] = []
        var offset = raw(stretch.lowerBound) - Double(stretch.lowerBound)
        var next = stretch.lowerBound + 1
        while next < stretch.upperBound {
            let frame = next
            next += 1
            let difference = wrapped(raw(frame) - Double(frame) - offset)
            // The deviation of the position by rounding, in frames at this amplitude (24 bits of a float, 16 of an
            // integer).
            let noise = turn / (2 * .pi) * 3e-5 / max(amplitude(frame), 1e-9)
            if abs(difference) > tolerance + noise {
                let before = position(at: frame - 1, from: max(stretch.lowerBound, frame - 480)..<frame)
                let after = position(at: frame, from: frame..<min(stretch.upperBound, frame + 480))
                found.append((frame..<frame, Int(wrapped(after - before - 1).rounded())))
                offset = after - Double(frame)
                // A second jump among these neighbours shows up after them, as the rest of its distance.
                next = frame + 480
            }
        }
        return found
    }

    /// A difference of positions, wrapped to at most half a turn in either direction.
    func wrapped(_ difference: Double) -> Double { difference - turn * (difference / turn).rounded() }

    private func raw(_ frame: Int) -> Double {
        atan2(Double(right[frame]), Double(left[frame])) / (2 * .pi) * turn
    }

    private func amplitude(_ frame: Int) -> Double {
        hypot(Double(left[frame]), Double(right[frame]))
    }
}
