import CSystemdBus
import Glibc
import SessionWire

/// A connection to a bus, on somebody's loop, that never waits: it answers what comes, for a limited time in each turn of
/// the loop and each sender in turn, and connects again when the bus went away.
///
/// sd-bus speaks the protocol. Which call an answer belongs to, which signal is for whom and who owns a name is kept
/// here, where it outlives a connection. All of it happens on the loop's thread; nothing is called back from inside a
/// function that was called, except by ``close()``.
public final class BusConnection {
    /// What ``stateChanged`` tells.
    public enum State: Sendable, Hashable {
        /// The connection is there, and has this unique name.
        case connected(String)
        /// It is gone; calls that were under way have failed.
        case lost
    }

    /// The bus's own name, path and interface.
    public static let busName = "org.freedesktop.DBus"
    static let busPath = "/org/freedesktop/DBus"
    /// After how long nothing more is handled in one turn of the loop, and before that nothing more read, in nanoseconds:
    /// others on the loop are not kept waiting by peers that never stop. Reading goes ahead of handling, for whoever
    /// called once may be behind a thousand messages of another.
    private static let share: Int64 = 1_000_000
    private static let readingShare: Int64 = 500_000
    /// How many messages may wait for a bus that does not read; then it counts as gone.
    private static let maximumQueue: UInt64 = 65_536
    /// The delay before another attempt to connect: doubled each time, in nanoseconds.
    private static let delays: ClosedRange<Int64> = 250_000_000...5_000_000_000

    /// Tells that the connection is there, or gone. Names and matches have been asked for again when it is there.
    public var stateChanged: (State) -> Void = { _ in }
    /// Takes every method call for us, except those of `org.freedesktop.DBus.Peer`, which are answered already.
    public var calls: ((BusCall) -> Void)?
    /// The unique name, e.g. `:1.42`; nil while there is no connection.
    public private(set) var uniqueName: String?
    /// Whether the bus knows us.
    public var isConnected: Bool { uniqueName != nil }
    /// Why the last connection ended or could not be made; nil while there is one.
    public private(set) var lastError: WireError?

    private let address: BusAddress
    let loop: any EventLoop
    private let readsAhead: Bool
    private(set) var bus: OpaquePointer?
    private var watch: (any LoopWatch)?
    private var interest = Readiness()
    private var alarm: (any LoopTimer)?
    private var armed: Int64?
    /// At the end of a turn the loop is told once what is waited for.
    private var isTurning = false
    private var isOpen = false
    private var isBroken = false
    private var retryMoment: Int64?
    private var delay = delays.lowerBound
    private var work: [() -> Void] = []
    /// What was read and is not handled yet.
    private var mailbox = Mailbox<QueuedMessage>()

    var pending: [PendingCall] = []
    /// No answer is late before; there may be none left that is late then.
    var earliestDeadline = Int64.max
    var subscriptions: [SubscriptionEntry] = []
    var matches: [(text: String, users: Int)] = []
    var nameWatches: [NameWatch] = []
    var nameRequests: [NameRequest] = []
    var lastNumber = 0

    /// Makes a connection that ``open()`` opens.
    ///
    /// - Parameter readsAhead: Whether to look behind what waits for others who wait, as who serves many has to do; then
    ///   who sends too much gets errors, and loses signals. Otherwise whatever is too much waits in the socket.
    public init(_ address: BusAddress, loop: any EventLoop, readsAhead: Bool = true) {
        self.address = address
        self.loop = loop
        self.readsAhead = readsAhead
        alarm = loop.timer { [weak self] in
            self?.armed = nil
            self?.turn()
        }
    }

    deinit {
        alarm?.cancel()
        watch?.cancel()
        if let bus { sd_bus_close_unref(bus) }
    }

    /// Connects, now and whenever the connection is lost.
    public func open() {
        guard !isOpen else { return }
        isOpen = true
        connect()
        settle()
    }

    /// Ends the connection for good: what waits to be sent is sent as far as it goes without waiting, and calls that are
    /// under way fail at once. ``stateChanged`` is not called.
    public func close() {
        isOpen = false
        retryMoment = nil
        if let bus {
            var queued: UInt64 = 0
            while sd_bus_get_n_queued_write(bus, &queued) >= 0, queued > 0 {
                var message: OpaquePointer?
                guard sd_bus_process(bus, &message) > 0 else { break }
                if let message { sd_bus_message_unref(message) }
            }
        }
        disconnect(WireError(WireErrorName.disconnected, "the connection was closed"))
        settle()
    }

    /// Carries something out in the next turn of the loop.
    func soon(_ body: @escaping () -> Void) {
        work.append(body)
        arm(at: loop.now)
    }

    // MARK: - Turns of the loop

    private func turn() {
        isTurning = true
        defer {
            isTurning = false
            settle()
        }
        let due = work
        work = []
        for body in due { body() }
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
        if code >= 0 { code = sd_bus_start(made) }
        guard code >= 0, let made else {
            sd_bus_unref(made)
            return soon { [weak self] in self?.lose(code) }
        }
        bus = made
        interest = []
        watch = loop.watch(sd_bus_get_fd(made)) { [weak self] _ in self?.turn() }
    }

