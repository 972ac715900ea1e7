import Foundation
import TestKit
import Testing

/// Gaps and repetitions are found to the frame, whatever the gain.
@Suite struct PositionTrackTests {
    let signal = Signal.position(for: .seconds(4))

    /// Plays up to `stop`, is silent, and goes on at `resume`, at some gain.
    func played(until stop: Int, silence: Int, from resume: Int, gain: Float = 1, rounding: Bool = false) -> Sound {
        func cut(_ samples: [Float]) -> [Float] {
            let joined = Array(samples[..<stop]) + [Float](repeating: 0, count: silence) + Array(samples[resume...])
            return joined.map { rounding ? ($0 * gain * 32767).rounded() / 32767 : $0 * gain }
        }
        return Sound(left: cut(signal.left), right: cut(signal.right))
    }

    @Test(arguments: [0, 1, -1, 17, 1024, -1024, 48_000, -40_000], [1, 0.2, 0.001] as [Float])
    func acrossASilence(skipped: Int, gain: Float) throws {
        let stop = 96_000
        let track = PositionTrack(of: played(until: stop, silence: 4_800, from: stop + skipped, gain: gain))
        try #require(track.breaks.count == 1)
        #expect(track.breaks[0].silence == stop..<stop + 4_800)
        #expect(track.breaks[0].skipped == skipped)
    }

    @Test(arguments: [64, -64, 1024, -1024, 48_000])
    func withoutSilence(skipped: Int) throws {
        let track = PositionTrack(of: played(until: 96_000, silence: 0, from: 96_000 + skipped))
        try #require(track.breaks.count == 1)
        #expect(track.breaks[0].silence == 96_000..<96_000)
        #expect(track.breaks[0].skipped == skipped)
    }

    /// Frames that are heard again do not make up for those that were lost.
    @Test(arguments: [64, 1024, 4_800])
    func lossesAndRepeatsAreCountedApart(count: Int) {
        func cut(_ samples: [Float]) -> [Float] {
            Array(samples[..<48_000] + samples[(48_000 + count)..<144_000] + samples[(144_000 - count)...])
        }
        let track = PositionTrack(of: Sound(left: cut(signal.left), right: cut(signal.right)))
        #expect(track.breaks.map(\.skipped).reduce(0, +) == 0)
        #expect(track.lostFrames == count && track.repeatedFrames == count)
    }

    @Test func sixteenBitsCostSomeFrames() throws {
        let track = PositionTrack(of: played(until: 90_000, silence: 960, from: 91_024, rounding: true))
        try #require(track.breaks.count == 1)
        #expect(abs(track.breaks[0].skipped - 1024) <= 4)
    }

    @Test func anUnbrokenSignalHasNoBreaks() throws {
        let track = PositionTrack(of: Sound.silence(.milliseconds(100)) + signal)
        #expect(track.breaks.isEmpty)
        #expect(track.sounding.count == 1)
        #expect(abs(try #require(track.firstPosition)) < 20)
    }

    /// Through a fade to nothing and back, the frames that passed while it was silent are what is missing.
    @Test func throughAFade() throws {
        var sound = signal
        for frame in 96_000..<120_000 {
            let near = min(frame - 96_000, 119_999 - frame)
            let gain = near > 9_600 ? 0 : 0.5 + 0.5 * cos(Float.pi * Float(near) / 9_600)
            sound.left[frame] *= gain
            sound.right[frame] *= gain
        }
        let track = PositionTrack(of: sound)
        try #require(track.breaks.count == 1)
        #expect(track.breaks[0].skipped == track.breaks[0].silence.count)
        #expect(track.breaks[0].skipped > 4_700 && track.breaks[0].skipped < 5_000)
    }

    @Test func nothingAtAll() {
        let track = PositionTrack(of: Sound.silence(.milliseconds(10)))
        #expect(track.sounding.isEmpty && track.breaks.isEmpty && track.firstPosition == nil)
    }
}
