/// What a server has published about its devices, and what follows directly from it.
struct RouteFacts: Sendable, Equatable {
    struct Port: Sendable, Equatable {
        var port: DevicePort
        /// ``RoutePort/id``.
        var id: String
        /// When the port became available, also by the device's arrival.
        var since: Instant?
        /// Whether it was available and then became unavailable.
        var isPulled = false
        /// Whether it is in use although it is unavailable, because somebody chose it then.
        var isForced = false
    }

    struct Device: Sendable, Equatable {
        var id: UInt32
        var name: String
        var ports: [Port]
        var isCamera: Bool
    }

    struct Node: Sendable, Equatable {
        var node: RouteNode
        var since: Instant
        /// Whether its device was removed before it.
        var isLeftOver = false
        /// The port with which it is still used then, if sound may still come out.
        var former: RoutePort?
        /// The sinks to which it passes its sound.
        var next: [UInt32] = []
    }

    /// The maximum number of devices, of nodes of a server, and of ports of a device. Further ones are ignored.
    static let maximumDevices = 256
    static let maximumNodes = 256
    static let maximumPorts = 64
    /// The maximum number of ports offered for one direction; those of devices come first.
    static let maximumOfferedPorts = 128
    /// The maximum number of sinks followed behind one, and of filters in a row.
    static let maximumNodesBehind = 16
    /// The maximum length of a text, in Unicode scalars. Longer texts are cut.
    static let maximumTextLength = 256

    private(set) var devices: [Device] = []
    private(set) var nodes: [Node] = []
    /// The names of the default sink and source.
    private var defaults: [PortDirection: String] = [:]

    /// Records a device. Returns whether anything published about it has changed.
    mutating func set(_ device: RouteDevice, at now: Instant) -> Bool {
        let name = Self.cut(device.name)
        let position = devices.firstIndex { $0.id == device.id }
        guard position != nil || devices.count < Self.maximumDevices else { return false }
        let known = position.map { devices[$0] }
        var ports: [Port] = []
        for new in device.ports.prefix(Self.maximumPorts) {
            var new = new
            new.name = Self.cut(new.name)
            new.description = Self.cut(new.description)
            new.serverType = Self.cut(new.serverType)
            new.profileDevices = Array(new.profileDevices.prefix(Self.maximumPorts))
            let old = known?.ports.first { $0.port.name == new.name && $0.port.direction == new.direction }
            ports.append(Port(new, after: old, id: name + "/" + new.name, at: now))
        }
        // Plugged-in headphones make the loudspeaker, and perhaps a rear socket, unavailable. Those were not pulled
        // out.
        for direction in PortDirection.allCases {
            let isPlugIn = ports.contains { new in
                new.port.direction == direction && new.port.availability == .yes
                    && known?.ports.contains { $0.id == new.id && $0.port.direction == direction && $0.isUnplugged }
                        == true
            }
            guard isPlugIn else { continue }
            for index in ports.indices where ports[index].port.direction == direction {
                let id = ports[index].id
                let wasPulled = known?.ports.first { $0.id == id && $0.port.direction == direction }?.isPulled ?? false
                ports[index].isPulled = ports[index].isPulled && wasPulled
            }
        }
        let isOther = known.map { $0.name != name || $0.ports != ports || $0.isCamera != device.isCamera } ?? true
        let device = Device(id: device.id, name: name, ports: ports, isCamera: device.isCamera)
        if let position { devices[position] = device } else { devices.append(device) }
        return isOther
    }

    mutating func removeDevice(_ id: UInt32) -> Bool {
        guard let position = devices.firstIndex(where: { $0.id == id }) else { return false }
        // When its session manager dies, a server removes the devices before the nodes. The loudspeaker stays what it
        // was, and its streams continue (R64); a port that can be pulled out is lost at once.
        for index in nodes.indices where nodes[index].node.deviceID == id {
            let port = port(of: nodes[index])
            nodes[index].isLeftOver = true
            nodes[index].former = port.flatMap { $0.type.isBuiltIn || $0.id == $0.nodeName ? $0 : nil }
        }
        devices.remove(at: position)
        return true
    }

