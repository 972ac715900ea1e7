import BusInterface
import CSystemdBus
import Glibc

/// A connection to a bus, on a given loop, that never blocks. It handles messages for a limited time per turn of the
/// loop, with each sender in turn, and reconnects after the bus was lost.
///
/// sd-bus implements the protocol. Pending calls, subscriptions and name owners are kept here, so they survive a
/// reconnection. Everything happens on the loop's thread. No function calls back before it returns, except ``close()``.
public final class BusConnection {
    /// A value for ``stateChanged``.
    public enum State: Sendable, Hashable {
        /// The connection is established and has this unique name.
        case connected(String)
        /// The connection was lost; all pending calls have failed.
        case lost
    }

    /// The bus's own name, path and interface.
    public static let busName = "org.freedesktop.DBus"
    static let busPath = "/org/freedesktop/DBus"
    /// The time for handling messages in one turn of the loop, and before that for reading, in nanoseconds. The limit
    /// keeps a peer that sends without end from blocking others on the loop. Reading has its own time, because a single
    /// call may be queued behind a thousand messages of another peer.
    private static let share: Int64 = 1_000_000
    private static let readingShare: Int64 = 500_000
    /// The time for long work done in pieces, in nanoseconds; that comes first in a turn.
    private static let longWorkShare: Int64 = 500_000
    /// The number of small tasks that may be done immediately in one turn.
    private static let mostHurried = 16
    /// The number of messages that may wait for a bus that does not read; beyond this, or beyond
    /// ``MessageGate/mostOutgoing`` bytes, the connection counts as lost.
    private static let maximumQueue: UInt64 = 65_536
    /// The delay before the next attempt to connect, in nanoseconds; doubled after each failure.
    private static let delays: ClosedRange<Int64> = 250_000_000...5_000_000_000

    /// Called when the connection is established or lost. Before the call for an established connection, names and
    /// matches have been requested again.
    public var stateChanged: (State) -> Void = { _ in }
    /// Receives every method call to this connection, except those of `org.freedesktop.DBus.Peer`, which are answered
    /// here.
    public var calls: ((BusCall) -> Void)?
    /// The unique name, e.g. `:1.42`; nil while there is no connection.
    public private(set) var uniqueName: String?
    /// Whether the connection is established.
    public var isConnected: Bool { uniqueName != nil }
    /// Whether the bus shows this connection the calls of others.
    public private(set) var isObserving = false
    /// Why the last connection ended or failed; nil while connected.
    public private(set) var lastError: WireError?

    private let address: BusAddress
    let loop: any EventLoop
    private let readsAhead: Bool
    private let takesDescriptors: Bool
    /// The calls of others that are observed; a connection that observes any sends nothing itself.
    let observed: [MatchRule]
    private(set) var bus: OpaquePointer?
    private var watch: (any LoopWatch)?
    private var interest = Readiness()
    /// Cuts off messages that are too long; and the watch of its socket.
    private var gate: MessageGate?
    private var gateWatch: (any LoopWatch)?
    private var gateInterest = Readiness()
    private var alarm: (any LoopTimer)?
    private var armed: Int64?
    /// Whether a turn is running; at its end the loop is told once which events to wait for.
    private var isTurning = false
    private var isOpen = false
    private var isBroken = false
    private var retryMoment: Int64?
    private var delay = delays.lowerBound
    private var work: [() -> Void] = []
    /// Long work in pieces, done in turn; each closure does one piece and returns whether there are more.
    private var longWork = Queue<() -> Bool>()
    /// The number of small tasks done immediately in this turn.
    private var hurried = 0
    /// The messages that were read and not handled yet.
    private var mailbox = Mailbox<QueuedMessage>()

    /// The number of long answers that are being made, and the answers that wait to be started.
    var longAnswers = 0
    var waitingAnswers = Queue<LongAnswer>()

    /// The pending calls by their number, and the serials of those that were sent.
    var pending: [Int: PendingCall] = [:]
    var sentCalls: [UInt64: PendingCall] = [:]
    var lastCall = 0
    /// No pending call expires before this time. No call need expire exactly then.
    var earliestDeadline = Int64.max
    var subscriptions: [SubscriptionEntry] = []
    var matches: [(text: String, users: Int)] = []
    var nameWatches: [NameWatch] = []
    var nameRequests: [NameRequest] = []
    var lastNumber = 0

