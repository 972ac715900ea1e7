import CPipeWire

/// What a card says of its ports, heard through a client of the daemon inside the daemon: the only way to learn
/// parameters of devices that live in another process (the session manager's).
///
/// It is an ordinary connection through the daemon's socket. The short way, `pw_context_connect_self`, is closed: the
/// daemon of 0.3.65 crashes when such a client binds a metadata object, which makes it busy for a moment.
final class CardWatch {
    /// One port of a card.
    struct Port: Equatable {
        var index: UInt32
        var isOutput: Bool
        var name: String
        var description: String
        var type: String
        /// Nothing is plugged in, as far as the card can tell.
        var isUnplugged: Bool
    }

    /// One card.
    final class Card {
        let global: UInt32
        let name: String
        private let proxy: OpaquePointer
        unowned let watch: CardWatch
        private var listener: Listener<pw_device_events>?
        /// All ports, by their index.
        fileprivate(set) var ports: [UInt32: Port] = [:]
        /// The port in use, by the device of the profile that is used through it.
        fileprivate(set) var active: [Int32: UInt32] = [:]

        init?(_ global: UInt32, name: String, registry: OpaquePointer, watch: CardWatch) {
            guard let proxy = cpw_registry_bind(registry, global, "PipeWire:Interface:Device", 3) else { return nil }
            self.global = global
            self.name = name
            self.proxy = proxy
            self.watch = watch
            var events = pw_device_events()
            events.version = UInt32(PW_VERSION_DEVICE_EVENTS)
            events.param = { data, _, id, index, _, param in
                object(data, as: Card.self)?.heard(id, index, param)
            }
            listener = Listener(events) { cpw_device_add_listener(proxy, $0, $1, pointer(to: self)) }
            cpw_device_subscribe_routes(proxy)
        }

        deinit {
            listener = nil
            pw_proxy_destroy(proxy)
        }

        private func heard(_ id: UInt32, _ index: UInt32, _ param: UnsafePointer<spa_pod>?) {
            var route = cpw_route()
            guard cpw_route_read(param, &route) else { return }
            switch Int(id) {
            case CPW_PARAM_ENUM_ROUTE:
                guard ports.count < CardWatch.limit || ports[route.index] != nil else { return }
                let port = Port(route)
                guard ports[route.index] != port else { return }
                ports[route.index] = port
                watch.changed(self)
            case CPW_PARAM_ROUTE:
                // All that are in use are told anew, the first one first.
                if index == 0 { active.removeAll() }
                guard active.count < CardWatch.limit else { return }
                active[route.device] = route.index
                watch.changed(self)
            default: break
            }
        }
    }

    /// The most cards, and the most ports of one, that are looked at.
    private static let limit = 256

    private let core: OpaquePointer
    private let registry: OpaquePointer
    private var listener: Listener<pw_registry_events>?
    private var metadata: OpaquePointer?
    private var metadataListener: Listener<pw_metadata_events>?
    private var metadataGlobal: UInt32?
    /// By global id.
    private(set) var cards: [UInt32: Card] = [:]
    /// The names of the default sink and source.
    private(set) var defaultSink: String?
    private(set) var defaultSource: String?
    /// Something that this tells of has changed; `nil` is for the defaults.
    private let changed: (Card?) -> Void

    /// Connects, without waiting for an answer; `nil` when the daemon does not let its own module be a client.
    init?(_ context: OpaquePointer, changed: @escaping (Card?) -> Void) {
        guard let core = cpw_context_connect(context), let registry = cpw_core_get_registry(core) else {
            return nil
        }
        self.core = core
        self.registry = registry
        self.changed = changed
        var events = pw_registry_events()
        events.version = UInt32(PW_VERSION_REGISTRY_EVENTS)
        events.global = { data, id, _, type, _, properties in
            guard let watch = object(data, as: CardWatch.self), let properties else { return }
            watch.added(id, text(type) ?? "", properties)
        }
        events.global_remove = { data, id in object(data, as: CardWatch.self)?.removed(id) }
        listener = Listener(events) { cpw_registry_add_listener(registry, $0, $1, pointer(to: self)) }
    }

    deinit {
        listener = nil
        metadataListener = nil
        cards.removeAll()
        if let metadata { pw_proxy_destroy(metadata) }
        pw_proxy_destroy(registry)
        pw_core_disconnect(core)
    }

    private func added(_ id: UInt32, _ type: String, _ properties: UnsafePointer<spa_dict>) {
        switch type {
        case "PipeWire:Interface:Device":
            guard cards.count < CardWatch.limit, text(cpw_dict_lookup(properties, "media.class")) == "Audio/Device"
            else {
                return
            }
            let name = name(cpw_dict_lookup(properties, "device.name")) ?? "card"
            cards[id] = Card(id, name: name, registry: registry, watch: self)
        case "PipeWire:Interface:Metadata":
            guard metadata == nil, text(cpw_dict_lookup(properties, "metadata.name")) == "default",
                let proxy = cpw_registry_bind(registry, id, type, 3)
            else { return }
            metadata = proxy
            metadataGlobal = id
            var events = pw_metadata_events()
            events.version = UInt32(PW_VERSION_METADATA_EVENTS)
            events.property = { data, _, key, _, value in
                object(data, as: CardWatch.self)?.set(text(key), to: text(value, limit: 1024))
                return 0
            }
            metadataListener = Listener(events) { cpw_metadata_add_listener(proxy, $0, $1, pointer(to: self)) }
        default: break
        }
    }

    private func removed(_ id: UInt32) {
        if let card = cards.removeValue(forKey: id) { changed(card) }
        if id == metadataGlobal {
            metadataListener = nil
            if let metadata { pw_proxy_destroy(metadata) }
            metadata = nil
            metadataGlobal = nil
        }
    }

    /// One entry of the default metadata; a value is an object of JSON with a name in it.
    private func set(_ key: String?, to value: String?) {
        let name = value.flatMap { nodeName(in: $0) }
        switch key {
        case "default.audio.sink" where name != defaultSink: defaultSink = name
        case "default.audio.source" where name != defaultSource: defaultSource = name
        default: return
        }
        changed(nil)
    }
}

extension CardWatch.Port {
    fileprivate init(_ route: cpw_route) {
        index = route.index
        isOutput = route.direction == 1
        isUnplugged = route.available == 1
        name = characters(route.name)
        description = characters(route.description)
        type = characters(route.type)
    }
}

/// The name in `{ "name": "alsa_output.…" }`. Names of nodes have no quotes in them.
private func nodeName(in json: String) -> String? {
    let parts = json.utf8.split(separator: UInt8(ascii: "\""), omittingEmptySubsequences: false)
    guard let key = parts.firstIndex(where: { String($0) == "name" }), key + 2 < parts.count else { return nil }
    return String(parts[key + 2])
}

/// The text in an array of characters of C.
private func characters<Characters>(_ characters: Characters) -> String {
    withUnsafeBytes(of: characters) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
}
