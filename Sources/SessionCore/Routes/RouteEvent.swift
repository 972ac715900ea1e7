/// What a server publishes of its devices, as a host reports it to ``RouteTracker``, and what comes of it.

/// One port of a device: a jack, a loudspeaker, what a Bluetooth profile connects to.
public struct DevicePort: Sendable, Hashable {
    /// The server's name, which the device has once for each direction.
    public var name: String
    /// For people.
    public var description: String
    /// Which way the sound goes.
    public var direction: PortDirection
    /// What it is (``PortType/init(_:)``).
    public var type: PortType
    /// Whether something is plugged in.
    public var availability: PortAvailability
    /// Of which nodes it can be the port, by their `card.profile.device`.
    public var profileDevices: [UInt32]
    /// Of which one it is, as the device's `Route` says; `nil` while it is not in use.
    public var activeOn: UInt32?
    /// The server's word for its type.
    public var serverType: String

    /// Makes a port.
    public init(
        name: String, description: String = "", direction: PortDirection, type: PortType,
        availability: PortAvailability = .unknown, profileDevices: [UInt32] = [], activeOn: UInt32? = nil,
        serverType: String = ""
    ) {
        self.name = name
        self.description = description
        self.direction = direction
        self.type = type
        self.availability = availability
        self.profileDevices = profileDevices
        self.activeOn = activeOn
        self.serverType = serverType
    }
}

/// A card, with all of its ports.
public struct RouteDevice: Sendable, Hashable {
    /// The server's number.
    public var id: UInt32
    /// `device.name`, the same whenever it is plugged in.
    public var name: String
    /// Its ports, in the server's order.
    public var ports: [DevicePort]
    /// It is a camera, or a part of one (R52).
    public var isCamera: Bool

    /// Makes a device.
    public init(id: UInt32, name: String, ports: [DevicePort], isCamera: Bool = false) {
        self.id = id
        self.name = name
        self.ports = ports
        self.isCamera = isCamera
    }
}

/// A sink or source.
public struct RouteNode: Sendable, Hashable {
    /// The server's number.
    public var id: UInt32
    /// `node.name`, by which the default is chosen.
    public var name: String
    /// For people.
    public var description: String
    /// Output for a sink, input for a source.
    public var direction: PortDirection
    /// The device that it belongs to, `nil` for one without.
    public var deviceID: UInt32?
    /// Its `card.profile.device`.
    public var profileDevice: UInt32?
    /// What it is as far as it tells by itself; it counts while its device names no port for it.
    public var type: PortType
    /// It says that it is a camera's (R52); that counts in the same way.
    public var isAtCamera: Bool
    /// What it does with the sound where it has no device.
    public var kind: Kind

    /// What a sink or source without a device does with the sound.
    public enum Kind: Sendable, Hashable {
        /// It keeps the sound, or its program does.
        case plain
        /// It hands the sound on to other sinks, or takes it from other sources, and is nothing without them.
        case filter
        /// It sends the sound over the network, to something that can vanish as a headset does (R64).
        case network
        /// It stands in while the machine has no card; nothing is heard there.
        case dummy
    }

    /// Makes a node.
    public init(
        id: UInt32, name: String, description: String = "", direction: PortDirection, deviceID: UInt32? = nil,
        profileDevice: UInt32? = nil, type: PortType = .unknown, isAtCamera: Bool = false, kind: Kind = .plain
    ) {
        self.id = id
        self.name = name
        self.description = description
        self.direction = direction
        self.deviceID = deviceID
        self.profileDevice = profileDevice
        self.type = type
        self.isAtCamera = isAtCamera
        self.kind = kind
    }
}

/// A sink or source as it is now, with the ports that it can be used with.
public struct RoutePlace: Sendable, Hashable {
    /// The server's number.
    public var nodeID: UInt32
    /// Its name.
    public var nodeName: String
    /// Output for a sink, input for a source.
    public var direction: PortDirection
    /// The server's number for the card, `nil` without one.
    public var deviceID: UInt32?
    /// The ids of the ports that one may choose for it; none where the server knows no ports.
    public var ports: [String]
    /// The id of the one among them that a server falls back on when another is pulled out: the loudspeaker or microphone of
    /// the machine.
    public var fallback: String?
    /// The id of the port that it is used with; `nil` while that is not known.
    public var active: String?
    /// Whether the server sends streams there by default.
    public var isDefault: Bool
    /// Whether the default is a filter, and its sound comes out here.
    public var isBehindDefault: Bool

    /// Makes a place.
    public init(
        nodeID: UInt32, nodeName: String, direction: PortDirection, deviceID: UInt32? = nil, ports: [String] = [],
        fallback: String? = nil, active: String? = nil, isDefault: Bool = false, isBehindDefault: Bool = false
    ) {
        self.nodeID = nodeID
        self.nodeName = nodeName
        self.direction = direction
        self.deviceID = deviceID
        self.ports = ports
        self.fallback = fallback
        self.active = active
        self.isDefault = isDefault
        self.isBehindDefault = isBehindDefault
    }
}

/// Something that happened to the devices, or that has to do with why the route changes.
public enum RouteEvent: Sendable, Hashable {
    /// A device is there, or is different from before; it comes with all of its ports.
    case device(RouteDevice)
    /// A device is gone.
    case deviceGone(UInt32)
    /// A sink or source is there, or is different from before.
    case node(RouteNode)
    /// A sink or source is gone.
    case nodeGone(UInt32)
    /// A sink without a device hands its sound on to these sinks, which may be such sinks themselves: an equalizer to one,
    /// a combined sink to several. None: no more, or not at this moment.
    case passesOn(UInt32, to: [UInt32])
    /// The server's default sink (output) or source (input) is another one.
    case defaultNode(PortDirection, name: String?)
    /// The category that the route has to serve is another one (R57); `nil` while no session needs any.
    case category(Category?)
    /// The output was sent elsewhere, or that ended (R41); what the server makes of it follows.
    case overridden
    /// The machine woke up.
    case woke
    /// The moment of ``RouteTracker/deadline`` has come.
    case clock
}

/// What follows from events.
public enum RouteEffect: Sendable, Hashable {
    /// The sound does not come out of this any more: it was pulled out or has vanished. Told at once, before the server can
    /// move what was played on it, and each time that it happens; `lostOutputs` has it once.
    case lostOutput(RoutePort)
    /// What was lost is in place again, and has been for the settle time: a sink plays on it.
    case returnedOutput(RoutePort)
    /// What was lost is not in use any more, but was not pulled out either: its device plays through another port or profile
    /// now, so the sound that was on it may go on there.
    case switchedOutput(RoutePort)
    /// Another route is in use (R58).
    case changed(RouteChange)
    /// ``RouteTracker/availableInputs`` or ``RouteTracker/availableOutputs`` are others (R78).
    case availableChanged
}
