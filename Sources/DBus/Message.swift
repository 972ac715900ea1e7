import BusInterface
import CSystemdBus
import Glibc

/// An owned reference to an sd-bus message.
struct Message: ~Copyable {
    let pointer: OpaquePointer

    /// Takes over an existing reference.
    init(taking pointer: OpaquePointer) { self.pointer = pointer }
    /// Adds a reference.
    init(sharing pointer: OpaquePointer) { self.pointer = sd_bus_message_ref(pointer) }
    deinit { sd_bus_message_unref(pointer) }

    /// Owns the message that a function of sd-bus creates.
    static func make(_ body: (UnsafeMutablePointer<OpaquePointer?>) -> Int32) throws(WireError) -> Message {
        var pointer: OpaquePointer?
        let code = body(&pointer)
        guard code >= 0, let pointer else { throw WireError(code: code, "cannot make a message") }
        return Message(taking: pointer)
    }

    var kind: Int32 {
        var kind: UInt8 = 0
        return sd_bus_message_get_type(pointer, &kind) >= 0 ? Int32(kind) : 0
    }
    var serial: UInt64 {
        var serial: UInt64 = 0
        return sd_bus_message_get_cookie(pointer, &serial) >= 0 ? serial : 0
    }
    var sender: String { text(sd_bus_message_get_sender(pointer)) }
    var destination: String { text(sd_bus_message_get_destination(pointer)) }
    var path: String { text(sd_bus_message_get_path(pointer)) }
    var interface: String { text(sd_bus_message_get_interface(pointer)) }
    var member: String { text(sd_bus_message_get_member(pointer)) }
    var signature: String { text(sd_bus_message_get_signature(pointer, 1)) }

    /// The error in an error reply.
    var error: WireError {
        guard let error = sd_bus_message_get_error(pointer) else { return WireError(WireErrorName.failed, "") }
        return WireError(text(error.pointee.name), text(error.pointee.message))
    }

    private func text(_ string: UnsafePointer<CChar>?) -> String { string.map { String(cString: $0) } ?? "" }
}

/// A message that waits to be handled.
final class QueuedMessage {
    private let message: Message

    init(_ message: borrowing Message) { self.message = Message(sharing: message.pointer) }

    func handle(_ body: (borrowing Message) -> Void) { body(message) }
}

extension WireErrorName {
    /// There is no connection to the bus, or it was lost during the call.
    public static let disconnected = "org.freedesktop.DBus.Error.Disconnected"
    /// No answer came within the time limit.
    public static let noReply = "org.freedesktop.DBus.Error.NoReply"
}

extension WireError {
    /// An error from sd-bus, given as a negative errno.
    init(code: Int32, _ what: String) {
        let reason = strerror(code < 0 && code > .min ? -code : code).map { String(cString: $0) } ?? "\(code)"
        self.init(WireErrorName.failed, what + ": " + reason)
    }
}
