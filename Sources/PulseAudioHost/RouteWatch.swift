import CPulseCore
import HostSupport
import PolicyEngine
import PolicyRuntime

/// Observes cards, ports, sinks, sources, defaults and each stream's device (R60–R64), and reports them to the runtime.
///
/// A sink's unlink hook comes before its streams are moved, and early listeners are called first. When a plug is
/// pulled, the daemon changes the default sink and moves streams before it reports the port. But a listener to the
/// first move can query the card. So the streams that were heard there are stopped before they move.
final class RouteWatch {
    private unowned let host: PulseAudioHost
    private lazy var registry = RouteRegistry(
        report: { [unowned host] in host.handle($0) }, findNext: { [unowned self] in next(after: $0) })
    /// The latencies that were asked for, by node number.
    private var latencies: [UInt32: Duration] = [:]
    /// The stream that is about to go, and no longer passes sound on.
    private var leaving: OpaquePointer?

    init(host: PulseAudioHost) { self.host = host }

    /// Adds the listeners and reads the present state.
    func begin() {
        for (direction, put, unlink, properties, port) in [
            (PortDirection.output, CPC_SINK_PUT, CPC_SINK_UNLINK, CPC_SINK_PROPLIST_CHANGED, CPC_SINK_PORT_CHANGED),
            (.input, CPC_SOURCE_PUT, CPC_SOURCE_UNLINK, CPC_SOURCE_PROPLIST_CHANGED, CPC_SOURCE_PORT_CHANGED),
        ] {
            host.on(put, priority: CPC_EARLY) { [unowned self] in added(DeviceHandle($0, direction)) }
            host.on(unlink, priority: CPC_EARLY) { [unowned self] in
                registry.remove(node: DeviceHandle($0, direction).node)
            }
            host.on(properties) { [unowned self] in added(DeviceHandle($0, direction)) }
            host.on(port, priority: CPC_EARLY) { [unowned self] in cardChanged(DeviceHandle($0, direction).card) }
        }
        for hook in [CPC_SINK_VOLUME_CHANGED, CPC_SINK_MUTE_CHANGED] {
            host.on(hook) { [unowned self] _ in host.deviceChanged() }
        }
        host.on(CPC_SOURCE_MUTE_CHANGED) { [unowned self] in readMute(DeviceHandle($0, .input)) }
        host.on(CPC_CARD_PUT, priority: CPC_EARLY) { [unowned self] in cardChanged($0) }
        host.on(CPC_CARD_UNLINK, priority: CPC_EARLY) { [unowned self] in registry.remove(device: cpc_card_index($0)) }
        host.on(CPC_CARD_PROFILE_CHANGED) { [unowned self] in cardChanged($0) }
        host.on(CPC_PORT_AVAILABLE_CHANGED, priority: CPC_EARLY) { [unowned self] in cardChanged(cpc_port_card($0)) }
        for (direction, start) in [
            (StreamDirection.playback, CPC_SINK_INPUT_MOVE_START), (.capture, CPC_SOURCE_OUTPUT_MOVE_START),
        ] {
            host.on(start, priority: CPC_EARLY) { [unowned self] in
                cardChanged(device(of: StreamHandle(pointer: $0, direction: direction))?.card)
            }
        }
        // The streams that filters, combined sinks and loopbacks are made of.
        for (direction, put, unlink, moved) in [
            (StreamDirection.playback, CPC_SINK_INPUT_PUT, CPC_SINK_INPUT_UNLINK, CPC_SINK_INPUT_MOVE_FINISH),
            (.capture, CPC_SOURCE_OUTPUT_PUT, CPC_SOURCE_OUTPUT_UNLINK, CPC_SOURCE_OUTPUT_MOVE_FINISH),
        ] {
            for hook in [put, moved] {
                host.on(hook, priority: CPC_EARLY) { [unowned self] in
                    internalStreamChanged(StreamHandle(pointer: $0, direction: direction))
                }
            }
            host.on(unlink, priority: CPC_EARLY) { [unowned self] in
                leaving = $0
                defer { leaving = nil }
                internalStreamChanged(StreamHandle(pointer: $0, direction: direction))
            }
        }
        host.onChange(CPC_DEFAULT_SINK_CHANGED) { [unowned self] in defaultsChanged() }
        host.onChange(CPC_DEFAULT_SOURCE_CHANGED) { [unowned self] in defaultsChanged() }
        for card in host.all(CPC_CARDS) { cardChanged(card) }
        for device in devices { added(device) }
        registry.followAll()
        defaultsChanged()
    }