    /// Creates a connection; ``open()`` connects it.
    ///
    /// - Parameters:
    ///   - readsAhead: Whether to read further messages while some wait, so that other senders get their turn, as a server
    ///     needs. Calls of a sender that exceeds its limit are then answered with errors, and its signals are dropped.
    ///     Otherwise excess messages wait in the socket.
    ///   - takesDescriptors: Whether messages may have descriptors. Then no message is cut off, so this is for a bus on
    ///     which only trusted peers send.
    ///   - observed: Calls between other peers. ``calls`` receives these in place of calls to this connection, which can do
    ///     nothing else then (D-Bus Specification, "org.freedesktop.DBus.Monitoring.BecomeMonitor"). If the bus refuses,
    ///     no calls come.
    public init(
        _ address: BusAddress, loop: any EventLoop, readsAhead: Bool = true, takesDescriptors: Bool = false,
        observing observed: [MatchRule] = []
    ) {
        self.address = address
        self.loop = loop
        self.readsAhead = readsAhead
        self.takesDescriptors = takesDescriptors
        self.observed = observed
        alarm = loop.timer { [weak self] in
            self?.armed = nil
            self?.turn()
        }
    }

    deinit {
        alarm?.cancel()
        watch?.cancel()
        gateWatch?.cancel()
        if let bus { sd_bus_close_unref(bus) }
    }

    /// Connects now, and again whenever the connection is lost.
    public func open() {
        guard !isOpen else { return }
        isOpen = true
        connect()
        updateWaiting()
    }

    /// Closes the connection for good: sends what can be sent without blocking, and fails all pending calls at once.
    /// ``stateChanged`` is not called.
    public func close() {
        isOpen = false
        retryMoment = nil
        if let bus {
            var queued: UInt64 = 0
            while sd_bus_get_n_queued_write(bus, &queued) >= 0, queued > 0 {
                var message: OpaquePointer?
                guard sd_bus_process(bus, &message) > 0 else { break }
                if let message { sd_bus_message_unref(message) }
                gate?.pump()
            }
            gate?.pump()
        }
        disconnect(WireError(WireErrorName.disconnected, "the connection was closed"))
        updateWaiting()
    }

    /// Calls `body` in the next turn of the loop.
    public func soon(_ body: @escaping () -> Void) {
        work.append(body)
        arm(at: loop.now)
    }

    /// Does long work in pieces, from the next turn of the loop on: as many pieces per turn as time permits, in
    /// alternation with other such work.
    ///
    /// - Parameter body: Does one piece; returns whether there are more.
    public func bitByBit(_ body: @escaping () -> Bool) {
        longWork.append(body)
        arm(at: loop.now)
    }

    /// Whether one more small task, such as a signal to one peer, may be done immediately in this turn. The number per
    /// turn is small enough to take no noticeable time; further tasks must use ``bitByBit(_:)``.
    public func mayHurry() -> Bool {
        if hurried == 0 { soon { [weak self] in self?.hurried = 0 } }
        guard hurried < Self.mostHurried else { return false }
        hurried += 1
        return true
    }

    // MARK: - Turns of the loop

    private func turn() {
        isTurning = true
        defer {
            isTurning = false
            updateWaiting()
        }
        let due = work
        work = []
        for body in due { body() }
        doLongWork()
        if bus == nil, let moment = retryMoment, moment <= loop.now { connect() }
        process()
        expireCalls()
    }

    private func connect() {
        retryMoment = nil
        guard let address = address.resolved else {
            return soon { [weak self] in
                self?.lose(WireError(WireErrorName.disconnected, "the address of the bus names no unix socket"))
            }
        }
        var made: OpaquePointer?
        var code = sd_bus_new(&made)
        if code >= 0 { code = sd_bus_set_address(made, address) }
        if code >= 0 { code = sd_bus_set_bus_client(made, 1) }
        if code >= 0, !observed.isEmpty { code = sd_bus_set_monitor(made, 1) }
        // A peer that sends too many descriptors would end the connection for all peers.
        if code >= 0 { code = sd_bus_negotiate_fds(made, takesDescriptors ? 1 : 0) }
        if code >= 0 { code = sd_bus_start(made) }
        if code >= 0, !takesDescriptors {
            gate = MessageGate(inPlaceOf: sd_bus_get_fd(made))
            if gate == nil { code = -errno }
        }
        guard code >= 0, let made else {
            sd_bus_unref(made)
            return soon { [weak self] in self?.lose(code) }
        }
        bus = made
        interest = []
        watch = loop.watch(sd_bus_get_fd(made)) { [weak self] _ in self?.turn() }
        gateInterest = []
        gateWatch = gate.map { loop.watch($0.outside) { [weak self] _ in self?.turn() } }
    }

