import DBus

/// An event loop that turns only in ``turn()``, on a clock that advances only in ``pass(_:)``.
final class ManualLoop: EventLoop {
    private var moment: Int64 = 1_000_000_000_000
    /// The nanoseconds that each reading of the clock takes, so that work with a time limit ends.
    var cost: Int64 = 0
    private var watches: [Watch] = []
    private var timers: [Timer] = []

    var now: Int64 {
        moment &+= cost
        return moment
    }

    func pass(_ nanoseconds: Int64) { moment &+= max(nanoseconds, 0) }

    func watch(_ descriptor: Int32, _ body: @escaping (Readiness) -> Void) -> any LoopWatch {
        let watch = Watch(self, body)
        watches.append(watch)
        return watch
    }

    func timer(_ body: @escaping () -> Void) -> any LoopTimer {
        let timer = Timer(self, body)
        timers.append(timer)
        return timer
    }

    /// The time of the next timer.
    var next: Int64? { timers.compactMap(\.moment).min() }
    var isDue: Bool { next.map { $0 <= moment } ?? false }
    var isIdle: Bool { watches.isEmpty && timers.isEmpty }

    /// Turns once. All watched descriptors count as ready, because reading them never blocks.
    func turn() {
        for watch in watches where !watch.interest.isEmpty { watch.body?(watch.interest) }
        let now = moment
        for timer in timers where timer.moment ?? .max <= now {
            timer.moment = nil
            timer.body?()
        }
    }

    private final class Watch: LoopWatch {
        unowned let loop: ManualLoop
        var interest = Readiness()
        var body: ((Readiness) -> Void)?

        init(_ loop: ManualLoop, _ body: @escaping (Readiness) -> Void) {
            self.loop = loop
            self.body = body
        }

        func update(_ interest: Readiness) { self.interest = interest }

        func cancel() {
            body = nil
            interest = []
            loop.watches.removeAll { $0 === self }
        }
    }

    private final class Timer: LoopTimer {
        unowned let loop: ManualLoop
        var moment: Int64?
        var body: (() -> Void)?

        init(_ loop: ManualLoop, _ body: @escaping () -> Void) {
            self.loop = loop
            self.body = body
        }

        func arm(at moment: Int64?) { self.moment = moment }

        func cancel() {
            body = nil
            moment = nil
            loop.timers.removeAll { $0 === self }
        }
    }
}