    /// Forgets everything.
    func leave() { registry.clear() }

    // MARK: - Sinks, sources and cards

    /// All sinks, then all sources.
    private var devices: [DeviceHandle] {
        host.all(CPC_SINKS).map { DeviceHandle($0, .output) } + host.all(CPC_SOURCES).map { DeviceHandle($0, .input) }
    }

    private func device(_ node: UInt32) -> DeviceHandle? { DeviceHandle(node, in: host.core) }

    /// Handles a sink or source that came or changed.
    private func added(_ device: DeviceHandle) {
        guard !device.isMonitor else { return }
        let card = device.card
        let sink = device.direction == .output ? device.pointer : nil
        var facts = facts(device.direction, of: device.name, device.properties, card)
        facts.origin = sink.flatMap { cpc_sink_module($0) }.flatMap { name(cpc_module_name($0)) }
        // A filter's sink is known by the stream behind it, or it says so in its properties.
        let isFilter = sink.flatMap { cpc_sink_master($0) } != nil || device.property("device.class") == "filter"
        let node = RouteNode(
            id: device.node, facts, description: device.property("device.description"),
            deviceID: card.map { cpc_card_index($0) }, profileDevice: device.node, isFilter: isFilter,
            isRemote: sink.map { cpc_sink_is_network($0) } ?? false)
        if let node, registry.put(node, isOfCard: card != nil) { cardChanged(card) }
        registry.follow(device.node)
        readMute(device)
    }

    /// What a sink, source or port publishes, or else its card.
    private func facts(
        _ direction: PortDirection?, of deviceName: String?, _ properties: OpaquePointer?, _ card: OpaquePointer?
    ) -> PortFacts {
        let ofCard = card.flatMap { cpc_card_proplist($0) }
        var facts = PortFacts(direction, of: deviceName, .pulseAudio) { key in
            name(properties.flatMap { pa_proplist_gets($0, key) } ?? ofCard.flatMap { pa_proplist_gets($0, key) })
        }
        facts.profileName = facts.profileName ?? card.flatMap { name(cpc_card_profile($0)) }
        return facts
    }

    /// Reads whether the user has muted a source (N7).
    private func readMute(_ device: DeviceHandle) {
        guard device.direction == .input else { return }
        let isMuted = cpc_source_is_muted(device.pointer)
        if let source = registry.setMuted(device.node, isMuted) { host.muted(source, isMuted) }
    }

    private func cardChanged(_ card: OpaquePointer?) {
        guard let card, let cardName = name(cpc_card_name(card)) else { return }
        let own = devices.filter { $0.card == card }.map { (device: $0, ports: $0.ports) }
        let ports = list { cpc_card_ports(card, $0) }.prefix(RouteRegistry.mostPorts).compactMap {
            port -> DevicePort? in
            guard let portName = name(cpc_port_name(port)) else { return nil }
            var facts = facts(
                cpc_port_is_output(port) ? .output : .input, of: cardName, cpc_port_proplist(port), card)
            facts.portName = portName
            facts.portDescription = name(cpc_port_description(port))
            facts.portType = portWord(cpc_port_type(port))
            let users = own.filter { $0.ports.contains(port) }.map(\.device)
            return DevicePort(
                facts, availability: PortAvailability(number: cpc_port_available(port).rawValue),
                profileDevices: users.map(\.node), activeOn: users.last { $0.activePort == port }?.node)
        }
        let isCamera = facts(nil, of: cardName, nil, card).isCamera
        registry.put(RouteDevice(id: cpc_card_index(card), name: cardName, ports: ports, isCamera: isCamera))
    }

