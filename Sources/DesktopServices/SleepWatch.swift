import BusInterface
import DBus
import Glibc

/// Reports before the machine sleeps and after it wakes, and delays sleep until cards hold nothing but silence (N16).
///
/// Source: systemd, "org.freedesktop.login1" and "Inhibitor Locks". Without logind there are no reports.
public final class SleepWatch {
    private static let name = "org.freedesktop.login1"
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

    private let service: NamedService
    private let loop: any EventLoop
    private let willSleep: (@escaping (Duration) -> Void) -> Void
    private let didWake: () -> Void
    private var timer: (any LoopTimer)?
    private var drainTimer: (any LoopTimer)?
    private var isThere = false
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
        service = NamedService(SleepWatch.name, on: bus)
        self.loop = loop
        self.willSleep = willSleep
        self.didWake = didWake
        timer = loop.timer { [weak self] in self?.handle(.timeUp) }
        drainTimer = loop.timer { [weak self] in self?.handle(.drained) }
        service.listen(to: SleepWatch.manager, path: SleepWatch.path, member: "PrepareForSleep") { [weak self] signal in
            if let sleeps = signal.arguments.first?.truth { self?.handle(sleeps ? .prepare : .woke) }
        }
        service.follow { [weak self] in self?.ownerChanged() }
    }

    deinit { stop() }

    /// Stops following and releases the lock, without another report.
    public func stop() {
        service.stop()
        timer?.cancel()
        timer = nil
        drainTimer?.cancel()
        drainTimer = nil
        lock = nil
    }

    /// Whether a lock delays sleep at present.
    public var holdsLock: Bool { lock != nil }

    private func ownerChanged() {
        if isThere { handle(.serviceGone) }
        isThere = service.owner != nil
        isAsking = false
        guard isThere else { return }
        handle(.serviceCame)
        service.get("InhibitDelayMaxUSec", of: SleepWatch.manager, at: SleepWatch.path) { [weak self] value in
            guard let microseconds = value?.integer else { return }
            self?.limit = min(max(microseconds, 0), 60_000_000) * 1_000
        }
        service.get("PreparingForSleep", of: SleepWatch.manager, at: SleepWatch.path) { [weak self] value in
            if value?.truth == true { self?.handle(.prepare) }
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
        service.ask("Inhibit", of: SleepWatch.manager, at: SleepWatch.path, arguments.map(WireValue.string)) {
            [weak self] values in
            guard let self else { return }
            isAsking = false
            // The lock may have become useless while it was on its way; then it is closed with its message.
            guard state.wantsLock, case .unixDescriptor(let descriptor)? = values.first else { return }
            lock = Lock(descriptor)
        }
    }
}
