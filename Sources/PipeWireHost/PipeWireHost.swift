import CPipeWire
import PolicyFile
import SessionCore
import SessionRuntime
import SessionService

/// PipeWire's side of the policy: turns nodes and clients of the daemon into events, and effects into calls.
public final class PipeWireHost: Host {
    private let context: OpaquePointer
    let loop: UnsafeMutablePointer<pw_loop>
    private(set) var runtime: SessionRuntime?
    /// `org.AudioSession1`, unless the module's arguments say that there is none.
    private(set) var service: SessionService?
    private var contextListener: Listener<pw_context_events>?
    private var timer: UnsafeMutablePointer<spa_source>?
    private var drainEvent: UnsafeMutablePointer<spa_source>?
    /// When the session manager goes on that was held.
    private(set) var holdTimer: UnsafeMutablePointer<spa_source>?
    /// By the node's global id.
    private(set) var streams: [UInt32: StreamNode] = [:]
    private(set) var clients: [OpaquePointer: ClientWatch] = [:]
    lazy var routes = RouteWatch(host: self)
    lazy var graph = GraphWatch(host: self, properties: pw_context_get_properties(context))
    private(set) var byStream: [StreamID: StreamNode] = [:]
    private var lastStream: UInt32 = 0
    private(set) var policy: LoadedPolicy
    /// The applications whose claims were refused, each with the claim, and what others say wrongly of themselves; said
    /// once.
    private var refused: Set<String> = []
    /// Another role policy was found at work; this one keeps its hands off.
    private(set) var hasSteppedBack = false
    /// All that existed before this module are known, so what comes now is new.
    private var seesNewStreams = false
    /// The daemon has loaded its modules and runs its loop.
    private var hasBegun = false

