import Foundation
import Synchronization

/// Notes when the machine itself stands still: a thread, of real-time priority where it may have that, which sleeps a few
/// milliseconds at a time and sees by how much it was late.
///
/// A virtual machine that is not given its processor for 20 ms loses a quantum of sound, whatever the servers do. A test
/// that counts frames can tell such a loss from one of ours by this.
public final class StallMeter: Sendable {
    /// How long it sleeps at a time.
    static let pause = Duration.milliseconds(2)

    private struct State {
        var longest = Duration.zero
        var isStopped = false
    }

    private final class Record: Sendable {
        let state = Mutex(State())
    }
    private let record = Record()

    /// Begins to measure.
    public convenience init() {
        self.init(now: StallMeter.monotonicClock) { deadline in
            let time = timespec(
                tv_sec: Int(deadline / 1_000_000_000), tv_nsec: Int(deadline % 1_000_000_000))
            while clock_nanosleep(CLOCK_MONOTONIC, Int32(TIMER_ABSTIME), [time], nil) == EINTR {}
        }
    }

    /// With another clock, in nanoseconds, and another way to sleep until a moment of it; for tests of this measure.
    init(now: @escaping @Sendable () -> UInt64, sleep: @escaping @Sendable (_ deadline: UInt64) -> Void) {
        let record = record
        let thread = Thread {
            var parameters = sched_param(sched_priority: sched_get_priority_max(SCHED_FIFO))
            // Without the right to it, the thread waits its turn, and a busy machine looks like one that stands still.
            _ = pthread_setschedparam(pthread_self(), SCHED_FIFO, &parameters)
            while true {
                let deadline = now() + UInt64(StallMeter.pause / .nanoseconds(1))
                sleep(deadline)
                let late = Duration.nanoseconds(Int64(now()) - Int64(deadline))
                let isStopped = record.state.withLock { state in
                    state.longest = max(state.longest, late)
                    return state.isStopped
                }
                if isStopped { return }
            }
        }
        thread.name = "stall-meter"
        thread.start()
    }

    deinit { record.state.withLock { $0.isStopped = true } }

    /// The longest time so far that the machine stood still.
    public var longest: Duration { record.state.withLock { $0.longest } }

    @Sendable private static func monotonicClock() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}
