import BusInterface

/// A rule for signals, or for calls (D-Bus Specification, "Match Rules"). A member that is nil matches everything.
public struct MatchRule: Sendable, Hashable {
    /// The sender: a unique name, or a well-known name, whose owner is then followed.
    public var sender: String?
    /// The object that sends the signal.
    public var path: String?
    /// The object that sends the signal, or one above it in the path.
    public var pathNamespace: String?
    /// The signal's interface.
    public var interface: String?
    /// The signal's name.
    public var member: String?
    /// The first argument, as a string.
    public var argument0: String?
    /// The first argument as a bus name, or the part of that name before a dot.
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

    /// The rule for signals in the bus's syntax.
    var text: String { text(of: "signal") }

    /// The rule for messages of a type in the bus's syntax.
    func text(of type: String) -> String {
        var text = "type='\(type)'"
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

    /// Whether the owner of a well-known name must be known to match the sender.
    var followsSender: Bool {
        guard let sender else { return false }
        return sender.utf8.first != UInt8(ascii: ":") && sender != BusConnection.busName
    }

    /// Whether path, interface and member match; the sender is not examined.
    func matches(path: String, interface: String, member: String) -> Bool {
        (self.path ?? path) == path && (self.interface ?? interface) == interface && (self.member ?? member) == member
            && Self.isIn(pathNamespace, path, "/")
    }

    /// Whether the first argument matches.
    func matches(_ arguments: [WireValue]) -> Bool {
        guard argument0 != nil || argument0Namespace != nil else { return true }
        guard case .string(let text)? = arguments.first else { return false }
        return (argument0 ?? text) == text && Self.isIn(argument0Namespace, text, ".")
    }

    private static func isIn(_ space: String?, _ name: String, _ separator: String) -> Bool {
        guard let space, space != name, space != separator else { return true }
        return name.hasPrefix(space + separator)
    }
}
