import CPipeWire
import SessionCore
import SessionHost

/// A sink or source, and what it says of itself.
struct RouteNodeFacts {
    var node: RouteNode
    var facts: PortFacts
    /// How much its card buffers beyond a quantum.
    var headroom: Duration
}

/// Sees cards, sinks and sources, the defaults, and which streams are heard where (R60–R64), and tells the runtime.
///
/// A sink that goes says so before its links go, and long before the session manager gives its streams another one; a card
/// is asked for its ports before the session manager asks. So what was heard there is stopped in time.
final class RouteWatch {
    /// One sink or source.
    private final class Node {
        let facts: RouteNodeFacts
        let node: OpaquePointer
        unowned let watch: RouteWatch
        var listener: Listener<pw_impl_node_events>?
        /// The sinks that it hands its sound on to, or the sources that it takes it from.
        var next: [UInt32] = []
        private var isMuted = false

        init(_ facts: RouteNodeFacts, node: OpaquePointer, watch: RouteWatch) {
            self.facts = facts
            self.node = node
            self.watch = watch
        }

        /// N7: a card's own mute shows here as well, whether the card has a switch for it or its sound is only dropped.
        func readMute() {
            guard facts.node.direction == .input else { return }
            var volumes = cpw_volumes()
            cpw_node_read_volumes(node, &volumes)
            let isMuted = volumes.mute || volumes.soft_mute
            guard isMuted != self.isMuted else { return }
            self.isMuted = isMuted
            watch.host.muted(facts.node, isMuted)
        }
    }

    fileprivate unowned let host: PipeWireHost
    /// By global id.
    private var nodes: [UInt32: Node] = [:]
    private var devices: [UInt32: DeviceWatch] = [:]
    private var links = LinkMap()
    /// The metadata "default": the session manager's, and what others call so.
    private var metadata: [OpaquePointer: DefaultsWatch] = [:]
    private var choice = ManagerChoice<OpaquePointer>()
    /// The session manager's.
    private var defaults: DefaultsWatch?
    private var targets = StreamTargets()
    /// The metadata and devices that clients export or use; which is which is known later.
    private var resources: Set<OpaquePointer> = []
    private lazy var hold = ManagerHold(host: host)

    /// More are not looked at.
    private static let mostDevices = 256
    private static let mostNodes = 1024
    private static let mostDevicesOfSandboxes = 32

    init(host: PipeWireHost) { self.host = host }

    var now: Instant { host.now }

    func log(_ text: @autoclosure () -> String) { host.log(.debug, text()) }

    // MARK: - Objects

    /// Looks at a node: is it a sink or source?
    func added(node: OpaquePointer, global: UInt32) {
        let properties = pw_impl_node_get_properties(node)
        let isConfined = host.isConfined(properties)
        if let group = name(pw_properties_get(properties, "node.link-group")) {
            links.add(node: global, inGroup: group)
        }
        guard nodes[global] == nil, let facts = RouteNodeFacts(node, global: global, isConfined: isConfined)
        else { return }
        // What programs make takes no room of devices' own sinks and sources.
        let isOfDevice = facts.node.deviceID.map { devices[$0] != nil } ?? false
        guard nodes.count < (isOfDevice ? RouteWatch.mostNodes : RouteWatch.mostNodes / 2) else { return }
        let known = Node(facts, node: node, watch: self)
        nodes[global] = known
        var events = pw_impl_node_events()
        events.version = UInt32(PW_VERSION_IMPL_NODE_EVENTS)
        events.destroy = { data in
            guard let node = object(data, as: Node.self) else { return }
            node.listener = nil
            node.watch.removed(node)
        }
        events.info_changed = { data, info in
            guard let info, info.pointee.change_mask & UInt64(PW_NODE_CHANGE_MASK_PARAMS) != 0 else { return }
            object(data, as: Node.self)?.readMute()
        }
        known.listener = Listener(events) { pw_impl_node_add_listener(node, $0, $1, pointer(to: known)) }
        host.take(.node(facts.node))
        readNext(known)
        known.readMute()
        if let device = facts.node.deviceID.flatMap({ devices[$0] }) { changed(device, hasAnswered: false) }
    }

    private func removed(_ node: Node) {
        let id = node.facts.node.id
        // Its links are still there: who was heard on it can be told.
        host.take(.nodeGone(id))
        nodes[id] = nil
    }

    func added(device: OpaquePointer, global: UInt32) {
        let properties = pw_impl_device_get_properties(device)
        guard devices[global] == nil, devices.count < RouteWatch.mostDevices,
            text(pw_properties_get(properties, "media.class")) == "Audio/Device"
        else { return }
        // What sandboxes make takes no room of the session manager's cards.
        let isConfined = host.isConfined(properties)
        let others = devices.values.lazy.filter(\.isConfined)
        guard !isConfined || others.count < RouteWatch.mostDevicesOfSandboxes else { return }
        let implementation = pw_impl_device_get_implementation(device).map { OpaquePointer($0) }
        let exporter = implementation.flatMap { resources.contains($0) ? $0 : nil }
        let watch = DeviceWatch(
            device: device, global: global, exporter: exporter, isConfined: isConfined, watch: self)
        devices[global] = watch
        watch.begin()
    }

