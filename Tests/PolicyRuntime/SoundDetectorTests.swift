import PolicyEngine
import Testing

@testable import PolicyRuntime

@Suite struct SoundDetectorTests {
    /// Peaks above -40 dB are sound until none has been there for half a second.
    private let rules = SoundingRules(above: Decibels(-40), hold: .milliseconds(500))
    private let loud = 0.1
    private let quiet = 0.001

    private func at(_ milliseconds: Int) -> Instant {
        Instant(nanoseconds: 0).advanced(by: .milliseconds(milliseconds))
    }

    @Test("N13 sound begins when it has been loud for 40 ms, and a click is none")
    func attack() {
        var detector = SoundDetector()
        var changes: [Bool] = []
        for (time, peak) in [(0, loud), (20, quiet), (40, loud), (60, loud), (79, loud)] {
            changes.append(detector.hear(peak, at: at(time), rules))
        }
        #expect(changes == [false, false, false, false, false])
        #expect(!detector.isSounding)
        #expect(detector.end(rules) == nil)
        let begins = detector.hear(loud, at: at(80), rules)
        #expect(begins)
        #expect(detector.isSounding)
    }

    @Test("N13 a pause between two words is no end; the end is where the policy says, heard or not")
    func hold() {
        var detector = SoundDetector()
        for time in [0, 40] { _ = detector.hear(loud, at: at(time), rules) }
        #expect(detector.end(rules) == at(540))
        let pauses = detector.hear(quiet, at: at(500), rules)
        #expect(!pauses)
        let goesOn = detector.hear(loud, at: at(520), rules)
        #expect(!goesOn)
        #expect(detector.end(rules) == at(1020))
        // No peak comes from a stream that its client has stopped.
        let waits = detector.hear(nil, at: at(1019), rules)
        #expect(!waits)
        let isOver = detector.hear(nil, at: at(1020), rules)
        #expect(isOver)
        #expect(!detector.isSounding)
        #expect(detector.end(rules) == nil)
    }

    @Test("N13 the level of the policy counts, and silence is none whatever that is", arguments: [0.0, -0.5, .nan])
    func level(peak: Double) {
        let lowest = SoundingRules(above: Decibels(-144), hold: .zero)
        var detector = SoundDetector()
        for time in [0, 40, 80] {
            let hasChanged = detector.hear(peak, at: at(time), lowest)
            #expect(!hasChanged)
        }
        for time in [100, 140] { _ = detector.hear(quiet, at: at(time), rules) }
        #expect(!detector.isSounding)
        for time in [160, 200] { _ = detector.hear(quiet, at: at(time), lowest) }
        #expect(detector.isSounding)
    }
}
