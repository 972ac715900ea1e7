import Foundation
import TestKit

/// The sink's sound, separated: the channels' difference is the music, their sum everything else.
struct Recording: Sendable {
    /// The music alone.
    let music: [Float]
    /// Everything but the music.
    let others: [Float]
    /// The music as in its file.
    let source: [Float]
    let cues: Cues

    init(_ sound: Sound, music source: [Float], cues: Cues) {
        music = zip(sound.left, sound.right).map { ($0 - $1) / 2 }
        others = zip(sound.left, sound.right).map { ($0 + $1) / 2 }
        self.source = source
        self.cues = cues
    }

    /// The capture with the music in phase, as it would normally be heard.
    var forListening: Sound {
        let mixed = zip(music, others).map { $0 + $1 }
        return Sound(left: mixed, right: mixed)
    }

    /// The frames from the first to the last sound between two cues.
    func sounding(_ frames: Range<Int>) -> Range<Int>? {
        let found = soundingFrames(of: Array(others[clamped(frames)]), above: 1e-3, gap: .seconds(1))
        guard let first = found.first, let last = found.last else { return nil }
        return frames.lowerBound + first.lowerBound..<frames.lowerBound + last.upperBound
    }

    /// The ranges in which the music is at −80 dBFS or louder.
    func audibleMusic(in frames: Range<Int>) -> [Range<Int>] {
        soundingFrames(of: Array(music[clamped(frames)]), above: 1e-4, gap: .milliseconds(20))
            .map { frames.lowerBound + $0.lowerBound..<frames.lowerBound + $0.upperBound }
    }

    /// The highest sample of the music, in dBFS; negative infinity for digital silence.
    func musicPeak(in frames: Range<Int>) -> Double {
        20 * log10(Double(music[clamped(frames)].map(\.magnitude).max() ?? 0))
    }

    /// The number of frames by which the capture lags behind the music's file at a frame, at most `radius` from the
    /// expected value. Found by the highest correlation; nil if nothing there correlates.
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

    /// The difference of level between the music and its file, in decibels, every 10 ms: frame and value.
    ///
    /// On a busy machine, playback or capture loses a cycle of the graph now and then. There is no value within such a
    /// dropout, and the position is determined again after it.
    ///
    /// - Parameter delay: The delay at the first frame; updated to the delay at the last one.
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
