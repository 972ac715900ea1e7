import SessionBus
import SessionCore
import SessionDesktop
import SessionRuntime
import SessionWire

/// What the service hears from the desktop: the screen lock, sleep, calls (N16).
final class Desktop {
    private unowned let service: SessionService
    private let system: BusConnection
    private var lock: ScreenLock?
    private var sleep: SleepWatch?
    private var calls: CallWatch?
    /// The interruption while the machine goes to sleep and sleeps.
    private(set) var sleeping: SessionID?
    /// The interruption of the present call.
    private var call: SessionID?
    /// What lets the machine sleep, once all is silent.
    private var mayFallAsleep: (() -> Void)?

    init(service: SessionService, system: BusConnection, loop: any EventLoop) {
        self.service = service
        self.system = system
        system.open()
        lock = ScreenLock(system: system, session: service.connection, loop: loop) { [weak self] isLocked in
            self?.service.change { $0.isLocked = isLocked }
        }
        sleep = SleepWatch(
            system: system, loop: loop, willSleep: { [weak self] done in self?.willSleep(done) },
            didWake: { [weak self] in self?.didWake() })
        calls = CallWatch(system: system) { [weak self] phase, number in self?.changed(phase, number) }
    }

    func leave() {
        lock?.stop()
        sleep?.stop()
        calls?.stop()
        system.close()
    }

    // MARK: - Sleep

    /// R12: everything but a call stops, and goes on after waking.
    private func willSleep(_ done: @escaping () -> Void) {
        let id = service.nextID()
        sleeping = id
        service.beginInterruption(id, SystemInterruption.sleep, by: SystemInterruption.sleeper)
        // Not before: until it is active, nothing fades.
        mayFallAsleep = done
        settle()
    }

    private func didWake() {
        mayFallAsleep = nil
        service.runtime.take(.woke)
        if let sleeping { service.endInterruption(sleeping) }
        sleeping = nil
    }

    /// Lets the machine sleep once nothing fades any more.
    func settle() {
        guard let done = mayFallAsleep, !service.runtime.isFading else { return }
        mayFallAsleep = nil
        done()
    }

    // MARK: - Calls

    /// R30: from ringing to the call without a gap, and one end.
    private func changed(_ phase: CallPhase, _ number: String) {
        let former = call
        call = nil
        let kind: String? = phase == .ringing ? "ringtone" : phase == .active ? "phone" : nil
        if let kind, let role = Role(kind), let description = service.runtime.policy.roles[role] {
            let id = service.nextID()
            call = id
            service.beginInterruption(
                id, description, by: number.isEmpty ? "a call" : "a call with \(Words.printable(number))")
        }
        if let former { service.endInterruption(former) }
    }
}
