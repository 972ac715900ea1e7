import Foundation
import TestKit
import Testing

/// What the click meter hears and what it must not hear.
@Suite struct ClickMeterTests {
    let meter = ClickMeter()

    @Test(arguments: [100.0, 440, 880, 1760, 2900])
    func tonesDoNotLeak(frequency: Double) throws {
        let samples = Fixture.abruptTone(frequency, amplitude: 1, in: 0..<24_000, of: 24_000)
        #expect(try #require(meter.loudest(in: samples)) < -100)
    }

    @Test(arguments: [4_217.0, 8_017, 16_013])
    func whatIsHighPasses(frequency: Double) throws {
        let samples = Fixture.abruptTone(frequency, amplitude: 0.5, in: 0..<24_000, of: 24_000)
        #expect(abs(try #require(meter.loudest(in: samples)) + 6.02) < 0.1)
    }

    @Test func anImpulseKeepsItsPlaceAndMostOfItsHeight() throws {
        var samples = [Float](repeating: 0, count: 10_000)
        samples[5_000] = 1
        let peak = try #require(meter.peak(in: samples))
        #expect(peak.frame == 5_000)
        #expect(abs(peak.level - 20 * log10(1 - 3_500.0 / 24_000)) < 0.1)
    }

    @Test func anAbruptEndClicksAndAFadedOneDoesNot() throws {
        let abrupt = Fixture.abruptTone(440, amplitude: 0.5, in: 0..<12_027, of: 24_000)
        let peak = try #require(meter.peak(in: abrupt))
        #expect(peak.level > -30)
        #expect(abs(try #require(peak.frame) - 12_027) < 4)
        let faded = Signal.tone(440, for: .milliseconds(250)).left + [Float](repeating: 0, count: 12_000)
        #expect(try #require(meter.loudest(in: faded)) < -85)
    }

    /// A step of the gain of one part in 24, which is the largest of a fade, is below −36 dBFS, and a step of twice that is
    /// not. A step of three times that is below −31 dBFS, and a step of four times that is not.
    @Test(arguments: [(24.0, -36.0, true), (12, -36, false), (8, -31, true), (6, -31, false)])
    func stepsOfTheGainClick(part: Double, limit: Double, isBelow: Bool) throws {
        var samples = Fixture.abruptTone(440, amplitude: 0.5, in: 0..<24_000, of: 24_000)
        // At the tone's peak, where a step is heard most.
        let peak = try #require((12_000..<12_100).max { samples[$0] < samples[$1] })
        for frame in peak..<samples.count { samples[frame] *= Float(1 - 1 / part) }
        let click = try #require(meter.loudest(in: samples))
        #expect((click <= limit) == isBelow, "\(click) dBFS")
    }

    @Test(arguments: [100..<700, 500..<400_000, 0..<1_000_000])
    func intervalsOutsideTheSoundAreCut(frames: Range<Int>) {
        #expect(meter.loudest(in: [Float](repeating: 0, count: 1_000), frames: frames) == ToneEnvelope.floor)
    }

    /// Nothing is no proof of silence.
    @Test(arguments: [0..<0, 0..<10, 5_000..<400_000, 0..<1_000_000])
    func whatIsNotRecordedHasNoLoudestClick(frames: Range<Int>) {
        #expect(meter.loudest(in: [], frames: frames) == nil)
        #expect(meter.loudest(in: [Float](repeating: 0, count: meter.margin), frames: frames) == nil)
    }
}