    mutating func set(_ node: RouteNode, at now: Instant) -> Bool {
        var node = node
        node.name = Self.cut(node.name)
        node.description = Self.cut(node.description)
        if let position = nodes.firstIndex(where: { $0.node.id == node.id }) {
            let old = nodes[position].node
            nodes[position].node = node
            if old.deviceID != node.deviceID || old.name != node.name || old.direction != node.direction {
                nodes[position].isLeftOver = false
            }
            return old != node
        }
        guard hasRoom(for: node) else { return false }
        nodes.append(Node(node: node, since: now))
        return true
    }

    /// Makes room for one more node. A device's node may replace one that a program created, except the default, so
    /// that no program can hide what is plugged in. Returns whether there is room.
    private mutating func hasRoom(for node: RouteNode) -> Bool {
        guard nodes.count >= Self.maximumNodes else { return true }
        guard node.deviceID != nil else { return false }
        let others = nodes.indices.filter { index in
            let other = nodes[index].node
            return other.deviceID == nil && other.name != defaults[other.direction]
        }
        guard let position = others.last(where: { nodes[$0].node.type == .unknown }) ?? others.last else {
            return false
        }
        nodes.remove(at: position)
        return true
    }

    mutating func removeNode(_ id: UInt32) -> Bool {
        guard let position = nodes.firstIndex(where: { $0.node.id == id }) else { return false }
        nodes.remove(at: position)
        return true
    }

    /// Records the sinks to which a sink passes its sound. Returns whether they have changed.
    mutating func setNext(_ id: UInt32, _ next: [UInt32]) -> Bool {
        let next = Array(next.prefix(Self.maximumNodesBehind))
        guard let position = nodes.firstIndex(where: { $0.node.id == id }), nodes[position].next != next else {
            return false
        }
        nodes[position].next = next
        return true
    }

    mutating func setDefault(_ direction: PortDirection, _ name: String?) {
        defaults[direction] = name.map { Self.cut($0) }
    }

    static func cut(_ text: String) -> String {
        // A scalar has at most four bytes.
        guard text.utf8.count > maximumTextLength else { return text }
        var result = ""
        result.unicodeScalars.append(contentsOf: text.unicodeScalars.prefix(maximumTextLength))
        return result
    }
}

extension RouteFacts.Port {
    fileprivate init(_ new: DevicePort, after old: Self?, id: String, at now: Instant) {
        port = new
        self.id = id
        guard new.availability == .no else {
            since = old.flatMap { $0.port.availability == .no ? nil : $0.since } ?? now
            return
        }
        guard let old else { return }
        let wasAvailable = old.port.availability != .no
        isPulled = old.isPulled || (wasAvailable && !new.type.isBuiltIn)
        isForced = new.activeOn != nil && (old.isForced || (!wasAvailable && new.activeOn != old.port.activeOn))
    }

    fileprivate var isUnplugged: Bool { port.availability == .no }

    /// Whether sound can come out of it, or is sent there even so.
    fileprivate var isUsable: Bool { !isPulled || isForced }

    /// Whether it can be chosen. A built-in port can be chosen even while something in a jack replaces it (R46).
    fileprivate var isOffered: Bool { port.availability != .no || port.type.isBuiltIn }
}

extension RouteFacts {
    var isEmpty: Bool { devices.isEmpty && nodes.isEmpty }

    /// The route in use: the ports of the default sink and source (R60).
    var route: Route {
        func ports(_ direction: PortDirection) -> [RoutePort] {
            defaultNode(direction).map { self.ports(behind: $0) } ?? []
        }
        return Route(inputs: ports(.input), outputs: ports(.output))
    }

    private func defaultNode(_ direction: PortDirection) -> Node? {
        let name = defaults[direction]
        return nodes.first { $0.node.name == name && $0.node.direction == direction }
    }

    /// The ports on which any sink plays.
    var outputs: [RoutePort] {
        nodes.compactMap { $0.node.direction == .output && !$0.isFilter ? port(of: $0) : nil }
    }

    /// The ports on which a node plays, or from which it records. For a filter, those of the hardware behind it; for a
    /// combined sink, several. None while a filter is not linked, or for a dummy node.
    func ports(behind id: UInt32) -> [RoutePort] {
        nodes.first { $0.node.id == id }.map { ports(behind: $0) } ?? []
    }

