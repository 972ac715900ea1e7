/// What a server has published of its devices, and what can be read from it at once.
struct RouteFacts: Sendable, Equatable {
    struct Port: Sendable, Equatable {
        var port: DevicePort
        /// ``RoutePort/id``.
        var id: String
        /// When it became available, the device's arrival included.
        var since: Instant?
        /// It was available, and then was not.
        var isPulled = false
        /// It is in use although it is not available, because somebody chose it then.
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
        /// Its device has gone before it.
        var isLeftOver = false
        /// What it is used with all the same then, if its sound may still come out.
        var former: RoutePort?
        /// The sinks that it hands its sound on to.
        var next: [UInt32] = []
    }

    /// More devices, nodes of a server, or ports of a device are not taken note of.
    static let mostDevices = 256
    static let mostNodes = 256
    static let mostPorts = 64
    /// More ports of one direction are not offered; those of devices come first.
    static let mostOffered = 128
    /// More sinks are not looked for behind one, nor more filters in a row.
    static let mostBehind = 16
    /// Longer texts are cut, in Unicode scalars.
    static let longestText = 256

    private(set) var devices: [Device] = []
    private(set) var nodes: [Node] = []
    private var defaultOutput: String?
    private var defaultInput: String?

    /// Whether anything that is published of it is different.
    mutating func set(_ device: RouteDevice, at now: Instant) -> Bool {
        let name = Self.cut(device.name)
        let place = devices.firstIndex { $0.id == device.id }
        guard place != nil || devices.count < Self.mostDevices else { return false }
        let known = place.map { devices[$0] }
        var ports: [Port] = []
        for new in device.ports.prefix(Self.mostPorts) {
            var new = new
            new.name = Self.cut(new.name)
            new.description = Self.cut(new.description)
            new.serverType = Self.cut(new.serverType)
            new.profileDevices = Array(new.profileDevices.prefix(Self.mostPorts))
            let old = known?.ports.first { $0.port.name == new.name && $0.port.direction == new.direction }
            ports.append(Port(new, after: old, id: name + "/" + new.name, at: now))
        }
        // Headphones that are plugged in make the loudspeaker unavailable, and perhaps the socket behind: not pulled out.
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
        if let place { devices[place] = device } else { devices.append(device) }
        return isOther
    }

    mutating func removeDevice(_ id: UInt32) -> Bool {
        guard let place = devices.firstIndex(where: { $0.id == id }) else { return false }
        // A server whose session manager dies takes the devices away before the nodes. The loudspeaker stays what it was
        // (R64 lets go on what was heard there); what one can pull out is lost at once.
        for index in nodes.indices where nodes[index].node.deviceID == id {
            let port = port(of: nodes[index])
            nodes[index].isLeftOver = true
            nodes[index].former = port.flatMap { $0.type.isBuiltIn || $0.id == $0.nodeName ? $0 : nil }
        }
        devices.remove(at: place)
        return true
    }

    mutating func set(_ node: RouteNode, at now: Instant) -> Bool {
        var node = node
        node.name = Self.cut(node.name)
        node.description = Self.cut(node.description)
        if let place = nodes.firstIndex(where: { $0.node.id == node.id }) {
            let old = nodes[place].node
            nodes[place].node = node
            if old.deviceID != node.deviceID || old.name != node.name || old.direction != node.direction {
                nodes[place].isLeftOver = false
            }
            return old != node
        }
        guard hasRoom(for: node) else { return false }
        nodes.append(Node(node: node, since: now))
        return true
    }

    /// Whether one more node can be taken note of. One of a device takes the place of one that a program has made, so that
    /// no program can hide what is plugged in; but not that of the default.
    private mutating func hasRoom(for node: RouteNode) -> Bool {
        guard nodes.count >= Self.mostNodes else { return true }
        guard node.deviceID != nil else { return false }
        let others = nodes.indices.filter { index in
            let other = nodes[index].node
            return other.deviceID == nil && other.name != (other.direction == .output ? defaultOutput : defaultInput)
        }
        guard let place = others.last(where: { nodes[$0].node.type == .unknown }) ?? others.last else { return false }
        nodes.remove(at: place)
        return true
    }