    /// Joins the daemon: sees all objects that exist and all that come.
    ///
    /// - Parameter servesBus: Whether there is to be a service on the session bus.
    public init(context: OpaquePointer, policy: LoadedPolicy, servesBus: Bool) {
        self.context = context
        self.policy = policy
        loop = pw_context_get_main_loop(context)
        let runtime = SessionRuntime(policy: policy.policy, host: self)
        self.runtime = runtime
        if servesBus { service = SessionService(runtime: runtime, host: self, loop: PipeWireLoop(loop)) }
        timer = cpw_loop_add_timer(
            loop, { data, _ in object(data, as: PipeWireHost.self)?.runtime?.timerFired() }, pointer(to: self))
        holdTimer = cpw_loop_add_timer(
            loop, { data, _ in object(data, as: PipeWireHost.self)?.routes.updateHold() }, pointer(to: self))
        drainEvent = cpw_loop_add_event(
            loop,
            { data, _ in
                guard let host = object(data, as: PipeWireHost.self) else { return }
                host.hasBegun = true
                host.settleGraph()
                host.runtime?.drain()
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
        pw_context_for_each_global(
            context,
            { data, global in
                if let global { object(data, as: PipeWireHost.self)?.added(global) }
                return 0
            }, pointer(to: self))
        seesNewStreams = true
        runtime.drain()
        wakeLater()
    }

    /// Undoes everything and listens no more. Called when the module is unloaded or the daemon ends, whichever is first.
    public func leave() {
        guard let runtime else { return }
        routes.releaseManager()
        runtime.shutDown()
        service?.leave()
        service = nil
        self.runtime = nil
        contextListener = nil
        streams.removeAll()
        byStream.removeAll()
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
        if pw_global_is_type(global, "PipeWire:Interface:Client") {
            guard let client = OpaquePointer(pw_global_get_object(global)) else { return }
            clients[client] = ClientWatch(client: client, host: self)
        } else if pw_global_is_type(global, "PipeWire:Interface:Node") {
            guard let node = OpaquePointer(pw_global_get_object(global)) else { return }
            graph.added(node: node, global: pw_global_get_id(global))
            addedNode(node, global: pw_global_get_id(global))
            routes.added(node: node, global: pw_global_get_id(global))
        } else if pw_global_is_type(global, "PipeWire:Interface:Link") {
            guard let link = OpaquePointer(pw_global_get_object(global)) else { return }
            routes.added(link: link, global: pw_global_get_id(global))
        } else if pw_global_is_type(global, "PipeWire:Interface:Device") {
            guard let device = OpaquePointer(pw_global_get_object(global)) else { return }
            routes.added(device: device, global: pw_global_get_id(global))
        } else if pw_global_is_type(global, "PipeWire:Interface:Metadata") {
            // What a client exports is another kind of object, but nobody has been served yet.
            if seesNewStreams, !hasBegun { graph.added(metadata: global) }
            let properties = pw_global_get_properties(global)
            routes.added(
                metadata: pw_global_get_id(global), name: text(pw_properties_get(properties, "metadata.name")))
        }
    }

    private func removed(_ global: OpaquePointer) {
        if pw_global_is_type(global, "PipeWire:Interface:Link") {
            routes.removed(link: pw_global_get_id(global))
        } else if pw_global_is_type(global, "PipeWire:Interface:Node") {
            routes.removed(node: pw_global_get_id(global))
        }
    }

    private func addedNode(_ node: OpaquePointer, global: UInt32) {
        guard !hasSteppedBack else { return }
        if isRoleLoopback(node) {
            stepBack(from: name(pw_properties_get(pw_impl_node_get_properties(node), "node.name")) ?? "?")
            return
        }
        guard let properties = StreamProperties(node: node, client: client(of: node)) else { return }
        let stream = StreamNode(
            id: nextID(), node: node, global: global, properties: properties, isNew: seesNewStreams, host: self)
        streams[global] = stream
        introduce(stream)
    }

    private func nextID() -> StreamID {
        lastStream &+= 1
        return StreamID(lastStream)
    }

    private func introduce(_ stream: StreamNode) {
        guard !hasSteppedBack else { return }
        stream.description = classify(stream)
        let properties = stream.properties
        byStream[stream.id] = stream
        if let complaint = properties.complaint { log(.warning, complaint) }
        guard let description = stream.description else { return }
        service?.introduce(stream.id, identity(of: stream))
        post(
            .streamAppeared(
                stream.id, application: properties.application, description: description,
                direction: properties.direction),
            now: true)
        service?.place(stream.id)
        if stream.wantsToPlay { post(.streamWanted(stream.id, true), now: true) }
        if stream.isRunning { post(.streamRunning(stream.id, true), now: false) }
    }

    /// Some clients tell their role only after the stream exists.
    func propertiesChanged(_ stream: StreamNode) {
        guard let properties = StreamProperties(node: stream.node, client: client(of: stream.node)),
            properties != stream.properties || classify(stream) != stream.description
        else { return }
        byStream[stream.id] = nil
        service?.forget(stream.id)
        // It was sent elsewhere as what it is no more.
        routes.send(stream.global, to: nil)
        post(.streamVanished(stream.id), now: true)
        stream.become(nextID(), properties)
        introduce(stream)
    }

    /// What the policy makes of a stream; `nil` when it leaves it alone.
    private func classify(_ stream: StreamNode) -> SessionDescription? {
        let result = classification(of: stream)
        if let claim = result.refusedClaim, refused.count < 1024,
            refused.insert("\(claim) \(stream.properties.application.name)").inserted
        {
            log(.warning, "\(stream.properties.application.name) may not claim the priority of \(claim)")
        }
        for complaint in result.complaints where refused.count < 1024 {
            let line = "\(stream.properties.application.name): \(complaint)"
            if refused.insert(line).inserted { log(.warning, line) }
        }
        return result.description
    }

    func classification(of stream: StreamNode) -> Classification {
        let own = pw_impl_node_get_properties(stream.node)
        let inherited = client(of: stream.node).flatMap { pw_impl_client_get_properties($0) }
        return policy.classifier.classify(direction: stream.properties.direction) { key in
            text(pw_properties_get(own, key) ?? inherited.flatMap { pw_properties_get($0, key) })
        }
    }

    /// Puts another policy in force. Returns whether it differs from the present one.
    func apply(_ policy: LoadedPolicy) -> Bool {
        guard policy.policy != self.policy.policy || policy.classifier != self.policy.classifier else { return false }
        self.policy = policy
        refused.removeAll()
        var known: [StreamID: SessionDescription] = [:]
        var newcomers: [StreamNode] = []
        for stream in streams.values.sorted(by: { $0.id.rawValue < $1.id.rawValue }) {
            let wasManaged = stream.description != nil
            stream.description = classify(stream)
            if wasManaged { known[stream.id] = stream.description } else { newcomers.append(stream) }
        }
        post(.policyChanged(policy.policy, known), now: true)
        for stream in newcomers where stream.description != nil { introduce(stream) }
        service?.policyChanged()
        return true
    }

    func client(of node: OpaquePointer) -> OpaquePointer? {
        guard let id = text(pw_properties_get(pw_impl_node_get_properties(node), "client.id")).flatMap({ UInt32($0) }),
            let global = pw_context_find_global(context, id), pw_global_is_type(global, "PipeWire:Interface:Client")
        else { return nil }
        return OpaquePointer(pw_global_get_object(global))
    }

    func streamDestroyed(_ stream: StreamNode) {
        streams[stream.global] = nil
        routes.forget(stream.global)
        byStream[stream.id] = nil
        service?.forget(stream.id)
        post(.streamVanished(stream.id), now: false)
    }

    func clientDestroyed(_ watch: ClientWatch) { clients[watch.client] = nil }

    func clientWants(_ active: Bool, node: UInt32) { streams[node]?.clientWants(active) }

    /// Queues an event. What decides whether a stream may start is taken at once, inside the server's own call, so that it
    /// comes before the first sound; everything else waits until the server has finished what it is doing.
    func post(_ event: Event, now: Bool) {
        guard let runtime else { return }
        // The engine has forgotten all streams, and is not to hear of them again.
        if hasSteppedBack, event != .shutdown { return }
        runtime.post(event)
        if now { runtime.drain() } else { wakeLater() }
    }

    /// Takes what is waiting when the server has finished what it is doing.
    func wakeLater() { if let drainEvent { cpw_loop_signal_event(loop, drainEvent) } }

    // MARK: - WirePlumber's role policy

    /// Whether a node belongs to WirePlumber's own role policy: endpoints up to 0.4, role-based loopbacks since 0.5.
    private func isRoleLoopback(_ node: OpaquePointer) -> Bool {
        let properties = pw_impl_node_get_properties(node)
        return isTrue(text(pw_properties_get(properties, "wireplumber.is-endpoint")))
            || pw_properties_get(properties, "policy.role-based.priority") != nil
            || pw_properties_get(properties, "policy.role-based.target") != nil
    }

    private func stepBack(from node: String) {
        hasSteppedBack = true
        log(.warning, "\(node) belongs to WirePlumber's own role policy: this module steps back and touches no stream")
        // What is undone needs the streams; when this happens amid other effects, it is done after them.
        runtime?.shutDown()
    }

    // MARK: - Host

    /// The clock that the daemon's own timers use.
    public var now: Instant { Instant(nanoseconds: cpw_monotonic_nanoseconds()) }

    /// Sets the factor on a stream's own volume through its soft volumes.
    public func setGain(_ gain: LinearGain, of stream: StreamID) { byStream[stream]?.set(gain) }

    /// Corks a stream with its node's active flag, or mutes it with its soft mute.
    public func setSilence(_ silence: Silence, of stream: StreamID) { byStream[stream]?.set(silence) }

    /// How a stream is silenced at this moment.
    public func silence(of stream: StreamID) -> Silence { byStream[stream]?.silence ?? .none }

    /// Sends the stream's client an error on its node, which ends the stream there (R23).
    public func refuse(_ stream: StreamID) {
        guard let node = byStream[stream]?.global else { return }
        for client in clients.values { client.refuse(node: node) }
    }

    /// Arms the one timer of the module.
    public func arm(at moment: Instant?) {
        if let timer { cpw_loop_arm_timer(loop, timer, max(moment?.nanoseconds ?? 0, 0)) }
    }

    /// Writes to the daemon's log under the topic `mod.audio-session`.
    public func log(_ level: LogLevel, _ text: @autoclosure () -> String) {
        let level = cpw_log_level(rawValue: UInt32(level.rawValue))
        if cpw_log_enabled(level) { cpw_log(level, text()) }
    }
}
