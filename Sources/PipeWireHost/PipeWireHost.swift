import BusService
import CPipeWire
import DBus
import DesktopServices
import HostSupport
import PolicyEngine
import PolicyFile
import PolicyRuntime

/// The policy's host in PipeWire: turns nodes and clients of the daemon into events, and effects into calls.
public final class PipeWireHost: Host {
    private let context: OpaquePointer
    let loop: UnsafeMutablePointer<pw_loop>
    package private(set) var runtime: SessionRuntime?
    /// `org.AudioSession1`; without a bus, it only reports to the host.
    private(set) var service: SessionService?
    private var contextListener: Listener<pw_context_events>?
    private var timer: UnsafeMutablePointer<spa_source>?
    private var drainEvent: UnsafeMutablePointer<spa_source>?
    /// The timer that ends a hold of the session manager.
    private(set) var holdTimer: UnsafeMutablePointer<spa_source>?
    private(set) var clients: [OpaquePointer: ClientWatch] = [:]
    let processes: any ProcessTree = LinuxProcessTree()
    lazy var routes = RouteWatch(host: self)
    lazy var graph = GraphWatch(context: context, loop: loop) { [unowned self] in drainLater() }
    /// Whether all objects from before this module are known, so that every further node is a new stream.
    private var seesNewStreams = false
    /// Whether the daemon has loaded its modules and runs its loop.
    private var hasBegun = false
    /// The objects that the daemon had before it ran its loop, and so before it served anybody, by their global ids.
    private var configuredObjects: Set<UInt32> = []
    /// The words for the log about nodes of WirePlumber's own role policy, by their global ids.
    private var rolePolicyNodes: [UInt32: String] = [:]
    /// Whether the daemon is about to register an object.
    private var isRegistering = false
    /// The time for changes of streams' states in the graph in one turn of the loop, in nanoseconds; the rest waits for the next turn.
    private static let share: Int64 = 1_000_000
    /// Whether the daemon allows ramps in links.
    private(set) var hasLinkRamps = false
    private var linksHaveChanged = false
    private let streamCame: () -> Void
    /// The connection of meters to the daemon itself; made for the first one.
    private var meterCore: OpaquePointer?

    /// Attaches to the daemon: observes all present and future objects.
    ///
    /// - Parameters:
    ///   - servesBus: Whether to offer the service on the session bus.
    ///   - streamCame: Called before anything is done to a new stream.
    public init(
        context: OpaquePointer, policy: LoadedPolicy, servesBus: Bool, streamCame: @escaping () -> Void = {}
    ) {
        self.context = context
        self.streamCame = streamCame
        loop = pw_context_get_main_loop(context)
        let runtime = SessionRuntime(policy: policy.inForce, host: self)
        self.runtime = runtime
        service = SessionService(
            runtime: runtime, loop: PipeWireLoop(loop), buses: servesBus ? (.session, .system) : nil)
        timer = cpw_loop_add_timer(
            loop,
            { data, _ in
                guard let host = object(data, as: PipeWireHost.self) else { return }
                host.runtime?.timerFired()
                host.changeGraph()
            }, pointer(to: self))
        holdTimer = cpw_loop_add_timer(
            loop, { data, _ in object(data, as: PipeWireHost.self)?.routes.updateHold() }, pointer(to: self))
        drainEvent = cpw_loop_add_event(
            loop,
            { data, _ in
                guard let host = object(data, as: PipeWireHost.self) else { return }
                host.hasBegun = true
                host.followLinks()
                host.reportGraphChange()
                host.runtime?.drain()
                host.changeGraph()
            }, pointer(to: self))
        var events = pw_context_events()
        events.version = UInt32(PW_VERSION_CONTEXT_EVENTS)
        events.destroy = { data in object(data, as: PipeWireHost.self)?.leave() }
        events.global_added = { data, global in
            if let global { object(data, as: PipeWireHost.self)?.added(global) }
        }
        events.global_removed = { data, global in
            if let global { object(data, as: PipeWireHost.self)?.removed(global) }
        }
        contextListener = Listener(events) { pw_context_add_listener(context, $0, $1, pointer(to: self)) }
        hasLinkRamps = cpw_links_open(
            context, { data in object(data, as: PipeWireHost.self)?.linksChanged() }, pointer(to: self))
        // Clients first, because nodes are looked up by their clients.
        pw_context_for_each_global(
            context,
            { data, global in
                if let global, isClient(global) { object(data, as: PipeWireHost.self)?.added(global) }
                return 0
            }, pointer(to: self))
        pw_context_for_each_global(
            context,
            { data, global in
                if let global, !isClient(global) { object(data, as: PipeWireHost.self)?.added(global) }
                return 0
            }, pointer(to: self))
        seesNewStreams = true
        runtime.drain()
        drainLater()
    }

