import CPipeWire
import HostSupport
import PolicyEngine

/// Holds back the session manager's requests: first until it is known whether an output is lost, then until the card
/// has played its buffer. A stream that the policy stops stays audible for that long. Its buffered sound would come out
/// of another port if the session manager chose that port sooner.
///
/// The daemon sets the same busy flag while a client's own query waits for a card. So we set the flag only while the
/// daemon does not use it, set it again after the daemon clears it, and clear it only if we set it.
final class ManagerHold {
    private let now: () -> Instant
    /// Arms the timer that calls ``update()``.
    private let arm: (Instant) -> Void
    /// The session manager's client; `nil` if there is none that can be held back.
    private var client: OpaquePointer?
    /// The present value of the flag.
    private var isBusy = false
    private var isOurs = false
    /// The audible cards that have not answered yet.
    private var asked: Set<UInt32> = []
    /// When the first of these cards was asked.
    private var since: Instant?
    /// No card is waited for before this moment, because the session manager has just been held for the longest time.
    private var nextWait: Instant?
    /// When the sound buffered for a lost output will have been played.
    private var drainEnd: Instant?
    /// Limits the total time of holds, for a card that loses its output again and again.
    private var budget = HoldBudget()

    /// The longest hold for a card's answer.
    static let longest = Duration.milliseconds(200)
    /// The longest hold for a buffer: four quanta, and the 8192 frames of headroom that WirePlumber 0.4 gives to cards in
    /// virtual machines.
    static let longestDrain = Duration.milliseconds(350)

    /// - Parameters:
    ///   - now: The daemon's clock.
    ///   - arm: Sets the timer that ends a hold.
    init(now: @escaping () -> Instant, arm: @escaping (Instant) -> Void) {
        self.now = now
        self.arm = arm
    }

    /// Records which client is the session manager now, if any.
    func setManager(_ client: OpaquePointer?, isBusy: Bool) {
        if isOurs, let client = self.client { pw_impl_client_set_busy(client, false) }
        isOurs = false
        budget.end(at: now())
        self.client = client
        self.isBusy = isBusy
        asked.removeAll()
        (since, nextWait, drainEnd) = (nil, nil, nil)
    }

    /// Forgets a client that has gone; its flag need not be cleared.
    func forget(_ client: OpaquePointer) {
        guard client == self.client else { return }
        isOurs = false
        setManager(nil, isBusy: false)
    }

    /// Waits for the answer of a card on which something is audible.
    func wait(for card: UInt32) {
        if let nextWait, nextWait > now() { return }
        since = since ?? now()
        asked.insert(card)
        update()
    }

    /// Stops waiting for a card, which has answered or never will.
    func answered(_ card: UInt32) {
        asked.remove(card)
        if asked.isEmpty { since = nil }
        update()
    }

    /// Waits while the buffer of a lost output plays for the given time.
    func drain(for time: Duration) {
        let end = now().advanced(by: min(time, ManagerHold.longestDrain))
        drainEnd = max(drainEnd ?? end, end)
        update()
    }

    /// Handles a change of the flag.
    func busyChanged(_ client: OpaquePointer, _ isBusy: Bool) {
        guard client == self.client else { return }
        self.isBusy = isBusy
        guard !isBusy else { return }
        // The flag is clear now, whether we or the daemon cleared it.
        isOurs = false
        budget.end(at: now())
        update()
    }

    /// Sets or clears the flag as needed; also called when the timer fires.
    func update() {
        guard let client else { return }
        let now = self.now()
        if let drainEnd, drainEnd <= now { self.drainEnd = nil }
        if let since, since.advanced(by: ManagerHold.longest) <= now {
            asked.removeAll()
            self.since = nil
            nextWait = now.advanced(by: ManagerHold.longest)
        }
        guard let wanted = [drainEnd, since.map { $0.advanced(by: ManagerHold.longest) }].compactMap({ $0 }).max()
        else {
            return endHold(client, at: now)
        }
        guard isOurs || !isBusy else { return }
        let end = min(wanted, budget.hold(at: now))
        guard end > now else { return endHold(client, at: now) }
        if !isOurs {
            isOurs = true
            pw_impl_client_set_busy(client, true)
        }
        arm(end)
    }

    /// Ends the hold and stops waiting for cards and buffers.
    private func endHold(_ client: OpaquePointer, at now: Instant) {
        budget.end(at: now)
        asked.removeAll()
        (since, drainEnd) = (nil, nil)
        guard isOurs else { return }
        isOurs = false
        pw_impl_client_set_busy(client, false)
    }
}
