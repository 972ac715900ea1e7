import Foundation
import Synchronization

/// Records when the machine is late. On each processor, a thread sleeps a few milliseconds at a time and measures how late
/// it wakes.
///
/// With real-time priority it measures when the machine itself stands still: a virtual machine that gets no processor time
/// for 20 ms loses a quantum of sound, whatever the servers do. With ordinary priority, which the players and the recorder
/// have for a part of their work, it also measures when other programs have the processors. A test that counts frames uses
/// both to distinguish such a loss from one that we cause.
public final class StallMeter: Sendable {
    /// The length of one sleep.
    static let pause = Duration.milliseconds(2)

    /// Whose lateness is measured.
    public enum Priority: Sendable {
        /// Of threads that wait for nobody but the machine.
        case realTime
        /// Of what comes first in a sandbox (``Sandbox/init(environment:comesFirst:)``): of threads that wait for others of
        /// their kind, and for everybody where this user may not have priority.
        case first
        /// Of threads that wait for others too.
        case ordinary
    }

    private struct State {
        var stalls: [Range<Duration>] = []
        var isStopped = false
    }

    private final class Record: Sendable {
        let state = Mutex(State())
    }
    private let record = Record()

    /// Starts to measure.
    public convenience init(_ priority: Priority = .realTime) {
        self.init(
            processors: StallMeter.processors, priority: priority, now: StallMeter.monotonicClock
        ) { deadline in
            let time = timespec(
                tv_sec: Int(deadline / 1_000_000_000), tv_nsec: Int(deadline % 1_000_000_000))
            while clock_nanosleep(CLOCK_MONOTONIC, Int32(TIMER_ABSTIME), [time], nil) == EINTR {}
        }
    }

    /// With another clock, in nanoseconds, and another function that sleeps until a moment of that clock; for tests.
    init(
        processors: [Int] = [0], priority: Priority = .ordinary, now: @escaping @Sendable () -> UInt64,
        sleep: @escaping @Sendable (_ deadline: UInt64) -> Void
    ) {
        let record = record
        for processor in processors {
            let thread = Thread {
                StallMeter.stay(on: processor)
                switch priority {
                case .realTime:
                    var parameters = sched_param(sched_priority: sched_get_priority_max(SCHED_FIFO))
                    let isGranted = pthread_setschedparam(pthread_self(), SCHED_FIFO, &parameters) == 0
                    // Without real-time priority the thread would wait for its turn, and a busy machine would look like
                    // one that stands still. So nothing is recorded then.
                    if !isGranted { return }
                case .first:
                    // In Linux a thread has a niceness of its own, and 0 is the calling one.
                    _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, firstNiceness)
                case .ordinary: break
                }
                while true {
                    let deadline = now() + UInt64(StallMeter.pause / .nanoseconds(1))
                    sleep(deadline)
                    let late = max(deadline, now())
                    let isStopped = record.state.withLock { state in
                        // Shorter delays are not worth recording.
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

    /// Whether this user's threads may have real-time priority. Without, such a meter measures nothing.
    public static var grantsRealTime: Bool {
        var limit = rlimit()
        let isKnown = getrlimit(__rlimit_resource_t(__RLIMIT_RTPRIO.rawValue), &limit) == 0
        return geteuid() == 0 || isKnown && limit.rlim_cur > 0
    }

    /// The latest awakening on any processor so far; zero if none was late by a millisecond.
    public var longest: Duration {
        record.state.withLock { $0.stalls.map { $0.upperBound - $0.lowerBound }.max() ?? .zero }
    }

    /// The stalls of at least a given length, which is a millisecond or more; the moments are those of ``now``.
    public func stalls(of length: Duration) -> [Range<Duration>] {
        record.state.withLock { $0.stalls.filter { $0.upperBound - $0.lowerBound >= length } }
    }

    /// The present time since the machine's start.
    public static var now: Duration { .nanoseconds(Int64(monotonicClock())) }

    @Sendable private static func monotonicClock() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }

    /// A set of processors: one bit each, in the size of glibc's `cpu_set_t`.
    private typealias Processors = [UInt8]
    private static let capacity = 128

    /// `sched_getaffinity` and `sched_setaffinity`, which glibc's Swift module does not contain because they need GNU
    /// extensions.
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

    /// Restricts the calling thread to one processor.
    private static func stay(on processor: Int) {
        var set = Processors(repeating: 0, count: capacity)
        set[processor / 8] = 1 << (processor % 8)
        _ = affinity("sched_setaffinity", &set)
    }
}