    /// Undoes all changes and removes the listeners. Called when the module is unloaded or the daemon exits, whichever
    /// is first.
    public func leave() {
        guard let runtime else { return }
        for stream in streams { stream.measure(false) }
        routes.releaseManager()
        runtime.shutDown()
        // This module will be gone at the daemon's next turn.
        changeGraph(all: true)
        cpw_links_close()
        service?.leave()
        service = nil
        if let meterCore { pw_core_disconnect(meterCore) }
        meterCore = nil
        self.runtime = nil
        contextListener = nil
        clients.removeAll()
        graph.leave()
        if let timer { cpw_loop_destroy_source(loop, timer) }
        if let drainEvent { cpw_loop_destroy_source(loop, drainEvent) }
        if let holdTimer { cpw_loop_destroy_source(loop, holdTimer) }
        timer = nil
        drainEvent = nil
        holdTimer = nil
    }

    // MARK: - Objects

    private func added(_ global: OpaquePointer) {
        if !hasBegun { configuredObjects.insert(pw_global_get_id(global)) }
        isRegistering = true
        defer { isRegistering = false }
        if isClient(global) {
            guard let client = OpaquePointer(pw_global_get_object(global)) else { return }
            clients[client] = ClientWatch(client: client, hasResources: !seesNewStreams, host: self)
        } else if pw_global_is_type(global, "PipeWire:Interface:Node") {
            guard let node = OpaquePointer(pw_global_get_object(global)) else { return }
            graph.added(node: node)
            if isSink(node) { cpw_links_watch(node) }
            addedNode(node, global: pw_global_get_id(global))
            routes.added(node: node, global: pw_global_get_id(global))
        } else if pw_global_is_type(global, "PipeWire:Interface:Link") {
            guard let link = OpaquePointer(pw_global_get_object(global)) else { return }
            routes.added(link: link, global: pw_global_get_id(global))
            linksChanged()
        } else if pw_global_is_type(global, "PipeWire:Interface:Device") {
            guard let device = OpaquePointer(pw_global_get_object(global)) else { return }
            routes.added(device: device, global: pw_global_get_id(global))
        } else if pw_global_is_type(global, "PipeWire:Interface:Metadata") {
            // Metadata that a client exports is a different kind of object, but at this time no client has been served
            // yet.
            if seesNewStreams, !hasBegun { graph.added(metadata: global) }
            let properties = pw_global_get_properties(global)
            routes.added(
                metadata: pw_global_get_id(global), name: text(pw_properties_get(properties, "metadata.name")),
                by: client(in: properties))
        }
    }

    private func removed(_ global: OpaquePointer) {
        if pw_global_is_type(global, "PipeWire:Interface:Link") {
            routes.removed(link: pw_global_get_id(global))
            linksChanged()
        } else if pw_global_is_type(global, "PipeWire:Interface:Node") {
            routes.removed(node: pw_global_get_id(global))
            if rolePolicyNodes.removeValue(forKey: pw_global_get_id(global)) != nil { updateOtherPolicy() }
        }
        configuredObjects.remove(pw_global_get_id(global))
    }

    /// Leaves all streams to WirePlumber's own role policy as long as one of its nodes is there.
    private func updateOtherPolicy() {
        runtime?.leave(to: rolePolicyNodes.min { $0.key < $1.key }?.value)
        drainLater()
    }

    private func addedNode(_ node: OpaquePointer, global: UInt32) {
        guard let runtime else { return }
        if isOfRolePolicy(node) {
            let other = name(pw_properties_get(pw_impl_node_get_properties(node), "node.name")) ?? "?"
            rolePolicyNodes[global] = "\(other) belongs to WirePlumber's own role policy"
            updateOtherPolicy()
            return
        }
        guard let properties = streamProperties(of: node) else { return }
        streamCame()
        runtime.add(
            StreamNode(node: node, global: global, properties: properties, isNew: seesNewStreams, host: self))
    }

    /// The streams in the daemon, the oldest first.
    var streams: [StreamNode] { (runtime?.streamsByAge ?? []).compactMap { $0.server as? StreamNode } }

