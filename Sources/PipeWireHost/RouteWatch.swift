import CPipeWire
import DesktopServices
import HostSupport
import PolicyEngine
import PolicyRuntime

/// Observes cards, sinks, sources, defaults and links (R60–R64), and reports them to the runtime.
///
/// A sink's destroy event comes before its links go, and long before the session manager moves its streams. A card is
/// queried for its ports before the session manager queries it. So the streams that were heard there are stopped in
/// time.
final class RouteWatch {
    unowned let host: PipeWireHost
    private lazy var registry = RouteRegistry(
        report: { [unowned self] event in
            host.handle(event)
        },
        findNext: { [unowned self] in next(after: $0) })
    /// By global id.
    private var nodes: [UInt32: NodeWatch] = [:]
    private var devices: [UInt32: DeviceWatch] = [:]
    private var links = LinkMap()
    /// The `default` metadata of all clients that are considered.
    var metadata: [OpaquePointer: DefaultsWatch] = [:]
    var choice = ManagerChoice<OpaquePointer>()
    /// The settings of session managers.
    var settings: [OpaquePointer: ManagerSettings] = [:]
    /// The metadata of the session manager.
    var defaults: DefaultsWatch?
    var targets = StreamTargets()
    /// The metadata and device resources of all clients. Whether a client exports the object or only uses it is known
    /// when the object's global appears.
    var resources: Set<OpaquePointer> = []
    private(set) lazy var hold = ManagerHold(
        now: { [unowned host] in host.now }, arm: { [unowned host] in host.armHold(at: $0) })

    private static let mostDevicesOfSandboxes = 32

    init(host: PipeWireHost) { self.host = host }

    // MARK: - Sinks and sources

    /// Observes a node if it is a sink or source.
    func added(node: OpaquePointer, global: UInt32) {
        let properties = pw_impl_node_get_properties(node)
        if let group = name(pw_properties_get(properties, "node.link-group")) {
            links.add(node: global, inGroup: group)
        } else if text(pw_properties_get(properties, "media.class")) == "Stream/Input/Audio",
            !isTrue(text(pw_properties_get(properties, "node.virtual")))
        {
            links.add(recorder: global)
        }
        guard nodes[global] == nil,
            let known = NodeWatch(node, global: global, isConfined: host.isConfined(properties), watch: self)
        else { return }
        nodes[global] = known
        let device = device(of: known)
        guard registry.put(known.route, isOfCard: device != nil) else {
            nodes[global] = nil
            return
        }
        registry.follow(global)
        known.readVolumes()
        known.readLatency()
        if let device { changed(device, hasAnswered: false) }
    }

    /// Handles a node that is destroyed.
    func removed(_ node: NodeWatch) {
        registry.remove(node: node.route.id)
        nodes[node.route.id] = nil
    }

    /// The mute of a source may interrupt a session (N7).
    func muted(_ node: NodeWatch, _ isMuted: Bool) {
        if let source = registry.setMuted(node.route.id, isMuted) { host.muted(source, isMuted) }
    }

    private func device(of node: NodeWatch) -> DeviceWatch? { node.route.deviceID.flatMap { devices[$0] } }

    private func nodes(of device: UInt32) -> [NodeWatch] {
        nodes.values.filter { $0.route.deviceID == device }.sorted { $0.route.id < $1.route.id }
    }

    /// The channels, the volume and the latency of a sink or source.
    func properties(of node: UInt32) -> DeviceProperties? { nodes[node]?.properties }

    /// How long the longest buffer of an open card lasts. The last sound reaches the buffer within two quanta: the stream
    /// stops at the end of one quantum, and the card gets the silence of the next one.
    var longestBuffer: Duration {
        let longest = nodes.values.filter { device(of: $0) != nil }.map(\.buffer).max() ?? .zero
        return longest > .zero ? longest + host.graphQuantum * 2 : .zero
    }

    // MARK: - Cards

    func added(device: OpaquePointer, global: UInt32) {
        let properties = pw_impl_device_get_properties(device)
        guard devices[global] == nil, devices.count < RouteRegistry.mostDevices,
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
        reporting = device.global
        registry.put(device.description(nodes: nodes(of: device.global)))
        reporting = nil
        guard hasAnswered else { return }
        host.changeGraph(all: true)
        hold.answered(device.global)
    }

    /// The card whose change is being reported.
    private var reporting: UInt32?

    /// Holds back the session manager until the card whose change is being reported has played its buffer: the card has lost
    /// an output on which something was heard.
    func lostHeardOutput() {
        guard let reporting else { return }
        let headroom = nodes(of: reporting).map(\.headroom).max() ?? .zero
        // A quantum that the card plays, one that is made when the stream stops, one more at most until the graph notices,
        // and one for a machine that is late.
        hold.drain(for: host.graphQuantum * 4 + headroom)
    }

    /// Handles the start of a query to a card. While something is audible on the card, the session manager is held back
    /// until the answer, unless that very connection has to bring the answer. WirePlumber exports its cards through
    /// another connection than the one that it decides through, so it is held as well. When everything is silent there is
    /// no hold: a bad plug contact would otherwise hold the session manager again and again, and its decision about an
    /// earlier state would be applied last.
    func queryStarted(_ device: DeviceWatch) {
        guard host.stopsPlayback, device.client == nil || device.client != defaults?.client else { return }
        if nodes(of: device.global).contains(where: { host.isHeard(on: $0.route.id) }) { hold.wait(for: device.global) }
    }

    /// Handles a card that will not answer.
    func queryFailed(_ device: DeviceWatch) { hold.answered(device.global) }

    func removed(_ device: DeviceWatch) {
        registry.remove(device: device.global)
        devices[device.global] = nil
        hold.answered(device.global)
    }

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
        registry.followAll()
    }

    /// The next sinks downstream, or sources upstream, of a node without a device (R60).
    private func next(after node: RouteNode) -> [UInt32] {
        links.next(after: node.id, backwards: node.direction == .input) { nodes[$0]?.route.direction == node.direction }
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

    // MARK: - Commands

    /// Moves a stream's node to a sink or source, or back (R46, R48).
    func send(_ stream: UInt32, to node: UInt32?) {
        guard let defaults else { return }
        guard let node else { return targets.send(stream, to: nil, through: defaults) }
        if let name = nodes[node]?.route.name { targets.send(stream, to: name, through: defaults) }
    }

    /// Forgets a stream that has gone.
    func forget(_ stream: UInt32) { targets.forget(stream) }

    /// Activates a port of a card for a node.
    func use(_ id: String, _ direction: PortDirection, device: UInt32, node: UInt32, isSaved: Bool) {
        guard let profileDevice = nodes[node]?.route.profileDevice else { return }
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
