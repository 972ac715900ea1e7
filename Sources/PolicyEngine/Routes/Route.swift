/// Ports, routes, and the reasons of route changes.
///
/// Names and descriptions are for people, and ids identify ports. Hosts find out what a port is.

extension StreamDirection {
    var port: PortDirection { self == .playback ? .output : .input }
}

/// Whether something is plugged into a port.
public enum PortAvailability: String, Sendable, Hashable, CaseIterable {
    case no
    case yes
    /// The hardware does not detect plugs, as most built-in ports do not.
    case unknown
}

/// One input or output (R60).
public struct RoutePort: Sendable, Hashable {
    /// The type.
    public var type: PortType
    /// The name for people, in the server's language.
    public var name: String
    /// The id of the physical port, which survives removal and return: the card's and the port's name
    /// (`alsa_card.pci-0000_00_1f.3/[Out] Speaker`), or the node's name if the server reports no ports.
    public var id: String
    /// The name of the sink or source that uses the port; empty if none does now.
    public var nodeName: String
    /// The server's number of that sink or source.
    public var nodeID: UInt32?
    /// The name of the card; `nil` without a card.
    public var deviceName: String?
    /// The server's number of the card.
    public var deviceID: UInt32?
    /// Whether something is plugged in.
    public var availability: PortAvailability
    /// The server's own word for the type, which helps people with ``PortType/unknown``; empty for none.
    public var serverType: String
    /// Whether the port is part of a camera (R52).
    public var isAtCamera: Bool
    /// Whether the port is reached over the network, without a card of this machine.
    public var isRemote: Bool

    /// Creates a port.
    public init(
        type: PortType, name: String, id: String, nodeName: String = "", nodeID: UInt32? = nil,
        deviceName: String? = nil, deviceID: UInt32? = nil, availability: PortAvailability = .unknown,
        serverType: String = "", isAtCamera: Bool = false, isRemote: Bool = false
    ) {
        self.type = type
        self.name = name
        self.id = id
        self.nodeName = nodeName
        self.nodeID = nodeID
        self.deviceName = deviceName
        self.deviceID = deviceID
        self.availability = availability
        self.serverType = serverType
        self.isAtCamera = isAtCamera
        self.isRemote = isRemote
    }

    /// Whether both are one physical port with the same type, so that a listener notices no difference.
    public func isSame(as other: RoutePort) -> Bool { id == other.id && type == other.type }
}

/// The ports in use (R60). Several outputs are possible.
public struct Route: Sendable, Hashable {
    /// The inputs; empty if none is in use.
    public var inputs: [RoutePort]
    /// The outputs; empty if none is in use.
    public var outputs: [RoutePort]

    /// Creates a route; without arguments, an empty one.
    public init(inputs: [RoutePort] = [], outputs: [RoutePort] = []) {
        self.inputs = inputs
        self.outputs = outputs
    }

    /// The ports of one direction.
    public subscript(direction: PortDirection) -> [RoutePort] {
        get { direction == .output ? outputs : inputs }
        set { if direction == .output { outputs = newValue } else { inputs = newValue } }
    }

    /// Whether no port is in use.
    public var isEmpty: Bool { inputs.isEmpty && outputs.isEmpty }

    /// Whether both have the same ports in the same order, whatever nodes use them: a listener notices no difference.
    public func isSame(as other: Route) -> Bool {
        inputs.elementsEqual(other.inputs) { $0.isSame(as: $1) }
            && outputs.elementsEqual(other.outputs) { $0.isSame(as: $1) }
    }

    /// The part of the route that a category uses: no output if it does not play, no input if it does not record (R57).
    public func part(for category: Category) -> Route {
        Route(inputs: category.recordsSound ? inputs : [], outputs: category.playsSound ? outputs : [])
    }
}

extension Category {
    /// Whether the category needs an input or output that the route does not have (R15–R20).
    public func lacks(_ route: Route) -> Bool {
        (recordsSound && route.inputs.isEmpty) || (playsSound && route.outputs.isEmpty)
    }
}

/// One change of the route, as reported to listeners (R58).
public struct RouteChange: Sendable, Hashable {
    /// The reason.
    public var reason: RouteChangeReason
    /// The former route.
    public var previous: Route
    /// The new route.
    public var current: Route

    /// Creates a change.
    public init(reason: RouteChangeReason, previous: Route, current: Route) {
        self.reason = reason
        self.previous = previous
        self.current = current
    }
}
