/// The inputs and outputs of ``RouteTracker``: what a host reports about devices, and what follows.

/// One port of a device: a jack, a loudspeaker, or the remote end of a Bluetooth profile.
public struct DevicePort: Sendable, Hashable {
    /// The server's name. It is unique for each direction of the device.
    public var name: String
    /// The name for people.
    public var description: String
    /// The direction of the sound.
    public var direction: PortDirection
    /// The type.
    public var type: PortType
    /// Whether something is plugged in.
    public var availability: PortAvailability
    /// The `card.profile.device` of each node that can use the port.
    public var profileDevices: [UInt32]
    /// The `card.profile.device` of the node that uses the port, from the device's `Route`; `nil` if none does.
    public var activeOn: UInt32?
    /// The server's own word for the type.
    public var serverType: String

    /// Creates a port.
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

/// A card with all of its ports.
public struct RouteDevice: Sendable, Hashable {
    /// The server's number.
    public var id: UInt32
    /// `device.name`, which stays the same after the card was removed and plugged in again.
    public var name: String
    /// The ports, in the server's order.
    public var ports: [DevicePort]
    /// Whether the card is a camera or part of a camera (R52).
    public var isCamera: Bool

    /// Creates a device.
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
    /// `node.name`, which names the default sink and source.
    public var name: String
    /// The name for people.
    public var description: String
    /// Output for a sink, input for a source.
    public var direction: PortDirection
    /// The number of the node's device; `nil` without a device.
    public var deviceID: UInt32?
    /// The node's `card.profile.device`.
    public var profileDevice: UInt32?
    /// The type by the node's own properties. Counts only if the device reports no port for the node.
    public var type: PortType
    /// Whether the node's own properties name a camera (R52). Counts like ``type``.
    public var isAtCamera: Bool
    /// What a node without a device does with the sound.
    public var kind: Kind

    /// What a node without a device does with the sound.
    public enum Kind: Sendable, Hashable {
        /// The node's program keeps or makes the sound.
        case plain
        /// The node passes the sound on to other sinks, or takes it from other sources.
        case filter
        /// The node sends the sound over the network to a device that can vanish like a headset (R64).
        case network
        /// The node replaces a missing card; its sound is heard nowhere.
        case dummy
    }

    /// Creates a node.
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

/// A sink or source as it is now, with the ports that it can use.
public struct RoutePlace: Sendable, Hashable {
    /// The server's number of the sink or source.
    public var nodeID: UInt32
    /// The name of the sink or source.
    public var nodeName: String
    /// Output for a sink, input for a source.
    public var direction: PortDirection
    /// The server's number of the card; `nil` without a card.
    public var deviceID: UInt32?
    /// The ids of the ports that can be chosen for the node; empty if the server reports no ports.
    public var ports: [String]
    /// The id of the built-in port, the server's choice when another port is pulled out; `nil` for none.
    public var fallback: String?
    /// The id of the port in use; `nil` if unknown.
    public var active: String?
    /// Whether this is the server's default sink or source.
    public var isDefault: Bool
    /// Whether the default is a filter whose sound comes out here.
    public var isBehindDefault: Bool

    /// Creates a place.
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

/// A change of devices or links, a possible cause of a route change, or a session's preference.
public enum RouteEvent: Sendable, Hashable {
    /// A device was added or changed. The event has all of its ports.
    case device(RouteDevice)
    case deviceGone(UInt32)
    /// A sink or source was added or changed.
    case node(RouteNode)
    case nodeGone(UInt32)
    /// A sink without a device passes its sound to these sinks, which may pass it on: an equalizer to one sink, a
    /// combined sink to several. An empty list means that it is not linked now.
    case passesOn(UInt32, to: [UInt32])
    /// The server has another default sink (output) or source (input).
    case defaultNode(PortDirection, name: String?)
    /// The route must serve another category (R57); `nil` if no session is active.
    case category(Category?)
    /// A session has another category (reason 3, R57), or an override of its output begins or ends (reason 4, R41). The
    /// server's changes follow.
    case asked(RouteChangeReason)
    case woke
    /// The time ``RouteTracker/deadline`` has come.
    case clock
    /// A stream or filter was linked to a sink or source.
    case linked(to: UInt32)
    /// An opened session prefers these ports, by id; `nil` for no preference (R66).
    case preferred(SessionID, output: String?, input: String?)
    /// An opened session belongs to a confined program, which changes no port that others use (N20).
    case confined(SessionID)
    /// Another session manager runs, or none. The former manager's settings are gone; the new manager's first settings
    /// are no choice of its user.
    case managerChanged
    /// All other events of this turn have been handled.
    case turnEnded
}

/// An effect of a ``RouteEvent``.
public enum RouteEffect: Sendable, Hashable {
    /// An output was pulled out or removed. Reported at every loss and at once, before the server moves streams;
    /// ``RouteTracker/lostOutputs`` has each output once. Spares combined sinks that have another port.
    case lostOutput(RoutePort, spared: Set<UInt32>)
    /// A lost output is back: a sink has used it for the settle time.
    case returnedOutput(RoutePort)
    /// An output is in use, perhaps for a moment only, that was plugged in after the latest request.
    case newOutputUsed
    /// A lost output is plugged in, but its device plays on another port or profile. Its streams may continue there.
    case switchedOutput(RoutePort)
    /// The route has changed (R58), or lacks a port that the category needs. Perhaps a session asked for it.
    case changed(RouteChange, isAskedFor: Bool)
    /// ``RouteTracker/availableInputs`` or ``RouteTracker/availableOutputs`` have changed (R78).
    case availableChanged
}