    /// What a card is has changed: because it has answered, or because it has another node.
    func changed(_ device: DeviceWatch, hasAnswered: Bool) {
        let own = nodes.values.map(\.facts).filter { $0.node.deviceID == device.global }
        let isLoss = host.take(.device(device.description(nodes: own.sorted { $0.node.id < $1.node.id })))
        if isLoss { hold.drain(for: host.graphQuantum * 3 + (own.map(\.headroom).max() ?? .zero)) }
        guard hasAnswered else { return }
        host.changeGraph(all: true)
        hold.answered(device.global)
    }

    /// A card is asked what has changed. While something is heard on it, the session manager has to wait for the answer;
    /// unless it would be waited for by that. With a plug that has a bad contact it would be held again and again, and what it
    /// has decided about a former state would come last: so not once everything is silent.
    func asked(_ device: DeviceWatch) {
        guard host.stopsPlayback, device.client == nil || device.client != defaults?.client else { return }
        let isHeard = nodes.contains { id, node in
            node.facts.node.deviceID == device.global && host.isHeard(on: id)
        }
        if isHeard { hold.wait(for: device.global) }
    }

    /// A card will not answer.
    func answered(_ device: DeviceWatch) { hold.answered(device.global) }

    func removed(_ device: DeviceWatch) {
        host.take(.deviceGone(device.global))
        devices[device.global] = nil
        hold.answered(device.global)
    }

    // MARK: - The session manager

    func busyChanged(_ client: OpaquePointer, _ isBusy: Bool) { hold.busyChanged(client, isBusy) }

    /// Time has come for it to go on.
    func updateHold() { hold.update() }

    /// Lets it go on for good.
    func releaseManager() { hold.become(nil, isBusy: false) }

    /// A client is gone.
    func removed(client: OpaquePointer) { hold.forget(client) }

    // MARK: - Links

    /// A link was made. A stream that waits for an output may be heard there again.
    func added(link: OpaquePointer, global: UInt32) {
        guard let info = pw_impl_link_get_info(link) else { return }
        links.add(global, from: info.pointee.output_node_id, to: info.pointee.input_node_id)
        linksChanged(info.pointee.output_node_id, info.pointee.input_node_id)
        host.linked(to: info.pointee.input_node_id)
    }

    /// A link is gone.
    func removed(link global: UInt32) {
        if let ends = links.remove(global) { linksChanged(ends.output, ends.input) }
    }

    /// What filters, combined sinks and loopbacks are linked to may be something else now. An application's own links change
    /// nothing of that.
    private func linksChanged(_ output: UInt32, _ input: UInt32) {
        guard !host.isStream(output), !host.isStream(input) else { return }
        for (_, node) in nodes.sorted(by: { $0.key < $1.key }) { readNext(node) }
    }

    /// Follows the sound of a node without a device to the next sinks, or back to the next sources (R60).
    private func readNext(_ node: Node) {
        let own = node.facts.node
        guard own.deviceID == nil else { return }
        let next = links.next(after: own.id, backwards: own.direction == .input) {
            nodes[$0]?.facts.node.direction == own.direction
        }
        guard next != node.next else { return }
        node.next = next
        host.take(.passesOn(own.id, to: next))
    }

    /// A node is gone.
    func removed(node global: UInt32) { links.remove(node: global) }

    /// The nodes whose sound goes to one.
    func sources(of sink: UInt32) -> Set<UInt32> { links.sources(of: sink) }

    /// Where a stream's node is linked to.
    func place(of stream: UInt32, _ direction: StreamDirection) -> UInt32? {
        direction == .playback ? links.target(of: stream) : links.origin(of: stream)
    }

    // MARK: - Defaults

    /// A client has metadata or a device, its own or another's.
    func added(_ resource: OpaquePointer) { resources.insert(resource) }

    func removed(_ resource: OpaquePointer) { resources.remove(resource) }

    /// Metadata of a name was registered by a client, or was before this module was loaded. The resource by which it does that has
    /// its number; others may too, by which it is used, and these are no good for anything else: so where the client itself has
    /// more than one, it is not known which.
    func added(metadata global: UInt32, name: String?, by client: OpaquePointer?) {
        let own = resources.filter {
            pw_resource_get_client($0) == client && pw_resource_get_bound_id($0) == global
        }
        guard name == "default", let client, let resource = own.first, own.count == 1 else { return }
        choice.add(resource, of: host.isConfined(client: client) ? nil : host.clients[client]?.programs.connected)
        guard choice.all.contains(resource) else { return }
        metadata[resource] = DefaultsWatch(resource: resource, watch: self)
        adopt()
    }

    func removed(_ defaults: DefaultsWatch) {
        metadata[defaults.resource] = nil
        choice.remove(defaults.resource)
        adopt()
    }

    /// Another session manager, or none: what the former one was told is forgotten with it.
    private func adopt() {
        let now = choice.chosen.flatMap { metadata[$0] }
        guard now !== defaults else { return }
        defaults = now
        targets = StreamTargets()
        let client = now?.client
        hold.become(client, isBusy: client.map { host.isBusy($0) } ?? false)
        now?.tellDefaults()
        host.managerChanged()
    }

