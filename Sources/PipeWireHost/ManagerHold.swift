import CPipeWire
import SessionCore
import SessionHost

/// Lets the session manager wait: first until it is known whether an output is lost, then until the card has played what it
/// has in its buffer. Whoever is stopped is heard on until then, and would come out of another port if the session manager
/// chose that sooner.
///
/// The daemon does the same to a client whose own question waits for a card's answer, with the same flag. So this one is
/// taken only when the daemon does not use it, again when the daemon has given it back, and given back only when it is ours.
final class ManagerHold {
    private unowned let host: PipeWireHost
    /// The session manager's connection; `nil` while there is none that can wait.
    private var client: OpaquePointer?
    /// What the flag says.
    private var isBusy = false
    private var isOurs = false
    /// The cards on which something is heard and that have not answered yet.
    private var asked: Set<UInt32> = []
    /// When the first of them was asked.
    private var since: Instant?
    /// Until when no card is waited for, because the session manager has just waited long enough.
    private var rest: Instant?
    /// When what was heard on a lost output has been played.
    private var drained: Instant?
    /// A card that loses its output again and again does not hold it all the time.
    private var budget = HoldBudget()

    /// No card's answer is waited for longer, and no buffer.
    static let longest = Duration.milliseconds(200)

    init(host: PipeWireHost) { self.host = host }

    /// Another client is the session manager, or none is.
    func become(_ client: OpaquePointer?, isBusy: Bool) {
        if isOurs, let client = self.client { pw_impl_client_set_busy(client, false) }
        isOurs = false
        budget.end(at: host.now)
        self.client = client
        self.isBusy = isBusy
        asked.removeAll()
        (since, rest, drained) = (nil, nil, nil)
    }

    /// The client is gone: there is nothing to give back.
    func forget(_ client: OpaquePointer) {
        guard client == self.client else { return }
        isOurs = false
        become(nil, isBusy: false)
    }

    /// A card was asked on which something is heard.
    func wait(for card: UInt32) {
        if let rest, rest > host.now { return }
        since = since ?? host.now
        asked.insert(card)
        update()
    }

    /// A card has answered, or will not.
    func answered(_ card: UInt32) {
        asked.remove(card)
        if asked.isEmpty { since = nil }
        update()
    }

    /// An output is lost, and what was heard on it plays for some time.
    func drain(for time: Duration) {
        let end = host.now.advanced(by: min(time, ManagerHold.longest))
        drained = max(drained ?? end, end)
        update()
    }

    /// The flag has changed.
    func busyChanged(_ client: OpaquePointer, _ isBusy: Bool) {
        guard client == self.client else { return }
        self.isBusy = isBusy
        guard !isBusy else { return }
        // Whoever gave it back, we or the daemon.
        isOurs = false
        budget.end(at: host.now)
        update()
    }

    /// Brings the flag to what it should be; also when time has come.
    func update() {
        guard let client else { return }
        let now = host.now
        if let drained, drained <= now { self.drained = nil }
        if let since, since.advanced(by: ManagerHold.longest) <= now {
            asked.removeAll()
            self.since = nil
            rest = now.advanced(by: ManagerHold.longest)
        }
        guard let wanted = [drained, since.map { $0.advanced(by: ManagerHold.longest) }].compactMap({ $0 }).max() else {
            return letGo(client, at: now)
        }
        guard isOurs || !isBusy else { return }
        let end = min(wanted, budget.hold(at: now))
        guard end > now else { return letGo(client, at: now) }
        if !isOurs {
            isOurs = true
            pw_impl_client_set_busy(client, true)
        }
        host.armHold(at: end)
    }

    /// Ends the hold. What is still to be waited for is not.
    private func letGo(_ client: OpaquePointer, at now: Instant) {
        budget.end(at: now)
        asked.removeAll()
        (since, drained) = (nil, nil)
        guard isOurs else { return }
        isOurs = false
        pw_impl_client_set_busy(client, false)
    }
}
