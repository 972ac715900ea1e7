import BusInterface
import CSystemdBus

/// A method call from a peer, or a call between other peers that this connection observes. A peer's call gets exactly one
/// answer, now or later; if it is released without an answer, it fails with `Failed`.
public final class BusCall {
    /// The unique name of the caller.
    public let sender: String
    /// Who is called: a unique or a well-known name.
    public let destination: String
    /// The object that is called.
    public let path: String
    /// The interface; empty if the caller did not name one.
    public let interface: String
    /// The method.
    public let member: String
    /// The types of the arguments.
    public let signature: String
    /// The types of the answer's values, if known.
    var outputSignature: String?
    /// Called before an answer is sent.
    var willAnswer: (() -> Void)?

    private let message: Message
    private weak var connection: BusConnection?
    private var isAnswered: Bool
    private var read: [WireValue]?

    init(_ message: borrowing Message, _ connection: BusConnection) {
        self.message = Message(sharing: message.pointer)
        self.connection = connection
        sender = message.sender
        destination = message.destination
        path = message.path
        interface = message.interface
        member = message.member
        signature = message.signature
        // The receiver of an observed call answers it.
        isAnswered = !connection.observed.isEmpty || sd_bus_message_get_expect_reply(message.pointer) <= 0
    }

    deinit {
        if !isAnswered { fail(WireError(WireErrorName.failed, "\(member) was given up")) }
    }

    /// The arguments, read at the first use. If they exceed the limits, the call fails with `LimitsExceeded` and the
    /// array is empty. Descriptors are valid as long as the call.
    public var arguments: [WireValue] { (try? readArguments()) ?? [] }

    /// Returns the arguments; throws if they cannot be read, after failing the call.
    func readArguments() throws(WireError) -> [WireValue] {
        if let read { return read }
        do throws(WireError) {
            let values = try message.arguments()
            read = values
            return values
        } catch {
            read = []
            fail(error)
            throw error
        }
    }

    /// Answers with values. Only the first answer is sent.
    public func answer(_ values: [WireValue] = []) {
        if let outputSignature {
            var signature = ""
            for value in values { signature += value.typeSignature }
            guard signature == outputSignature else {
                return fail(
                    WireError(WireErrorName.failed, "\(member) answers \(outputSignature), and has \(signature)"))
            }
        }
        do throws(WireError) {
            let call = message.pointer
            let reply = try Message.make { made in sd_bus_message_new_method_return(call, made) }
            try reply.append(values)
            send(reply)
        } catch {
            fail(error)
        }
    }

    /// Answers with one long value, made in pieces over as many turns of the loop as needed. Further messages of the
    /// caller wait until then.
    ///
    /// - Parameter next: Returns the next piece; `nil` after the last one.
    public func answer(_ kind: LongAnswer.Kind, _ next: @escaping () -> LongAnswer.Bit?) {
        guard !isAnswered, let connection else { return }
        do throws(WireError) {
            let call = message.pointer
            let reply = try Message.make { made in sd_bus_message_new_method_return(call, made) }
            connection.make(try LongAnswer(kind, reply, for: self, next))
        } catch {
            fail(error)
        }
    }

    /// Answers with an error.
    public func fail(_ error: WireError) {
        // An error's name may contain an object's odd name. sd-bus does not check the name, and the bus would close the
        // connection on an invalid one.
        let name = sd_bus_interface_name_is_valid(error.name) > 0 ? error.name : WireErrorName.failed
        let text = Message.acceptable(error.message)
        let call = message.pointer
        let reply = try? Message.make { made in
            name.withCString { name in
                text.withCString { text in
                    var described = sd_bus_error(name: name, message: text, _need_free: 0)
                    return sd_bus_message_new_method_error(call, made, &described)
                }
            }
        }
        if let reply { send(reply) }
    }

    func send(_ reply: borrowing Message) {
        guard !isAnswered else { return }
        isAnswered = true
        willAnswer?()
        willAnswer = nil
        // Sent on the connection that the call came from, if that still exists.
        let code = sd_bus_send(nil, reply.pointer, nil)
        connection?.sent(code)
    }
}

extension BusConnection {
    /// Sends a signal to all subscribers, or to one peer. Without a connection the signal is lost.
    public func emit(
        path: String, interface: String, _ member: String, _ arguments: [WireValue] = [], to destination: String? = nil
    ) {
        guard isConnected, let bus else { return }
        let made = try? Message.make { made in sd_bus_message_new_signal(bus, made, path, interface, member) }
        guard let made, (try? made.append(arguments)) != nil else { return }
        if let destination, sd_bus_message_set_destination(made.pointer, destination) < 0 { return }
        sent(sd_bus_send(bus, made.pointer, nil))
    }
}
