public import PolicyEngine

/// The cards, sinks and sources of a server, as the engine knows them (R60–R64). Reports each news before the call
/// returns, so that streams on a lost output are silent before the server moves them.
public final class RouteRegistry {
    /// The number of cards that are reported at most.
    public static let mostDevices = 256
    /// The number of ports of a card that are reported at most.
    public static let mostPorts = 256
    private static let mostNodes = 1024
    /// The number of filters through which sound is followed at most.
    private static let depth = 8

    /// The reported sinks and sources, by number.
    public private(set) var nodes: [UInt32: RouteNode] = [:]
    private var devices: [UInt32: RouteDevice] = [:]
    /// Behind each sink or source without a card.
    private var next: [UInt32: [UInt32]] = [:]
    private var muted: Set<UInt32> = []
    private let report: (RouteEvent) -> Void
    private let findNext: (RouteNode) -> [UInt32]

    /// - Parameters:
    ///   - report: Applies a change, with all its effects, before it returns.
    ///   - findNext: The sinks to which a sink without a card passes its sound, or the sources of such a source.
    public init(report: @escaping (RouteEvent) -> Void, findNext: @escaping (RouteNode) -> [UInt32]) {
        self.report = report
        self.findNext = findNext
    }

    /// Records a sink or source. Returns whether it was reported. Nodes without a known card (`isOfCard`), which
    /// programs make, must not use up the room for others.
    public func put(_ node: RouteNode, isOfCard: Bool) -> Bool {
        let most = isOfCard ? RouteRegistry.mostNodes : RouteRegistry.mostNodes / 2
        guard nodes[node.id] != node, nodes[node.id] != nil || nodes.count < most else { return false }
        nodes[node.id] = node
        report(.node(node))
        return true
    }

    /// Records a removal. The node's streams are still there, so those heard on it can be found.
    public func remove(node id: UInt32) {
        guard nodes[id] != nil else { return }
        report(.nodeGone(id))
        nodes[id] = nil
        next[id] = nil
        muted.remove(id)
    }

    /// Records the present state of a card.
    public func put(_ device: RouteDevice) {
        let old = devices[device.id]
        guard old != device, old != nil || devices.count < RouteRegistry.mostDevices else { return }
        devices[device.id] = device
        report(.device(device))
    }

    /// Records that a card goes.
    public func remove(device id: UInt32) {
        if devices.removeValue(forKey: id) != nil { report(.deviceGone(id)) }
    }

    /// Follows all filters, combined sinks and loopbacks again.
    public func followAll() {
        for id in nodes.keys.sorted() { follow(id) }
    }

    /// Finds the next sinks downstream, or sources upstream, of a sink or source without a card.
    public func follow(_ id: UInt32) {
        guard let node = nodes[id], node.deviceID == nil else { return }
        let found = findNext(node)
        guard found != next[id] ?? [] else { return }
        next[id] = found
        report(.passesOn(id, to: found))
    }

    /// Whether the sound of a sink reaches another one through filters, or is the same.
    public func reaches(_ node: UInt32, from first: UInt32) -> Bool {
        var pending = [first]
        for _ in 0..<RouteRegistry.depth {
            if pending.contains(node) { return true }
            pending = pending.flatMap { next[$0] ?? [] }.prefix(RouteRegistry.depth).map { $0 }
        }
        return false
    }

    /// Records whether a source is muted (N7). Returns the source if that is a change.
    public func setMuted(_ id: UInt32, _ isMuted: Bool) -> RouteNode? {
        guard let node = nodes[id], node.direction == .input, isMuted != muted.contains(id) else { return nil }
        if isMuted { muted.insert(id) } else { muted.remove(id) }
        return node
    }

    /// Forgets all nodes and devices.
    public func clear() { (nodes, devices, next) = ([:], [:], [:]) }
}

extension RouteNode {
    /// A sink or source as its properties describe it; `nil` without a name. What has a card is neither filter nor
    /// remote.
    public init?(
        id: UInt32, _ facts: PortFacts, description: String?, deviceID: UInt32?, profileDevice: UInt32?, isFilter: Bool,
        isRemote: Bool
    ) {
        guard let name = facts.nodeName, let direction = facts.direction else { return nil }
        let isDummy = name == "auto_null" && direction == .output
        let kind: Kind = isDummy ? .dummy : isFilter ? .filter : isRemote ? .network : .plain
        self.init(
            id: id, name: name, description: description ?? name, direction: direction, deviceID: deviceID,
            profileDevice: profileDevice, type: PortType(facts), isAtCamera: facts.isCamera,
            kind: deviceID == nil ? kind : .plain)
    }
}

extension PortAvailability {
    /// What both servers say with a number.
    public init(number: UInt32) { self = number == 1 ? .no : number == 2 ? .yes : .unknown }
}

extension DevicePort {
    /// A port as its card describes it.
    public init(_ facts: PortFacts, availability: PortAvailability, profileDevices: [UInt32], activeOn: UInt32?) {
        self.init(
            name: facts.portName ?? "", description: facts.portDescription ?? "", direction: facts.direction ?? .output,
            type: PortType(facts), availability: availability, profileDevices: profileDevices, activeOn: activeOn,
            serverType: facts.portType ?? "")
    }
}
