import SessionWire

/// An object that others can call.
///
/// What it has is written in its interfaces; calls are checked against them before they come here.
public protocol ServedObject: AnyObject {
    /// What it has besides the standard interfaces; always the same.
    var interfaces: [WireInterface] { get }
    /// The properties that are told to those who ask and may, and not announced to everybody.
    var privateProperties: Set<String> { get }
    /// The value of a property, of the declared type; nil while it has none.
    func value(of property: String, interface: String) -> WireValue?
    /// Sets a writable property to a value of the declared type, and answers the call, with nothing or with an error.
    func set(_ property: String, interface: String, to value: WireValue, call: BusCall)
    /// Carries out a method, whose arguments are of the declared types, and answers the call, now or later.
    func call(_ method: String, interface: String, _ call: BusCall)
}

/// Serves objects on a connection: their methods, properties and introspection, and an `ObjectManager` at the root.
public final class ObjectServer {
    let connection: BusConnection
    /// The object with the `ObjectManager`.
    let root: String
    private(set) var objects: [String: any ServedObject] = [:]
    /// Finds out which of the objects below the root a caller may see, now or later; `nil` stands for all. By default, everybody
    /// may see everything.
    public var admission: (BusCall, @escaping (Set<String>?) -> Void) -> Void = { $1(nil) }
    private var changes: [PropertyChange] = []

    /// Properties of an object that have other values, which nobody has been told.
    private struct PropertyChange {
        var path: String
        var interface: String
        var names: [String]
    }

    /// Takes all calls of a connection.
    ///
    /// - Parameter root: The path of the object that has the `ObjectManager`, for the objects below it.
    public init(connection: BusConnection, root: String) {
        self.connection = connection
        self.root = root
        connection.calls = { [weak self] in self?.take($0) }
    }

    /// Serves an object, in place of one that may be there. It is announced, when it is below the root.
    public func add(_ object: any ServedObject, at path: String) {
        objects[path] = object
        guard isManaged(path) else { return }
        emitManager(
            "InterfacesAdded",
            [.objectPath(path), interfacesAndProperties(of: object, without: object.privateProperties)])
    }

    /// Serves an object no longer, and announces that.
    public func remove(_ path: String) {
        guard let object = objects[path] else { return }
        flush(path)
        objects[path] = nil
        guard isManaged(path) else { return }
        emitManager("InterfacesRemoved", [.objectPath(path), .strings(object.interfaces.map(\.name))])
    }

    /// Notes that properties have other values: announced once at the end of this turn of the loop, or before the object
    /// sends anything else.
    public func changed(_ properties: [String], interface: String, at path: String) {
        if changes.isEmpty { connection.soon { [weak self] in self?.flush() } }
        guard let index = changes.firstIndex(where: { $0.path == path && $0.interface == interface }) else {
            changes.append(PropertyChange(path: path, interface: interface, names: properties))
            return
        }
        for name in properties where !changes[index].names.contains(name) { changes[index].names.append(name) }
    }

    /// Sends a signal of an object, after the changes of its properties.
    public func emit(
        _ signal: String, interface: String, at path: String, _ arguments: [WireValue] = [],
        to destination: String? = nil
    ) {
        flush(path)
        connection.emit(path: path, interface: interface, signal, arguments, to: destination)
    }

    /// Announces the changes of one object, or of all.
    private func flush(_ path: String? = nil) {
        guard !changes.isEmpty else { return }
        let due = changes.filter { path == nil || $0.path == path }
        changes.removeAll { path == nil || $0.path == path }
        for change in due {
            guard let object = objects[change.path] else { continue }
            var values: [(String, WireValue)] = []
            var gone: [String] = []
            for name in change.names {
                if let value = object.value(of: name, interface: change.interface) {
                    values.append((name, value))
                } else {
                    gone.append(name)
                }
            }
            connection.emit(
                path: change.path, interface: WireInterface.properties.name, "PropertiesChanged",
                [.string(change.interface), .record(values), .strings(gone)])
        }
    }

    // MARK: - Calls

