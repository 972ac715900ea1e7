import BusInterface
import CSystemdBus

/// A method call whose answer has not come. The answer comes even if this object is released.
public final class PendingCall {
    fileprivate let destination: String
    fileprivate let deadline: Int64
    fileprivate let limit: Duration
    /// The message, until it has been sent.
    fileprivate var message: OpaquePointer?
    fileprivate var cookie: UInt64 = 0
    /// The call's number, in the order of all calls.
    fileprivate let number: Int
    private weak var connection: BusConnection?
    private var body: ((Result<[WireValue], WireError>) -> Void)?

    fileprivate init(
        _ destination: String, number: Int, deadline: Int64, limit: Duration, _ connection: BusConnection,
        _ body: @escaping (Result<[WireValue], WireError>) -> Void
    ) {
        self.destination = destination
        self.number = number
        self.deadline = deadline
        self.limit = limit
        self.connection = connection
        self.body = body
    }

    deinit { dropMessage() }

    /// Cancels the call: there will be no answer.
    public func cancel() {
        body = nil
        dropMessage()
        connection?.drop(self)
    }

    func finish(_ result: Result<[WireValue], WireError>) {
        dropMessage()
        guard let body else { return }
        self.body = nil
        body(result)
    }

    fileprivate func dropMessage() {
        if let message { sd_bus_message_unref(message) }
        message = nil
    }
}

extension BusConnection {
    /// Calls a method.
    ///
    /// The body is called exactly once, never before this returns: with the values, or with an error of the peer, of
    /// the bus, or of this end (``WireErrorName/disconnected``, ``WireErrorName/noReply``). Before the first connection
    /// is established a call waits for it; between a loss and the reconnection it fails. Descriptors among the values
    /// belong to the message; duplicate them to keep them.
    ///
    /// - Returns: An object that can cancel the call.
    @discardableResult public func call(
        _ destination: String, path: String, interface: String, _ member: String, _ arguments: [WireValue] = [],
        timeout: Duration = .seconds(25), then body: @escaping (Result<[WireValue], WireError>) -> Void
    ) -> PendingCall {
        let (deadline, overflow) = loop.now.addingReportingOverflow(max(0, timeout.inNanoseconds))
        lastCall &+= 1
        let call = PendingCall(
            destination, number: lastCall, deadline: overflow ? .max : deadline, limit: timeout, self, body)
        guard let bus else {
            let error = lastError ?? WireError(WireErrorName.disconnected, "no connection to the bus")
            soon { call.finish(.failure(error)) }
            return call
        }
        do throws(WireError) {
            let message = try Message.make { made in
                sd_bus_message_new_method_call(bus, made, destination, path, interface, member)
            }
            try message.append(arguments)
            call.message = sd_bus_message_ref(message.pointer)
            pending[call.number] = call
            earliestDeadline = min(earliestDeadline, call.deadline)
            if isConnected { send(call) }
            updateWaiting()
        } catch {
            soon { call.finish(.failure(error)) }
        }
        return call
    }

    /// Sends a call that has waited.
    func send(_ call: PendingCall) {
        guard let message = call.message else { return }
        let code = sd_bus_send(bus, message, &call.cookie)
        call.dropMessage()
        if code >= 0 { sentCalls[call.cookie] = call }
        if code < 0 {
            drop(call)
            soon { call.finish(.failure(WireError(code: code, "cannot send the call"))) }
        }
        sent(code)
    }

    /// Sends the calls that have waited for a connection.
    func sendPending() {
        for (_, call) in pending.sorted(by: { $0.key < $1.key }) { send(call) }
    }

    /// Fails all pending calls, because the connection is lost.
    func failPending(_ error: WireError) {
        let failed = pending.sorted { $0.key < $1.key }
        pending = [:]
        sentCalls = [:]
        for (_, call) in failed { call.finish(.failure(error)) }
    }

    func drop(_ call: PendingCall) {
        pending[call.number] = nil
        if sentCalls[call.cookie] === call { sentCalls[call.cookie] = nil }
    }

    /// The call that a message answers; `nil` if none.
    func answered(by message: borrowing Message) -> PendingCall? {
        var cookie: UInt64 = 0
        guard sd_bus_message_get_reply_cookie(message.pointer, &cookie) >= 0, let call = sentCalls[cookie] else {
            return nil
        }
        // Any peer could send an answer with a guessed serial, so the sender must match.
        let sender = message.sender
        let isItself = call.destination.utf8.first == UInt8(ascii: ":") || call.destination == Self.busName
        return sender == call.destination || sender == Self.busName || !isItself ? call : nil
    }

    /// Completes the call that a message answers; an unexpected answer is dropped.
    func handleAnswer(_ message: borrowing Message) {
        guard let call = answered(by: message) else { return }
        drop(call)
        if message.kind == Int32(SD_BUS_MESSAGE_METHOD_ERROR) { return call.finish(.failure(message.error)) }
        do throws(WireError) {
            call.finish(.success(try message.arguments()))
        } catch {
            call.finish(.failure(error))
        }
    }

    /// Fails the calls whose time limit has passed.
    func expireCalls() {
        guard earliestDeadline <= loop.now else { return }
        let now = loop.now
        let late = pending.values.filter { $0.deadline <= now }.sorted { $0.number < $1.number }
        for call in late { drop(call) }
        earliestDeadline = .max
        for call in pending.values { earliestDeadline = min(earliestDeadline, call.deadline) }
        for call in late {
            let limit = call.limit.inNanoseconds / 1_000_000
            call.finish(
                .failure(WireError(WireErrorName.noReply, "\(call.destination) did not answer within \(limit) ms")))
        }
    }
}
