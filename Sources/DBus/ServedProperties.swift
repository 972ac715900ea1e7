import BusInterface

/// `org.freedesktop.DBus.Properties` of a served object.
extension ObjectServer {
    /// Runs `Get`, `Set` or `GetAll`, whose arguments have the declared types.
    func handleProperties(_ call: BusCall, of object: (any ServedObject)?) {
        let arguments = call.arguments
        let wanted = arguments.first?.text ?? ""
        let interfaces = object?.interfaces ?? []
        // An empty interface name means any interface.
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
        // The method's argument is one variant; some bindings wrap the value in further ones.
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
    /// The number of names that an error message lists at most.
    static let listed = 24

    /// An error for an unknown name; lists the known ones.
    static func unknown(
        _ error: String, _ kind: String, _ name: String, of path: String, _ names: [String]
    ) -> WireError {
        var text = "there is no \(kind) \"" + name + "\" at " + path
        if names.isEmpty { return WireError(error, text + ", nor any other") }
        text += "; there is " + names.prefix(listed).joined(separator: ", ")
        return WireError(error, names.count > listed ? text + ", and more" : text)
    }

    /// An error for arguments of wrong types; says which types the method takes.
    static func wrongArguments(_ call: BusCall, _ method: WireInterface.Method) -> WireError {
        var text = method.name + " takes "
        text += method.inputs.isEmpty ? "no arguments" : method.inputSignature + " ("
        text += method.inputs.map { $0.name + ": " + $0.signature }.joined(separator: ", ")
        if !method.inputs.isEmpty { text += ")" }
        text += call.signature.isEmpty ? ", and got none" : ", and got " + call.signature
        return WireError(WireErrorName.invalidArguments, text)
    }
}
