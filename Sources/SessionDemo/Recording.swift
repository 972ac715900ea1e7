import Foundation
import SessionTestKit

/// What the sink played, taken apart: the music is the difference of the channels, all the rest their sum.
struct Recording: Sendable {
    /// The music alone.
    let music: [Float]
    /// Everything but the music.
    let others: [Float]
    /// The music as it is in its file.
    let source: [Float]
    let cues: Cues

    init(_ sound: Sound, music source: [Float], cues: Cues) {
        music = zip(sound.left, sound.right).map { ($0 - $1) / 2 }
        others = zip(sound.left, sound.right).map { ($0 + $1) / 2 }
        self.source = source
        self.cues = cues
    }

    /// The capture as it would have been heard, had the music been in phase.
    var forListening: Sound {
        let mixed = zip(music, others).map { $0 + $1 }
        return Sound(left: mixed, right: mixed)
    }

    /// The frames between the first and the last sound of what was started at one cue and was over at the next.
    func sounding(_ frames: Range<Int>) -> Range<Int>? {
        let found = soundingFrames(of: Array(others[clamped(frames)]), above: 1e-3, gap: .seconds(1))
        guard let first = found.first, let last = found.last else { return nil }
        return frames.lowerBound + first.lowerBound..<frames.lowerBound + last.upperBound
    }

    /// The stretches in which the music can be heard at all, −80 dBFS or more.
    func audibleMusic(in frames: Range<Int>) -> [Range<Int>] {
        soundingFrames(of: Array(music[clamped(frames)]), above: 1e-4, gap: .milliseconds(20))
            .map { frames.lowerBound + $0.lowerBound..<frames.lowerBound + $0.upperBound }
    }

    /// The loudest sample of the music, in dBFS; negative infinity for digital silence.
    func musicPeak(in frames: Range<Int>) -> Double {
        20 * log10(Double(music[clamped(frames)].map(\.magnitude).max() ?? 0))
    }

    /// Where in the music's file the capture is: the number of frames by which the capture is late, at a frame and not
    /// more than `radius` from what is expected. The place of best likeness, found by correlation; nil when nothing there
    /// is alike.
    func delay(at frame: Int, expecting expected: Int, radius: Int) -> Int? {
        let length = 4096
        guard frame >= 0, frame + length <= music.count else { return nil }
        var best = (delay: 0, likeness: 0.99)
        music.withUnsafeBufferPointer { music in
            source.withUnsafeBufferPointer { source in
                for delay in expected - radius...expected + radius {
                    let place = frame - delay
                    guard place >= 0, place + length <= source.count else { continue }
                    var (product, own, other) = (SIMD8<Float>(), SIMD8<Float>(), SIMD8<Float>())
                    for index in stride(from: 0, to: length, by: 8) {
                        var (heard, written) = (SIMD8<Float>(), SIMD8<Float>())
                        for lane in 0..<8 {
                            heard[lane] = music[frame + index + lane]
                            written[lane] = source[place + index + lane]
                        }
                        product += heard * written
                        own += heard * heard
                        other += written * written
                    }
                    let likeness = Double(product.sum()) / Double((own.sum() * other.sum()).squareRoot() + 1e-20)
                    if likeness > best.likeness { best = (delay, likeness) }
                }
            }
        }
        return best.likeness > 0.99 ? best.delay : nil
    }

    /// The gain, in decibels, by which the music differs from its file, every 10 ms: frame and value.
    ///
    /// A busy machine loses a cycle of the graph now and then, in what plays or in what records; the music is found again
    /// behind such a dropout, and there is no value within it.
    ///
    /// - Parameter delay: as at the first frame; afterwards as at the last one.
    func gains(in frames: Range<Int>, delay: inout Int) -> [(frame: Int, decibels: Double)] {
        let (hop, half) = (480, 960)
        var found: [(frame: Int, decibels: Double)] = []
        for middle in stride(from: frames.lowerBound + half, to: frames.upperBound - half, by: hop) {
            guard var gain = gain(in: middle - half..<middle + half, delay: delay) else { continue }
            if gain.likeness < 0.98,
                let moved = self.delay(at: middle, expecting: delay, radius: Duration.milliseconds(200).frames),
                moved != delay
            {
                delay = moved
                gain = self.gain(in: middle - half..<middle + half, delay: delay) ?? gain
            }
            if gain.likeness >= 0.98 { found.append((middle, gain.decibels)) }
        }
        return found
    }

    private func gain(in frames: Range<Int>, delay: Int) -> (decibels: Double, likeness: Double)? {
        guard frames.lowerBound - delay >= 0, frames.upperBound - delay <= source.count,
            frames.upperBound <= music.count
        else { return nil }
        var (product, own, other) = (0.0, 0.0, 0.0)
        for frame in frames {
            let (heard, written) = (Double(music[frame]), Double(source[frame - delay]))
            product += heard * written
            own += heard * heard
            other += written * written
        }
        guard other > 0 else { return nil }
        guard own > 1e-12 else { return (ToneEnvelope.floor, 1) }
        return (20 * log10(max(product / other, 1e-10)), product / (own * other).squareRoot())
    }

    /// The level of a track over time, in dBFS: seconds and value, 100 to the second.
    static func levels(of samples: [Float], in frames: Range<Int>) -> [(seconds: Double, level: Double)] {
        let (hop, half) = (480, 1_440)
        return stride(from: frames.lowerBound, to: min(frames.upperBound, samples.count - half), by: hop).map {
            middle in
            let window = samples[max(0, middle - half)..<middle + half]
            let power = window.reduce(0.0) { $0 + Double($1 * $1) } / Double(window.count)
            return (Double(middle) / Double(Sound.rate), power > 0 ? 10 * log10(power) : ToneEnvelope.floor)
        }
    }

    private func clamped(_ frames: Range<Int>) -> Range<Int> { frames.clamped(to: 0..<music.count) }
}
