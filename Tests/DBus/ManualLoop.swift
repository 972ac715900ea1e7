import DBus

/// A loop with real descriptors whose clock stands still until somebody advances it: what takes time is what a test says.
final class ManualLoop: EventLoop {
    private let inner: PollLoop
    /// Nanoseconds.
    private(set) var now: Int64 = 1_000_000_000_000
    /// How often timers were armed, which is a call of the system each time.
    private(set) var arms = 0
    /// Called before and after whatever the loop calls back: a turn.
    var turns: (_ isBegin: Bool) -> Void = { _ in }

    init(over inner: PollLoop) { self.inner = inner }

    func advance(by time: Duration) { now += Int64(time / .nanoseconds(1)) }

    func watch(_ descriptor: Int32, _ body: @escaping (Readiness) -> Void) -> any LoopWatch {
        inner.watch(descriptor) { [weak self] readiness in
            self?.turns(true)
            body(readiness)
            self?.turns(false)
        }
    }

    func timer(_ body: @escaping () -> Void) -> any LoopTimer { Timer(self, body) }

    private final class Timer: LoopTimer {
        private unowned let loop: ManualLoop
        private var timer: (any LoopTimer)?

        init(_ loop: ManualLoop, _ body: @escaping () -> Void) {
            self.loop = loop
            timer = loop.inner.timer { [weak loop] in
                loop?.turns(true)
                body()
                loop?.turns(false)
            }
        }

        // What lies ahead on this clock lies as far ahead on the other one.
        func arm(at moment: Int64?) {
            loop.arms += 1
            timer?.arm(at: moment.map { loop.inner.now + max(0, $0 - loop.now) })
        }

        func cancel() { timer?.cancel() }
    }
}
