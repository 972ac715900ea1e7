import SessionWire

/// `org.freedesktop.DBus.Properties` of a served object.
extension ObjectServer {
    /// Carries out Get, Set or GetAll, whose arguments are of the right types.
    func takeProperty(_ call: BusCall, of object: (any ServedObject)?) {
        let arguments = call.arguments
        let wanted = arguments.first?.text ?? ""
        let interfaces = object?.interfaces ?? []
        // The empty name is any interface.
        let fitting = wanted.isEmpty ? interfaces : interfaces.filter { $0.name == wanted }
        if fitting.isEmpty && !wanted.isEmpty && !Self.isStandard(wanted) {
            return call.fail(
                .unknown(
                    WireErrorName.unknownInterface, "interface", wanted, of: call.path, interfaces.map(\.name)))
        }
        guard call.member != "GetAll" else {
            var entries: [WireValue.Entry] = []
            for interface in fitting { entries += object?.values(of: interface).entries ?? [] }
            return call.answer([.dictionary(key: "s", value: "v", entries)])
        }
        let name = arguments.count > 1 ? arguments[1].text ?? "" : ""
        for interface in fitting {
            guard let object, let property = interface.property(name) else { continue }
            if call.member == "Set", arguments.count > 2 {
                return set(property, interface.name, arguments[2], object, call)
            }
            guard let value = object.value(of: name, interface: interface.name) else {
                return call.fail(WireError(WireErrorName.failed, "\(name) has no value now"))
            }
            return call.answer([.variant(value)])
        }
        let properties = fitting.flatMap { $0.properties.map(\.name) }
        call.fail(.unknown(WireErrorName.unknownProperty, "property", name, of: call.path, properties))
    }

    private func set(
        _ property: WireInterface.Property, _ interface: String, _ value: WireValue, _ object: any ServedObject,
        _ call: BusCall
    ) {
        guard property.isWritable else {
            return call.fail(WireError(WireErrorName.propertyReadOnly, "\(property.name) can only be read"))
        }
        // One variant is the method's, more are what some bindings add.
        let value = property.signature == "v" ? value : value.bare
        guard value.typeSignature == property.signature else {
            return call.fail(
                WireError(
                    WireErrorName.invalidArguments,
                    "\(property.name) has the type \(property.signature), not \(value.typeSignature)"))
        }
        object.set(property.name, interface: interface, to: value, call: call)
    }

    private static func isStandard(_ name: String) -> Bool {
        [
            WireInterface.peer.name, WireInterface.introspectable.name, WireInterface.properties.name,
            WireInterface.objectManager.name,
        ].contains(name)
    }
}

extension WireError {
    /// How many names an error lists.
    static let listed = 24

    /// There is nothing of that name; says what there is.
    static func unknown(
        _ error: String, _ kind: String, _ name: String, of path: String, _ names: [String]
    ) -> WireError {
        var text = "there is no \(kind) \"" + name + "\" at " + path
        if names.isEmpty { return WireError(error, text + ", nor any other") }
        text += "; there is " + names.prefix(listed).joined(separator: ", ")
        return WireError(error, names.count > listed ? text + ", and more" : text)
    }

    /// The arguments are not of the types that a method takes; says which it takes.
    static func wrongArguments(_ call: BusCall, _ method: WireInterface.Method) -> WireError {
        var text = method.name + " takes "
        text += method.inputs.isEmpty ? "no arguments" : method.inputSignature + " ("
        text += method.inputs.map { $0.name + ": " + $0.signature }.joined(separator: ", ")
        if !method.inputs.isEmpty { text += ")" }
        text += call.signature.isEmpty ? ", and got none" : ", and got " + call.signature
        return WireError(WireErrorName.invalidArguments, text)
    }
}
