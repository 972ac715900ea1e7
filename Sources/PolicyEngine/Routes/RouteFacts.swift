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
        /// Whether the port is in use although unavailable, because somebody chose it then.
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
        /// The port with which the node is still used without its device, if sound may still come out.
        var former: RoutePort?
        /// The sinks to which it passes its sound.
        var next: [UInt32] = []
    }

    /// The maximum numbers. Further devices, nodes of a server, and ports of a device are ignored.
    static let maximumDevices = 256
    static let maximumNodes = 256
    static let maximumPorts = 64
    /// The maximum number of ports offered for one direction; those of devices come first.
    static let maximumOfferedPorts = 128
    /// The maximum number of sinks behind one, and of filters in a row.
    static let maximumNodesBehind = 16
    /// The maximum length of a text, in Unicode scalars. Longer texts are cut.
    static let maximumTextLength = 256

    private(set) var devices: [Device] = []
    private(set) var nodes: [Node] = []
    private var defaults: [PortDirection: String] = [:]

    /// Returns whether the device has changed.
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
        // Plugged-in headphones make the loudspeaker, and perhaps a rear socket, unavailable without pulling them out.
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
        // When its session manager dies, a server removes the devices first. Streams on the loudspeaker continue (R64);
        // ports that can be pulled out are lost.
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

    /// A device's node may replace a program's, except the default, so that no program can hide what is plugged in.
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

    /// Returns whether the sinks behind a sink have changed.
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

    /// Whether sound can come out of the port, or is sent there even so.
    fileprivate var isUsable: Bool { !isPulled || isForced }

    /// A built-in port can be chosen even while something in a jack replaces it (R46).
    fileprivate var isOffered: Bool { port.availability != .no || port.type.isBuiltIn }
}

extension RouteFacts {
    var isEmpty: Bool { devices.isEmpty && nodes.isEmpty }

    /// R60: the ports of the default sink and source.
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

    /// Wherever a sink plays, default or not.
    var outputs: [RoutePort] {
        nodes.compactMap { $0.node.direction == .output && !$0.isFilter ? port(of: $0) : nil }
    }

    /// The ports behind a node. Several for a combined sink; none for a dummy node, or a filter without links.
    func ports(behind id: UInt32) -> [RoutePort] {
        nodes.first { $0.node.id == id }.map { ports(behind: $0) } ?? []
    }

    private func ports(behind node: Node) -> [RoutePort] {
        ends(of: node).reduce(into: []) { found, end in
            guard let port = port(of: end), !found.contains(where: { $0.id == port.id }) else { return }
            found.append(port)
        }
    }

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

    /// The port with which a node is used, or the node itself if its device names no port; `nil` for a pulled-out port.
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

    var hasOutput: Bool {
        nodes.contains { $0.node.direction == .output && port(of: $0) != nil }
            || devices.contains { $0.ports.contains { $0.port.direction == .output && $0.isOffered } }
    }

    /// Ports of devices first, then those of programs.
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

    /// Whether a port in use was removed: a built-in port only with its device.
    func isGone(_ old: RoutePort, _ direction: PortDirection) -> Bool {
        guard let device = devices.first(where: { $0.name == old.deviceName }) else {
            return old.deviceName != nil || !nodes.contains { $0.node.name == old.nodeName }
        }
        if let port = port(old, of: device, direction) { return port.isPulled }
        // The device has another profile now, without a port for this node.
        return old.id != old.nodeName
    }

    /// Whether an output on which a sink was playing was pulled out or has no sink any more, so that the server moves
    /// its streams. Plugging something in loses no built-in port, and playback continues (R64). Sinks of programs are
    /// not lost, except those that send the sound over the network.
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

    /// Whether the port of a device's new sink is not known yet.
    private func awaitsPort(_ output: RoutePort, of device: Device) -> Bool {
        guard output.id == output.nodeName, let node = nodes.first(where: { $0.node.id == output.nodeID })?.node
        else { return false }
        return device.ports.contains { $0.fits(node) }
    }

    func isPluggedIn(_ old: RoutePort) -> Bool {
        devices.first { $0.name == old.deviceName }.flatMap { port(old, of: $0, .output) }.map { !$0.isUnplugged }
            ?? false
    }

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
    /// A card's sink is no filter, even if its monitor is linked elsewhere.
    fileprivate var isFilter: Bool { node.deviceID == nil && (node.kind == .filter || !next.isEmpty) }
}

extension RouteFacts.Port {
    fileprivate func isActive(on node: RouteNode) -> Bool {
        guard node.direction == port.direction, let profileDevice = node.profileDevice else { return false }
        return port.activeOn == profileDevice
    }

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
