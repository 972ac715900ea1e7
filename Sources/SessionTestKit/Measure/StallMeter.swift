import Foundation
import Synchronization

/// Notes when the machine itself stands still: on each processor a thread of real-time priority, which sleeps a few milliseconds at a time and sees by how much it was late.
///
/// A virtual machine that is not given its processors for 20 ms loses a quantum of sound, whatever the servers do. A test
/// that counts frames can tell such a loss from one of ours by this.
public final class StallMeter: Sendable {
    /// How long it sleeps at a time.
    static let pause = Duration.milliseconds(2)

    private struct State {
        var stalls: [Range<Duration>] = []
        var isStopped = false
    }

    private final class Record: Sendable {
        let state = Mutex(State())
    }
    private let record = Record()

    /// Begins to measure.
    public convenience init() {
        self.init(processors: StallMeter.processors, hasPriority: true, now: StallMeter.monotonicClock) { deadline in
            let time = timespec(
                tv_sec: Int(deadline / 1_000_000_000), tv_nsec: Int(deadline % 1_000_000_000))
            while clock_nanosleep(CLOCK_MONOTONIC, Int32(TIMER_ABSTIME), [time], nil) == EINTR {}
        }
    }

    /// With another clock, in nanoseconds, and another way to sleep until a moment of it; for tests of this measure.
    init(
        processors: [Int] = [0], hasPriority: Bool = false, now: @escaping @Sendable () -> UInt64,
        sleep: @escaping @Sendable (_ deadline: UInt64) -> Void
    ) {
        let record = record
        for processor in processors {
            let thread = Thread {
                StallMeter.stay(on: processor)
                var parameters = sched_param(sched_priority: sched_get_priority_max(SCHED_FIFO))
                let hasIt = pthread_setschedparam(pthread_self(), SCHED_FIFO, &parameters) == 0
                // Without the right to it, the thread would wait its turn, and a busy machine look like one that stands
                // still: nothing is noted then.
                if hasPriority, !hasIt { return }
                while true {
                    let deadline = now() + UInt64(StallMeter.pause / .nanoseconds(1))
                    sleep(deadline)
                    let late = max(deadline, now())
                    let isStopped = record.state.withLock { state in
                        // What is less is not worth its place.
                        if late - deadline > 1_000_000 {
                            state.stalls.append(.nanoseconds(Int64(deadline))..<(.nanoseconds(Int64(late))))
                        }
                        return state.isStopped
                    }
                    if isStopped { return }
                }
            }
            thread.name = "stall-meter"
            thread.start()
        }
    }

    deinit { record.state.withLock { $0.isStopped = true } }

    /// The longest time so far that a processor stood still; zero if none did for a millisecond.
    public var longest: Duration {
        record.state.withLock { $0.stalls.map { $0.upperBound - $0.lowerBound }.max() ?? .zero }
    }

    /// When a processor stood still for so long or longer, a millisecond at least; moments are those of ``now``.
    public func stalls(of length: Duration) -> [Range<Duration>] {
        record.state.withLock { $0.stalls.filter { $0.upperBound - $0.lowerBound >= length } }
    }

    /// The present moment, since the machine was started.
    public static var now: Duration { .nanoseconds(Int64(monotonicClock())) }

    @Sendable private static func monotonicClock() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }

    /// A set of processors: a bit for each, as many as glibc's `cpu_set_t` has.
    private typealias Processors = [UInt8]
    private static let capacity = 128

    /// `sched_getaffinity` and `sched_setaffinity`, which glibc's module does not show without GNU's extensions.
    private static func affinity(_ name: String, _ set: inout Processors) -> Bool {
        typealias Function = @convention(c) (pid_t, Int, UnsafeMutablePointer<UInt8>) -> CInt
        guard let symbol = dlsym(nil, name) else { return false }
        return unsafeBitCast(symbol, to: Function.self)(0, capacity, &set) == 0
    }

    /// The processors that this process may use.
    private static var processors: [Int] {
        var set = Processors(repeating: 0, count: capacity)
        guard affinity("sched_getaffinity", &set) else { return [0] }
        return (0..<capacity * 8).filter { set[$0 / 8] & (1 << ($0 % 8)) != 0 }
    }

    /// Has the thread that calls run there alone.
    private static func stay(on processor: Int) {
        var set = Processors(repeating: 0, count: capacity)
        set[processor / 8] = 1 << (processor % 8)
        _ = affinity("sched_setaffinity", &set)
    }
}
