import DBus

/// A loop with real descriptors, whose clock stands still until a test advances it: no machine is too slow for a limit of
/// the product.
final class HeldClock: EventLoop {
    private let inner: PollLoop
    private(set) var now: Int64
    private var timers: [Timer] = []

    init(over inner: PollLoop) {
        self.inner = inner
        now = inner.now
    }

    /// Advances the clock. What is due then is done in the next turn.
    func advance(by time: Duration) {
        now += Int64(time / .nanoseconds(1))
        for timer in timers { timer.update() }
    }

    func watch(_ descriptor: Int32, _ body: @escaping (Readiness) -> Void) -> any LoopWatch {
        inner.watch(descriptor, body)
    }

    func timer(_ body: @escaping () -> Void) -> any LoopTimer {
        let timer = Timer(self, body)
        timers.append(timer)
        return timer
    }

    private final class Timer: LoopTimer {
        private unowned let clock: HeldClock
        private var moment: Int64?
        private var timer: (any LoopTimer)?

        init(_ clock: HeldClock, _ body: @escaping () -> Void) {
            self.clock = clock
            timer = clock.inner.timer { [weak self] in
                self?.moment = nil
                body()
            }
        }

        func arm(at moment: Int64?) {
            self.moment = moment
            update()
        }

        func update() {
            let isDue = moment.map { $0 <= clock.now } ?? false
            timer?.arm(at: isDue ? 0 : nil)
        }

        func cancel() {
            timer?.cancel()
            clock.timers.removeAll { $0 === self }
        }
    }
}