    /// The stream with a node's global id; `nil` for none.
    func stream(of node: UInt32) -> StreamNode? {
        runtime?.streams.values.lazy.compactMap { $0.server as? StreamNode }.first { $0.global == node }
    }

    /// The properties of a stream if they, or what the policy makes of them, have changed.
    func changedProperties(of stream: StreamNode) -> StreamProperties? {
        let programs = programs(of: stream.node)
        // The streams of a client that has gone end. Until then, they would seem to belong to another program.
        if programs == nil, !stream.properties.identity.isOfServer { return nil }
        guard let runtime, let properties = streamProperties(of: stream.node) else { return nil }
        return properties != stream.properties || runtime.isOutdated(stream.id) ? properties : nil
    }

    /// Puts another policy into force. Returns whether it differs from the present one.
    func apply(_ policy: LoadedPolicy) -> Bool { runtime?.apply(policy.inForce) ?? false }

    private func streamProperties(of node: OpaquePointer) -> StreamProperties? {
        let maker = maker(of: pw_impl_node_get_properties(node))
        return StreamProperties(
            node: node, client: maker.client, programs: maker.client.flatMap { clients[$0]?.programs },
            isOfServer: maker == .server)
    }

    private func programs(of node: OpaquePointer) -> ClientPrograms? {
        client(of: node).flatMap { clients[$0]?.programs }
    }

    func client(of node: OpaquePointer) -> OpaquePointer? { client(in: pw_impl_node_get_properties(node)) }

    private func client(in properties: UnsafePointer<pw_properties>?) -> OpaquePointer? { maker(of: properties).client }

    /// Who has made an object, by its properties.
    ///
    /// A factory writes its client there, except for an object that stays when its client goes (`object.linger`): there, the
    /// client itself has written the value. The daemon makes such objects while it reads its configuration, before it serves
    /// any client. pipewire-pulse makes nodes for any of its clients that asks for a module, and notes the module.
    private func maker(of properties: UnsafePointer<pw_properties>?) -> Maker {
        func value(_ key: String) -> String? { text(properties.flatMap { pw_properties_get($0, key) }) }
        if isTrue(value("object.linger")) {
            let id = value("object.id").flatMap { UInt32($0) }
            return id.map { configuredObjects.contains($0) } ?? false ? .server : .unknown
        }
        if value("pulse.module.id") != nil { return .unknown }
        guard let id = value("client.id") else { return .server }
        guard let global = UInt32(id).flatMap({ pw_context_find_global(context, $0) }), isClient(global),
            let client = OpaquePointer(pw_global_get_object(global))
        else { return .unknown }
        return .client(client)
    }

    /// Whether an object belongs to a sandboxed program, or to one that the kernel does not reveal.
    func isConfined(_ properties: UnsafePointer<pw_properties>?) -> Bool {
        switch maker(of: properties) {
        case .server: false
        case .client(let client): isConfined(client: client)
        case .unknown: true
        }
    }

    /// Whether a client is sandboxed, or is one that the kernel does not reveal.
    func isConfined(client: OpaquePointer) -> Bool {
        let properties = pw_impl_client_get_properties(client)
        let portal = text(properties.flatMap { pw_properties_get($0, "pipewire.access.portal.app_id") })
        // There and empty, it is a sandbox without a name.
        guard portal == nil, let program = clients[client]?.programs.connected else { return true }
        return program.confinement != .unconfined
    }

    func streamDestroyed(_ stream: StreamNode) {
        routes.forget(stream.global)
        runtime?.remove(stream, now: false)
    }

    func clientDestroyed(_ watch: ClientWatch) {
        routes.removed(client: watch.client)
        clients[watch.client] = nil
    }

    func exported(_ resource: OpaquePointer) { routes.added(resource) }

    func unexported(_ resource: OpaquePointer) { routes.removed(resource) }

    func busyChanged(_ client: OpaquePointer, _ isBusy: Bool) { routes.busyChanged(client, isBusy) }

    func clientWants(_ active: Bool, node: UInt32) { stream(of: node)?.clientWants(active) }

    /// Processes the queued events after the server has finished its present work.
    public func drainLater() { if let drainEvent { cpw_loop_signal_event(loop, drainEvent) } }

    // MARK: - The graph

