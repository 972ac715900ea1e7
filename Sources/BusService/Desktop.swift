import BusInterface
import DBus
import DesktopServices
import PolicyEngine
import PolicyRuntime

/// The desktop events that the service handles: screen lock, sleep, calls (N16). Players are the service's own.
final class Desktop {
    private unowned let service: SessionService
    private let system: BusConnection
    private var lock: ScreenLock?
    private var sleep: SleepWatch?
    private var calls: CallWatch?
    private var callAudio: CallAudioWatch?
    /// The interruptions by the machine in progress.
    private var machine: [MachineInterruption: Interruption] = [:]
    /// The interruption of the present call.
    private var call: Interruption?
    /// The interruption while a telephone's audio is set up for a call.
    private var audioCall: Interruption?
    /// Lets the machine sleep after the given time; called once no stream is heard any more.
    private var mayFallAsleep: ((Duration) -> Void)?

    init(service: SessionService, system: BusConnection, loop: any EventLoop) {
        self.service = service
        self.system = system
        system.open()
        lock = ScreenLock(system: system, session: service.connection, loop: loop) { [weak self] isLocked in
            self?.service.change { $0[.locked] = isLocked }
        }
        sleep = SleepWatch(
            system: system, loop: loop, willSleep: { [weak self] done in self?.willSleep(done) },
            didWake: { [weak self] in self?.didWake() })
        calls = CallWatch(system: system) { [weak self] phase, _ in self?.changed(phase) }
        callAudio = CallAudioWatch(session: service.connection) { [weak self] in self?.callAudioChanged($0) }
    }

    func leave() {
        lock?.stop()
        sleep?.stop()
        calls?.stop()
        callAudio?.stop()
        system.close()
    }

    // MARK: - The machine

    private func begin(_ event: MachineInterruption) {
        let interruption = Interruption(service.nextID())
        machine[event] = interruption
        service.begin(interruption, event.description, by: MachineInterruption.name)
    }

    private func end(_ event: MachineInterruption) {
        if let interruption = machine.removeValue(forKey: event) { service.close(interruption) }
    }

    /// R12: everything except a call stops, and resumes after waking.
    private func willSleep(_ done: @escaping (Duration) -> Void) {
        begin(.sleep)
        // Set only after the interruption has begun: before it is active, nothing fades.
        mayFallAsleep = done
        sleepIfSilent()
    }

    private func didWake() {
        mayFallAsleep = nil
        service.runtime.handle(.woke)
        end(.sleep)
    }

    /// Lets the machine sleep if no fade is running, as soon as cards hold nothing but silence.
    func sleepIfSilent() {
        guard let done = mayFallAsleep, !service.runtime.engine.isFading else { return }
        mayFallAsleep = nil
        done(service.runtime.host.longestBuffer)
    }

    // MARK: - Calls

    /// R30: one interruption lasts from the ringing through the call, without a gap, and ends once.
    private func changed(_ phase: CallPhase) {
        let former = call
        call = nil
        let kind: String? = phase == .ringing ? "ringtone" : phase == .active ? "phone" : nil
        if let kind, let role = Role(kind),
            let description = service.runtime.engine.policy.description(ofRole: role)
        {
            let interruption = Interruption(service.nextID())
            call = interruption
            // Not with its number: some servers tell every client who interrupts.
            service.begin(interruption, description, by: "a call")
        }
        if let former { service.close(former) }
    }

    /// A telephone's shell has set up the card for a call, whose sound may never come to this server.
    private func callAudioChanged(_ isInCall: Bool) {
        let former = audioCall
        audioCall = nil
        if isInCall, let description = Role("phone").flatMap(service.runtime.engine.policy.description(ofRole:)) {
            let interruption = Interruption(service.nextID())
            audioCall = interruption
            service.begin(interruption, description, by: "a call")
        }
        if let former { service.close(former) }
    }
}
