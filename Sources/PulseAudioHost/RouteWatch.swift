import CPulseCore
import SessionCore
import SessionHost
import SessionRuntime

/// The hooks and objects of the daemon.
protocol DaemonHooks: AnyObject {
    /// The daemon's core.
    var core: OpaquePointer { get }
    /// Listens to a hook for the lifetime of the host.
    func on(_ hook: cpc_hook, priority: Int, _ body: @escaping (OpaquePointer) -> Void)
    /// Listens to a hook whose object may be missing.
    func onChange(_ hook: cpc_hook, _ body: @escaping () -> Void)
    /// All objects of one of the core's sets.
    func all(_ set: cpc_set) -> [OpaquePointer]
}

extension DaemonHooks {
    /// Listens to a hook after the daemon's own modules of a higher priority.
    func on(_ hook: cpc_hook, _ body: @escaping (OpaquePointer) -> Void) { on(hook, priority: CPC_NORMAL, body) }
}

/// The host as ``RouteWatch`` uses it.
protocol RouteWatchHost: DaemonHooks {
    /// Applies a change of devices or links.
    func handle(_ event: RouteEvent)
    /// Handles a sink whose volume has changed.
    func deviceChanged()
    /// Records that the user muted or unmuted a source.
    func muted(_ input: RouteNode, _ isMuted: Bool)
}

/// Observes cards, ports, sinks, sources, defaults and each stream's device (R60–R64), and reports them to the runtime.
///
/// A sink's unlink hook comes before its streams are moved, and early listeners are called first. When a plug is
/// pulled, the daemon changes the default sink and moves streams before it reports the port. But a listener to the
/// first move can query the card. So the streams that were heard there are stopped before they move.
final class RouteWatch {
    private unowned let host: any RouteWatchHost
    /// The reported sinks and sources, by node number.
    private var nodes: [UInt32: RouteNode] = [:]
    /// The last reported state of each card.
    private var devices: [UInt32: RouteDevice] = [:]
    private var isMuted: Set<UInt32> = []
    /// The latencies that were asked for, by node number.
    private var latencies: [UInt32: Duration] = [:]
    /// The next sinks or sources behind each sink or source without a card, by node number.
    private var next: [UInt32: [UInt32]] = [:]

    /// The number of devices that are observed at most.
    private static let mostDevices = 256
    private static let mostNodes = 1024
    private static let mostPorts = 256
    /// The number of filters through which a stream is followed at most.
    private static let depth = 8
    /// Distinguishes sources from sinks in a node number: the daemon numbers the two separately.
    private static let sourceBit: UInt32 = 1 << 31

    init(host: any RouteWatchHost) { self.host = host }

