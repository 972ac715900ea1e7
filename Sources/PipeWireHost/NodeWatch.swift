import CPipeWire
import HostSupport
import PolicyEngine
import PolicyRuntime

/// One sink or source: its properties, and its volume, mute and latency.
final class NodeWatch {
    /// What the engine is told of it.
    let route: RouteNode
    let facts: PortFacts
    /// The time that the card buffers beyond a quantum.
    let headroom: Duration
    private let node: OpaquePointer
    private unowned let watch: RouteWatch
    private var listener: Listener<pw_impl_node_events>?
    private var volumes = DeviceProperties()
    private var latency = cpw_latency()

    /// Observes a node; `nil` if it is no sink or source.
    ///
    /// - Parameter isConfined: Whether a sandboxed program made the node; such a node has no card.
    init?(_ node: OpaquePointer, global: UInt32, isConfined: Bool, watch: RouteWatch) {
        self.node = node
        self.watch = watch
        func value(_ key: String) -> String? { name(pw_properties_get(pw_impl_node_get_properties(node), key)) }
        let direction: PortDirection
        switch value("media.class") {
        case "Audio/Sink", "Audio/Duplex": direction = .output
        case "Audio/Source", "Audio/Source/Virtual": direction = .input
        default: return nil
        }
        // In frames. The exact rate matters little here.
        let frames = min(value("api.alsa.headroom").flatMap { Int64($0) } ?? 0, 48_000)
        headroom = .milliseconds(max(frames, 0) / 48)
        var facts = PortFacts(direction, of: value("node.name"), .pipeWire, value: value)
        // In 0.3.65, no other property names the kind of sink.
        facts.origin = value("media.name") == "RAOP sink" ? "raop" : value("factory.name")
        self.facts = facts
        let route = RouteNode(
            id: global, facts, description: value("node.description"),
            deviceID: isConfined ? nil : value("device.id").flatMap { UInt32($0) },
            profileDevice: value("card.profile.device").flatMap { UInt32($0) },
            isFilter: value("node.link-group") != nil,
            isRemote: value("node.network") == "true" || facts.origin == "raop")
        guard let route else { return nil }
        self.route = route
        var events = pw_impl_node_events()
        events.version = UInt32(PW_VERSION_IMPL_NODE_EVENTS)
        events.destroy = { data in
            guard let self = object(data, as: NodeWatch.self) else { return }
            self.listener = nil
            self.watch.removed(self)
        }
        events.info_changed = { data, info in
            guard let info, info.pointee.change_mask & UInt64(PW_NODE_CHANGE_MASK_PARAMS) != 0 else { return }
            object(data, as: NodeWatch.self)?.readVolumes()
        }
        events.port_info_changed = { data, _, info in
            guard let info, info.pointee.change_mask & UInt64(PW_PORT_CHANGE_MASK_PARAMS) != 0 else { return }
            object(data, as: NodeWatch.self)?.readLatency()
        }
        listener = Listener(events) { pw_impl_node_add_listener(node, $0, $1, pointer(to: self)) }
    }

    /// Channels, volume and latency. The latency depends on the graph's quantum and rate.
    var properties: DeviceProperties {
        let time =
            watch.host.graphQuantum * Double(latency.quanta)
            + .seconds(Double(latency.frames) / max(watch.host.graphRate, 1)) + .nanoseconds(latency.nanoseconds)
        return DeviceProperties(channels: volumes.channels, volume: volumes.volume, latency: time)
    }

    /// How long the buffer of a card lasts; zero for sources, and while the card is closed.
    var buffer: Duration {
        guard route.direction == .output, let state = pw_impl_node_get_info(node)?.pointee.state,
            state == PW_NODE_STATE_RUNNING || state == PW_NODE_STATE_IDLE
        else { return .zero }
        func value(_ key: String) -> String? { text(pw_properties_get(pw_impl_node_get_properties(node), key)) }
        return CardBuffer.alsa(
            maximumLatency: value("node.max-latency"), periodSize: value("api.alsa.period-size"),
            periods: value("api.alsa.period-num"), rate: watch.host.graphRate)
    }

    /// Reads what the ports state of the node's latency.
    func readLatency() {
        let old = latency
        cpw_node_read_latency(node, route.direction == .output, &latency)
        let isSame =
            old.quanta == latency.quanta && old.frames == latency.frames && old.nanoseconds == latency.nanoseconds
        if !isSame { watch.host.deviceChanged() }
    }

    /// Reads the channels, the volume and the mute. A card's own mute shows here too, whether the card has a switch or the
    /// sound is dropped in software.
    func readVolumes() {
        let old = volumes
        var read = cpw_volumes()
        cpw_node_read_volumes(node, &read)
        let isMuted = read.mute || read.soft_mute
        volumes = DeviceProperties(
            channels: read.channel_count, volume: isMuted ? 0 : Double(cpw_volumes_slider(&read)))
        if volumes != old { watch.host.deviceChanged() }
        watch.muted(self, isMuted)
    }
}