    private func process() {
        let start = loop.now
        guard read(until: start &+ Self.readingShare) else { return }
        let current = bus
        // At least one, or it would never end when even reading takes too long.
        while let message = mailbox.next() {
            message.handle(take)
            // Whatever a handler does, the rest is of a connection that may be gone.
            guard bus != nil, bus == current else { return }
            if isBroken { return lose(-ECONNRESET) }
            if loop.now &- start >= Self.share { return }
            if !readsAhead { guard read(until: start &+ Self.share) else { return } }
        }
    }

    /// Queues what has come. Returns whether the connection is still there.
    private func read(until end: Int64) -> Bool {
        guard let bus else { return false }
        // Whatever is told, the object stays until the end.
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
            // Closing it is left to us, who take the descriptor from the loop first.
            if code < 0 || isBroken || sd_bus_is_open(bus) <= 0 {
                lose(code < 0 ? code : -ECONNRESET)
                return false
            }
            if uniqueName == nil, sd_bus_is_ready(bus) > 0 { connected(bus) }
            guard self.bus == bus else { return false }
            if code == 0 { return true }
        } while loop.now < end
        return true
    }

    private func queue(_ message: borrowing Message) {
        let sender = message.sender
        if sender == Self.busName {
            return mailbox.add(news: QueuedMessage(message), about: message.formerOwner)
        }
        let kind = message.kind
        let isAnswer = kind == Int32(SD_BUS_MESSAGE_METHOD_RETURN) || kind == Int32(SD_BUS_MESSAGE_METHOD_ERROR)
        // There are as many answers as we have asked for.
        if isAnswer, answered(by: message) == nil { return }
        let weight = message.weight
        if isAnswer || mailbox.admits(sender, weight: weight) {
            return mailbox.add(QueuedMessage(message), from: sender, weight: weight)
        }
        // A signal is lost, to nobody's harm but that of who sends so many.
        guard kind == Int32(SD_BUS_MESSAGE_METHOD_CALL) else { return }
        BusCall(message, self).fail(
            WireError(WireErrorName.limitsExceeded, "too many calls wait to be answered: wait for some of them"))
    }

    private func take(_ message: borrowing Message) {
        switch message.kind {
        case Int32(SD_BUS_MESSAGE_METHOD_CALL):
            let call = BusCall(message, self)
            if let calls { return calls(call) }
            call.fail(WireError(WireErrorName.unknownObject, "there are no objects here"))
        case Int32(SD_BUS_MESSAGE_METHOD_RETURN), Int32(SD_BUS_MESSAGE_METHOD_ERROR): takeAnswer(message)
        case Int32(SD_BUS_MESSAGE_SIGNAL): takeSignal(message)
        default: break
        }
    }

    /// Tells the loop what is waited for now. Called whenever something was sent, too.
    func settle() {
        if isTurning { return }
        var next = retryMoment
        func wait(for moment: Int64) { if moment < next ?? .max { next = moment } }
        if !work.isEmpty || isBroken || !mailbox.isEmpty { wait(for: loop.now) }
        if earliestDeadline < .max { wait(for: earliestDeadline) }
        if let bus {
            let events = sd_bus_get_events(bus)
            var wanted = Readiness()
            // While something waits the turn comes by itself, and only once in a turn of the loop.
            if events > 0, events & POLLIN != 0, mailbox.isEmpty { wanted.insert(.readable) }
            if events > 0, events & POLLOUT != 0 { wanted.insert(.writable) }
            if wanted != interest {
                interest = wanted
                watch?.update(wanted)
            }
            var microseconds: UInt64 = 0
            if sd_bus_get_timeout(bus, &microseconds) > 0, microseconds < .max / 1000 {
                // 0 is at once, which for some timers is never.
                wait(for: max(1, Int64(clamping: microseconds &* 1000)))
            }
        }
        arm(at: next)
    }

    private func arm(at moment: Int64?) {
        guard moment != armed else { return }
        // What is due comes at once, and then it is seen what else is: to arm a timer anew for each message costs more than the
        // message.
        if moment != nil, let armed, armed <= loop.now { return }
        armed = moment
        alarm?.arm(at: moment)
    }

    // MARK: - Coming and going

    private func connected(_ bus: OpaquePointer) {
        var name: UnsafePointer<CChar>?
        guard sd_bus_get_unique_name(bus, &name) >= 0, let name else { return }
        let unique = String(cString: name)
        uniqueName = unique
        lastError = nil
        delay = Self.delays.lowerBound
        for match in matches { sendMatch("AddMatch", match.text) }
        for watch in nameWatches { ask(watch) }
        for request in nameRequests { ask(request) }
        for call in pending { send(call) }
        stateChanged(.connected(unique))
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
        settle()
    }

    private func disconnect(_ error: WireError) {
        watch?.cancel()
        watch = nil
        if let bus { sd_bus_close_unref(bus) }
        bus = nil
        mailbox.clear()
        isBroken = false
        uniqueName = nil
        lastError = error
        let failed = pending
        pending = []
        for call in failed { call.finish(.failure(error)) }
        for request in nameRequests { request.update(false) }
        for watch in nameWatches { watch.update(nil) }
    }

    /// Looks at what sending came to, and at how much waits to be sent.
    func sent(_ code: Int32) {
        guard let bus else { return }
        var queued: UInt64 = 0
        if code == -ENOBUFS || (sd_bus_get_n_queued_write(bus, &queued) >= 0 && queued > Self.maximumQueue) {
            isBroken = true
        }
        settle()
    }
}