    mutating func removeNode(_ id: UInt32) -> Bool {
        guard let place = nodes.firstIndex(where: { $0.node.id == id }) else { return false }
        nodes.remove(at: place)
        return true
    }

    /// Whether a sink hands its sound on to others than before.
    mutating func setNext(_ id: UInt32, _ next: [UInt32]) -> Bool {
        let next = Array(next.prefix(Self.mostBehind))
        guard let place = nodes.firstIndex(where: { $0.node.id == id }), nodes[place].next != next else { return false }
        nodes[place].next = next
        return true
    }

    mutating func setDefault(_ direction: PortDirection, _ name: String?) {
        let name = name.map { Self.cut($0) }
        if direction == .output { defaultOutput = name } else { defaultInput = name }
    }

    static func cut(_ text: String) -> String {
        // A scalar has at most four bytes.
        guard text.utf8.count > longestText else { return text }
        var result = ""
        result.unicodeScalars.append(contentsOf: text.unicodeScalars.prefix(longestText))
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

    /// Whether sound can come out of it, or is sent there all the same.
    fileprivate var isUsable: Bool { !isPulled || isForced }

    /// Whether one may choose it. What is built in can be chosen although something in a jack takes its place (R46).
    fileprivate var isOffered: Bool { port.availability != .no || port.type.isBuiltIn }
}

extension RouteFacts {
    var isEmpty: Bool { devices.isEmpty && nodes.isEmpty }

    /// What is in use: the ports of the default sink and source (R60).
    var route: Route {
        Route(inputs: ports(of: defaultInput, .input), outputs: ports(of: defaultOutput, .output))
    }

    private func ports(of name: String?, _ direction: PortDirection) -> [RoutePort] {
        guard let name, let node = nodes.first(where: { $0.node.name == name && $0.node.direction == direction })
        else { return [] }
        return ports(behind: node)
    }

    /// What all sinks play on.
    var outputs: [RoutePort] {
        nodes.compactMap { $0.node.direction == .output && !$0.isFilter ? port(of: $0) : nil }
    }

    /// The ports that the sound of a node comes out of, or comes from: those of the hardware behind it if it is a filter,
    /// several if it is a combined sink; none while that is not linked, and of what only stands in for a card.
    func ports(behind id: UInt32) -> [RoutePort] {
        nodes.first { $0.node.id == id }.map { ports(behind: $0) } ?? []
    }

    private func ports(behind node: Node) -> [RoutePort] {
        ends(of: node).reduce(into: []) { found, end in
            guard let port = port(of: end), !found.contains(where: { $0.id == port.id }) else { return }
            found.append(port)
        }
    }