    private func ports(behind node: Node) -> [RoutePort] {
        ends(of: node).reduce(into: []) { found, end in
            guard let port = port(of: end), !found.contains(where: { $0.id == port.id }) else { return }
            found.append(port)
        }
    }

    /// The nodes behind all filters.
    private func ends(of node: Node) -> [Node] {
        guard node.isFilter else { return [node] }
        var result: [Node] = []
        var seen: Set<UInt32> = [node.node.id]
        var pending = node.next
        while let id = pending.first, seen.count < Self.maximumNodesBehind {
            pending.removeFirst()
            guard seen.insert(id).inserted, let next = nodes.first(where: { $0.node.id == id }) else { continue }
            if next.isFilter {
                pending.insert(contentsOf: next.next, at: 0)
            } else {
                result.append(next)
            }
        }
        return result
    }

    /// The filters that play on more than one port, by node number.
    var forks: [UInt32: [RoutePort]] {
        var result: [UInt32: [RoutePort]] = [:]
        for node in nodes where node.isFilter {
            let ports = ports(behind: node)
            if ports.count > 1 { result[node.node.id] = ports }
        }
        return result
    }

    /// The port with which a node is used; the node itself if its device names no port; `nil` if the port was pulled
    /// out.
    private func port(of known: Node) -> RoutePort? {
        let node = known.node
        let device = node.deviceID.flatMap { id in devices.first { $0.id == id } }
        if device == nil, known.isLeftOver { return known.former }
        if node.kind == .dummy, node.deviceID == nil { return nil }
        if let device, let port = device.ports.first(where: { $0.isActive(on: node) }) {
            return port.isUsable ? RoutePort(port, of: device, node: node) : nil
        }
        return RoutePort(
            type: node.type, name: node.description, id: node.name, nodeName: node.name, nodeID: node.id,
            deviceName: device?.name, deviceID: node.deviceID, isAtCamera: node.isAtCamera || device?.isCamera ?? false,
            isRemote: node.kind == .network)
    }

    /// Whether any output can be chosen.
    var hasOutput: Bool {
        nodes.contains { $0.node.direction == .output && port(of: $0) != nil }
            || devices.contains { $0.ports.contains { $0.port.direction == .output && $0.isOffered } }
    }

    /// The ports that can be chosen: those of devices first, then those of programs.
    func available(_ direction: PortDirection) -> [RoutePort] {
        var result: [RoutePort] = []
        for device in devices {
            let own = nodes.filter { $0.node.deviceID == device.id }
            for port in device.ports where port.port.direction == direction && port.isOffered {
                let node = (own.first { port.isActive(on: $0.node) } ?? own.first { port.fits($0.node) })?.node
                guard result.count < Self.maximumOfferedPorts else { return result }
                result.append(RoutePort(port, of: device, node: node))
            }
        }
        for node in nodes where node.node.direction == direction && result.count < Self.maximumOfferedPorts {
            let device = node.node.deviceID.flatMap { id in devices.first { $0.id == id } }
            let hasPort = device?.ports.contains { $0.fits(node.node) } ?? false
            if !hasPort, let port = port(of: node) { result.append(port) }
        }
        return result
    }

    /// All sinks and sources, with the ports that each can use.
    var places: [RoutePlace] {
        let used = PortDirection.allCases.compactMap { defaultNode($0) }
        let behind = used.flatMap { known in ends(of: known).map { (known.node.direction, $0.node.id) } }
        return nodes.map { known in
            let node = known.node
            let ports = devices.first { $0.id == node.deviceID }?.ports.filter { $0.fits(node) } ?? []
            let isDefault = used.contains { $0.node.id == node.id }
            let fallback: PortType = node.direction == .output ? .builtInSpeaker : .builtInMic
            let isBehind = !isDefault && behind.contains { $0 == (node.direction, node.id) }
            return RoutePlace(
                nodeID: node.id, nodeName: node.name, direction: node.direction, deviceID: node.deviceID,
                ports: ports.filter(\.isOffered).map(\.id), fallback: ports.first { $0.port.type == fallback }?.id,
                active: ports.first { $0.isActive(on: node) }?.id, isDefault: isDefault, isBehindDefault: isBehind)
        }
    }

