import PolicyEngine
@testable import PolicyRuntime
import Testing

/// The fader by itself, on a virtual clock.
@Suite struct FaderTests {
    private let stream = StreamID(1)
    private let start = Instant(nanoseconds: 0)
    /// The part of the amplitude that a gain may move at once. Not the fader's own number: that is looked at, too.
    private let allowedStep = 1.0 / 24 + 1e-9

    /// Plays a fader until it rests, firing each step at its time plus a delay, and returns all actions with their time.
    private func play(_ fader: inout Fader, from now: Instant, late: Duration = .zero) -> [(Instant, Fader.Action)] {
        var actions: [(Instant, Fader.Action)] = []
        var limit = 100_000
        while let next = fader.nextStep, limit > 0 {
            limit -= 1
            let moment = max(next, now).advanced(by: late)
            for action in fader.step(at: moment) { actions.append((moment, action)) }
        }
        #expect(limit > 0)
        return actions
    }

    @discardableResult
    private func fade(
        _ fader: inout Fader, _ id: StreamID? = nil, to gain: LinearGain, then silence: Silence = .none,
        within duration: Duration, after delay: Duration = .zero, quantum: Duration = .milliseconds(5),
        waits: Bool = false, at now: Instant? = nil
    ) -> [Fader.Action] {
        fader.start(
            id ?? stream, to: gain, then: silence, within: duration, after: delay, quantum: quantum, waits: waits,
            at: now ?? start)
    }

    private func gains(_ actions: [(Instant, Fader.Action)]) -> [Double] {
        actions.compactMap { if case .gain(_, let gain) = $0.1 { gain.value } else { nil } }
    }

    private func largestStep(_ gains: [Double], from first: Double) -> Double {
        zip([first] + gains, gains).map { abs($0 - $1) }.max() ?? 0
    }

    @Test(
        "R37 no step is larger than allowed, whatever the fade, the quantum and the timer",
        arguments: [1, 100, 500], [2_667, 21_333])
    func steps(milliseconds: Int, quantum: Int) {
        for late in [0, 1, 40] {
            var fader = Fader()
            fade(
                &fader, to: .silence, then: .cork, within: .milliseconds(milliseconds), quantum: .microseconds(quantum))
            let down = play(&fader, from: start, late: .milliseconds(late))
            #expect(largestStep(gains(down), from: 1) <= allowedStep)
            #expect(gains(down).last == 0)
            let end = down.last?.0 ?? start
            let first = fade(
                &fader, to: .unity, within: .milliseconds(milliseconds), quantum: .microseconds(quantum), at: end)
            #expect(first == [.silence(stream, .none)])
            let up = play(&fader, from: end, late: .milliseconds(late))
            #expect(largestStep(gains(up), from: 0) <= allowedStep)
            #expect(fader.gain(of: stream, at: start) == .unity)
        }
    }

    @Test("R37 a fade takes as long as asked, or as many quanta as it needs", arguments: [5, 10, 100, 500])
    func length(milliseconds: Int) {
        for quantum in [Duration.microseconds(2_667), .microseconds(21_333), .milliseconds(170)] {
            var fader = Fader()
            fade(&fader, to: .silence, then: .cork, within: .milliseconds(milliseconds), quantum: quantum)
            let actions = play(&fader, from: start)
            let silent = actions.first { if case .gain(_, .silence) = $0.1 { true } else { false } }
            let took = start.duration(to: silent?.0 ?? start)
            let wanted = max(.milliseconds(milliseconds), .milliseconds(10), min(quantum * 24, Fader.longestStretch))
            #expect(took >= wanted)
            #expect(took <= wanted + quantum)
        }
    }

    @Test("R37 what is left of a fade is said, from before its beginning to its end")
    func remaining() {
        let quantum = Duration.milliseconds(5)
        var fader = Fader()
        #expect(fader.remaining(of: stream, at: start) == .zero)
        fade(&fader, to: .silence, then: .cork, within: .milliseconds(200), after: .milliseconds(50), quantum: quantum)
        #expect(fader.remaining(of: stream, at: start) == .milliseconds(250))
        #expect(fader.remaining(of: stream, at: start.advanced(by: .milliseconds(50))) == .milliseconds(200))
        var last = Duration.milliseconds(250)
        while let next = fader.nextStep {
            _ = fader.step(at: next)
            let left = fader.remaining(of: stream, at: next)
            #expect(left <= last && left >= .zero)
            last = left
        }
        #expect(last == .zero)
        // Silence lasts until the stream runs again; so does what is left of the fade in.
        fade(&fader, to: .unity, within: .milliseconds(200), quantum: quantum, waits: true)
        #expect(fader.remaining(of: stream, at: start.advanced(by: .seconds(9))) == .milliseconds(200))
        fader.streamRuns(stream, at: start.advanced(by: .seconds(9)))
        #expect(fader.remaining(of: stream, at: start.advanced(by: .seconds(10))) == .zero)
        fader.forget(stream)
        #expect(fader.remaining(of: stream, at: start) == .zero)
    }

