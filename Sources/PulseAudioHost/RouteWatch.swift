import CPulseCore
import SessionCore
import SessionHost

/// Sees cards, their ports, sinks and sources, the defaults, and which streams are heard where (R60–R64), and tells the
/// runtime.
///
/// A sink that goes says so before its streams are moved; those who listen first are first. A plug that is pulled out makes
/// another sink the default one, and streams move there, before it is said; but whoever is told of the first move can ask
/// the card. So what was heard there is stopped before it is moved.
final class RouteWatch {
    private unowned let host: PulseAudioHost
    /// The sinks and sources that were told of, by their numbers as nodes.
    private var nodes: [UInt32: RouteNode] = [:]
    /// What cards were last said to be.
    private var devices: [UInt32: RouteDevice] = [:]
    private var isMuted: Set<UInt32> = []

    /// More are not looked at.
    private static let mostDevices = 256
    private static let mostNodes = 1024
    private static let mostPorts = 256
    /// Through how many filters a stream is followed.
    private static let depth = 8
    /// Sinks and sources have numbers of their own in the daemon, which meet here.
    private static let sourceBit: UInt32 = 1 << 31

    init(host: PulseAudioHost) { self.host = host }

    /// Listens, and takes what there is.
    func begin() {
        host.on(CPC_SINK_PUT, priority: CPC_EARLY) { [unowned self] in addedSink($0) }
        host.on(CPC_SINK_UNLINK, priority: CPC_EARLY) { [unowned self] in removed(cpc_sink_index($0)) }
        host.on(CPC_SINK_PORT_CHANGED, priority: CPC_EARLY) { [unowned self] in cardChanged(cpc_sink_card($0)) }
        host.on(CPC_SINK_PROPLIST_CHANGED) { [unowned self] in addedSink($0) }
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
            host.take(.deviceGone(cpc_card_index(card)))
        }
        host.on(CPC_CARD_PROFILE_CHANGED) { [unowned self] in cardChanged($0) }
        host.on(CPC_PORT_AVAILABLE_CHANGED, priority: CPC_EARLY) { [unowned self] in cardChanged(cpc_port_card($0)) }
        host.on(CPC_SINK_INPUT_MOVE_START, priority: CPC_EARLY) { [unowned self] input in
            cardChanged(cpc_sink_input_sink(input).flatMap { cpc_sink_card($0) })
        }
        host.on(CPC_SOURCE_OUTPUT_MOVE_START, priority: CPC_EARLY) { [unowned self] output in
            cardChanged(cpc_source_output_source(output).flatMap { cpc_source_card($0) })
        }
        host.onChange(CPC_DEFAULT_SINK_CHANGED) { [unowned self] in defaultsChanged() }
        host.onChange(CPC_DEFAULT_SOURCE_CHANGED) { [unowned self] in defaultsChanged() }
        for card in host.all(CPC_CARDS) { cardChanged(card) }
        for sink in host.all(CPC_SINKS) { addedSink(sink) }
        for source in host.all(CPC_SOURCES) { addedSource(source) }
        readDefaults()
    }

    /// Looks at nothing any more.
    func leave() {
        nodes = [:]
        devices = [:]
    }

    // MARK: - Sinks and sources

    private func addedSink(_ sink: OpaquePointer) {
        let facts = facts(
            cpc_sink_proplist(sink), name: cpc_sink_name(sink), direction: .output, card: cpc_sink_card(sink))
        added(cpc_sink_index(sink), cpc_sink_proplist(sink), facts, card: cpc_sink_card(sink))
    }

    private func addedSource(_ source: OpaquePointer) {
        guard cpc_source_monitor_of(source) == nil else { return }
        let facts = facts(
            cpc_source_proplist(source), name: cpc_source_name(source), direction: .input, card: cpc_source_card(source)
        )
        added(
            cpc_source_index(source) | RouteWatch.sourceBit, cpc_source_proplist(source), facts,
            card: cpc_source_card(source))
        readMute(source)
    }

    private func added(_ id: UInt32, _ properties: OpaquePointer?, _ facts: PortFacts, card: OpaquePointer?) {
        guard let nodeName = facts.nodeName, nodes[id] != nil || nodes.count < RouteWatch.mostNodes else { return }
        let node = RouteNode(
            id: id, name: nodeName,
            description: properties.flatMap { name(pa_proplist_gets($0, "device.description")) } ?? nodeName,
            direction: facts.direction ?? .output, deviceID: card.map { cpc_card_index($0) }, profileDevice: id,
            type: PortType(facts), isAtCamera: facts.isCamera)
        guard nodes[id] != node else { return }
        nodes[id] = node
        host.take(.node(node))
        cardChanged(card)
    }

    private func removed(_ id: UInt32) {
        guard nodes[id] != nil else { return }
        // What is played there still is: who was heard on it can be told.
        host.take(.nodeGone(id))
        nodes[id] = nil
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

    /// N7: a source that its user mutes.
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
        host.take(.device(description))
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

    /// The ports of the sinks and sources that a card has now.
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

    /// It may be for a plug of which it has not been said yet that it is out.
    private func defaultsChanged() {
        for card in host.all(CPC_CARDS) { cardChanged(card) }
        readDefaults()
    }

    private func readDefaults() {
        host.take(.defaultNode(.output, name: cpc_default_sink(host.core).flatMap { name(cpc_sink_name($0)) }))
        let source = cpc_default_source(host.core).flatMap { cpc_source_monitor_of($0) == nil ? $0 : nil }
        host.take(.defaultNode(.input, name: source.flatMap { name(cpc_source_name($0)) }))
    }

    // MARK: - Who is heard where

    /// The number of the node that a stream is heard on or records from, behind all filters; `nil` while it moves.
    func place(of stream: StreamHandle) -> UInt32? {
        guard let device = stream.device else { return nil }
        guard stream.direction == .playback else { return cpc_source_index(device) | RouteWatch.sourceBit }
        return end(of: device).map { cpc_sink_index($0) }
    }

    /// The sink on which a sink is heard: the one behind it, for that of a filter.
    private func end(of sink: OpaquePointer) -> OpaquePointer? {
        var sink = sink
        for _ in 0..<RouteWatch.depth {
            guard let input = cpc_sink_master(sink) else { return sink }
            guard let next = cpc_sink_input_sink(input) else { return nil }
            sink = next
        }
        return sink
    }

    // MARK: - What is asked for

    /// Sends a stream to a node, or to where the daemon sends streams by default.
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

    /// Makes a port the one that a node is used with.
    func use(_ id: String, _ direction: PortDirection, node: UInt32, isSaved: Bool) {
        guard let device = device(node), let slash = id.lastIndex(of: "/") else { return }
        let port = String(id[id.index(after: slash)...])
        if direction == .output {
            _ = cpc_sink_set_port(device, port, isSaved)
        } else {
            _ = cpc_source_set_port(device, port, isSaved)
        }
    }

    /// What its user chooses: remembered by the daemon as if chosen in its own tools.
    func choose(_ port: RoutePort, _ direction: PortDirection) {
        if let node = port.nodeID {
            use(port.id, direction, node: node, isSaved: true)
        } else if let card = port.deviceID.flatMap({ cpc_object(host.core, CPC_CARDS, $0) }) {
            useProfile(of: port, direction, OpaquePointer(card))
        }
        guard !port.nodeName.isEmpty else { return }
        if direction == .output {
            cpc_choose_default_sink(host.core, port.nodeName)
        } else {
            cpc_choose_default_source(host.core, port.nodeName)
        }
    }

    private func useProfile(of port: RoutePort, _ direction: PortDirection, _ card: OpaquePointer) {
        guard let cardName = name(cpc_card_name(card)) else { return }
        var state: UnsafeMutableRawPointer?
        while let candidate = cpc_card_ports(card, &state) {
            guard cpc_port_is_output(candidate) == (direction == .output),
                name(cpc_port_name(candidate)).map({ "\(cardName)/\($0)" == port.id }) == true
            else { continue }
            _ = cpc_card_use_profile_for(card, candidate)
            return
        }
    }
}

/// The daemon's numbers in words.
enum PortWords {
    /// The words that PipeWire has for `PA_DEVICE_PORT_TYPE_…`, in the order of their numbers.
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
