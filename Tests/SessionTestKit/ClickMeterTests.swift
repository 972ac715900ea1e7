import Foundation
import SessionTestKit
import Testing

/// What the click meter hears and what it must not hear.
@Suite struct ClickMeterTests {
    let meter = ClickMeter()

    @Test(arguments: [100.0, 440, 880, 1760, 2900])
    func tonesDoNotLeak(frequency: Double) {
        let samples = Fixture.abruptTone(frequency, amplitude: 1, in: 0..<24_000, of: 24_000)
        #expect(meter.loudest(in: samples) < -100)
    }

    @Test(arguments: [4_217.0, 8_017, 16_013])
    func whatIsHighPasses(frequency: Double) {
        let samples = Fixture.abruptTone(frequency, amplitude: 0.5, in: 0..<24_000, of: 24_000)
        #expect(abs(meter.loudest(in: samples) + 6.02) < 0.1)
    }

    @Test func anImpulseKeepsItsPlaceAndMostOfItsHeight() {
        var samples = [Float](repeating: 0, count: 10_000)
        samples[5_000] = 1
        let peak = meter.peak(in: samples)
        #expect(peak.frame == 5_000)
        #expect(abs(peak.level - 20 * log10(1 - 3_500.0 / 24_000)) < 0.1)
    }

    @Test func anAbruptEndClicksAndAFadedOneDoesNot() throws {
        let abrupt = Fixture.abruptTone(440, amplitude: 0.5, in: 0..<12_027, of: 24_000)
        let peak = meter.peak(in: abrupt)
        #expect(peak.level > -30)
        #expect(abs(try #require(peak.frame) - 12_027) < 4)
        let faded = Signal.tone(440, for: .milliseconds(250)).left + [Float](repeating: 0, count: 12_000)
        #expect(meter.loudest(in: faded) < -85)
    }

    @Test(arguments: [0..<0, 0..<10, 5_000..<400_000, 0..<1_000_000])
    func intervalsOutsideTheSoundAreCut(frames: Range<Int>) {
        #expect(meter.loudest(in: [Float](repeating: 0, count: 1_000), frames: frames) == ToneEnvelope.floor)
        #expect(meter.loudest(in: [], frames: frames) == ToneEnvelope.floor)
    }
}