    /// One entry of the default metadata; a default is an object of JSON with a name in it. Without a key it is about all
    /// entries of the subject.
    func entry(of defaults: DefaultsWatch, _ subject: UInt32, _ key: String?, _ type: String?, _ value: String?) {
        guard defaults === self.defaults else { return }
        if subject != 0 { return targets.heard(subject, key, type, value) }
        let name = value.flatMap { nodeName(in: $0) }
        if key == "default.audio.sink" || key == nil { host.take(.defaultNode(.output, name: name)) }
        if key == "default.audio.source" || key == nil { host.take(.defaultNode(.input, name: name)) }
    }

    // MARK: - What is asked for

    /// Sends a stream's node to a sink or source, or back (R46, R48).
    func send(_ stream: UInt32, to node: UInt32?) {
        guard let defaults else { return }
        guard let node else { return targets.send(stream, to: nil, through: defaults) }
        if let name = nodes[node]?.facts.node.name { targets.send(stream, to: name, through: defaults) }
    }

    /// A stream is gone.
    func forget(_ stream: UInt32) { targets.forget(stream) }

    /// Makes a port of a card the one that a node is used with.
    func use(_ id: String, _ direction: PortDirection, device: UInt32, node: UInt32, isSaved: Bool) {
        guard let profileDevice = nodes[node]?.facts.node.profileDevice else { return }
        devices[device]?.use(id, direction, on: profileDevice, isSaved: isSaved)
    }

    /// What its user chooses: remembered by the session manager as if chosen there. Returns whether anything can be done.
    func choose(_ port: RoutePort, _ direction: PortDirection) -> Bool {
        guard let node = port.nodeID else {
            return port.deviceID.flatMap { devices[$0] }?.useProfile(of: port.id, direction) ?? false
        }
        if let device = port.deviceID { use(port.id, direction, device: device, node: node, isSaved: true) }
        // Nothing else is written into the object of JSON.
        guard !port.nodeName.isEmpty, !port.nodeName.utf8.contains(where: { $0 == 0x22 || $0 == 0x5c }) else {
            return port.deviceID != nil
        }
        guard let settings = defaults else { return false }
        let key = direction == .output ? "default.configured.audio.sink" : "default.configured.audio.source"
        settings.set(key, of: 0, type: "Spa:String:JSON", to: "{ \"name\": \"\(port.nodeName)\" }")
        return true
    }
}

extension RouteNodeFacts {
    /// Reads a node's properties; `nil` when it is no sink or source.
    ///
    /// - Parameter isConfined: It is made by a program in a sandbox, which has no cards.
    fileprivate init?(_ node: OpaquePointer, global: UInt32, isConfined: Bool) {
        let properties = pw_impl_node_get_properties(node)
        func value(_ key: String) -> String? { name(pw_properties_get(properties, key)) }
        let mediaClass = value("media.class")
        let direction: PortDirection
        switch mediaClass {
        case "Audio/Sink", "Audio/Duplex": direction = .output
        case "Audio/Source", "Audio/Source/Virtual": direction = .input
        default: return nil
        }
        guard let name = value("node.name") else { return nil }
        // In frames; what the rate is matters little here.
        let frames = min(value("api.alsa.headroom").flatMap { Int64($0) } ?? 0, 48_000)
        headroom = .milliseconds(max(frames, 0) / 48)
        facts = PortFacts()
        facts.direction = direction
        facts.formFactor = value("device.form-factor")
        facts.bus = value("device.bus")
        facts.iconName = value("device.icon-name")
        facts.profileName = value("device.profile.name")
        facts.bluetoothProfile = value("api.bluez5.profile")
        facts.deviceAPI = value("device.api")
        facts.nodeName = name
        facts.mediaClass = mediaClass
        // 0.3.65 has no other word for it.
        facts.origin = value("media.name") == "RAOP sink" ? "raop" : value("factory.name")
        let deviceID = isConfined ? nil : value("device.id").flatMap { UInt32($0) }
        let kind: RouteNode.Kind =
            deviceID != nil
            ? .plain
            : name == "auto_null"
                ? .dummy
                : value("node.link-group") != nil
                    ? .filter : value("node.network") == "true" || facts.origin == "raop" ? .network : .plain
        self.node = RouteNode(
            id: global, name: name, description: value("node.description") ?? name, direction: direction,
            deviceID: deviceID, profileDevice: value("card.profile.device").flatMap { UInt32($0) },
            type: PortType(facts), isAtCamera: facts.isCamera, kind: kind)
    }
}

/// The name in `{ "name": "alsa_output.…" }`. Names of nodes have no quotes in them.
func nodeName(in json: String) -> String? {
    let parts = json.utf8.split(separator: UInt8(ascii: "\""), omittingEmptySubsequences: false)
    guard let key = parts.firstIndex(where: { String($0) == "name" }), key + 2 < parts.count else { return nil }
    return String(parts[key + 2])
}
