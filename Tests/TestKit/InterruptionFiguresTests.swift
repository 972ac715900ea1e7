import Foundation
import TestKit
import Testing

/// Interruptions that were made here: what a better and a worse policy would show.
@Suite struct InterruptionFiguresTests {
    private static let music = Tone(440, on: .left)
    private static let ringing = Tone(880, on: .right)

    /// Music for six seconds; from the second second on it fades out within 100 ms and is silent until the fourth.
    /// Ringing sounds from 2.2 s to 3.5 s.
    private struct Interrupted {
        /// How loud the music stays while the ringing sounds.
        var rest = 0.0
        /// How loud the music comes back.
        var returned = 1.0
        /// The frames by which the ringing begins too early.
        var early = 0
        /// The frames that are left out when the music begins to fade out.
        var cut = 0

        var sound: Sound {
            let fade = Duration.milliseconds(100).frames
            let (out, back) = (96_000, 192_000)
            var left = Signal.tone(440, for: .seconds(6)).left
            for frame in out..<left.count {
                let gain: Double
                if frame < back {
                    gain = max(rest, 1 - Double(frame - out) / Double(fade))
                } else {
                    gain = min(returned, rest + Double(frame - back) / Double(fade))
                }
                left[frame] *= Float(gain)
            }
            left.removeSubrange(out..<out + cut)
            var right = [Float](repeating: 0, count: left.count)
            for (index, sample) in Signal.tone(880, for: .milliseconds(1300)).left.enumerated() {
                right[105_600 - early + index] = sample
            }
            return Sound(left: left, right: right)
        }
    }

    private func figures(_ interrupted: Interrupted = Interrupted()) throws -> InterruptionFigures {
        // Required on its own, or a failure would print all samples.
        let figures = InterruptionFigures(
            of: interrupted.sound, interrupted: Self.music, by: Self.ringing, marginAtEnd: .seconds(1))
        return try #require(figures)
    }

    @Test("ringing that waits for silence does not overlap, and a fade does not click")
    func ringingThatWaitsForSilenceDoesNotOverlap() throws {
        let figures = try figures()
        #expect(figures.audibleOverlap == .zero && figures.overlap == .zero)
        #expect(figures.levelWhileInterrupted == nil)
        #expect(abs(figures.fullLevel + 6.02) < 0.1)
        #expect(figures.clickAtBegin < -36 && figures.clickAtEnd < -36)
        #expect(figures.noiseFloor < -80)
    }

    /// Music at −50 dBFS is below half of what it was, and is heard all the same.
    @Test("music that is still faintly heard under the ringing overlaps", arguments: [-50.0, -55, -59])
    func musicThatIsStillFaintlyHeardUnderRinging(
        level: Double
    ) throws {
        let figures = try figures(Interrupted(rest: pow(10, level / 20) / 0.5))
        #expect(figures.overlap == .zero)
        #expect(abs(figures.audibleOverlap.milliseconds - 1300) < 10)
    }

    /// Ringing that begins in the last of the fade: neither tone has half its amplitude.
    @Test("ringing that begins before the fade has ended overlaps", arguments: [5_280, 5_760])
    func ringingThatBeginsBeforeFadeHasEndedOverlaps(early: Int) throws {
        let figures = try figures(Interrupted(early: early))
        #expect(figures.overlap == .zero)
        // The file's own fade, in which it reaches −60 dBFS after half a millisecond, and the last of the music's.
        #expect(figures.audibleOverlap > .frames(early - 4_800 - 96))
        #expect(figures.audibleOverlap < .frames(early - 4_800))
    }

    @Test("music that is below −60 dBFS is silent") func musicThatIsBelow60DBFSIsSilent() throws {
        #expect(try figures(Interrupted(rest: pow(10, -62.0 / 20) / 0.5)).audibleOverlap == .zero)
    }

    @Test("music that comes back louder has another level") func musicThatComesBackLouderHasAnotherLevel() throws {
        #expect(abs(try figures(Interrupted(returned: 1.5)).fullLevel + 6.02) > 1)
    }

    /// A quarter of a millisecond that is left out is a click of −30 dBFS or more.
    @Test("frames that are left out click") func framesThatAreLeftOutClick() throws {
        let figures = try figures(Interrupted(cut: 12))
        #expect(figures.clickAtBegin > -30)
        #expect(figures.clickAtEnd < -36)
    }

    /// Whoever measured nothing has not shown that there was no click.
    @Test("a sound that ends before the interruption, or lacks a tone, has no figures")
    func soundThatEndsBeforeInterruptionOrLacksTone() {
        let sound = Interrupted().sound
        let short = Sound(left: Array(sound.left[..<90_000]), right: Array(sound.right[..<90_000]))
        for sound in [short, Sound(left: sound.left, right: []), Sound(left: [], right: [])] {
            let figures = InterruptionFigures(of: sound, interrupted: Self.music, by: Self.ringing)
            #expect(figures == nil)
        }
        // The music has to be heard before: for the noise floor.
        let late = Sound(left: Array(sound.left[96_000...]), right: Array(sound.right[96_000...]))
        let figures = InterruptionFigures(of: late, interrupted: Self.music, by: Self.ringing)
        #expect(figures == nil)
    }
}