    /// Whether a port that was in use was removed. A built-in port counts as removed only if its device was.
    func isGone(_ old: RoutePort, _ direction: PortDirection) -> Bool {
        guard let device = devices.first(where: { $0.name == old.deviceName }) else {
            return old.deviceName != nil || !nodes.contains { $0.node.name == old.nodeName }
        }
        if let port = port(old, of: device, direction) { return port.isPulled }
        // Its device had no port for this node; it has another profile now.
        return old.id != old.nodeName
    }

    /// Whether an output on which some sink was playing was lost, so that the server will move its streams: it was
    /// pulled out, or it has no sink any more.
    ///
    /// Built-in ports are not lost when something is plugged in; playback continues (R64). Sinks that programs create
    /// are not lost either, unless they send the sound over the network.
    func isLost(_ old: RoutePort) -> Bool {
        if old.type.isBuiltIn || (old.deviceID == nil && old.type == .unknown && !old.isRemote) { return false }
        guard nodes.contains(where: { $0.node.id == old.nodeID && $0.node.direction == .output }) else { return true }
        guard let device = devices.first(where: { $0.id == old.deviceID }) else { return old.deviceName != nil }
        if let port = port(old, of: device, .output) { return !port.isUsable }
        return old.id != old.nodeName
    }

    /// Whether a lost output is plugged in but not in use, while its device plays on another of its ports.
    func isSwitched(_ old: RoutePort, outputs: [RoutePort]) -> Bool {
        guard let device = devices.first(where: { $0.name == old.deviceName }) else { return false }
        let isThere = port(old, of: device, .output).map { !$0.isUnplugged } ?? (old.id == old.nodeName)
        return isThere && outputs.contains { $0.deviceID == device.id && !awaitsPort($0, of: device) }
    }

    /// Whether a new sink of a device is known, but not yet which of the ports that it can have it is used with.
    private func awaitsPort(_ output: RoutePort, of device: Device) -> Bool {
        guard output.id == output.nodeName, let node = nodes.first(where: { $0.node.id == output.nodeID })?.node
        else { return false }
        return device.ports.contains { $0.fits(node) }
    }

    /// Whether its device exists and reports it as plugged in.
    func isPluggedIn(_ old: RoutePort) -> Bool {
        devices.first { $0.name == old.deviceName }.flatMap { port(old, of: $0, .output) }.map { !$0.isUnplugged }
            ?? false
    }

    /// Whether a port became available at this time or later.
    func hasArrived(_ new: RoutePort, _ direction: PortDirection, since moment: Instant) -> Bool {
        if let device = devices.first(where: { $0.id == new.deviceID }), let port = port(new, of: device, direction) {
            return port.since.map { $0 >= moment } ?? false
        }
        return nodes.contains { $0.node.id == new.nodeID && $0.since >= moment }
    }

    private func port(_ wanted: RoutePort, of device: Device, _ direction: PortDirection) -> Port? {
        device.ports.first { $0.id == wanted.id && $0.port.direction == direction }
    }
}

extension RouteFacts.Node {
    /// Whether the node passes its sound on to other nodes. A card's sink never does, even if its monitor is linked
    /// elsewhere.
    fileprivate var isFilter: Bool { node.deviceID == nil && (node.kind == .filter || !next.isEmpty) }
}

extension RouteFacts.Port {
    /// Whether a node of its device is used with this port now.
    fileprivate func isActive(on node: RouteNode) -> Bool {
        guard node.direction == port.direction, let profileDevice = node.profileDevice else { return false }
        return port.activeOn == profileDevice
    }

    /// Whether a node of its device can be used with this port.
    fileprivate func fits(_ node: RouteNode) -> Bool {
        guard node.direction == port.direction, let profileDevice = node.profileDevice else { return false }
        return port.activeOn == profileDevice || port.profileDevices.contains(profileDevice)
    }
}

extension RoutePort {
    fileprivate init(_ port: RouteFacts.Port, of device: RouteFacts.Device, node: RouteNode?) {
        self.init(
            type: port.port.type, name: port.port.description.isEmpty ? port.port.name : port.port.description,
            id: port.id, nodeName: node?.name ?? "", nodeID: node?.id, deviceName: device.name, deviceID: device.id,
            availability: port.port.availability, serverType: port.port.serverType, isAtCamera: device.isCamera)
    }
}
