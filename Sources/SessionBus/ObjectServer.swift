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
    /// Called before it is asked for anything, and before its answers are sent: what it has put off is to be told before.
    func catchUp()
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
    /// What has changed of which object, and which comes next to be announced; one may be there that has been announced already.
    private var changes: [String: [PropertyChange]] = [:]
    private var changed = Queue<String>()

    /// Properties of an object that have other values, which nobody has been told.
    private struct PropertyChange {
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

    /// Notes that properties have other values: announced once, in the next turn of the loop or, if there are very many, in
    /// those after it, and in any case before the object sends anything else.
    public func changed(_ properties: [String], interface: String, at path: String) {
        if changes.isEmpty {
            connection.bitByBit { [weak self] in self?.announceNext() ?? false }
        }
        if changes[path] == nil { changed.append(path) }
        var own = changes[path] ?? []
        if let index = own.firstIndex(where: { $0.interface == interface }) {
            for name in properties where !own[index].names.contains(name) { own[index].names.append(name) }
        } else {
            own.append(PropertyChange(interface: interface, names: properties))
        }
        changes[path] = own
    }

    /// Announces the changes of one object. Returns whether there are more.
    private func announceNext() -> Bool {
        while let path = changed.first {
            changed.removeFirst()
            if changes[path] == nil { continue }
            flush(path)
            break
        }
        if changes.isEmpty { changed = Queue() }
        return !changes.isEmpty
    }

    /// Sends a signal of an object, after the changes of its properties.
    public func emit(
        _ signal: String, interface: String, at path: String, _ arguments: [WireValue] = [],
        to destination: String? = nil
    ) {
        flush(path)
        connection.emit(path: path, interface: interface, signal, arguments, to: destination)
    }

    /// Announces the changes of one object.
    private func flush(_ path: String) {
        guard let due = changes.removeValue(forKey: path), let object = objects[path] else { return }
        for change in due {
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
                path: path, interface: WireInterface.properties.name, "PropertiesChanged",
                [.string(change.interface), .record(values), .strings(gone)])
        }
    }

    // MARK: - Calls

    private func take(_ call: BusCall) {
        let object = objects[call.path]
        call.willAnswer = { [weak self, weak object, path = call.path] in
            object?.catchUp()
            self?.flush(path)
        }
        guard object != nil || isAbove(call.path) else { return call.fail(unknownObject(call.path)) }
        object?.catchUp()
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
                let text = WireInterface.introspection(of: all, children: children(of: call.path))
                return call.answer([.string(text)])
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
                return admission(call) { [weak self] seen in self?.answer(call, withObjects: seen) }
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
        let few = objects.count <= WireError.listed
        return .unknown(
            WireErrorName.unknownObject, "object", path, of: connection.uniqueName ?? "",
            few ? objects.keys.sorted() : [root, "\(objects.count - 1) below that"])
    }

    /// Whether there are objects below a path, or may be.
    private func isAbove(_ path: String) -> Bool {
        if path == "/" || path == root { return true }
        return objects.keys.contains { $0.hasPrefix(path + "/") }
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

    /// Tells of the objects that there are now, each as it is when its turn comes.
    private func answer(_ call: BusCall, withObjects seen: Set<String>?) {
        var paths = objects.keys.filter { isManaged($0) && seen?.contains($0) ?? true }.sorted()[...]
        call.answer(.array(of: "{oa{sa{sv}}}")) { [weak self] in
            while let self, let path = paths.popFirst() {
                guard let object = objects[path] else { continue }
                return .entry(WireValue.Entry(.objectPath(path), interfacesAndProperties(of: object)))
            }
            return nil
        }
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
    /// Without any more ado, nothing is put off.
    public func catchUp() {}

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