    /// The nodes at the end of all filters.
    private func ends(of node: Node) -> [Node] {
        guard node.isFilter else { return [node] }
        var result: [Node] = []
        var seen: Set<UInt32> = [node.node.id]
        var pending = node.next
        while let id = pending.first, seen.count < Self.mostBehind {
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

    /// The filters of which the sound comes out of more than one port, by the number of the node.
    var forks: [UInt32: [RoutePort]] {
        var result: [UInt32: [RoutePort]] = [:]
        for node in nodes where node.isFilter {
            let ports = ports(behind: node)
            if ports.count > 1 { result[node.node.id] = ports }
        }
        return result
    }

    /// The port that a node is used with; the node itself where its device names none; `nil` if that was pulled out.
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

    /// Whether there is an output to choose.
    var hasOutput: Bool {
        nodes.contains { $0.node.direction == .output && port(of: $0) != nil }
            || devices.contains { $0.ports.contains { $0.port.direction == .output && $0.isOffered } }
    }

    /// What there is to choose from, what devices have before what programs make.
    func available(_ direction: PortDirection) -> [RoutePort] {
        var result: [RoutePort] = []
        for device in devices {
            let own = nodes.filter { $0.node.deviceID == device.id }
            for port in device.ports where port.port.direction == direction && port.isOffered {
                let node = (own.first { port.isActive(on: $0.node) } ?? own.first { port.fits($0.node) })?.node
                guard result.count < Self.mostOffered else { return result }
                result.append(RoutePort(port, of: device, node: node))
            }
        }
        for node in nodes where node.node.direction == direction && result.count < Self.mostOffered {
            let device = node.node.deviceID.flatMap { id in devices.first { $0.id == id } }
            let hasPort = device?.ports.contains { $0.fits(node.node) } ?? false
            if !hasPort, let port = port(of: node) { result.append(port) }
        }
        return result
    }

    /// The sinks and sources, with what each can be used with.
    var places: [RoutePlace] {
        var hasDefault: Set<PortDirection> = []
        var defaultEnds: [PortDirection: [UInt32]] = [:]
        for (direction, name) in [(PortDirection.output, defaultOutput), (.input, defaultInput)] {
            let node = nodes.first { $0.node.name == name && $0.node.direction == direction }
            defaultEnds[direction] = node.map { ends(of: $0).map(\.node.id) }
        }
        return nodes.map { known in
            let node = known.node
            let ports = devices.first { $0.id == node.deviceID }?.ports.filter { $0.fits(node) } ?? []
            let isDefault =
                node.name == (node.direction == .output ? defaultOutput : defaultInput)
                && hasDefault.insert(node.direction).inserted
            let fallback: PortType = node.direction == .output ? .builtInSpeaker : .builtInMic
            let isBehind = !isDefault && defaultEnds[node.direction]?.contains(node.id) == true
            return RoutePlace(
                nodeID: node.id, nodeName: node.name, direction: node.direction, deviceID: node.deviceID,
                ports: ports.filter(\.isOffered).map(\.id), fallback: ports.first { $0.port.type == fallback }?.id,
                active: ports.first { $0.isActive(on: node) }?.id, isDefault: isDefault, isBehindDefault: isBehind)
        }
    }

    /// Whether a port that was in use is there no more. What is built in is only if its device is gone.
    func isGone(_ old: RoutePort, _ direction: PortDirection) -> Bool {
        guard let device = devices.first(where: { $0.name == old.deviceName }) else {
            return old.deviceName != nil || !nodes.contains { $0.node.name == old.nodeName }
        }
        if let port = port(old, of: device, direction) { return port.isPulled }
        // A node for which its device had no port: there is another profile now.
        return old.id != old.nodeName
    }

    /// Whether the sound of an output that some sink played on comes out of it no more, so that the server will move it:
    /// because it was pulled out, or because there is no sink for it.
    ///
    /// Not what is built in, which makes room when something is plugged in (R64: that lets playback go on), nor the sinks
    /// that programs make, but for those that send the sound over the network.
    func isLost(_ old: RoutePort) -> Bool {
        if old.type.isBuiltIn || (old.deviceID == nil && old.type == .unknown && !old.isRemote) { return false }
        guard nodes.contains(where: { $0.node.id == old.nodeID && $0.node.direction == .output }) else { return true }
        guard let device = devices.first(where: { $0.id == old.deviceID }) else { return old.deviceName != nil }
        if let port = port(old, of: device, .output) { return !port.isUsable }
        return old.id != old.nodeName
    }

    /// Whether a lost output is not in use but plugged in, and its device plays on another one of its ports.
    func isSwitched(_ old: RoutePort, outputs: [RoutePort]) -> Bool {
        guard let device = devices.first(where: { $0.name == old.deviceName }) else { return false }
        let isThere = port(old, of: device, .output).map { !$0.isUnplugged } ?? (old.id == old.nodeName)
        return isThere && outputs.contains { $0.deviceID == device.id }
    }

    /// Whether its device is there and says that it is plugged in.
    func isPluggedIn(_ old: RoutePort) -> Bool {
        devices.first { $0.name == old.deviceName }.flatMap { port(old, of: $0, .output) }.map { !$0.isUnplugged }
            ?? false
    }

    /// Whether a port became available at that moment or later.
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
    /// Whether it stands for what is behind it. A card's sink never does, wherever its monitor is sent to.
    fileprivate var isFilter: Bool { node.deviceID == nil && (node.kind == .filter || !next.isEmpty) }
}

extension RouteFacts.Port {
    /// Whether a node of its device is used with it now.
    fileprivate func isActive(on node: RouteNode) -> Bool {
        guard node.direction == port.direction, let profileDevice = node.profileDevice else { return false }
        return port.activeOn == profileDevice
    }

    /// Whether a node of its device can be used with it.
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
