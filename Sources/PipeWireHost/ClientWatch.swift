import CPipeWire
import SessionHost

/// Hears what a client asks of its own streams: the only way to learn that a stream was paused while the policy keeps
/// it corked, for the node shows no change then.
final class ClientWatch {
    let client: OpaquePointer
    /// The programs behind it.
    let programs: ClientPrograms
    private unowned let host: PipeWireHost
    private var listener: Listener<pw_impl_client_events>?
    private var resources: [OpaquePointer: ResourceWatch] = [:]
    private var exported: [OpaquePointer: ResourceLife] = [:]
    /// The daemon lets it wait, or we do.
    private(set) var isBusy = false

    /// More of a client that was there before are not looked at: a look at so many takes less than a millisecond.
    private static let mostResources: UInt32 = 65_536

    /// - Parameter hasResources: It was there before this module, and may have made something already.
    init(client: OpaquePointer, hasResources: Bool, host: PipeWireHost) {
        self.client = client
        self.host = host
        programs = ClientPrograms(client: client, processes: host.processes)
        var events = pw_impl_client_events()
        events.version = UInt32(PW_VERSION_IMPL_CLIENT_EVENTS)
        events.destroy = { data in
            guard let watch = object(data, as: ClientWatch.self) else { return }
            watch.listener = nil
            // Its resources go later, when nobody listens to them any more.
            for resource in watch.exported.keys { watch.host.routes.removed(resource) }
            watch.host.routes.removed(client: watch.client)
            watch.host.clientDestroyed(watch)
        }
        events.resource_added = { data, resource in
            guard let resource, let watch = object(data, as: ClientWatch.self) else { return }
            watch.added(resource)
        }
        events.busy_changed = { data, isBusy in
            guard let watch = object(data, as: ClientWatch.self) else { return }
            watch.isBusy = isBusy
            watch.host.routes.busyChanged(watch.client, isBusy)
        }
        listener = Listener(events) { pw_impl_client_add_listener(client, $0, $1, pointer(to: self)) }
        // Of a client that was there before this module. The daemon has no list of them, but they have numbers from 0 on.
        guard hasResources else { return }
        for number in 0..<ClientWatch.mostResources {
            if let resource = pw_impl_client_find_resource(client, number) { added(resource) }
        }
    }

    private func added(_ resource: OpaquePointer) {
        var version: UInt32 = 0
        switch text(pw_resource_get_type(resource, &version)) {
        // Version 0 is another interface, whose functions are in other places of the table: PipeWire serves it up to 1.4, and
        // makes video of whatever comes that way.
        case "PipeWire:Interface:ClientNode" where version > 0:
            resources[resource] = ResourceWatch(resource: resource, watch: self)
        case "PipeWire:Interface:Metadata", "Spa:Pointer:Interface:Device":
            exported[resource] = ResourceLife(resource: resource, watch: self)
            host.routes.added(resource)
        default: break
        }
    }

    /// Sends the client an error on its node, if it is one of its own (R23).
    func refuse(node: UInt32) {
        for resource in resources.keys where pw_resource_get_bound_id(resource) == node {
            cpw_resource_refuse(resource, "audio-processing has no device")
        }
    }

    fileprivate func destroyed(_ resource: OpaquePointer) { resources[resource] = nil }

    fileprivate func ended(_ resource: OpaquePointer) {
        host.routes.removed(resource)
        exported[resource] = nil
    }

    fileprivate func wants(_ active: Bool, of resource: OpaquePointer) {
        host.clientWants(active, node: pw_resource_get_bound_id(resource))
    }
}

/// Listens to one ClientNode resource.
private final class ResourceWatch {
    private let resource: OpaquePointer
    private unowned let watch: ClientWatch
    private var events: Listener<pw_resource_events>?
    private var methods: Listener<pw_client_node_methods>?

    init(resource: OpaquePointer, watch: ClientWatch) {
        self.resource = resource
        self.watch = watch
        var resourceEvents = pw_resource_events()
        resourceEvents.version = UInt32(PW_VERSION_RESOURCE_EVENTS)
        resourceEvents.destroy = { data in
            guard let self = object(data, as: ResourceWatch.self) else { return }
            self.events = nil
            self.methods = nil
            self.watch.destroyed(self.resource)
        }
        events = Listener(resourceEvents) { pw_resource_add_listener(resource, $0, $1, pointer(to: self)) }
        var table = pw_client_node_methods()
        table.version = UInt32(PW_VERSION_CLIENT_NODE_METHODS)
        table.set_active = { data, active in
            guard let self = object(data, as: ResourceWatch.self) else { return 0 }
            self.watch.wants(active, of: self.resource)
            return 0
        }
        methods = Listener(table) { pw_resource_add_object_listener(resource, $0, $1, pointer(to: self)) }
    }
}

/// Tells when a resource of metadata, or of a device, ends.
private final class ResourceLife {
    private unowned let watch: ClientWatch
    private let resource: OpaquePointer
    private var events: Listener<pw_resource_events>?

    init(resource: OpaquePointer, watch: ClientWatch) {
        self.resource = resource
        self.watch = watch
        var events = pw_resource_events()
        events.version = UInt32(PW_VERSION_RESOURCE_EVENTS)
        events.destroy = { data in
            guard let self = object(data, as: ResourceLife.self) else { return }
            self.events = nil
            self.watch.ended(self.resource)
        }
        self.events = Listener(events) { pw_resource_add_listener(resource, $0, $1, pointer(to: self)) }
    }
}
