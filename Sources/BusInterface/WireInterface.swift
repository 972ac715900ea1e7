/// A D-Bus interface: its methods, signals and properties, each with documentation.
///
/// The service checks calls against it and generates its introspection data from it.
public struct WireInterface: Sendable {
    /// One argument of a method or signal.
    public struct Argument: Sendable {
        /// The name, e.g. `properties`.
        public var name: String
        /// The type's signature.
        public var signature: String

        /// Creates an argument.
        public init(_ name: String, _ signature: String) {
            self.name = name
            self.signature = signature
        }
    }

    /// Who may call a method, or set a property (N18, N20).
    public enum Access: Sendable {
        /// Everybody. Somebody is told of the own application, and of all if in control of the desktop.
        case anyone
        /// Whoever controls the object: of a session, the connection that has opened it, and those that share it.
        case owner
        /// Whoever may control the desktop: programs outside of sandboxes, and those that the policy names.
        case desktop
    }

    /// A method.
    public struct Method: Sendable {
        /// The name, e.g. `OpenSession`.
        public var name: String
        /// The arguments of a call.
        public var inputs: [Argument]
        /// The values of the answer.
        public var outputs: [Argument]
        /// Who may call it.
        public var access: Access
        /// What the method does, and its errors.
        public var documentation: String

        /// Creates a method, by default one that is for nobody but the object's owner.
        public init(
            _ name: String, _ inputs: [Argument], returns outputs: [Argument] = [], access: Access = .owner,
            _ documentation: String
        ) {
            self.name = name
            self.inputs = inputs
            self.outputs = outputs
            self.access = access
            self.documentation = documentation
        }

        /// The signature of the call.
        public var inputSignature: String { inputs.map(\.signature).joined() }
        /// The signature of the answer.
        public var outputSignature: String { outputs.map(\.signature).joined() }
    }

    /// A signal.
    public struct Signal: Sendable {
        /// The name, e.g. `InterruptionBegan`.
        public var name: String
        /// The signal's arguments.
        public var arguments: [Argument]
        /// When the signal is sent, and to whom.
        public var documentation: String

        /// Creates a signal.
        public init(_ name: String, _ arguments: [Argument], _ documentation: String) {
            self.name = name
            self.arguments = arguments
            self.documentation = documentation
        }
    }

    /// A property.
    public struct Property: Sendable {
        /// The name, e.g. `Silent`.
        public var name: String
        /// The type's signature.
        public var signature: String
        /// Who may set it; `nil` for nobody. Whoever may see the object may read it.
        public var setter: Access?
        /// Whether the value is fixed for the object's lifetime; other properties announce their changes.
        public var isConstant: Bool
        /// The meaning, with unit and range.
        public var documentation: String

        /// Creates a property.
        public init(
            _ name: String, _ signature: String, setter: Access? = nil, isConstant: Bool = false,
            _ documentation: String
        ) {
            self.name = name
            self.signature = signature
            self.setter = setter
            self.isConstant = isConstant
            self.documentation = documentation
        }

        /// Whether it can be set.
        public var isWritable: Bool { setter != nil }
    }

    /// The name, e.g. `org.AudioSession1.Manager`.
    public var name: String
    /// The purpose of the interface.
    public var documentation: String
    /// The methods.
    public var methods: [Method]
    /// The signals.
    public var signals: [Signal]
    /// The properties.
    public var properties: [Property]

    /// Creates an interface.
    public init(
        _ name: String, _ documentation: String, methods: [Method] = [], signals: [Signal] = [],
        properties: [Property] = []
    ) {
        self.name = name
        self.documentation = documentation
        self.methods = methods
        self.signals = signals
        self.properties = properties
    }

    /// The method with a name.
    public func method(_ name: String) -> Method? { methods.first { $0.name == name } }
    /// The property with a name.
    public func property(_ name: String) -> Property? { properties.first { $0.name == name } }
}

// MARK: - Introspection

extension WireInterface {
    /// The introspection data of an object (D-Bus Specification, "Introspection Data Format").
    ///
    /// - Parameters:
    ///   - interfaces: The object's interfaces, including the standard ones.
    ///   - children: The last parts of the paths of the objects below it.
    public static func introspection(of interfaces: [WireInterface], children: [String] = []) -> String {
        var text = """
            <!DOCTYPE node PUBLIC "-//freedesktop//DTD D-BUS Object Introspection 1.0//EN"
             "http://www.freedesktop.org/standards/dbus/1.0/introspect.dtd">
            <node>

            """
        for interface in interfaces { interface.write(to: &text) }
        for child in children { text += " <node name=\"\(escaped(child))\"/>\n" }
        return text + "</node>\n"
    }

    private func write(to text: inout String) {
        func document(_ documentation: String, _ indentation: String) {
            guard !documentation.isEmpty else { return }
            text +=
                "\(indentation)<annotation name=\"org.gtk.GDBus.DocString\" value=\"\(Self.escaped(documentation))\"/>\n"
        }
        func argue(_ arguments: [Argument], _ direction: String) {
            for argument in arguments {
                text += "   <arg name=\"\(argument.name)\" type=\"\(argument.signature)\"\(direction)/>\n"
            }
        }
        text += " <interface name=\"\(name)\">\n"
        document(documentation, "  ")
        for method in methods {
            text += "  <method name=\"\(method.name)\">\n"
            document(method.documentation, "   ")
            argue(method.inputs, " direction=\"in\"")
            argue(method.outputs, " direction=\"out\"")
            text += "  </method>\n"
        }
        for signal in signals {
            text += "  <signal name=\"\(signal.name)\">\n"
            document(signal.documentation, "   ")
            argue(signal.arguments, "")
            text += "  </signal>\n"
        }
        for property in properties {
            let access = property.isWritable ? "readwrite" : "read"
            text += "  <property name=\"\(property.name)\" type=\"\(property.signature)\" access=\"\(access)\">\n"
            document(property.documentation, "   ")
            if property.isConstant {
                text += "   <annotation name=\"org.freedesktop.DBus.Property.EmitsChangedSignal\" value=\"const\"/>\n"
            }
            text += "  </property>\n"
        }
        text += " </interface>\n"
    }

    private static func escaped(_ string: String) -> String {
        var text = ""
        for scalar in string.unicodeScalars {
            switch scalar {
            case "&": text += "&amp;"
            case "<": text += "&lt;"
            case ">": text += "&gt;"
            case "\"": text += "&quot;"
            case "\n": text += "&#10;"
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text
    }
}