    private func take(_ call: BusCall) {
        call.willAnswer = { [weak self, path = call.path] in self?.flush(path) }
        let object = objects[call.path]
        let children = self.children(of: call.path)
        guard object != nil || !children.isEmpty || call.path == root || call.path == "/" else {
            return call.fail(unknownObject(call.path))
        }
        var interfaces = object?.interfaces ?? []
        interfaces += [.introspectable, .properties]
        if call.path == root { interfaces.append(.objectManager) }
        guard call.interface.isEmpty || interfaces.contains(where: { $0.name == call.interface }) else {
            return call.fail(
                .unknown(
                    WireErrorName.unknownInterface, "interface", call.interface, of: call.path,
                    interfaces.map(\.name)))
        }
        if !call.interface.isEmpty { interfaces.removeAll { $0.name != call.interface } }
        for interface in interfaces {
            guard let method = interface.method(call.member) else { continue }
            guard call.signature == method.inputSignature else { return call.fail(.wrongArguments(call, method)) }
            call.outputSignature = method.outputSignature
            guard (try? call.readArguments()) != nil else { return }
            switch interface.name {
            case WireInterface.introspectable.name:
                let all = (object?.interfaces ?? []) + standard(call.path)
                return call.answer([.string(WireInterface.introspection(of: all, children: children))])
            case WireInterface.properties.name:
                guard isManaged(call.path) else { return takeProperty(call, of: object) }
                return admission(call) { [weak self, weak object] seen in
                    guard let self else { return }
                    guard seen?.contains(call.path) ?? true else {
                        return call.fail(
                            WireError(WireErrorName.accessDenied, "\(call.path) belongs to another application"))
                    }
                    takeProperty(call, of: object)
                }
            case WireInterface.objectManager.name:
                return admission(call) { [weak self] seen in
                    if let self { call.answer([managedObjects(seen)]) }
                }
            default: object?.call(call.member, interface: interface.name, call)
            }
            return
        }
        let methods = interfaces.flatMap { $0.methods.map(\.name) }
        call.fail(.unknown(WireErrorName.unknownMethod, "method", call.member, of: call.path, methods))
    }

    private func standard(_ path: String) -> [WireInterface] {
        [.introspectable, .properties, .peer] + (path == root ? [.objectManager] : [])
    }

    private func unknownObject(_ path: String) -> WireError {
        .unknown(WireErrorName.unknownObject, "object", path, of: connection.uniqueName ?? "", objects.keys.sorted())
    }

    /// What follows in the paths of the objects below one.
    private func children(of path: String) -> [String] {
        let prefix = path == "/" ? path : path + "/"
        var names: Set<String> = []
        for other in objects.keys where other.hasPrefix(prefix) && other != path {
            names.insert(String(other.dropFirst(prefix.count).prefix { $0 != "/" }))
        }
        return names.sorted()
    }

    // MARK: - The manager of objects

    private func isManaged(_ path: String) -> Bool { path.hasPrefix(root == "/" ? root : root + "/") && path != root }

    private func emitManager(_ signal: String, _ arguments: [WireValue]) {
        connection.emit(path: root, interface: WireInterface.objectManager.name, signal, arguments)
    }

    private func managedObjects(_ seen: Set<String>?) -> WireValue {
        var entries: [WireValue.Entry] = []
        for path in objects.keys.sorted() where isManaged(path) && seen?.contains(path) ?? true {
            guard let object = objects[path] else { continue }
            entries.append(WireValue.Entry(.objectPath(path), interfacesAndProperties(of: object)))
        }
        return .dictionary(key: "o", value: "a{sa{sv}}", entries)
    }

    private func interfacesAndProperties(of object: any ServedObject, without: Set<String> = []) -> WireValue {
        .dictionary(
            key: "s", value: "a{sv}",
            object.interfaces.map { interface in
                WireValue.Entry(.string(interface.name), object.values(of: interface, without: without))
            })
    }
}

extension ServedObject {
    /// Without any more ado, all properties are announced.
    public var privateProperties: Set<String> { [] }

    /// All properties of an interface that have a value.
    func values(of interface: WireInterface, without: Set<String> = []) -> WireValue {
        var values: [(String, WireValue)] = []
        for property in interface.properties where !without.contains(property.name) {
            guard let value = value(of: property.name, interface: interface.name) else { continue }
            values.append((property.name, value))
        }
        return .record(values)
    }
}