    /// Adds the listeners and reads the present state.
    func begin() {
        host.on(CPC_SINK_PUT, priority: CPC_EARLY) { [unowned self] in addedSink($0) }
        host.on(CPC_SINK_UNLINK, priority: CPC_EARLY) { [unowned self] in removed(cpc_sink_index($0)) }
        host.on(CPC_SINK_PORT_CHANGED, priority: CPC_EARLY) { [unowned self] in cardChanged(cpc_sink_card($0)) }
        host.on(CPC_SINK_PROPLIST_CHANGED) { [unowned self] in addedSink($0) }
        for hook in [CPC_SINK_VOLUME_CHANGED, CPC_SINK_MUTE_CHANGED] {
            host.on(hook) { [unowned self] _ in host.deviceChanged() }
        }
        host.on(CPC_SOURCE_PUT, priority: CPC_EARLY) { [unowned self] in addedSource($0) }
        host.on(CPC_SOURCE_UNLINK, priority: CPC_EARLY) { [unowned self] in
            removed(cpc_source_index($0) | RouteWatch.sourceBit)
        }
        host.on(CPC_SOURCE_PORT_CHANGED, priority: CPC_EARLY) { [unowned self] in cardChanged(cpc_source_card($0)) }
        host.on(CPC_SOURCE_PROPLIST_CHANGED) { [unowned self] in addedSource($0) }
        host.on(CPC_SOURCE_MUTE_CHANGED) { [unowned self] in readMute($0) }
        host.on(CPC_CARD_PUT, priority: CPC_EARLY) { [unowned self] in cardChanged($0) }
        host.on(CPC_CARD_UNLINK, priority: CPC_EARLY) { [unowned self] card in
            guard devices.removeValue(forKey: cpc_card_index(card)) != nil else { return }
            host.handle(.deviceGone(cpc_card_index(card)))
        }
        host.on(CPC_CARD_PROFILE_CHANGED) { [unowned self] in cardChanged($0) }
        host.on(CPC_PORT_AVAILABLE_CHANGED, priority: CPC_EARLY) { [unowned self] in cardChanged(cpc_port_card($0)) }
        host.on(CPC_SINK_INPUT_MOVE_START, priority: CPC_EARLY) { [unowned self] input in
            cardChanged(cpc_sink_input_sink(input).flatMap { cpc_sink_card($0) })
        }
        host.on(CPC_SOURCE_OUTPUT_MOVE_START, priority: CPC_EARLY) { [unowned self] output in
            cardChanged(cpc_source_output_source(output).flatMap { cpc_source_card($0) })
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
                internalStreamChanged(StreamHandle(pointer: $0, direction: direction), isGone: true)
            }
        }
        host.onChange(CPC_DEFAULT_SINK_CHANGED) { [unowned self] in defaultsChanged() }
        host.onChange(CPC_DEFAULT_SOURCE_CHANGED) { [unowned self] in defaultsChanged() }
        for card in host.all(CPC_CARDS) { cardChanged(card) }
        for sink in host.all(CPC_SINKS) { addedSink(sink) }
        for source in host.all(CPC_SOURCES) { addedSource(source) }
        readNext(without: nil)
        readDefaults()
    }

    /// Forgets everything.
    func leave() {
        nodes = [:]
        devices = [:]
        next = [:]
    }

    // MARK: - Sinks and sources

    private func addedSink(_ sink: OpaquePointer) {
        var facts = facts(
            cpc_sink_proplist(sink), name: cpc_sink_name(sink), direction: .output, card: cpc_sink_card(sink))
        facts.origin = cpc_sink_module(sink).flatMap { name(cpc_module_name($0)) }
        let isFilter = cpc_sink_master(sink) != nil || self.isFilter(cpc_sink_proplist(sink))
        let kind: RouteNode.Kind =
            facts.nodeName == "auto_null" ? .dummy : isFilter ? .filter : cpc_sink_is_network(sink) ? .network : .plain
        added(cpc_sink_index(sink), cpc_sink_proplist(sink), facts, card: cpc_sink_card(sink), kind)
        if cpc_sink_card(sink) == nil { readNext(of: cpc_sink_index(sink), without: nil) }
    }

    /// Whether a sink or source names another one behind it in its properties.
    private func isFilter(_ properties: OpaquePointer?) -> Bool {
        properties.flatMap { name(pa_proplist_gets($0, "device.class")) } == "filter"
    }

    private func addedSource(_ source: OpaquePointer) {
        guard cpc_source_monitor_of(source) == nil else { return }
        let facts = facts(
            cpc_source_proplist(source), name: cpc_source_name(source), direction: .input, card: cpc_source_card(source)
        )
        added(
            cpc_source_index(source) | RouteWatch.sourceBit, cpc_source_proplist(source), facts,
            card: cpc_source_card(source), isFilter(cpc_source_proplist(source)) ? .filter : .plain)
        if cpc_source_card(source) == nil {
            readNext(of: cpc_source_index(source) | RouteWatch.sourceBit, without: nil)
        }
        readMute(source)
    }

    private func added(
        _ id: UInt32, _ properties: OpaquePointer?, _ facts: PortFacts, card: OpaquePointer?, _ kind: RouteNode.Kind
    ) {
        guard let nodeName = facts.nodeName, nodes[id] != nil || nodes.count < RouteWatch.mostNodes else { return }
        let node = RouteNode(
            id: id, name: nodeName,
            description: properties.flatMap { name(pa_proplist_gets($0, "device.description")) } ?? nodeName,
            direction: facts.direction ?? .output, deviceID: card.map { cpc_card_index($0) }, profileDevice: id,
            type: PortType(facts), isAtCamera: facts.isCamera, kind: card == nil ? kind : .plain)
        guard nodes[id] != node else { return }
        nodes[id] = node
        host.handle(.node(node))
        cardChanged(card)
    }

    private func removed(_ id: UInt32) {
        guard nodes[id] != nil else { return }
        // The sink's streams are still attached, so those heard on it can be found.
        host.handle(.nodeGone(id))
        nodes[id] = nil
        next[id] = nil
        isMuted.remove(id)
    }

    private func facts(
        _ properties: OpaquePointer?, name nodeName: UnsafePointer<CChar>?, direction: PortDirection?,
        card: OpaquePointer?
    ) -> PortFacts {
        let ofCard = card.flatMap { cpc_card_proplist($0) }
        func value(_ key: String) -> String? {
            name(properties.flatMap { pa_proplist_gets($0, key) } ?? ofCard.flatMap { pa_proplist_gets($0, key) })
        }
        var facts = PortFacts()
        facts.direction = direction
        facts.formFactor = value("device.form_factor")
        facts.bus = value("device.bus")
        facts.iconName = value("device.icon_name")
        facts.profileName = value("device.profile.name") ?? card.flatMap { name(cpc_card_profile($0)) }
        facts.bluetoothProfile = value("bluetooth.protocol")
        facts.deviceAPI = value("device.api")
        facts.nodeName = name(nodeName)
        facts.mediaClass = direction.map { $0 == .output ? "Audio/Sink" : "Audio/Source" }
        return facts
    }

    /// Reads whether the user has muted a source (N7).
    private func readMute(_ source: OpaquePointer) {
        let id = cpc_source_index(source) | RouteWatch.sourceBit
        guard let node = nodes[id], cpc_source_is_muted(source) != isMuted.contains(id) else { return }
        if cpc_source_is_muted(source) { isMuted.insert(id) } else { isMuted.remove(id) }
        host.muted(node, isMuted.contains(id))
    }

    // MARK: - Cards

    private func cardChanged(_ card: OpaquePointer?) {
        guard let card, let description = describe(card) else { return }
        let id = cpc_card_index(card)
        guard devices[id] != description, devices[id] != nil || devices.count < RouteWatch.mostDevices else { return }
        devices[id] = description
        host.handle(.device(description))
    }

    private func describe(_ card: OpaquePointer) -> RouteDevice? {
        guard let cardName = name(cpc_card_name(card)) else { return nil }
        var places: [String: (can: [UInt32], active: UInt32?)] = [:]
        for (id, port, isActive) in usedPorts(of: card) {
            var place = places[port] ?? ([], nil)
            place.can.append(id)
            if isActive { place.active = id }
            places[port] = place
        }
        var ports: [DevicePort] = []
        var state: UnsafeMutableRawPointer?
        while let port = cpc_card_ports(card, &state), ports.count < RouteWatch.mostPorts {
            guard let portName = name(cpc_port_name(port)) else { continue }
            let direction: PortDirection = cpc_port_is_output(port) ? .output : .input
            var facts = facts(
                cpc_port_proplist(port), name: cpc_card_name(card), direction: direction, card: card)
            facts.portName = portName
            facts.portDescription = name(cpc_port_description(port))
            facts.portType = PortWords.type(cpc_port_type(port))
            let place = places[portName]
            ports.append(
                DevicePort(
                    name: portName, description: facts.portDescription ?? portName, direction: direction,
                    type: PortType(facts), availability: PortWords.availability(cpc_port_available(port)),
                    profileDevices: place?.can ?? [], activeOn: place?.active, serverType: facts.portType ?? ""))
        }
        let isCamera = facts(nil, name: cpc_card_name(card), direction: nil, card: card).isCamera
        return RouteDevice(id: cpc_card_index(card), name: cardName, ports: ports, isCamera: isCamera)
    }

    /// The active ports of a card's present sinks and sources.
    private func usedPorts(of card: OpaquePointer) -> [(node: UInt32, port: String, isActive: Bool)] {
        var found: [(node: UInt32, port: String, isActive: Bool)] = []
        for sink in host.all(CPC_SINKS) where cpc_sink_card(sink) == card {
            var state: UnsafeMutableRawPointer?
            while let port = cpc_sink_ports(sink, &state) {
                guard let name = name(cpc_port_name(port)) else { continue }
                found.append((cpc_sink_index(sink), name, cpc_sink_active_port(sink) == port))
            }
        }
        for source in host.all(CPC_SOURCES) where cpc_source_card(source) == card {
            var state: UnsafeMutableRawPointer?
            while let port = cpc_source_ports(source, &state) {
                guard let name = name(cpc_port_name(port)) else { continue }
                let id = cpc_source_index(source) | RouteWatch.sourceBit
                found.append((id, name, cpc_source_active_port(source) == port))
            }
        }
        return found
    }

    // MARK: - Defaults

    /// Handles a change of the defaults. The reason may be a plug whose port has not been reported yet.
    private func defaultsChanged() {
        for card in host.all(CPC_CARDS) { cardChanged(card) }
        readDefaults()
    }

    private func readDefaults() {
        host.handle(.defaultNode(.output, name: cpc_default_sink(host.core).flatMap { name(cpc_sink_name($0)) }))
        let source = cpc_default_source(host.core).flatMap { cpc_source_monitor_of($0) == nil ? $0 : nil }
        host.handle(.defaultNode(.input, name: source.flatMap { name(cpc_source_name($0)) }))
    }

    // MARK: - The device of each stream

    /// The node that a stream plays on or records from, which may be a filter; `nil` while the stream moves.
    func place(of stream: StreamHandle) -> UInt32? {
        guard let device = stream.device else { return nil }
        return stream.direction == .playback ? cpc_sink_index(device) : cpc_source_index(device) | RouteWatch.sourceBit
    }

    /// Whether a stream's sound reaches a sink, directly or through filters.
    func isHeard(_ stream: StreamHandle, on node: UInt32) -> Bool {
        guard var pending = place(of: stream).map({ [$0] }) else { return false }
        for _ in 0..<RouteWatch.depth {
            if pending.contains(node) { return true }
            pending = pending.flatMap { next[$0] ?? [] }.prefix(RouteWatch.depth).map { $0 }
        }
        return false
    }

    /// Handles an internal stream of the daemon or a module that appears, moves or goes. It may change where filters
    /// and combined sinks are heard, and so where streams are heard through them.
    private func internalStreamChanged(_ stream: StreamHandle, isGone: Bool = false) {
        guard stream.client == nil else { return }
        readNext(without: isGone ? stream.pointer : nil)
        if !isGone, stream.direction == .playback, let place = place(of: stream) { host.handle(.linked(to: place)) }
    }

    private func readNext(without stream: OpaquePointer?) {
        for (id, node) in nodes.sorted(by: { $0.key < $1.key }) where node.deviceID == nil {
            readNext(of: id, without: stream)
        }
    }

    private func readNext(of id: UInt32, without stream: OpaquePointer?) {
        guard let device = device(id) else { return }
        let isSource = id & RouteWatch.sourceBit != 0
        let found = isSource ? sources(before: device, stream) : sinks(behind: device, stream)
        guard found != next[id] ?? [] else { return }
        next[id] = found
        host.handle(.passesOn(id, to: found))
    }

    /// The sinks that a sink passes its sound to: the one of a filter, those of a combined sink, or those to which a
    /// loopback sends its monitor. All of these streams belong to the module of the sink, or of the loopback.
    private func sinks(behind sink: OpaquePointer, _ gone: OpaquePointer?) -> [UInt32] {
        var modules: Set<OpaquePointer> = []
        if let own = cpc_sink_module(sink) { modules.insert(own) }
        for output in host.all(CPC_SOURCE_OUTPUTS)
        where output != gone && cpc_source_output_client(output) == nil
            && cpc_source_output_source(output).flatMap({ cpc_source_monitor_of($0) }) == sink
        {
            if let module = cpc_source_output_module(output) { modules.insert(module) }
        }
        return host.all(CPC_SINK_INPUTS).compactMap { input in
            guard input != gone, cpc_sink_input_client(input) == nil, let target = cpc_sink_input_sink(input),
                target != sink
            else { return nil }
            let origin = cpc_sink_input_origin(input)
            let isNext = origin == sink || origin == nil && cpc_sink_input_module(input).map(modules.contains) ?? false
            return isNext ? cpc_sink_index(target) : nil
        }
    }

    /// The source from which a filter takes its sound.
    private func sources(before source: OpaquePointer, _ gone: OpaquePointer?) -> [UInt32] {
        host.all(CPC_SOURCE_OUTPUTS).compactMap { output in
            guard output != gone, cpc_source_output_destination(output) == source,
                let origin = cpc_source_output_source(output), cpc_source_monitor_of(origin) == nil
            else { return nil }
            return cpc_source_index(origin) | RouteWatch.sourceBit
        }
    }

    /// The channels, the volume and the latency of a sink or source. A source has no output volume.
    func figures(of node: UInt32) -> DeviceFigures? {
        guard nodes[node] != nil, let device = device(node) else { return nil }
        let latency = latencies[node] ?? readLatency(of: node, device)
        guard node & RouteWatch.sourceBit == 0 else {
            return DeviceFigures(channels: UInt32(cpc_source_sample_spec(device).channels), latency: latency)
        }
        return DeviceFigures(
            channels: UInt32(cpc_sink_sample_spec(device).channels), volume: cpc_sink_slider(device), latency: latency)
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

    private func readLatency(of node: UInt32, _ device: OpaquePointer) -> Duration {
        let isSource = node & RouteWatch.sourceBit != 0
        let latency = Duration.microseconds(
            Int64(clamping: isSource ? cpc_source_latency(device) : cpc_sink_latency(device)))
        latencies[node] = latency
        return latency
    }

    /// Handles streams that came, went, started or stopped: the daemon has no hook for latencies, which depend on them.
    /// Only those that somebody has asked for are read, because the daemon waits for the device's thread.
    func readLatencies() {
        var isNew = false
        for (node, old) in latencies {
            guard nodes[node] != nil, let device = device(node) else {
                latencies[node] = nil
                continue
            }
            if readLatency(of: node, device) != old { isNew = true }
        }
        if isNew { host.deviceChanged() }
    }

    // MARK: - Commands

    /// Moves a stream to a node, or back to the daemon's choice.
    func send(_ stream: StreamHandle, to node: UInt32?) {
        guard let target = node.map({ device($0) }) ?? byDefault(stream.direction), stream.device != target else {
            return
        }
        stream.move(to: target)
    }

    private func byDefault(_ direction: StreamDirection) -> OpaquePointer? {
        direction == .playback ? cpc_default_sink(host.core) : cpc_default_source(host.core)
    }

    private func device(_ node: UInt32) -> OpaquePointer? {
        let isSource = node & RouteWatch.sourceBit != 0
        return cpc_object(host.core, isSource ? CPC_SOURCES : CPC_SINKS, node & ~RouteWatch.sourceBit)
            .map { OpaquePointer($0) }
    }

    /// Activates a port for a node.
    func use(_ id: String, _ direction: PortDirection, node: UInt32, isSaved: Bool) {
        guard let device = device(node), let slash = id.lastIndex(of: "/") else { return }
        let port = String(id[id.index(after: slash)...])
        if direction == .output {
            _ = cpc_sink_set_port(device, port, isSaved)
        } else {
            _ = cpc_source_set_port(device, port, isSaved)
        }
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
        var state: UnsafeMutableRawPointer?
        while let candidate = cpc_card_ports(card, &state) {
            guard cpc_port_is_output(candidate) == (direction == .output),
                name(cpc_port_name(candidate)).map({ "\(cardName)/\($0)" == port.id }) == true
            else { continue }
            return cpc_card_use_profile_for(card, candidate) >= 0
        }
        return false
    }
}

/// The daemon's port types and availabilities as words.
enum PortWords {
    /// PipeWire's words for `PA_DEVICE_PORT_TYPE_…`, indexed by number.
    private static let types = [
        "unknown", "aux", "speaker", "headphones", "line", "mic", "headset", "handset", "earpiece", "spdif", "hdmi",
        "tv", "radio", "video", "usb", "bluetooth", "portable", "handsfree", "car", "hifi", "phone", "network",
        "analog",
    ]

    static func type(_ number: Int32) -> String? {
        guard let place = Int(exactly: number), types.indices.contains(place), place > 0 else { return nil }
        return types[place]
    }

    static func availability(_ available: cpc_available) -> PortAvailability {
        switch available {
        case CPC_AVAILABLE_NO: .no
        case CPC_AVAILABLE_YES: .yes
        default: .unknown
        }
    }
}
