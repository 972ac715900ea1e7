import Foundation

/// Finds clicks: sound above 4 kHz while only low tones are played.
///
/// A linear-phase high-pass filter (Kaiser window, pass band from 4 kHz, stop band up to 3 kHz at −110 dB). So tones do
/// not leak, and a click keeps its place and its height. Frames too close to the ends of the sound for the whole filter
/// are left out, because the beginning of the sound would itself be a click.
public struct ClickMeter: Sendable {
    /// The lower edge of the pass band, in hertz.
    public static let passBand = 4_000.0
    /// The upper edge of the stop band, in hertz.
    public static let stopBand = 3_000.0
    /// The attenuation of the stop band, in decibels.
    public static let attenuation = 110.0

    /// The right half of the symmetrical impulse response, with the middle value.
    private let halfResponse: [Float]

    /// The number of frames that the filter needs on each side.
    public var margin: Int { halfResponse.count - 1 }

    /// Designs the filter.
    public init() {
        let rate = Double(Sound.rate)
        let transition = 2 * Double.pi * (ClickMeter.passBand - ClickMeter.stopBand) / rate
        let order = (ClickMeter.attenuation - 7.95) / (2.285 * transition)
        let half = Int((order / 2).rounded(.up))
        let beta = 0.1102 * (ClickMeter.attenuation - 8.7)
        let cutoff = Double.pi * (ClickMeter.passBand + ClickMeter.stopBand) / rate
        halfResponse = (0...half).map { index in
            let position = Double(index)
            let lowPass = index == 0 ? cutoff / .pi : sin(cutoff * position) / (.pi * position)
            let ratio = position / Double(half)
            let taper = ClickMeter.bessel(beta * (1 - ratio * ratio).squareRoot()) / ClickMeter.bessel(beta)
            return Float(((index == 0 ? 1 : 0) - lowPass) * taper)
        }
    }

    /// The highest peak above 4 kHz within some frames, in dBFS. Without a click, this is the noise floor.
    ///
    /// Nil if none of the frames can be measured, so that a capture without sound is not mistaken for one without a
    /// click.
    public func loudest(in samples: [Float], frames: Range<Int>? = nil) -> Double? {
        peak(in: samples, frames: frames)?.level
    }

    /// The highest peak above 4 kHz within some frames: its level in dBFS and its frame, which is nil for silence. Nil if
    /// none of the frames can be measured.
    public func peak(in samples: [Float], frames: Range<Int>? = nil) -> (level: Double, frame: Int?)? {
        let whole = margin..<max(margin, samples.count - margin)
        let range = (frames ?? whole).clamped(to: whole)
        if range.isEmpty { return nil }
        let blockLength = 1024
        var block = [Float](repeating: 0, count: blockLength)
        var best: (magnitude: Float, frame: Int?) = (0, nil)
        samples.withUnsafeBufferPointer { samples in
            block.withUnsafeMutableBufferPointer { block in
                halfResponse.withUnsafeBufferPointer { response in
                    for start in stride(from: range.lowerBound, to: range.upperBound, by: blockLength) {
                        let count = min(blockLength, range.upperBound - start)
                        filter(samples, at: start, response, into: block, count)
                        for index in 0..<count where block[index].magnitude > best.magnitude {
                            best = (block[index].magnitude, start + index)
                        }
                    }
                }
            }
        }
        return (decibels(Double(best.magnitude)), best.frame)
    }

    /// Applies each coefficient to a whole block, a loop that the compiler vectorises.
    private func filter(
        _ samples: UnsafeBufferPointer<Float>, at start: Int, _ response: UnsafeBufferPointer<Float>,
        into block: UnsafeMutableBufferPointer<Float>, _ count: Int
    ) {
        let middle = response[0]
        for index in 0..<count { block[index] = middle * samples[start + index] }
        for offset in 1..<response.count {
            let coefficient = response[offset]
            for index in 0..<count {
                block[index] += coefficient * (samples[start + index - offset] + samples[start + index + offset])
            }
        }
    }

    /// The modified Bessel function of the first kind and order zero.
    private static func bessel(_ value: Double) -> Double {
        var term = 1.0
        var sum = 1.0
        var index = 1.0
        while term > sum * 1e-16 {
            term *= (value / (2 * index)) * (value / (2 * index))
            sum += term
            index += 1
        }
        return sum
    }
}
