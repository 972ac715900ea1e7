import CPipeWire
import SessionCore
import SessionDesktop
import SessionHost
import SessionRuntime

/// A sink or source and its own properties.
struct RouteNodeFacts {
    var node: RouteNode
    var facts: PortFacts
    /// The time that the card buffers beyond a quantum.
    var headroom: Duration
}

/// The host as ``RouteWatch`` uses it.
protocol RouteWatchHost: AnyObject {
    /// The daemon's clock.
    var now: Instant { get }
    /// Whether the loss of an output may stop playback.
    var stopsPlayback: Bool { get }
    /// Whether the policy takes the place of the session manager's own pause of players.
    var replacesManagersPause: Bool { get }
    /// The length of one cycle of the graph.
    var graphQuantum: Duration { get }
    /// The sample rate of the graph, in Hz.
    var graphRate: Double { get }
    /// Writes a line to the daemon's log.
    func log(_ level: LogLevel, _ text: @autoclosure () -> String)
    /// Applies a change of devices, links or the session manager.
    func handle(_ event: RouteEvent)
    /// Handles a sink or source whose channels, volume or latency have changed.
    func deviceChanged()
    /// Records that the user muted or unmuted a source.
    func muted(_ input: RouteNode, _ isMuted: Bool)
    /// Applies the scheduled changes of streams: all at once, or as many as fit in one turn of the loop.
    func changeGraph(all: Bool)
    /// Arms the timer that ends the hold of the session manager.
    func armHold(at moment: Instant)
    /// Whether the object with these properties belongs to a sandboxed program, or one that the kernel does not reveal.
    func isConfined(_ properties: UnsafePointer<pw_properties>?) -> Bool
    /// Whether a client is sandboxed, or is one that the kernel does not reveal.
    func isConfined(client: OpaquePointer) -> Bool
    /// The program behind a client, as it was when it connected.
    func program(of client: OpaquePointer) -> Program?
    /// Whether a client's messages are held back.
    func isBusy(_ client: OpaquePointer) -> Bool
    /// Whether a stream that the policy manages may be heard on a sink.
    func isHeard(on node: UInt32) -> Bool
    /// Whether a node is a stream that the policy manages.
    func isStream(_ node: UInt32) -> Bool
}

/// Observes cards, sinks, sources, defaults and links (R60–R64), and reports them to the runtime.
///
/// A sink's destroy event comes before its links go, and long before the session manager moves its streams. A card is
/// queried for its ports before the session manager queries it. So the streams that were heard there are stopped in
/// time.
final class RouteWatch {
    /// One sink or source.
    private final class Node {
        let facts: RouteNodeFacts
        let node: OpaquePointer
        unowned let watch: RouteWatch
        var listener: Listener<pw_impl_node_events>?
        /// The sinks that this sink passes its sound to, or the sources that this source takes its sound from.
        var next: [UInt32] = []
        private var isMuted = false
        private var volumes = DeviceFigures()
        private var latency = cpw_latency()

        init(_ facts: RouteNodeFacts, node: OpaquePointer, watch: RouteWatch) {
            self.facts = facts
            self.node = node
            self.watch = watch
        }

        /// What the sink or source is like. Its latency depends on the graph's quantum and rate.
        var figures: DeviceFigures {
            let time =
                watch.host.graphQuantum * Double(latency.quanta)
                + .seconds(Double(latency.frames) / max(watch.host.graphRate, 1)) + .nanoseconds(latency.nanoseconds)
            return DeviceFigures(channels: volumes.channels, volume: volumes.volume, latency: time)
        }

        /// How long the buffer of a card lasts; zero for other nodes, and while the card is closed.
        var buffer: Duration {
            guard facts.node.direction == .output, let device = facts.node.deviceID, watch.devices[device] != nil,
                let state = pw_impl_node_get_info(node)?.pointee.state,
                state == PW_NODE_STATE_RUNNING || state == PW_NODE_STATE_IDLE
            else { return .zero }
            let properties = pw_impl_node_get_properties(node)
            func value(_ key: String) -> String? { text(pw_properties_get(properties, key)) }
            return CardBuffer.alsa(
                maximumLatency: value("node.max-latency"), periodSize: value("api.alsa.period-size"),
                periods: value("api.alsa.period-num"), rate: watch.host.graphRate)
        }

        /// Reads what the ports state of the node's latency.
        func readLatency() {
            let old = latency
            cpw_node_read_latency(node, facts.node.direction == .output, &latency)
            let isSame =
                old.quanta == latency.quanta && old.frames == latency.frames && old.nanoseconds == latency.nanoseconds
            if !isSame { watch.host.deviceChanged() }
        }

