import CSystemdBus
import Glibc
import SessionWire

/// A reference to a message of sd-bus.
struct Message: ~Copyable {
    let pointer: OpaquePointer

    /// Takes a reference over.
    init(taking pointer: OpaquePointer) { self.pointer = pointer }
    /// Takes a reference of its own.
    init(sharing pointer: OpaquePointer) { self.pointer = sd_bus_message_ref(pointer) }
    deinit { sd_bus_message_unref(pointer) }

    /// What a function of sd-bus makes.
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
    var sender: String { text(sd_bus_message_get_sender(pointer)) }
    var path: String { text(sd_bus_message_get_path(pointer)) }
    var interface: String { text(sd_bus_message_get_interface(pointer)) }
    var member: String { text(sd_bus_message_get_member(pointer)) }
    var signature: String { text(sd_bus_message_get_signature(pointer, 1)) }

    /// What an error that was answered says.
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
    /// There is no connection to the bus, or it went while an answer was waited for.
    public static let disconnected = "org.freedesktop.DBus.Error.Disconnected"
    /// No answer came in time.
    public static let noReply = "org.freedesktop.DBus.Error.NoReply"
}

extension WireError {
    /// A failure of sd-bus, which says it with a negative errno.
    init(code: Int32, _ what: String) {
        let reason = strerror(code < 0 && code > .min ? -code : code).map { String(cString: $0) } ?? "\(code)"
        self.init(WireErrorName.failed, what + ": " + reason)
    }
}
