import CPipeWire
import DesktopServices
import HostSupport
import PolicyRuntime

/// Observes a client's requests about its own streams. While the policy keeps a stream corked, its node does not
/// change, so these requests are the only sign that the client paused it.
final class ClientWatch {
    let client: OpaquePointer
    /// The programs behind the client.
    let programs: ClientPrograms
    private unowned let host: PipeWireHost
    private var listener: Listener<pw_impl_client_events>?
    private var resources: [OpaquePointer: ResourceWatch] = [:]
    private var exported: [OpaquePointer: ResourceLife] = [:]
    /// Whether the client's messages are held back, by the daemon or by us.
    private(set) var isBusy = false

    /// The number of resources of an existing client that are examined at most; this takes less than a millisecond.
    private static let mostResources: UInt32 = 65_536

    /// - Parameter hasResources: Whether the client connected before this module was loaded, and so may already own
    ///   resources.
    init(client: OpaquePointer, hasResources: Bool, host: PipeWireHost) {
        self.client = client
        self.host = host
        programs = ClientPrograms(client: client, processes: host.processes)
        var events = pw_impl_client_events()
        events.version = UInt32(PW_VERSION_IMPL_CLIENT_EVENTS)
        events.destroy = { data in
            guard let watch = object(data, as: ClientWatch.self) else { return }
            watch.listener = nil
            // The client's resources are destroyed later, when nobody listens to them any more.
            for resource in watch.exported.keys { watch.host.unexported(resource) }
            watch.host.clientDestroyed(watch)
        }
        events.resource_added = { data, resource in
            guard let resource, let watch = object(data, as: ClientWatch.self) else { return }
            watch.added(resource)
        }
        events.busy_changed = { data, isBusy in
            guard let watch = object(data, as: ClientWatch.self) else { return }
            watch.isBusy = isBusy
            watch.host.busyChanged(watch.client, isBusy)
        }
        listener = Listener(events) { pw_impl_client_add_listener(client, $0, $1, pointer(to: self)) }
        // For a client that was there before this module: the daemon offers no list of resources, but their ids count
        // up from 0.
        guard hasResources else { return }
        for number in 0..<ClientWatch.mostResources {
            if let resource = pw_impl_client_find_resource(client, number) { added(resource) }
        }
    }

    private func added(_ resource: OpaquePointer) {
        var version: UInt32 = 0
        switch text(pw_resource_get_type(resource, &version)) {
        // Version 0 is a different interface with another table of functions. PipeWire up to 1.4 serves it, and treats
        // every such node as video.
        case "PipeWire:Interface:ClientNode" where version > 0:
            resources[resource] = ResourceWatch(resource: resource, watch: self)
        case "PipeWire:Interface:Metadata", "Spa:Pointer:Interface:Device":
            exported[resource] = ResourceLife(resource: resource, watch: self)
            host.exported(resource)
        default: break
        }
    }

    /// Sends the client an error on its node, if the node is one of the client's own (R23).
    func refuse(node: UInt32) {
        for resource in resources.keys where pw_resource_get_bound_id(resource) == node {
            cpw_resource_refuse(resource, "audio-processing has no device")
        }
    }

    fileprivate func destroyed(_ resource: OpaquePointer) { resources[resource] = nil }

    fileprivate func ended(_ resource: OpaquePointer) {
        host.unexported(resource)
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

/// Observes when a metadata or device resource is destroyed.
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
