import CPipeWire

/// Hears what a client asks of its own streams: the only way to learn that a stream was paused while the policy keeps
/// it corked, for the node shows no change then.
final class ClientWatch {
    let client: OpaquePointer
    private unowned let host: PipeWireHost
    private var listener: Listener<pw_impl_client_events>?
    private var resources: [OpaquePointer: ResourceWatch] = [:]
    private var devices: [OpaquePointer: DeviceRequests] = [:]

    init(client: OpaquePointer, host: PipeWireHost) {
        self.client = client
        self.host = host
        var events = pw_impl_client_events()
        events.version = UInt32(PW_VERSION_IMPL_CLIENT_EVENTS)
        events.destroy = { data in
            guard let watch = object(data, as: ClientWatch.self) else { return }
            watch.listener = nil
            watch.host.clientDestroyed(watch)
        }
        events.resource_added = { data, resource in
            guard let resource, let watch = object(data, as: ClientWatch.self) else { return }
            watch.added(resource)
        }
        listener = Listener(events) { pw_impl_client_add_listener(client, $0, $1, pointer(to: self)) }
    }

    private func added(_ resource: OpaquePointer) {
        switch text(pw_resource_get_type(resource, nil)) {
        case "PipeWire:Interface:ClientNode": resources[resource] = ResourceWatch(resource: resource, watch: self)
        case "PipeWire:Interface:Device": devices[resource] = DeviceRequests(resource: resource, watch: self)
        default: break
        }
    }

    /// Sends the client an error on its node, if it is one of its own (R23).
    func refuse(node: UInt32) {
        for resource in resources.keys where pw_resource_get_bound_id(resource) == node {
            cpw_resource_refuse(resource, "audio-processing has no device")
        }
    }

    fileprivate func destroyed(_ resource: OpaquePointer) {
        resources[resource] = nil
        devices[resource] = nil
    }

    fileprivate func wants(_ route: cpw_route, of resource: OpaquePointer) {
        host.routeRequested(device: pw_resource_get_bound_id(resource), port: route.index, profileDevice: route.device)
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

/// Listens to what a client asks of a card: which port is to be used. That passes through here before it reaches the process
/// in which the card is, and so before any sound moves.
private final class DeviceRequests {
    private let resource: OpaquePointer
    private unowned let watch: ClientWatch
    private var events: Listener<pw_resource_events>?
    private var methods: Listener<pw_device_methods>?

    init(resource: OpaquePointer, watch: ClientWatch) {
        self.resource = resource
        self.watch = watch
        var resourceEvents = pw_resource_events()
        resourceEvents.version = UInt32(PW_VERSION_RESOURCE_EVENTS)
        resourceEvents.destroy = { data in
            guard let self = object(data, as: DeviceRequests.self) else { return }
            self.events = nil
            self.methods = nil
            self.watch.destroyed(self.resource)
        }
        events = Listener(resourceEvents) { pw_resource_add_listener(resource, $0, $1, pointer(to: self)) }
        var table = pw_device_methods()
        table.version = UInt32(PW_VERSION_DEVICE_METHODS)
        table.set_param = { data, id, _, param in
            var route = cpw_route()
            guard Int(id) == CPW_PARAM_ROUTE, let self = object(data, as: DeviceRequests.self),
                cpw_route_read(param, &route)
            else { return 0 }
            self.watch.wants(route, of: self.resource)
            return 0
        }
        methods = Listener(table) { pw_resource_add_object_listener(resource, $0, $1, pointer(to: self)) }
    }
}