    /// Handles a change of the defaults. The reason may be a plug whose port has not been reported yet.
    private func defaultsChanged() {
        for card in host.all(CPC_CARDS) { cardChanged(card) }
        host.handle(.defaultNode(.output, name: cpc_default_sink(host.core).flatMap { name(cpc_sink_name($0)) }))
        let source = cpc_default_source(host.core).flatMap { cpc_source_monitor_of($0) == nil ? $0 : nil }
        host.handle(.defaultNode(.input, name: source.flatMap { name(cpc_source_name($0)) }))
    }

    // MARK: - The device of each stream

    private func device(of stream: StreamHandle) -> DeviceHandle? {
        stream.device.map { DeviceHandle($0, stream.direction == .playback ? .output : .input) }
    }

    /// The node that a stream plays on or records from, which may be a filter; `nil` while the stream moves.
    func place(of stream: StreamHandle) -> UInt32? { device(of: stream)?.node }

    /// Whether a stream's sound reaches a sink, directly or through filters.
    func isHeard(_ stream: StreamHandle, on node: UInt32) -> Bool {
        place(of: stream).map { registry.reaches(node, from: $0) } ?? false
    }

    /// Handles an internal stream of the daemon or a module that appears, moves or goes. It may change where filters
    /// and combined sinks are heard, and so where streams are heard through them.
    private func internalStreamChanged(_ stream: StreamHandle) {
        guard stream.client == nil else { return }
        registry.followAll()
        if stream.pointer != leaving, stream.direction == .playback, let place = place(of: stream) {
            host.handle(.linked(to: place))
        }
    }

    private func next(after node: RouteNode) -> [UInt32] {
        guard let device = device(node.id)?.pointer else { return [] }
        return node.direction == .output ? sinks(behind: device) : sources(before: device)
    }

    /// The sinks that a sink passes its sound to: the one of a filter, those of a combined sink, or those to which a
    /// loopback sends its monitor. All of these streams belong to the module of the sink, or of the loopback.
    private func sinks(behind sink: OpaquePointer) -> [UInt32] {
        var modules: Set<OpaquePointer> = []
        if let own = cpc_sink_module(sink) { modules.insert(own) }
        for output in host.all(CPC_SOURCE_OUTPUTS)
        where output != leaving && cpc_source_output_client(output) == nil
            && cpc_source_output_source(output).flatMap({ cpc_source_monitor_of($0) }) == sink
        {
            if let module = cpc_source_output_module(output) { modules.insert(module) }
        }
        return host.all(CPC_SINK_INPUTS).compactMap { input in
            guard input != leaving, cpc_sink_input_client(input) == nil, let target = cpc_sink_input_sink(input),
                target != sink
            else { return nil }
            let origin = cpc_sink_input_origin(input)
            let isNext = origin == sink || origin == nil && cpc_sink_input_module(input).map(modules.contains) ?? false
            return isNext ? cpc_sink_index(target) : nil
        }
    }

    /// The source from which a filter takes its sound.
    private func sources(before source: OpaquePointer) -> [UInt32] {
        host.all(CPC_SOURCE_OUTPUTS).compactMap { output in
            guard output != leaving, cpc_source_output_destination(output) == source,
                let origin = cpc_source_output_source(output), cpc_source_monitor_of(origin) == nil
            else { return nil }
            return DeviceHandle(origin, .input).node
        }
    }

    // MARK: - Volumes, latencies and buffers