    @Test("R37 the cork comes with the last step, however many others still move")
    func corkAfterQuantum() {
        let quantum = Duration.milliseconds(20)
        var fader = Fader()
        fade(&fader, StreamID(2), to: .silence, then: .cork, within: .seconds(2), quantum: .milliseconds(2))
        fade(&fader, to: .silence, then: .cork, within: .milliseconds(100), quantum: quantum)
        let mine = play(&fader, from: start).filter { moment, action in
            switch action {
            case .gain(stream, _), .silence(stream, _), .settled(stream): true
            default: false
            }
        }
        let silent = mine.first { $0.1 == .gain(stream, .silence) }?.0
        let corked = mine.first { $0.1 == .silence(stream, .cork) }?.0
        let settled = mine.filter { $0.1 == .settled(stream) }
        if let silent, let corked {
            #expect(silent == corked)
        } else {
            Issue.record("never silent or never corked")
        }
        #expect(settled.count == 1)
        #expect(settled.first?.0 == corked)
    }

    @Test("R37 a fade turned round half-way makes no jump", arguments: [1, 60, 99, 101])
    func reversal(milliseconds: Int) {
        var fader = Fader()
        let quantum = Duration.milliseconds(5)
        fade(&fader, to: .silence, then: .cork, within: .milliseconds(100), quantum: quantum)
        var now = start
        var all: [Fader.Action] = []
        let turn = start.advanced(by: .milliseconds(milliseconds))
        while let next = fader.nextStep, next <= turn {
            now = next
            all += fader.step(at: now)
        }
        all += fade(&fader, to: .unity, within: .milliseconds(100), quantum: quantum, at: turn)
        all += play(&fader, from: turn).map { $0.1 }
        let gains = all.compactMap { if case .gain(_, let gain) = $0 { gain.value } else { nil } }
        #expect(largestStep(gains, from: 1) <= allowedStep)
        #expect(gains.last ?? 1 == 1)
        let corks = all.filter { $0 == .silence(stream, .cork) }.count
        let releases = all.filter { $0 == .silence(stream, .none) }.count
        #expect(corks == releases)
        #expect(corks <= (milliseconds > 100 ? 1 : 0))
    }

    @Test("R37 the same target again changes nothing: no jump, no second 'settled'")
    func again() {
        var fader = Fader()
        func go(_ duration: Duration, at now: Instant) -> [Fader.Action] {
            fade(&fader, to: .silence, then: .cork, within: duration, at: now)
        }
        _ = go(.milliseconds(100), at: start)
        let next = fader.nextStep ?? start
        _ = fader.step(at: next)
        let gain = fader.gain(of: stream, at: start)
        #expect(go(.zero, at: next) == [])
        #expect(fader.gain(of: stream, at: start) == gain)
        let actions = play(&fader, from: next).map { $0.1 }
        #expect(actions.filter { $0 == .settled(stream) }.count == 1)
        #expect(go(.zero, at: next) == [])
        #expect(go(.milliseconds(100), at: next) == [])
    }

    @Test("R37 at once is at once: gain, then cork, then settled; back in the reverse order of need")
    func atOnce() {
        var fader = Fader()
        let down = fade(&fader, to: .unity, then: .cork, within: .zero)
        #expect(down == [.gain(stream, .silence), .silence(stream, .cork), .settled(stream)])
        let up = fade(&fader, to: Decibels(-20).linear, within: .zero)
        #expect(up == [.gain(stream, Decibels(-20).linear), .silence(stream, .none)])
        #expect(fader.nextStep == nil)
    }

    @Test("R37 what does not run yet comes up when it does, from silence")
    func waits() {
        var fader = Fader()
        fade(&fader, to: .silence, then: .cork, within: .zero)
        let first = fade(&fader, to: .unity, within: .milliseconds(100), waits: true)
        #expect(first == [.silence(stream, .none)])
        #expect(fader.nextStep == nil)
        let later = start.advanced(by: .seconds(9))
        #expect(fader.step(at: later) == [])
        fader.streamRuns(stream, at: later)
        let up = play(&fader, from: later)
        #expect(largestStep(gains(up), from: 0) <= allowedStep)
        #expect(fader.gain(of: stream, at: start) == .unity)
    }

