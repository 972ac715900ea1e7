import Foundation

/// The level of one frequency over time.
///
/// Complex demodulation with a Hann window. With the default 10 ms, tones at least 440 Hz away are suppressed by at
/// least 48 dB, so tests distinguish streams by their tones. Each value belongs to the *middle* of its window. An
/// abrupt start or end is found without bias where the level crosses half the amplitude (−6 dB); with a much lower
/// threshold it is found up to half a window too early or too late.
public struct ToneEnvelope: Sendable, Equatable {
    /// The lowest level that is distinguished from silence, in dBFS.
    public static let floor = -200.0

    /// The levels in dBFS (a full-scale sine has 0), one for every `hop` frames.
    public let levels: [Double]
    /// The number of frames between two levels.
    public let hop: Int
    /// The length of the window in frames.
    public let window: Int

    /// Measures a frequency in samples of one channel.
    ///
    /// - Parameters:
    ///   - window: Rounded to a multiple of `hop`; should cover at least two periods of the tone.
    ///   - hop: The resolution in time.
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
        // A Hann window is the sum of three complex exponentials. So a windowed sum equals three rectangular sums at
        // neighbouring frequencies, and those consist of blocks that all windows share.
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

    /// The indices of the levels whose window middles lie within some frames.
    public func indices(in frames: Range<Int>) -> Range<Int> {
        func index(_ frame: Int) -> Int {
            min(levels.count, max(0, (frame - window / 2 + hop - 1) / hop))
        }
        return index(frames.lowerBound)..<max(index(frames.lowerBound), index(frames.upperBound))
    }
}

/// The sums for one rectangular window: the sum of each block, and the factor that rotates a block's phase to its place
/// in a window.
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
