import DBus
import Glibc
import Testing

/// The loop of clients and tests.
@Suite struct LoopTests {
    @Test func timersComeInTheirOrderAndOnce() {
        let loop = PollLoop()
        var fired: [String] = []
        let start = loop.now
        let late = loop.timer { fired.append("late") }
        let soon = loop.timer { fired.append("soon") }
        let never = loop.timer { fired.append("never") }
        let past = loop.timer { fired.append("past") }
        late.arm(at: start + 20_000_000)
        soon.arm(at: start + 5_000_000)
        never.arm(at: start + 1_000_000)
        never.arm(at: nil)
        past.arm(at: 0)
        #expect(loop.wait { fired.count == 3 })
        #expect(fired == ["past", "soon", "late"])
        #expect(loop.now >= start + 20_000_000)
        #expect(!loop.run(until: { fired.count == 4 }, within: .milliseconds(20)))
        for timer in [late, soon, never, past] { timer.cancel() }
        #expect(loop.isIdle)
    }

    @Test func aTimerMayEndItselfAndOthers() {
        let loop = PollLoop()
        var fired: [Int] = []
        var timers: [any LoopTimer] = []
        for index in 0..<3 {
            timers.append(
                loop.timer {
                    fired.append(index)
                    for timer in timers { timer.cancel() }
                })
        }
        for timer in timers { timer.arm(at: 0) }
        loop.runOnce(timeout: .zero)
        loop.runOnce(timeout: .zero)
        #expect(fired == [0])
    }

    @Test func aDescriptorIsReportedForWhatWasAskedFor() {
        let loop = PollLoop()
        var ends: [Int32] = [-1, -1]
        #expect(socketpair(AF_UNIX, Int32(bitPattern: SOCK_STREAM.rawValue), 0, &ends) == 0)
        defer { close(ends[0]) }
        var seen: [Readiness] = []
        let watch = loop.watch(ends[0]) { seen.append($0) }
        loop.runOnce(timeout: .zero)
        #expect(seen.isEmpty)
        watch.update(.writable)
        loop.runOnce()
        #expect(seen == [.writable])
        watch.update(.readable)
        loop.runOnce(timeout: .zero)
        #expect(seen.count == 1)
        #expect(write(ends[1], "x", 1) == 1)
        loop.runOnce()
        #expect(seen.last == .readable)
        close(ends[1])
        loop.runOnce()
        #expect(seen.last == [.readable, .hungUp])
        watch.cancel()
        loop.runOnce(timeout: .zero)
        #expect(seen.count == 3 && loop.isIdle)
    }
}
