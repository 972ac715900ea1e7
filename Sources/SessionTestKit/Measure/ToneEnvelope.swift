import Foundation

/// The level of one frequency over time.
///
/// Complex demodulation under a Hann window: with the standard 10 ms, other tones 440 Hz and more away are at least
/// 48 dB down, so that tests tell streams apart by their tones. Values belong to the *middle* of their window. An
/// abrupt beginning or end is seen where the level passes half the amplitude (−6 dB), without bias; a threshold far
/// below that finds it up to half a window too early or too late.
public struct ToneEnvelope: Sendable, Equatable {
    /// The least level that is told apart from silence, in dBFS.
    public static let floor = -200.0

    /// The levels in dBFS, of a full-scale sine 0, one for every `hop` frames.
    public let levels: [Double]
    /// The frames between two levels.
    public let hop: Int
    /// The length of the window in frames.
    public let window: Int

    /// Measures a frequency in samples of one channel.
    ///
    /// - Parameters:
    ///   - window: rounded to a multiple of `hop`; long enough for two periods of the tone or more.
    ///   - hop: the resolution in time.
    public init(
        of samples: [Float], frequency: Double, window: Duration = .milliseconds(10), hop: Duration = .milliseconds(1)
    ) {
        let hopFrames = max(1, hop.frames)
        let blocksPerWindow = max(2, (window.frames + hopFrames / 2) / hopFrames)
        let length = hopFrames * blocksPerWindow
        self.hop = hopFrames
        self.window = length
        let blockCount = samples.count / hopFrames
        guard blockCount >= blocksPerWindow else {
            levels = []
            return
        }
        // A Hann window is the sum of three complex exponentials, so a windowed sum is that of three rectangular
        // ones at neighbouring frequencies; those are sums of blocks that all windows share.
        let centre = 2 * Double.pi * frequency / Double(Sound.rate)
        let side = 2 * Double.pi / Double(length)
        let bands = [
            Band(centre, weight: 0.5, hopFrames, blocksPerWindow, samples),
            Band(centre - side, weight: -0.25, hopFrames, blocksPerWindow, samples),
            Band(centre + side, weight: -0.25, hopFrames, blocksPerWindow, samples),
        ]
        let scale = 4 / Double(length)
        levels = (0...(blockCount - blocksPerWindow)).map { first in
            var sum = (real: 0.0, imaginary: 0.0)
            for band in bands { band.add(windowAt: first, to: &sum) }
            return decibels(scale * hypot(sum.real, sum.imaginary))
        }
    }

    /// The frame in the middle of a level's window.
    public func frame(of index: Int) -> Int { index * hop + window / 2 }

    /// The indices of the levels whose middles lie within some frames.
    public func indices(in frames: Range<Int>) -> Range<Int> {
        func index(_ frame: Int) -> Int {
            min(levels.count, max(0, (frame - window / 2 + hop - 1) / hop))
        }
        return index(frames.lowerBound)..<max(index(frames.lowerBound), index(frames.upperBound))
    }
}

/// The sums of one rectangular band: block by block, and what turns a block's phase to its place in a window.
private struct Band {
    let weight: Double
    var real: [Double] = []
    var imaginary: [Double] = []
    let turns: [(real: Double, imaginary: Double)]

    init(_ frequency: Double, weight: Double, _ hop: Int, _ blocks: Int, _ samples: [Float]) {
        self.weight = weight
        let cosines = (0..<hop).map { cos(frequency * Double($0)) }
        let sines = (0..<hop).map { -sin(frequency * Double($0)) }
        turns = (0..<blocks).map { (cos(frequency * Double($0 * hop)), -sin(frequency * Double($0 * hop))) }
        let count = samples.count / hop
        real = [Double](repeating: 0, count: count)
        imaginary = real
        samples.withUnsafeBufferPointer { samples in
            cosines.withUnsafeBufferPointer { cosines in
                sines.withUnsafeBufferPointer { sines in
                    for block in 0..<count {
                        var sum = (real: 0.0, imaginary: 0.0)
                        for index in 0..<hop {
                            let sample = Double(samples[block * hop + index])
                            sum.real += sample * cosines[index]
                            sum.imaginary += sample * sines[index]
                        }
                        real[block] = sum.real
                        imaginary[block] = sum.imaginary
                    }
                }
            }
        }
    }

    func add(windowAt first: Int, to sum: inout (real: Double, imaginary: Double)) {
        for (offset, turn) in turns.enumerated() {
            let (a, b) = (real[first + offset], imaginary[first + offset])
            sum.real += weight * (a * turn.real - b * turn.imaginary)
            sum.imaginary += weight * (a * turn.imaginary + b * turn.real)
        }
    }
}

/// An amplitude in dBFS, at least `ToneEnvelope.floor`.
func decibels(_ amplitude: Double) -> Double {
    amplitude > 1e-10 ? 20 * log10(amplitude) : ToneEnvelope.floor
}
