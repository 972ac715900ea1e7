import BusInterface

/// An object that peers can call.
///
/// Its interfaces declare its members; calls are checked against them before they arrive here.
public protocol ServedObject: AnyObject {
    /// The interfaces besides the standard ones; they never change.
    var interfaces: [WireInterface] { get }
    /// The value of a property, of the declared type; nil if it has none at present.
    func value(of property: String, interface: String) -> WireValue?
    /// Sets a writable property to a value of the declared type, and answers the call with success or an error.
    func set(_ property: String, interface: String, to value: WireValue, call: BusCall)
    /// Called before each access to the object and before each of its answers, so that it can send what it has
    /// deferred.
    func catchUp()
    /// Runs a method with arguments of the declared types, and answers the call, now or later.
    func call(_ method: String, interface: String, _ call: BusCall)
}

/// Serves objects on a connection: their methods, properties and introspection, and an `ObjectManager` at the root.
public final class ObjectServer {
    let connection: BusConnection
    /// The path of the object with the `ObjectManager`.
    let root: String
    private(set) var objects: [String: any ServedObject] = [:]
    /// Calls back, now or later, with the paths below the root that a caller may see; `nil` stands for all. By default,
    /// everybody may see everything.
    public var admission: (BusCall, @escaping (Set<String>?) -> Void) -> Void = { $1(nil) }
    /// The connections that are told of an object below the root: that it is there, what changes, and that it has gone. By
    /// default, everybody is.
    public var audience: (any ServedObject) -> [String]? = { _ in nil }
    /// The changes to be announced for each object, and the order of the objects; it may still list one that was
    /// announced already.
    private var changes: [String: [PropertyChange]] = [:]
    private var changed = Queue<String>()

    /// The properties of one interface whose new values have not been announced.
    private struct PropertyChange {
        var interface: String
        var names: [String]
    }

    /// Handles all calls of a connection.
    ///
    /// - Parameter root: The path of the `ObjectManager` for the objects below it.
    public init(connection: BusConnection, root: String) {
        self.connection = connection
        self.root = root
        connection.calls = { [weak self] in self?.dispatch($0) }
    }

    /// Serves an object, in place of any former one at the path. An object below the root is announced.
    public func add(_ object: any ServedObject, at path: String) {
        objects[path] = object
        guard isManaged(path) else { return }
        emitManager("InterfacesAdded", of: object, [.objectPath(path), interfacesAndProperties(of: object)])
    }

    /// Stops serving an object, and announces that.
    public func remove(_ path: String) {
        guard let object = objects[path] else { return }
        flush(path)
        objects[path] = nil
        guard isManaged(path) else { return }
        emitManager(
            "InterfacesRemoved", of: object, [.objectPath(path), .strings(object.interfaces.map(\.name))])
    }

    /// Records changed properties. They are announced together in the next turn of the loop, or in later turns if there
    /// are very many, but always before the object sends anything else.
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

    /// Sends a signal of an object, after announcing the changes of its properties.
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
            let arguments = [.string(change.interface), .record(values), .strings(gone)] as [WireValue]
            for destination in destinations(isManaged(path) ? object : nil) {
                connection.emit(
                    path: path, interface: WireInterface.properties.name, "PropertiesChanged", arguments,
                    to: destination)
            }
        }
    }

    // MARK: - Calls

    private func dispatch(_ call: BusCall) {
        let object = objects[call.path]
        call.willAnswer = { [weak self, weak object, path = call.path] in
            object?.catchUp()
            self?.flush(path)
        }
        guard isManaged(call.path) else { return dispatch(call, to: object, seen: nil) }
        admission(call) { [weak self, weak object] seen in
            // Whoever may not see an object does not learn whether it is there.
            guard seen?.contains(call.path) ?? true else {
                return call.fail(
                    WireError(
                        WireErrorName.accessDenied, "\(call.path) is not there, or belongs to another application"))
            }
            self?.dispatch(call, to: object, seen: seen)
        }
    }

    /// - Parameter seen: The paths below the root that the caller may see, if that has been asked; `nil` stands for all.
    private func dispatch(_ call: BusCall, to object: (any ServedObject)?, seen: Set<String>?) {
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
                return admission(call) { [weak self] seen in
                    guard let self else { return }
                    let text = WireInterface.introspection(of: all, children: children(of: call.path, seen))
                    call.answer([.string(text)])
                }
            case WireInterface.properties.name: return handleProperties(call, of: object)
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

    /// Lists no other objects, because the caller's rights were not checked.
    private func unknownObject(_ path: String) -> WireError {
        .unknown(WireErrorName.unknownObject, "object", path, of: connection.uniqueName ?? "", [root])
    }

    /// Whether there are, or may be, objects below a path.
    private func isAbove(_ path: String) -> Bool {
        if path == "/" || path == root { return true }
        return objects.keys.contains { $0.hasPrefix(path + "/") }
    }

    /// The next path component of each object below a path, of those that a caller may see.
    private func children(of path: String, _ seen: Set<String>?) -> [String] {
        let prefix = path == "/" ? path : path + "/"
        var names: Set<String> = []
        for other in objects.keys
        where other.hasPrefix(prefix) && other != path && (!isManaged(other) || seen?.contains(other) ?? true) {
            names.insert(String(other.dropFirst(prefix.count).prefix { $0 != "/" }))
        }
        return names.sorted()
    }

    // MARK: - The manager of objects

    private func isManaged(_ path: String) -> Bool { path.hasPrefix(root == "/" ? root : root + "/") && path != root }

    private func emitManager(_ signal: String, of object: any ServedObject, _ arguments: [WireValue]) {
        for destination in destinations(object) {
            connection.emit(
                path: root, interface: WireInterface.objectManager.name, signal, arguments, to: destination)
        }
    }

    /// Where signals about an object go; `nil` stands for everybody.
    private func destinations(_ object: (any ServedObject)?) -> [String?] { object.flatMap { audience($0) } ?? [nil] }

    /// Answers with the present objects; each is described when the answer reaches it.
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

    private func interfacesAndProperties(of object: any ServedObject) -> WireValue {
        .dictionary(
            key: "s", value: "a{sv}",
            object.interfaces.map { interface in
                WireValue.Entry(.string(interface.name), object.values(of: interface))
            })
    }
}

extension ServedObject {
    /// By default, nothing is deferred.
    public func catchUp() {}

    /// All properties of an interface that have a value.
    func values(of interface: WireInterface) -> WireValue {
        var values: [(String, WireValue)] = []
        for property in interface.properties {
            guard let value = value(of: property.name, interface: interface.name) else { continue }
            values.append((property.name, value))
        }
        return .record(values)
    }
}
