import Foundation
import TestKit
import Testing

/// Levels and times of tones whose truth is known because they were made here.
@Suite struct ToneEnvelopeTests {
    @Test(arguments: [(220.0, 1.0, 0.0), (440, 0.5, -6.02), (880, 0.1, -20), (440, 0.001, -60), (1000, 0.00001, -100)])
    func steadyLevel(frequency: Double, amplitude: Double, expected: Double) {
        let sound = Signal.tone(frequency, amplitude: amplitude, for: .milliseconds(500))
        let envelope = ToneEnvelope(of: sound.left, frequency: frequency)
        #expect(abs(envelope.steadyLevel() - expected) < 0.1)
    }

    @Test func anotherToneHardlyLeaks() {
        let sound = Signal.tone(880, amplitude: 1, for: .milliseconds(500))
        #expect(ToneEnvelope(of: sound.left, frequency: 440).steadyLevel() < -48)
        #expect(ToneEnvelope(of: sound.right, frequency: 1320).steadyLevel() < -48)
    }

    @Test func silenceHasTheFloorsLevel() {
        let envelope = ToneEnvelope(of: Sound.silence(.milliseconds(100)).left, frequency: 440)
        #expect(envelope.steadyLevel() == ToneEnvelope.floor)
    }

    @Test(arguments: [0, 1, 9, 479, 480])
    func tooShortASoundHasNoLevels(count: Int) {
        let envelope = ToneEnvelope(of: [Float](repeating: 0, count: count), frequency: 440)
        #expect(envelope.levels.count == (count < 480 ? 0 : 1))
        #expect(envelope.intervals(above: -20).isEmpty)
        #expect(envelope.firstFrame(from: 0, above: -20) == nil)
    }

    /// An abrupt tone from frame to frame is found within half a millisecond, wherever it lies.
    @Test(arguments: [(4_800, 9_600), (4_801, 30_000), (10_007, 20_011), (12_345, 13_345)])
    func abruptTone(begin: Int, end: Int) throws {
        let samples = Fixture.abruptTone(440, amplitude: 0.5, in: begin..<end, of: 48_000)
        let envelope = ToneEnvelope(of: samples, frequency: 440)
        let found = envelope.intervals(above: -12.04)
        try #require(found.count == 1)
        #expect(abs(found[0].lowerBound - begin) < 24 && abs(found[0].upperBound - end) < 24)
        #expect(soundingFrames(of: samples).map(\.count).reduce(0, +) >= end - begin - 2)
        #expect(soundingFrames(of: samples).map(\.count).reduce(0, +) <= end - begin)
    }

    @Test(arguments: [(0..<100, 50..<60, 10), (0..<100, 100..<200, 0), (0..<100, 90..<200, 10)])
    func commonFrames(first: Range<Int>, second: Range<Int>, expected: Int) {
        #expect(overlap([first], [second]) == .frames(expected))
        #expect(overlap([second, 1000..<1001], [first]) == .frames(expected))
    }

    @Test func shortInterruptionsAreBridged() {
        var samples = Fixture.abruptTone(440, amplitude: 0.5, in: 4_800..<24_000, of: 48_000)
        samples += Fixture.abruptTone(440, amplitude: 0.5, in: 10..<24_000, of: 24_000)
        let envelope = ToneEnvelope(of: samples, frequency: 440)
        #expect(envelope.intervals(above: -12).count == 2)
        #expect(envelope.intervals(above: -12, shortest: .seconds(1)).count == 1)
    }

    @Test func durationsAreFrames() {
        #expect(Duration.milliseconds(10).frames == 480)
        #expect(Duration.frames(48) == .milliseconds(1))
        #expect(Duration.seconds(3600).frames == 172_800_000)
    }
}

enum Fixture {
    static func abruptTone(_ frequency: Double, amplitude: Double, in frames: Range<Int>, of count: Int) -> [Float] {
        let step = 2 * Double.pi * frequency / Double(Sound.rate)
        return (0..<count).map { frames.contains($0) ? Float(amplitude * sin(step * Double($0))) : 0 }
    }
}
