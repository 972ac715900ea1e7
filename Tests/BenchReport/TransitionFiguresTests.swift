import Foundation
import TestKit
import Testing

@testable import BenchReport

/// Recordings that are made up here, frame by frame. What they show follows from how they are made.
struct MadeUpRecording {
    /// The frame at which the interrupter's program starts, after a second.
    static let launch = 48_000
    /// The frames of the interrupter: a quarter of a second later, for a second.
    static let interrupter = 60_000..<108_000

    /// The music's gain at a frame.
    var gain: (Int) -> Double = { _ in 1 }
    /// What is added to the music's channel at a frame.
    var addition: (Int) -> Double = { _ in 0 }
    /// The interrupter's gain at a frame.
    var other: (Int) -> Double = { _ in 1 }

    var recorded: RecordedInterruption {
        func tone(_ frequency: Double, _ frame: Int) -> Double {
            0.5 * sin(2 * .pi * frequency * Double(frame) / 48_000)
        }
        let left = (0..<168_000).map { Float(gain($0) * tone(440, $0) + addition($0)) }
        let right = (0..<168_000).map { frame in
            Self.interrupter.contains(frame)
                ? Float(other(frame) * tone(880, frame - Self.interrupter.lowerBound)) : 0
        }
        return RecordedInterruption(
            sound: Sound(left: left, right: right), victim: Tone(440, on: .left), interrupter: Tone(880, on: .right),
            launch: Self.launch)
    }

    func figures() throws -> TransitionFigures {
        // Required on its own, or a failure would print all samples.
        let figures = TransitionFigures(of: recorded)
        return try #require(figures)
    }

    /// Music that is cut 10 ms after the interrupter's first sound, and is back 100 ms after its last.
    static var cut: MadeUpRecording { MadeUpRecording(gain: { (60_480..<112_800).contains($0) ? 0 : 1 }) }

    /// Music that falls in a straight line of the amplitude within 100 ms after the interrupter's first sound, begins to
    /// rise 300 ms after its last, and takes 100 ms for that. Its gain in between is `rest`.
    static func fade(to rest: Double = 0) -> MadeUpRecording {
        MadeUpRecording(gain: { frame in
            if frame < 84_000 { return 1 - (1 - rest) * min(1, max(0, Double(frame - 60_000) / 4800)) }
            return rest + (1 - rest) * min(1, max(0, Double(frame - 122_400) / 4800))
        })
    }
}