        /// Reads the channels, the volume and the mute. A card's own mute shows here too, whether the card has a switch
        /// or the sound is dropped in software.
        func readVolumes() {
            var read = cpw_volumes()
            cpw_node_read_volumes(node, &read)
            let isMuted = read.mute || read.soft_mute
            let volumes = DeviceFigures(
                channels: read.channel_count, volume: isMuted ? 0 : Double(cpw_volumes_slider(&read)))
            if volumes != self.volumes {
                self.volumes = volumes
                watch.host.deviceChanged()
            }
            // The mute of a source may interrupt a session (N7).
            guard facts.node.direction == .input, isMuted != self.isMuted else { return }
            self.isMuted = isMuted
            watch.host.muted(facts.node, isMuted)
        }
    }

    fileprivate unowned let host: any RouteWatchHost
    /// By global id.
    private var nodes: [UInt32: Node] = [:]
    private var devices: [UInt32: DeviceWatch] = [:]
    private var links = LinkMap()
    /// The `default` metadata of all clients that are considered.
    private var metadata: [OpaquePointer: DefaultsWatch] = [:]
    private var choice = ManagerChoice<OpaquePointer>()
    /// The settings of session managers.
    private var settings: [OpaquePointer: ManagerSettings] = [:]
    /// The metadata of the session manager.
    private var defaults: DefaultsWatch?
    private var targets = StreamTargets()
    /// The metadata and device resources of all clients. Whether a client exports the object or only uses it is known
    /// when the object's global appears.
    private var resources: Set<OpaquePointer> = []
    private lazy var hold = ManagerHold(
        now: { [unowned host] in host.now }, arm: { [unowned host] in host.armHold(at: $0) })

    /// The number of devices that are observed at most.
    private static let mostDevices = 256
    private static let mostNodes = 1024
    private static let mostDevicesOfSandboxes = 32

    init(host: any RouteWatchHost) { self.host = host }

    var now: Instant { host.now }

    func log(_ text: @autoclosure () -> String) { host.log(.debug, text()) }

    // MARK: - Objects