    private func doLongWork() {
        let start = loop.now
        while let piece = longWork.first {
            longWork.removeFirst()
            if piece() { longWork.append(piece) }
            if loop.now &- start >= Self.longWorkShare { return }
        }
    }

    private func process() {
        let start = loop.now
        guard read(until: start &+ Self.readingShare) else { return }
        let current = bus
        // Handle at least one message, or nothing would ever be handled when reading alone uses up the time.
        while let message = mailbox.next() {
            message.handle(dispatch)
            // The handler may have closed the connection, so the remaining messages may belong to a lost one.
            guard bus != nil, bus == current else { return }
            if isBroken { return lose(-ECONNRESET) }
            if loop.now &- start >= Self.share { return }
            if !readsAhead { guard read(until: start &+ Self.share) else { return } }
        }
    }

    /// Reads and queues messages. Returns whether the connection still exists.
    private func read(until end: Int64) -> Bool {
        guard let bus else { return false }
        // Keep the sd-bus object alive until the end, whatever the callbacks do.
        sd_bus_ref(bus)
        defer { sd_bus_unref(bus) }
        repeat {
            guard readsAhead ? mailbox.hasRoom : mailbox.isEmpty else { return true }
            var pointer: OpaquePointer?
            let code = sd_bus_process(bus, &pointer)
            if let pointer {
                let message = Message(taking: pointer)
                if uniqueName != nil { queue(message) }
            }
            guard self.bus == bus else { return false }
            // We close the connection ourselves, because its descriptor must first be removed from the loop.
            if code < 0 || isBroken || sd_bus_is_open(bus) <= 0 {
                lose(code < 0 ? code : -ECONNRESET)
                return false
            }
            if uniqueName == nil, sd_bus_is_ready(bus) > 0 { connected(bus) }
            guard self.bus == bus else { return false }
            // The socket of the bus may hold more than fits into the socket of sd-bus.
            if code == 0, gate?.pump() != true { return true }
        } while loop.now < end
        return true
    }

    private func queue(_ message: borrowing Message) {
        let sender = message.sender
        if sender == Self.busName {
            return mailbox.add(busMessage: QueuedMessage(message), about: message.formerOwner)
        }
        let kind = message.kind
        let isAnswer = kind == Int32(SD_BUS_MESSAGE_METHOD_RETURN) || kind == Int32(SD_BUS_MESSAGE_METHOD_ERROR)
        if gate?.hasCut(MessageGate.MessageKey(sender: sender, serial: message.serial)) ?? false {
            let error = WireError(
                WireErrorName.limitsExceeded,
                "the message is longer than \(MessageGate.longest) bytes, which is all that is read")
            if isAnswer, let call = answered(by: message) {
                drop(call)
                call.finish(.failure(error))
            }
            if kind == Int32(SD_BUS_MESSAGE_METHOD_CALL) { BusCall(message, self).fail(error) }
            return
        }
        // Answers need no limit: there are only as many as we have sent calls.
        if isAnswer, answered(by: message) == nil { return }
        let weight = message.weight
        if isAnswer || mailbox.admits(sender, weight: weight) {
            return mailbox.add(QueuedMessage(message), from: sender, weight: weight)
        }
        // A signal is dropped, which harms only its sender.
        guard kind == Int32(SD_BUS_MESSAGE_METHOD_CALL) else { return }
        BusCall(message, self).fail(
            WireError(WireErrorName.limitsExceeded, "too many calls wait to be answered: wait for some of them"))
    }

    /// Holds back a sender's messages until ``release(_:)``, within the mailbox's limits, for a server that must first
    /// find out whom it serves. Messages that came before, and the bus's own messages about the sender, are still
    /// handled.
    public func hold(_ sender: String) { mailbox.hold(sender) }
    /// Handles held messages again, in turn with those of other senders.
    public func release(_ sender: String) {
        mailbox.release(sender)
        updateWaiting()
    }

    private func dispatch(_ message: borrowing Message) {
        switch message.kind {
        case Int32(SD_BUS_MESSAGE_METHOD_CALL):
            let call = BusCall(message, self)
            if let calls { return calls(call) }
            call.fail(WireError(WireErrorName.unknownObject, "there are no objects here"))
        case Int32(SD_BUS_MESSAGE_METHOD_RETURN), Int32(SD_BUS_MESSAGE_METHOD_ERROR): handleAnswer(message)
        case Int32(SD_BUS_MESSAGE_SIGNAL): handleSignal(message)
        default: break
        }
    }

