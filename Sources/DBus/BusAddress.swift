import Glibc

/// The address of a bus.
public enum BusAddress: Sendable, Hashable {
    /// `DBUS_SESSION_BUS_ADDRESS`, else the user's bus in `XDG_RUNTIME_DIR`.
    case session
    /// `DBUS_SYSTEM_BUS_ADDRESS`, else the usual socket.
    case system
    /// A unix socket's address (D-Bus Specification, "Server Addresses").
    case custom(String)

    /// The address for sd-bus, reduced to its unix sockets, because resolving a host name or starting a program would
    /// block. Nil if no socket is left.
    var resolved: String? {
        let text: String
        switch self {
        case .session:
            text = Self.variable("DBUS_SESSION_BUS_ADDRESS") ?? Self.socket(Self.runtimeFolder + "/bus")
        case .system: text = Self.variable("DBUS_SYSTEM_BUS_ADDRESS") ?? Self.socket("/run/dbus/system_bus_socket")
        case .custom(let address): text = address
        }
        let sockets = text.split(separator: ";" as Character).filter { $0.hasPrefix("unix:") }
        return sockets.isEmpty ? nil : sockets.joined(separator: ";")
    }

    private static func variable(_ name: String) -> String? {
        guard let value = getenv(name), value.pointee != 0 else { return nil }
        return String(cString: value)
    }

    private static var runtimeFolder: String { variable("XDG_RUNTIME_DIR") ?? "/run/user/\(getuid())" }

    /// The address of a socket, with all but a few characters of the path escaped.
    private static func socket(_ path: String) -> String {
        let digits = Array("0123456789abcdef".unicodeScalars)
        var text = "unix:path="
        for byte in path.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "-")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "\\"), UInt8(ascii: "*"):
                text.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                text += "%"
                text.unicodeScalars.append(digits[Int(byte >> 4)])
                text.unicodeScalars.append(digits[Int(byte & 15)])
            }
        }
        return text
    }
}