@Suite struct TransitionFiguresTests {
    @Test("a cut is found to a third of a millisecond at any level, and nothing is subtracted")
    func cutIsFound() throws {
        let figures = try MadeUpRecording.cut.figures()
        for heard in [figures.heard.half, figures.heard.minus20, figures.heard.minus60] {
            #expect(abs(try #require(heard) - 10) <= 0.3)
        }
        for both in [figures.both.half, figures.both.minus20, figures.both.minus60] { #expect(abs(both - 10) <= 0.6) }
        #expect(abs(try #require(figures.back) - 100) <= 0.3)
        #expect(abs(figures.start - 250) < 0.1)
        #expect(abs(figures.length - 1000) < 0.1)
        #expect(abs(figures.ownLevel + 6.02) < 0.01)
        #expect(figures.level == nil)
        #expect(abs(try #require(figures.returned)) < 0.01)
    }

    @Test("a straight fade is at half after half of its time, and 1 dB below full after 89 % of the way back")
    func straightFade() throws {
        let figures = try MadeUpRecording.fade().figures()
        #expect(abs(try #require(figures.heard.half) - 50) < 0.5)
        #expect(abs(try #require(figures.heard.minus20) - 90) < 0.5)
        #expect(abs(try #require(figures.heard.minus60) - 99.9) < 0.5)
        #expect(abs(figures.both.minus20 - 90) < 0.5)
        #expect(abs(try #require(figures.back) - 389.1) < 0.5)
        #expect(figures.level == nil)
    }

    @Test("ducked music is heard to the end above −60 dB, with its level")
    func duckedMusic() throws {
        let figures = try MadeUpRecording.fade(to: 0.1).figures()
        // From 1 to 0.1 in 100 ms: at 0.5 after 100 · 0.5 / 0.9.
        #expect(abs(try #require(figures.heard.half) - 55.6) < 0.5)
        #expect(figures.heard.minus60 == nil)
        #expect(abs(figures.both.minus60 - 1000) < 1)
        #expect(abs(try #require(figures.level) + 20) < 0.01)
    }

    @Test("music that nobody interrupts is heard to the end, and back at once")
    func uninterruptedMusic() throws {
        let figures = try MadeUpRecording().figures()
        #expect(figures.heard == ByLevel { _ in nil })
        #expect(abs(try #require(figures.level)) < 0.01)
        #expect(figures.back == 0)
        #expect(max(figures.clickAtBegin, figures.clickAtEnd, figures.noiseFloor) < -90)
    }

    @Test("music that never comes back has no time of return, and no level at the end")
    func musicThatNeverComesBack() throws {
        let figures = try MadeUpRecording(gain: { $0 < 60_480 ? 1 : 0 }).figures()
        #expect(figures.back == nil)
        #expect(figures.returned == nil)
    }

    @Test("music that returns for 15 ms is not back, and counts as heard with the interrupter")
    func musicThatReturnsForMoment() throws {
        let figures = try MadeUpRecording(gain: {
            $0 < 60_480 || (90_000..<90_720).contains($0) || (110_400..<111_120).contains($0) || $0 >= 112_800 ? 1 : 0
        }).figures()
        #expect(abs(try #require(figures.back) - 100) <= 0.3)
        // 10 ms, and then 15 ms that end at frame 90,720.
        #expect(abs(figures.both.half - 25) <= 1.2)
        #expect(abs(try #require(figures.heard.half) - 640) <= 0.3)
    }

    @Test("music that is silent before the interrupter begins does not overlap at any level")
    func musicThatIsSilentBefore() throws {
        let figures = try MadeUpRecording(gain: { (59_000..<112_800).contains($0) ? 0 : 1 }).figures()
        #expect(figures.heard == ByLevel { _ in 0 })
        #expect(figures.both == ByLevel { _ in 0 })
    }

    /// 6 kHz of amplitude 0.01, which is −40 dBFS, for 20 ms with soft edges.
    @Test("sound above 4 kHz is a click with its own level, where it is")
    func soundAbove4kHz() throws {
        func burst(at start: Int) -> (Int) -> Double {
            { frame in
                guard (start..<start + 960).contains(frame) else { return 0 }
                let edge = sin(.pi * Double(frame - start) / 960)
                return 0.01 * edge * edge * sin(2 * .pi * 6000 * Double(frame) / 48_000)
            }
        }
        let begin = try MadeUpRecording(addition: burst(at: 62_000)).figures()
        #expect(abs(begin.clickAtBegin + 40) < 0.2)
        #expect(begin.clickAtEnd < -90 && begin.noiseFloor < -90)
        let end = try MadeUpRecording(addition: burst(at: 120_000)).figures()
        #expect(abs(end.clickAtEnd + 40) < 0.2)
        #expect(end.clickAtBegin < -90 && end.noiseFloor < -90)
    }

    /// A tone of amplitude 0.5 that is cut at its peak is a step of half of full scale, of which the filter leaves most.
    @Test("a cut clicks")
    func cutClicks() throws {
        #expect(try MadeUpRecording.cut.figures().clickAtBegin > -40)
    }

    @Test(
        "a gap in the interrupter's tone, in the music before it or in the clock disturbs a trial, and nothing else does"
    )
    func gapDisturbsTrial() throws {
        let cut = try MadeUpRecording.cut.figures()
        #expect(!Trial(figures: cut, lost: 10).isDisturbed)
        #expect(Trial(figures: cut, lost: 10.1).isDisturbed)
        let gap = try MadeUpRecording(other: { (80_000..<80_050).contains($0) ? 0 : 1 }).figures()
        #expect(Trial(figures: gap, lost: 0).isDisturbed)
        let before = try MadeUpRecording(gain: { (40_000..<40_050).contains($0) ? 0 : 1 }).figures()
        #expect(Trial(figures: before, lost: 0).isDisturbed)
    }

    @Test("a recording without one of the tones has no figures")
    func recordingWithoutTone() {
        for recording in [MadeUpRecording(gain: { _ in 0 }), MadeUpRecording(other: { _ in 0 })] {
            #expect(TransitionFigures(of: recording.recorded) == nil)
        }
    }

    @Test("the curves show each tone relative to its own level")
    func curves() throws {
        let recorded = MadeUpRecording.fade().recorded
        let figures = TransitionFigures(of: recorded)
        let curves = TransitionCurves(of: recorded, try #require(figures))
        #expect(curves.begin.victim.count == 800)
        // 200 ms before the interrupter the music has its own level, 50 ms after its first sound half of that.
        #expect(abs(curves.begin.victim[0]) < 0.01 && curves.begin.interrupter[0] == -80)
        #expect(abs(curves.begin.victim[250] + 6.02) < 0.3 && abs(curves.begin.interrupter[250]) < 0.1)
        #expect(curves.end.victim[150] == -80)
        // As far as the recording goes: 60,000 frames after the interrupter's last sound, and the 100 ms before that.
        #expect(abs(curves.end.victim.count - 1350) <= 2)
    }
}