    /// Schedules a change of a stream's active flag and graph requests for when the daemon has finished its present
    /// work.
    ///
    /// Each such change makes the daemon assign drivers to all nodes at once. But the daemon calls us mostly in the
    /// middle of its work: a node is half registered when it is announced, and half dismantled when its destroy event
    /// comes. PipeWire 1.0 loses count of the users of a new node's memory if the node gets a driver at that time. So
    /// only callbacks from the daemon's loop itself change the graph, with two exceptions:
    ///
    /// - A client that starts its stream is stopped again inside that call (R8, R36). The call changes nothing but this
    ///   flag.
    /// - If a card answers that its headphones are unplugged, the streams heard there stop before the session manager's
    ///   next message (R64), unless the card answers while it is being registered.
    ///
    /// An output that disappears leaves its streams without links. A stream is heard on its next output only after the
    /// client has confirmed the buffers (R64), which takes more turns of the loop than this change.
    func changeLater(_ stream: StreamNode) {
        guard !stream.isDue else { return }
        stream.isDue = true
        drainLater()
    }

    /// Changes the graph where due, unless the daemon is registering an object.
    ///
    /// - Parameter all: Whether to make all changes at once. Otherwise changes that exceed the time limit wait for the
    ///   next turns of the loop: each one makes the daemon examine its whole graph.
    func changeGraph(all: Bool = false) {
        guard !isRegistering else { return }
        let start = cpw_monotonic_nanoseconds()
        // Streams that become due during this loop wait for the next call.
        for stream in streams where stream.isDue {
            if !all, cpw_monotonic_nanoseconds() &- start >= Self.share { return drainLater() }
            stream.isDue = false
            stream.change()
        }
    }

    /// Has each stream look at its links again, after all that changes now has changed.
    private func linksChanged() {
        linksHaveChanged = true
        drainLater()
    }

    private func followLinks() {
        guard linksHaveChanged else { return }
        linksHaveChanged = false
        for stream in streams { stream.linksChanged() }
    }

    private func isSink(_ node: OpaquePointer) -> Bool {
        let kind = text(pw_properties_get(pw_impl_node_get_properties(node), "media.class"))
        return kind == "Audio/Sink" || kind == "Audio/Duplex"
    }

    // MARK: - WirePlumber's role policy

    /// Whether a node belongs to WirePlumber's own role policy: endpoints up to 0.4, role-based loopbacks since 0.5. These are
    /// sinks or halves of loopbacks, and no program in a sandbox has made them.
    private func isOfRolePolicy(_ node: OpaquePointer) -> Bool {
        let properties = pw_impl_node_get_properties(node)
        func has(_ key: String) -> Bool { pw_properties_get(properties, key) != nil }
        let isOfPolicy =
            isTrue(text(pw_properties_get(properties, "wireplumber.is-endpoint")))
            || has("policy.role-based.priority") || has("policy.role-based.target")
        return isOfPolicy && (isSink(node) || has("node.link-group")) && !isConfined(properties)
    }

    // MARK: - Host

    /// The clock that the daemon's own timers use.
    public var now: Instant { Instant(nanoseconds: cpw_monotonic_nanoseconds()) }

    /// The cost of one message to the client.
    public var gainCost: Duration { .microseconds(20) }

    /// The connection of meters to the daemon itself; `nil` if there is none.
    func connectMeters() -> OpaquePointer? {
        meterCore = meterCore ?? cpw_meters_connect(context)
        return meterCore
    }

    /// Sends a node's client an error on it, which ends the stream there (R23).
    func refuse(node: UInt32) { for client in clients.values { client.refuse(node: node) } }

    /// Arms the runtime's only timer.
    public func arm(at moment: Instant?) {
        if let timer { cpw_loop_arm_timer(loop, timer, max(moment?.nanoseconds ?? 0, 0)) }
    }

    /// Writes to the daemon's log under the topic `mod.audio-session`.
    public func log(_ level: LogLevel, _ text: @autoclosure () -> String) { PipeWireHost.write(level, text()) }

    /// Writes a line to the daemon's log, whatever clients have said in it.
    static func write(_ level: LogLevel, _ text: @autoclosure () -> String) {
        let level = cpw_log_level(rawValue: UInt32(level.rawValue))
        if cpw_log_enabled(level) { cpw_log(level, printable(text(), limit: 4000)) }
    }
}

/// Who has made an object of the daemon.
private enum Maker: Equatable {
    /// The daemon itself.
    case server
    /// A client of the daemon.
    case client(OpaquePointer)
    /// A client that the daemon does not name.
    case unknown

    var client: OpaquePointer? { if case .client(let client) = self { client } else { nil } }
}

private func isClient(_ global: OpaquePointer) -> Bool { pw_global_is_type(global, "PipeWire:Interface:Client") }
