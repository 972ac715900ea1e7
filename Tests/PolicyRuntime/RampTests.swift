import CRamp
import PolicyEngine
@testable import PolicyRuntime
import Testing

/// Fades of streams whose server can ramp gains: one order each, as long as the policy says.
@Suite struct RampTests {
    private let stream = StreamID(1)
    private let start = Instant(nanoseconds: 0)
    private let quantum = Duration.nanoseconds(21_333_333)

    private func at(_ milliseconds: Int) -> Instant { start.advanced(by: .milliseconds(milliseconds)) }

    private func fade(
        _ fader: inout Fader, to gain: LinearGain, then silence: Silence = .none, within milliseconds: Int,
        after delay: Int = 0, quantum: Duration? = nil, waits: Bool = false, at now: Instant
    ) -> [Fader.Action] {
        fader.start(
            stream, to: gain, then: silence, within: .milliseconds(milliseconds), after: .milliseconds(delay),
            quantum: quantum ?? self.quantum, ramps: true, waits: waits, at: now)
    }

    @Test(
        "R37 a fade is one order, and as long as the policy says, whatever the quantum",
        arguments: [64, 256, 1024, 4096, 8192])
    func oneOrder(frames: Int) throws {
        let quantum = Duration.nanoseconds(frames * 1_000_000_000 / 48_000)
        var fader = Fader()
        #expect(
            fade(&fader, to: .silence, then: .cork, within: 100, quantum: quantum, at: start)
                == [.ramp(stream, .silence, .milliseconds(100), fromSilence: false)])
        // The server begins with its next cycle; the last tenth is not heard.
        let end = try #require(fader.nextStep)
        #expect(end == at(90).advanced(by: quantum))
        #expect(fader.step(at: at(90)).isEmpty)
        #expect(fader.step(at: end) == [.silence(stream, .cork), .settled(stream)])
        #expect(fader.nextStep == nil)
        #expect(fader.gain(of: stream, at: end) == .silence)
    }

    @Test("R37 a stream is released after its gain was told to rise, and rises from silence")
    func release() {
        var fader = Fader()
        _ = fade(&fader, to: .silence, then: .cork, within: 100, at: start)
        _ = fader.step(at: at(200))
        #expect(
            fade(&fader, to: .unity, within: 500, waits: true, at: at(300))
                == [.ramp(stream, .unity, .milliseconds(500), fromSilence: true), .silence(stream, .none)])
        // Nothing of it is heard before the stream runs.
        #expect(fader.nextStep == nil)
        #expect(fader.gain(of: stream, at: at(900)) == .silence)
        fader.streamRuns(stream, at: at(1000))
        #expect(fader.remaining(of: stream, at: at(1100)) == .milliseconds(400))
        #expect(fader.step(at: at(1500)).isEmpty)
        #expect(fader.nextStep == nil)
        #expect(fader.gain(of: stream, at: at(1500)) == .unity)
    }

    @Test("R37 what is told of a gain is what the server makes of the order, frame by frame")
    func curve() throws {
        var fader = Fader()
        let actions = fade(&fader, to: LinearGain(0.1), within: 100, at: start)
        #expect(actions == [.ramp(stream, LinearGain(0.1), .milliseconds(100), fromSilence: false)])
        var server = ramped_gain()
        ramped_gain_init(&server, 1, 0)
        #expect(ramped_gain_begin(&server, Float(LinearGain(0.1).slider), 4800))
        var gains = [Float](repeating: 0, count: 4801)
        ramped_gain_write(&server, &gains, 4801)
        // 48 frames a millisecond. By hand: half of the way on the slider, between 1 and 0.46416, is 0.73208.
        #expect(abs(gains[2400] - 0.39235) < 1e-5)
        for millisecond in 0...100 {
            let told = fader.gain(of: stream, at: at(millisecond)).value
            #expect(abs(told - Double(gains[48 * millisecond])) < 1e-6, "after \(millisecond) ms")
        }
    }

    @Test("R37 a fade that is turned round goes on from where it is")
    func reversal() {
        var fader = Fader()
        _ = fade(&fader, to: .silence, then: .cork, within: 100, at: start)
        // Half of the way on a volume slider.
        #expect(abs(fader.gain(of: stream, at: at(50)).value - 0.125) < 1e-9)
        #expect(
            fade(&fader, to: .unity, within: 100, at: at(50)) == [
                .ramp(stream, .unity, .milliseconds(100), fromSilence: false)
            ])
        #expect(abs(fader.gain(of: stream, at: at(50)).value - 0.125) < 1e-9)
        #expect(fader.step(at: at(150)).isEmpty)
        #expect(fader.nextStep == nil)
        #expect(fader.gain(of: stream, at: at(150)) == .unity)
        // Told the same again, nothing begins.
        #expect(fade(&fader, to: .unity, within: 100, at: at(151)).isEmpty)
    }

    @Test("R40 a fade that is to wait is ordered when its time has come")
    func delay() {
        var fader = Fader()
        #expect(fade(&fader, to: LinearGain(0.1), within: 200, after: 300, at: start).isEmpty)
        #expect(fader.nextStep == at(300))
        #expect(fader.step(at: at(299)).isEmpty)
        #expect(fader.step(at: at(301)) == [.ramp(stream, LinearGain(0.1), .milliseconds(200), fromSilence: false)])
        #expect(fader.remaining(of: stream, at: at(301)) == .milliseconds(200))
        #expect(fader.step(at: at(501)).isEmpty)
        #expect(fader.nextStep == nil)
    }

    @Test("R37 who is turned round before the stream runs, or before anything has changed, is told all the same")
    func turnedRoundAtOnce() {
        var fader = Fader()
        _ = fade(&fader, to: .silence, within: 100, at: start)
        _ = fader.step(at: at(100))
        #expect(
            fade(&fader, to: .unity, within: 100, waits: true, at: at(200))
                == [.ramp(stream, .unity, .milliseconds(100), fromSilence: false)])
        // It waits for the stream, so it seems to be where this leads.
        #expect(
            fade(&fader, to: .silence, within: 100, waits: true, at: at(300))
                == [.ramp(stream, .silence, .milliseconds(100), fromSilence: false)])
        #expect(
            fader.start(
                stream, to: .unity, then: .none, within: .zero, quantum: quantum, ramps: true, waits: false,
                at: at(300))
                == [.gain(stream, .unity)])
    }

    @Test("R40 a fade that is to wait stops one that is under way")
    func delayStops() {
        var fader = Fader()
        _ = fade(&fader, to: .silence, within: 100, at: start)
        let actions = fade(&fader, to: .unity, within: 100, after: 50, at: at(50))
        #expect(actions == [.gain(stream, LinearGain(slider: 0.5))])
        #expect(fader.gain(of: stream, at: at(90)) == LinearGain(slider: 0.5))
    }

    @Test("R37 undo ends a ramp at unity, and nothing moves afterwards")
    func undo() {
        var fader = Fader()
        _ = fade(&fader, to: .silence, then: .cork, within: 100, at: start)
        #expect(fader.undo() == [.gain(stream, .unity)])
        #expect(fader.nextStep == nil)
    }

    @Test("R37 a stream that can ramp no longer goes on in steps, from where the ramp was to lead")
    func stepsAfterwards() {
        var fader = Fader()
        _ = fade(&fader, to: LinearGain(0.1), within: 100, at: start)
        _ = fader.step(at: at(100))
        let actions = fader.start(
            stream, to: .unity, then: .none, within: .milliseconds(100), quantum: quantum, waits: false, at: at(200))
        #expect(actions.isEmpty)
        var gains: [Double] = []
        while let next = fader.nextStep {
            for case .gain(_, let gain) in fader.step(at: next) { gains.append(gain.value) }
        }
        #expect(gains.count > 10 && gains[0] < 0.2 && gains.last == 1)
    }

    @Test("R37 a stream that has stopped in the middle of a ramp keeps no step for ever")
    func forgets() {
        var fader = Fader()
        _ = fade(&fader, to: .silence, then: .cork, within: 100, at: start)
        fader.forget(stream)
        #expect(fader.nextStep == nil)
        #expect(fader.gain(of: stream, at: at(50)) == .unity)
    }
}