    /// Tells the loop for which events and until which moment to wait. Also called after every message that was sent.
    func updateWaiting() {
        if isTurning { return }
        var next = retryMoment
        gate?.pump()
        if gate?.isOverfull == true { isBroken = true }
        func wait(for moment: Int64) { if moment < next ?? .max { next = moment } }
        if !work.isEmpty || !longWork.isEmpty || isBroken || !mailbox.isEmpty { wait(for: loop.now) }
        if earliestDeadline < .max { wait(for: earliestDeadline) }
        if let bus {
            if let wanted = gate?.interest, wanted != gateInterest {
                gateInterest = wanted
                gateWatch?.update(wanted)
            }
            let events = sd_bus_get_events(bus)
            var wanted = Readiness()
            // While messages wait, the next turn comes by itself, only once per turn of the loop.
            if events > 0, events & POLLIN != 0, mailbox.isEmpty { wanted.insert(.readable) }
            if events > 0, events & POLLOUT != 0 { wanted.insert(.writable) }
            if wanted != interest {
                interest = wanted
                watch?.update(wanted)
            }
            var microseconds: UInt64 = 0
            if sd_bus_get_timeout(bus, &microseconds) > 0, microseconds < .max / 1000 {
                // A time of 0 would mean "at once", but some timers take it as "never".
                wait(for: max(1, Int64(clamping: microseconds &* 1000)))
            }
        }
        arm(at: next)
    }

    private func arm(at moment: Int64?) {
        guard moment != armed else { return }
        // An armed timer that is due fires at once and is then evaluated again. Arming a timer for each message would
        // cost more than the message.
        if moment != nil, let armed, armed <= loop.now { return }
        armed = moment
        alarm?.arm(at: moment)
    }

    // MARK: - Connecting and disconnecting

    private func connected(_ bus: OpaquePointer) {
        var name: UnsafePointer<CChar>?
        guard sd_bus_get_unique_name(bus, &name) >= 0, let name else { return }
        let unique = String(cString: name)
        uniqueName = unique
        lastError = nil
        delay = Self.delays.lowerBound
        if !observed.isEmpty { observe() }
        for match in matches { sendMatch("AddMatch", match.text) }
        for watch in nameWatches { ask(watch) }
        for request in nameRequests { ask(request) }
        sendPending()
        stateChanged(.connected(unique))
    }

    private func observe() {
        let rules = observed.map { WireValue.string($0.text(of: "method_call")) }
        call(
            Self.busName, path: Self.busPath, interface: "org.freedesktop.DBus.Monitoring", "BecomeMonitor",
            [.array(of: "s", rules), .uint32(0)]
        ) { [weak self] result in
            if case .success = result { self?.isObserving = true }
        }
    }

    private func lose(_ code: Int32) {
        lose(WireError(WireErrorName.disconnected, WireError(code: code, "no connection to the bus").message))
    }

    private func lose(_ error: WireError) {
        let wasConnected = isConnected
        if isOpen {
            retryMoment = loop.now &+ delay
            delay = min(delay &* 2, Self.delays.upperBound)
        }
        disconnect(error)
        if wasConnected { stateChanged(.lost) }
        updateWaiting()
    }

    private func disconnect(_ error: WireError) {
        watch?.cancel()
        watch = nil
        gateWatch?.cancel()
        gateWatch = nil
        if let bus { sd_bus_close_unref(bus) }
        bus = nil
        gate = nil
        mailbox.clear()
        isBroken = false
        isObserving = false
        uniqueName = nil
        lastError = error
        failPending(error)
        for request in nameRequests { request.update(false) }
        for watch in nameWatches { watch.update(nil) }
    }

    /// Loses the connection in the next turn, to make another one.
    package func giveUp() {
        guard bus != nil else { return }
        isBroken = true
        updateWaiting()
    }

    /// Checks the result of sending a message, and how much waits to be sent.
    func sent(_ code: Int32) {
        guard let bus else { return }
        var queued: UInt64 = 0
        if code == -ENOBUFS || (sd_bus_get_n_queued_write(bus, &queued) >= 0 && queued > Self.maximumQueue) {
            isBroken = true
        }
        updateWaiting()
    }
}