    @Test("R37 a way down does not wait for anything")
    func downNeverWaits() {
        var fader = Fader()
        fade(&fader, to: .silence, then: .cork, within: .milliseconds(50), waits: true)
        #expect(play(&fader, from: start).contains { $0.1 == .settled(stream) })
    }

    @Test("R37 a stream that vanishes in the middle is not heard of again")
    func vanishes() {
        var fader = Fader()
        for id in 1...3 as ClosedRange<UInt32> {
            fade(&fader, StreamID(id), to: .silence, then: .cork, within: .milliseconds(100))
        }
        _ = fader.step(at: start.advanced(by: .milliseconds(20)))
        fader.forget(stream)
        fader.forget(StreamID(77))
        #expect(fader.gain(of: stream, at: start) == .unity)
        let rest = play(&fader, from: start).map { $0.1 }
        #expect(!rest.contains(.silence(stream, .cork)) && !rest.contains(.settled(stream)))
        #expect(rest.contains(.settled(StreamID(2))) && rest.contains(.settled(StreamID(3))))
        fader.forget(StreamID(2))
        fader.forget(StreamID(3))
        #expect(fader.nextStep == nil)
    }

    @Test("R37 another fade that begins does not put off the steps of this one")
    func noStarvation() {
        var fader = Fader()
        fade(&fader, to: .silence, then: .cork, within: .milliseconds(100))
        let due = fader.nextStep
        for id in 2...50 as ClosedRange<UInt32> {
            fade(
                &fader, StreamID(id), to: .silence, then: .cork, within: .milliseconds(100),
                at: start.advanced(by: .milliseconds(1)))
        }
        #expect(fader.nextStep == due)
    }

    @Test("very many fades are moved some at a time, and all of them arrive, in steps as small as ever")
    func manyAtOnce() {
        let host = RecordingHost()
        host.gainCost = .microseconds(200)
        for id in 1...100 as ClosedRange<UInt32> { host.play(id, role: "music") }
        host.advance(.seconds(5))
        host.forgetEntries()
        host.play(1_000, role: "phone")
        var most = 0
        var turns = 0
        let start = host.now
        while host.armed != nil, host.silences.values.count(where: { $0 == .cork }) < 100, turns < 100_000 {
            turns += 1
            let before = host.entries.count
            // Each turn takes its time, and others on the loop come between.
            host.skip(.milliseconds(1))
            host.fire()
            most = max(most, host.entries.dropFirst(before).count)
        }
        // Some are treated in that turn for the first time, and those that end are corked.
        #expect(most <= 2 * 5 + 16, "\(most) calls in one turn")
        for id in 1...100 as ClosedRange<UInt32> {
            #expect(host.gains[id] == 0 && host.largestStep(of: id, from: 1) <= allowedStep)
        }
        // Not much later than one would be.
        #expect(start.duration(to: host.now) <= .milliseconds(1_400), "\(start.duration(to: host.now))")
    }

    @Test("R40 a fade that is to wait stays where it is until then, whatever wakes the fader meanwhile")
    func delay() throws {
        var fader = Fader()
        let quantum = Duration.microseconds(21_333)
        fade(&fader, to: LinearGain(0.1), within: .milliseconds(200), quantum: quantum)
        let end = try #require(play(&fader, from: start).last?.0)
        fade(&fader, to: .unity, within: .milliseconds(200), after: .milliseconds(300), quantum: quantum, at: end)
        for milliseconds in stride(from: 0, through: 299, by: 23) {
            #expect(fader.step(at: end.advanced(by: .milliseconds(milliseconds))).isEmpty)
        }
        #expect(fader.gain(of: stream, at: start) == LinearGain(0.1))
        let actions = play(&fader, from: end)
        let first = try #require(actions.first?.0)
        let last = try #require(actions.last?.0)
        #expect(first >= end.advanced(by: .milliseconds(300)) && first <= end.advanced(by: .milliseconds(340)))
        #expect(last >= end.advanced(by: .milliseconds(500)))
        #expect(fader.gain(of: stream, at: start) == .unity)
    }

    @Test("R37 undo ends everything at unity, and nothing moves afterwards")
    func undo() {
        var fader = Fader()
        fade(&fader, StreamID(1), to: .silence, then: .cork, within: .zero)
        fade(&fader, StreamID(2), to: .silence, then: .cork, within: .milliseconds(100))
        _ = fader.step(at: start.advanced(by: .milliseconds(30)))
        #expect(
            fader.undo() == [
                .gain(StreamID(1), .unity), .silence(StreamID(1), .none), .gain(StreamID(2), .unity),
            ])
        #expect(fader.nextStep == nil)
        #expect(fader.undo() == [])
    }
}