    /// Observes a node if it is a sink or source.
    func added(node: OpaquePointer, global: UInt32) {
        let properties = pw_impl_node_get_properties(node)
        let isConfined = host.isConfined(properties)
        if let group = name(pw_properties_get(properties, "node.link-group")) {
            links.add(node: global, inGroup: group)
        } else if text(pw_properties_get(properties, "media.class")) == "Stream/Input/Audio",
            !isTrue(text(pw_properties_get(properties, "node.virtual")))
        {
            links.add(recorder: global)
        }
        guard nodes[global] == nil, let facts = RouteNodeFacts(node, global: global, isConfined: isConfined)
        else { return }
        // Nodes made by programs must not use up the room for the sinks and sources of devices.
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
            object(data, as: Node.self)?.readVolumes()
        }
        events.port_info_changed = { data, _, info in
            guard let info, info.pointee.change_mask & UInt64(PW_PORT_CHANGE_MASK_PARAMS) != 0 else { return }
            object(data, as: Node.self)?.readLatency()
        }
        known.listener = Listener(events) { pw_impl_node_add_listener(node, $0, $1, pointer(to: known)) }
        host.handle(.node(facts.node))
        readNext(known)
        known.readVolumes()
        known.readLatency()
        if let device = facts.node.deviceID.flatMap({ devices[$0] }) { changed(device, hasAnswered: false) }
    }

    private func removed(_ node: Node) {
        let id = node.facts.node.id
        // The node's links still exist, so the streams heard on it can be found.
        host.handle(.nodeGone(id))
        nodes[id] = nil
    }

    func added(device: OpaquePointer, global: UInt32) {
        let properties = pw_impl_device_get_properties(device)
        guard devices[global] == nil, devices.count < RouteWatch.mostDevices,
            text(pw_properties_get(properties, "media.class")) == "Audio/Device"
        else { return }
        // Cards made in sandboxes must not use up the room for the session manager's cards.
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

    /// Reports a card that has answered, or that has got or lost a node.
    func changed(_ device: DeviceWatch, hasAnswered: Bool) {
        let own = nodes.values.map(\.facts).filter { $0.node.deviceID == device.global }
        reported = own
        host.handle(.device(device.description(nodes: own.sorted { $0.node.id < $1.node.id })))
        reported = nil
        guard hasAnswered else { return }
        host.changeGraph(all: true)
        hold.answered(device.global)
    }

    /// The nodes of the card whose change is being reported.
    private var reported: [RouteNodeFacts]?

    /// Handles the loss of an output that was heard, while the change is being reported that shows it.
    func lostHeardOutput() {
        guard let reported else { return }
        // A quantum that the card plays, one that is made when the stream stops, one more at most until the graph notices,
        // and one for a machine that is late.
        hold.drain(for: host.graphQuantum * 4 + (reported.map(\.headroom).max() ?? .zero))
    }

    /// Handles the start of a query to a card. While something is audible on the card, the session manager is held back
    /// until the answer, unless that very connection has to bring the answer. WirePlumber exports its cards through
    /// another connection than the one that it decides through, so it is held as well. When everything is silent there is
    /// no hold: a bad plug contact would otherwise hold the session manager again and again, and its decision about an
    /// earlier state would be applied last.
    func queryStarted(_ device: DeviceWatch) {
        guard host.stopsPlayback, device.client == nil || device.client != defaults?.client else { return }
        let isHeard = nodes.contains { id, node in
            node.facts.node.deviceID == device.global && host.isHeard(on: id)
        }
        if isHeard { hold.wait(for: device.global) }
    }

    /// Handles a card that will not answer.
    func queryFailed(_ device: DeviceWatch) { hold.answered(device.global) }

    func removed(_ device: DeviceWatch) {
        host.handle(.deviceGone(device.global))
        devices[device.global] = nil
        hold.answered(device.global)
    }

    // MARK: - The session manager

    func busyChanged(_ client: OpaquePointer, _ isBusy: Bool) { hold.busyChanged(client, isBusy) }

    /// Checks the hold again when its timer fires.
    func updateHold() { hold.update() }

    /// Ends the hold for good, and gives the session manager its settings back.
    func releaseManager() {
        hold.setManager(nil, isBusy: false)
        for settings in settings.values { settings.update(isInTheWay: false) }
        settings = [:]
    }

    /// Forgets a client that has gone.
    func removed(client: OpaquePointer) { hold.forget(client) }

    // MARK: - Links

    /// Handles a new link. A stream that waits for an output may be audible there again.
    func added(link: OpaquePointer, global: UInt32) {
        guard let info = pw_impl_link_get_info(link) else { return }
        links.add(global, from: info.pointee.output_node_id, to: info.pointee.input_node_id)
        linksChanged(info.pointee.output_node_id, info.pointee.input_node_id)
        host.handle(.linked(to: info.pointee.input_node_id))
    }

    /// Handles a removed link.
    func removed(link global: UInt32) {
        if let ends = links.remove(global) { linksChanged(ends.output, ends.input) }
    }

    /// Follows filters, combined sinks and loopbacks again after a link between such nodes has changed. Links of an
    /// application's stream have no influence on them.
    private func linksChanged(_ output: UInt32, _ input: UInt32) {
        guard !host.isStream(output), !host.isStream(input) else { return }
        for (_, node) in nodes.sorted(by: { $0.key < $1.key }) { readNext(node) }
    }

    /// Finds the next sinks downstream, or sources upstream, of a node without a device (R60).
    private func readNext(_ node: Node) {
        let own = node.facts.node
        guard own.deviceID == nil else { return }
        let next = links.next(after: own.id, backwards: own.direction == .input) {
            nodes[$0]?.facts.node.direction == own.direction
        }
        guard next != node.next else { return }
        node.next = next
        host.handle(.passesOn(own.id, to: next))
    }

    /// Handles a removed node.
    func removed(node global: UInt32) { links.remove(node: global) }

    /// The number of links on which a node is heard.
    func heardLinkCount(of node: UInt32) -> Int { links.heardCount(from: node) }

    /// The nodes whose sound goes to a sink.
    func sources(of sink: UInt32) -> Set<UInt32> { links.sources(of: sink) }

    /// The node that a stream is linked to.
    func place(of stream: UInt32, _ direction: StreamDirection) -> UInt32? {
        direction == .playback ? links.target(of: stream) : links.origin(of: stream)
    }

    /// The channels, the volume and the latency of a sink or source.
    func figures(of node: UInt32) -> DeviceFigures? { nodes[node]?.figures }

    /// How long the longest buffer of a card lasts that is open. The last sound reaches it within two quanta: the stream
    /// stops at the end of one, and the card is given the next one's silence.
    var longestBuffer: Duration {
        let longest = nodes.values.map(\.buffer).max() ?? .zero
        return longest > .zero ? longest + host.graphQuantum * 2 : .zero
    }

    // MARK: - Defaults

    /// Records that a client has a metadata or device resource, exported by itself or by another client.
    func added(_ resource: OpaquePointer) { resources.insert(resource) }

    func removed(_ resource: OpaquePointer) { resources.remove(resource) }

    /// Observes metadata that a client has registered, now or before this module was loaded. The resource that exports
    /// it is bound to the same global id. Resources of other clients with that id only use the metadata, and do not
    /// serve here. If the exporting client has several such resources, the exporting one cannot be told, and the
    /// metadata is ignored.
    func added(metadata global: UInt32, name: String?, by client: OpaquePointer?) {
        let own = resources.filter {
            pw_resource_get_client($0) == client && pw_resource_get_bound_id($0) == global
        }
        guard let client, let resource = own.first, own.count == 1 else { return }
        if name == ManagerSettings.name { return added(settings: resource, by: client) }
        guard name == "default" else { return }
        choice.add(resource, of: host.isConfined(client: client) ? nil : host.program(of: client))
        guard choice.all.contains(resource) else { return }
        metadata[resource] = DefaultsWatch(resource: resource, watch: self)
        switchManager()
    }

    private func added(settings resource: OpaquePointer, by client: OpaquePointer) {
        guard settings.count < ManagerSettings.most, !host.isConfined(client: client) else { return }
        settings[resource] = ManagerSettings(
            resource: resource, isInTheWay: host.replacesManagersPause,
            log: { [unowned host] level, line in host.log(level, line) },
            removed: { [unowned self] in settings[$0.resource] = nil })
    }

    /// Turns the session manager's own pause of players off, or on again, if the policy says so now.
    func updateSettings() {
        guard !settings.isEmpty else { return }
        let isInTheWay = host.replacesManagersPause
        for settings in settings.values { settings.update(isInTheWay: isInTheWay) }
    }

    func removed(_ defaults: DefaultsWatch) {
        metadata[defaults.resource] = nil
        choice.remove(defaults.resource)
        switchManager()
    }

    /// Switches to another session manager, or to none; the targets told to the former one are forgotten.
    private func switchManager() {
        let now = choice.chosen.flatMap { metadata[$0] }
        guard now !== defaults else { return }
        defaults = now
        targets = StreamTargets()
        let client = now?.client
        hold.setManager(client, isBusy: client.map { host.isBusy($0) } ?? false)
        now?.reportDefaults()
        host.handle(.managerChanged)
    }

    /// Handles one entry of the `default` metadata. The value of a default is a JSON object with a name. An entry
    /// without a key concerns all keys of the subject.
    func handleEntry(of defaults: DefaultsWatch, _ subject: UInt32, _ key: String?, _ type: String?, _ value: String?) {
        guard defaults === self.defaults else { return }
        if subject != 0 { return targets.handleEntry(subject, key, type, value) }
        let name = value.flatMap { nodeName(in: $0) }
        if key == "default.audio.sink" || key == nil { host.handle(.defaultNode(.output, name: name)) }
        if key == "default.audio.source" || key == nil { host.handle(.defaultNode(.input, name: name)) }
    }

    // MARK: - Commands

    /// Moves a stream's node to a sink or source, or back (R46, R48).
    func send(_ stream: UInt32, to node: UInt32?) {
        guard let defaults else { return }
        guard let node else { return targets.send(stream, to: nil, through: defaults) }
        if let name = nodes[node]?.facts.node.name { targets.send(stream, to: name, through: defaults) }
    }

    /// Forgets a stream that has gone.
    func forget(_ stream: UInt32) { targets.forget(stream) }

    /// Activates a port of a card for a node.
    func use(_ id: String, _ direction: PortDirection, device: UInt32, node: UInt32, isSaved: Bool) {
        guard let profileDevice = nodes[node]?.facts.node.profileDevice else { return }
        devices[device]?.use(id, direction, on: profileDevice, isSaved: isSaved)
    }

    /// Applies a port choice of the user, and lets the session manager remember the choice. Returns whether that is
    /// possible.
    func choose(_ port: RoutePort, _ direction: PortDirection) -> Bool {
        guard let node = port.nodeID else {
            return port.deviceID.flatMap { devices[$0] }?.useProfile(of: port.id, direction) ?? false
        }
        if let device = port.deviceID { use(port.id, direction, device: device, node: node, isSaved: true) }
        // The name is written into a JSON object without escapes.
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
    /// Reads a node's properties; `nil` if the node is no sink or source.
    ///
    /// - Parameter isConfined: Whether a sandboxed program made the node; such a node has no card.
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
        // In frames. The exact rate matters little here.
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
        // In 0.3.65 no other property tells.
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

/// The name in `{ "name": "alsa_output.…" }`. Node names contain no quotes.
func nodeName(in json: String) -> String? {
    let parts = json.utf8.split(separator: UInt8(ascii: "\""), omittingEmptySubsequences: false)
    guard let key = parts.firstIndex(where: { String($0) == "name" }), key + 2 < parts.count else { return nil }
    return String(parts[key + 2])
}
