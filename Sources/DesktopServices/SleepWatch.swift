import BusInterface
import DBus
import Glibc

/// Reports before the machine sleeps and after it wakes, and delays sleep until cards hold nothing but silence (N16).
///
/// Source: systemd, "org.freedesktop.login1" and "Inhibitor Locks". Without logind there are no reports.
public final class SleepWatch {
    private static let service = "org.freedesktop.login1"
    private static let path = "/org/freedesktop/login1"
    private static let manager = "org.freedesktop.login1.Manager"

    /// A lock of logind. Closing its descriptor releases the lock.
    private final class Lock {
        private let descriptor: Int32

        /// Duplicates a descriptor, because the message that carries it closes the original.
        init?(_ received: Int32) {
            descriptor = fcntl(received, F_DUPFD_CLOEXEC, 3)
            if descriptor < 0 { return nil }
        }

        deinit { close(descriptor) }
    }

    private let bus: BusConnection
    private let loop: any EventLoop
    private let willSleep: (@escaping (Duration) -> Void) -> Void
    private let didWake: () -> Void
    private var subscriptions: [Subscription] = []
    private var timer: (any LoopTimer)?
    private var drainTimer: (any LoopTimer)?
    private var owner: String?
    private var state = SleepState()
    private var lock: Lock?
    private var isAsking = false
    /// How long a lock may delay sleep, in nanoseconds; logind's default until its setting is known.
    private var limit: Int64 = 5_000_000_000
    /// How long cards would sound if nobody wrote anything more.
    private var held = Duration.zero
    /// The number of sleeps so far, so that a late callback for one is not taken for the next.
    private var sleeps: UInt64 = 0

    /// Follows logind on a system bus.
    ///
    /// - Parameters:
    ///   - willSleep: Called before the machine sleeps. The given closure is to be called when no stream is heard any
    ///     more, with the time that the longest buffer of a card takes. Sleep begins after that time, or after
    ///     `InhibitDelayMaxUSec` (five seconds unless the administrator has changed it).
    ///   - didWake: Called when the machine is awake again, or does not sleep after all; once after each `willSleep`.
    public init(
        system bus: BusConnection, loop: any EventLoop,
        willSleep: @escaping (_ silent: @escaping (_ held: Duration) -> Void) -> Void, didWake: @escaping () -> Void
    ) {
        self.bus = bus
        self.loop = loop
        self.willSleep = willSleep
        self.didWake = didWake
        timer = loop.timer { [weak self] in self?.handle(.timeUp) }
        drainTimer = loop.timer { [weak self] in self?.handle(.drained) }
        subscriptions = [
            bus.subscribe(
                MatchRule(
                    sender: SleepWatch.service, path: SleepWatch.path, interface: SleepWatch.manager,
                    member: "PrepareForSleep")
            ) { [weak self] signal in
                guard let self, signal.sender == owner, let sleeps = signal.arguments.first?.truth else { return }
                handle(sleeps ? .prepare : .woke)
            },
            bus.follow(SleepWatch.service) { [weak self] in self?.follow($0) },
        ]
    }

    deinit { stop() }

    /// Stops following and releases the lock, without another report.
    public func stop() {
        for subscription in subscriptions { subscription.cancel() }
        subscriptions = []
        timer?.cancel()
        timer = nil
        drainTimer?.cancel()
        drainTimer = nil
        owner = nil
        lock = nil
    }

    /// Whether a lock delays sleep at present.
    public var holdsLock: Bool { lock != nil }

    private func follow(_ newOwner: String?) {
        guard owner != newOwner else { return }
        if owner != nil { handle(.serviceGone) }
        owner = newOwner
        isAsking = false
        guard newOwner != nil else { return }
        handle(.serviceCame)
        ask("Get", of: WireInterface.properties.name, property("InhibitDelayMaxUSec")) { watch, values in
            guard let microseconds = values.first?.integer else { return }
            watch.limit = min(max(microseconds, 0), 60_000_000) * 1_000
        }
        ask("Get", of: WireInterface.properties.name, property("PreparingForSleep")) { watch, values in
            if values.first?.truth == true { watch.handle(.prepare) }
        }
    }

    private func property(_ name: String) -> [WireValue] { [.string(SleepWatch.manager), .string(name)] }

    /// Calls logind. An answer from a former owner of the name is dropped; an error counts as an empty answer.
    private func ask(
        _ method: String, of interface: String, _ arguments: [WireValue],
        then: @escaping (SleepWatch, [WireValue]) -> Void
    ) {
        guard let asked = owner else { return }
        bus.call(asked, path: SleepWatch.path, interface: interface, method, arguments) { [weak self] result in
            guard let self, owner == asked else { return }
            then(self, (try? result.get()) ?? [])
        }
    }

    private func handle(_ event: SleepState.Event) {
        for action in state.handle(event) {
            switch action {
            case .takeLock: takeLock()
            case .dropLock:
                timer?.arm(at: nil)
                drainTimer?.arm(at: nil)
                lock = nil
            case .announceSleep:
                sleeps &+= 1
                let number = sleeps
                timer?.arm(at: loop.now + limit)
                willSleep { [weak self] held in
                    guard let self, sleeps == number else { return }
                    self.held = held
                    handle(.silent)
                }
            case .drain:
                if held > .zero {
                    drainTimer?.arm(at: loop.now + Int64(min(held, .nanoseconds(limit)) / .nanoseconds(1)))
                } else {
                    handle(.drained)
                }
            case .announceWake:
                timer?.arm(at: nil)
                drainTimer?.arm(at: nil)
                didWake()
            }
        }
    }

    private func takeLock() {
        guard lock == nil, !isAsking else { return }
        isAsking = true
        let arguments = ["sleep", "Audio sessions", "Sound fades out before the machine sleeps", "delay"]
        ask("Inhibit", of: SleepWatch.manager, arguments.map(WireValue.string)) { watch, values in
            watch.isAsking = false
            // The lock may have become useless while it was on its way; then it is closed with its message.
            guard watch.state.wantsLock, case .unixDescriptor(let descriptor)? = values.first else { return }
            watch.lock = Lock(descriptor)
        }
    }
}
