import SessionWire

/// Which signals are meant (D-Bus Specification, "Match Rules"). What is nil is not looked at.
public struct MatchRule: Sendable, Hashable {
    /// Who sends it: a unique name, or a well-known one, whose owner is then followed.
    public var sender: String?
    /// The object it comes from.
    public var path: String?
    /// The object it comes from, or one above that.
    public var pathNamespace: String?
    /// Its interface.
    public var interface: String?
    /// Its name.
    public var member: String?
    /// The first argument, a text.
    public var argument0: String?
    /// The first argument, a bus name, or what it begins with before a dot.
    public var argument0Namespace: String?

    /// Makes a rule.
    public init(
        sender: String? = nil, path: String? = nil, pathNamespace: String? = nil, interface: String? = nil,
        member: String? = nil, argument0: String? = nil, argument0Namespace: String? = nil
    ) {
        self.sender = sender
        self.path = path
        self.pathNamespace = pathNamespace
        self.interface = interface
        self.member = member
        self.argument0 = argument0
        self.argument0Namespace = argument0Namespace
    }

    /// The rule as the bus reads it.
    var text: String {
        var text = "type='signal'"
        func add(_ key: String, _ value: String?) {
            guard let value else { return }
            text += ","
            text += key
            text += "='"
            for scalar in value.unicodeScalars {
                if scalar == "'" { text += "'\\''" } else { text.unicodeScalars.append(scalar) }
            }
            text += "'"
        }
        add("sender", sender)
        add("path", path)
        add("path_namespace", pathNamespace)
        add("interface", interface)
        add("member", member)
        add("arg0", argument0)
        add("arg0namespace", argument0Namespace)
        return text
    }

    /// Whether a well-known name's owner has to be known to judge the sender.
    var followsSender: Bool {
        guard let sender else { return false }
        return sender.utf8.first != UInt8(ascii: ":") && sender != BusConnection.busName
    }

    /// Whether what does not need the message read is as it should be; the sender is not looked at.
    func fits(path: String, interface: String, member: String) -> Bool {
        (self.path ?? path) == path && (self.interface ?? interface) == interface && (self.member ?? member) == member
            && Self.isIn(pathNamespace, path, "/")
    }

    /// Whether the first argument is as it should be.
    func fits(_ arguments: [WireValue]) -> Bool {
        guard argument0 != nil || argument0Namespace != nil else { return true }
        guard case .string(let text)? = arguments.first else { return false }
        return (argument0 ?? text) == text && Self.isIn(argument0Namespace, text, ".")
    }

    private static func isIn(_ space: String?, _ name: String, _ separator: String) -> Bool {
        guard let space, space != name, space != separator else { return true }
        return name.hasPrefix(space + separator)
    }
}