    /// The channels, the volume and the latency of a sink or source. A source has no output volume.
    func properties(of node: UInt32) -> DeviceProperties? {
        guard registry.nodes[node] != nil, let device = device(node) else { return nil }
        let latency = latencies[node] ?? device.latency
        latencies[node] = latency
        let volume = device.direction == .output ? cpc_sink_slider(device.pointer) : 0
        return DeviceProperties(channels: device.channels, volume: volume, latency: latency)
    }

    /// How long the longest buffer of a card lasts that is open.
    var longestBuffer: Duration {
        host.all(CPC_SINKS).filter { cpc_sink_is_open($0) }.map { sink in
            var format = cpc_sink_sample_spec(sink)
            return CardBuffer.pulse(
                size: cpc_sink_proplist(sink).flatMap { name(pa_proplist_gets($0, "device.buffering.buffer_size")) },
                bytesPerSecond: pa_sample_spec_valid(&format) != 0 ? pa_bytes_per_second(&format) : 0)
        }.max() ?? .zero
    }

    /// Handles streams that came, went, started or stopped: the daemon has no hook for latencies, which depend on them.
    /// Only those that somebody has asked for are read, because the daemon waits for the device's thread.
    func readLatencies() {
        let old = latencies
        latencies = [:]
        for node in old.keys where registry.nodes[node] != nil { latencies[node] = device(node)?.latency }
        if latencies.contains(where: { $0.value != old[$0.key] }) { host.deviceChanged() }
    }

    // MARK: - Commands

    /// Moves a stream to a node, or back to the daemon's choice.
    func send(_ stream: StreamHandle, to node: UInt32?) {
        let chosen = stream.direction == .playback ? cpc_default_sink(host.core) : cpc_default_source(host.core)
        guard let target = node.map({ device($0)?.pointer }) ?? chosen, stream.device != target else { return }
        stream.move(to: target)
    }

    /// Activates a port for a node.
    func use(_ id: String, _ direction: PortDirection, node: UInt32, isSaved: Bool) {
        guard let device = device(node), device.direction == direction, let slash = id.lastIndex(of: "/") else {
            return
        }
        device.use(String(id[id.index(after: slash)...]), isSaved: isSaved)
    }

    /// Applies a port choice of the user, which the daemon remembers as if made in its own tools. Returns whether that
    /// is possible.
    func choose(_ port: RoutePort, _ direction: PortDirection) -> Bool {
        guard let node = port.nodeID else {
            guard let card = port.deviceID.flatMap({ cpc_object(host.core, CPC_CARDS, $0) }) else { return false }
            return useProfile(of: port, direction, OpaquePointer(card))
        }
        use(port.id, direction, node: node, isSaved: true)
        guard !port.nodeName.isEmpty else { return true }
        if direction == .output {
            cpc_choose_default_sink(host.core, port.nodeName)
        } else {
            cpc_choose_default_source(host.core, port.nodeName)
        }
        return true
    }

    private func useProfile(of port: RoutePort, _ direction: PortDirection, _ card: OpaquePointer) -> Bool {
        guard let cardName = name(cpc_card_name(card)) else { return false }
        let wanted = list { cpc_card_ports(card, $0) }.first { candidate in
            cpc_port_is_output(candidate) == (direction == .output)
                && name(cpc_port_name(candidate)).map { "\(cardName)/\($0)" } == port.id
        }
        return wanted.map { cpc_card_use_profile_for(card, $0) >= 0 } ?? false
    }
}

/// PipeWire's words for `PA_DEVICE_PORT_TYPE_…`, by number.
private let portWords = [
    "unknown", "aux", "speaker", "headphones", "line", "mic", "headset", "handset", "earpiece", "spdif", "hdmi", "tv",
    "radio", "video", "usb", "bluetooth", "portable", "handsfree", "car", "hifi", "phone", "network", "analog",
]

/// The word for a type of port; `nil` for an unknown one.
private func portWord(_ type: Int32) -> String? {
    guard let place = Int(exactly: type), portWords.indices.contains(place), place > 0 else { return nil }
    return portWords[place]
}
