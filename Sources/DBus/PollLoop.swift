import Glibc

/// An event loop over poll(2), for clients and tests; sound servers have their own.
public final class PollLoop: EventLoop {
    private var watches: [PollWatch] = []
    private var timers: [PollTimer] = []

    /// A loop with nothing to wait for.
    public init() {}

    /// CLOCK_MONOTONIC, in nanoseconds.
    public var now: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
    }

    /// Watches a descriptor until the watch is cancelled.
    public func watch(_ descriptor: Int32, _ body: @escaping (Readiness) -> Void) -> any LoopWatch {
        let watch = PollWatch(descriptor, self, body)
        watches.append(watch)
        return watch
    }

    /// Creates a timer that is not armed; it exists until it is cancelled.
    public func timer(_ body: @escaping () -> Void) -> any LoopTimer {
        let timer = PollTimer(self, body)
        timers.append(timer)
        return timer
    }

    /// Runs until a condition holds, checked after every turn.
    public func run(until isOver: () -> Bool) {
        while !isOver() { runOnce() }
    }

    /// Runs until a condition holds or the time is over; returns whether the condition holds.
    public func run(until isOver: () throws -> Bool, within limit: Duration) rethrows -> Bool {
        let end = now &+ limit.inNanoseconds
        while try !isOver() {
            let left = end &- now
            if left <= 0 { return false }
            runOnce(timeout: .nanoseconds(left))
        }
        return true
    }

    /// Waits for the next event, for at most `timeout`, and handles all events that are due then.
    public func runOnce(timeout: Duration? = nil) {
        var wait = timeout.map { max(0, $0.inNanoseconds) } ?? -1
        for timer in timers {
            guard let moment = timer.moment else { continue }
            let left = max(0, moment &- now)
            if wait < 0 || left < wait { wait = left }
        }
        var descriptors = watches.map { pollfd(fd: $0.descriptor, events: $0.events, revents: 0) }
        // Rounded up; otherwise the loop would spin during the last millisecond.
        let limit = wait < 0 ? -1 : Int32(clamping: (wait &+ 999_999) / 1_000_000)
        _ = poll(&descriptors, UInt(descriptors.count), limit)
        // Iterate over copies, because a body may add and cancel watches.
        for (watch, descriptor) in zip(watches, descriptors) where descriptor.revents != 0 {
            watch.report(descriptor.revents)
        }
        let moment = now
        for timer in timers { timer.fire(at: moment) }
    }

    /// Whether nothing is watched and no timer is left.
    public var isIdle: Bool { watches.isEmpty && timers.isEmpty }

    fileprivate func forget(_ watch: PollWatch) { watches.removeAll { $0 === watch } }
    fileprivate func forget(_ timer: PollTimer) { timers.removeAll { $0 === timer } }
}

private final class PollWatch: LoopWatch {
    let descriptor: Int32
    private(set) var events: Int16 = 0
    private weak var loop: PollLoop?
    private var body: ((Readiness) -> Void)?

    init(_ descriptor: Int32, _ loop: PollLoop, _ body: @escaping (Readiness) -> Void) {
        self.descriptor = descriptor
        self.loop = loop
        self.body = body
    }

    func update(_ interest: Readiness) {
        events =
            (interest.contains(.readable) ? Int16(POLLIN) : 0) | (interest.contains(.writable) ? Int16(POLLOUT) : 0)
    }

    func cancel() {
        body = nil
        loop?.forget(self)
    }

    func report(_ events: Int16) {
        var readiness = Readiness()
        if events & Int16(POLLIN) != 0 { readiness.insert(.readable) }
        if events & Int16(POLLOUT) != 0 { readiness.insert(.writable) }
        if events & Int16(POLLHUP | POLLERR | POLLNVAL) != 0 { readiness.insert(.hungUp) }
        body?(readiness)
    }
}

private final class PollTimer: LoopTimer {
    private(set) var moment: Int64?
    private weak var loop: PollLoop?
    private var body: (() -> Void)?

    init(_ loop: PollLoop, _ body: @escaping () -> Void) {
        self.loop = loop
        self.body = body
    }

    func arm(at moment: Int64?) { self.moment = moment }

    func cancel() {
        body = nil
        moment = nil
        loop?.forget(self)
    }

    func fire(at now: Int64) {
        guard let moment, moment <= now else { return }
        self.moment = nil
        body?()
    }
}

extension Duration {
    /// The whole nanoseconds, as far as they fit.
    var inNanoseconds: Int64 {
        let (seconds, rest) = components
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        if overflow { return seconds < 0 ? .min : .max }
        return product.addingReportingOverflow(rest / 1_000_000_000).partialValue
    }
}
