/// What the sound comes out of and goes into: ports, routes, and why one route followed another.
///
/// Texts are for people or for telling ports apart; nothing is decided by what they say, except by ``PortFacts``.

/// What a port is (R61, R62). The raw values are the names on the wire.
public enum PortType: String, Sendable, Hashable, CaseIterable {
    /// A socket for line levels (input).
    case lineIn = "LineIn"
    /// A microphone in the machine itself (input).
    case builtInMic = "BuiltInMic"
    /// A microphone in a jack, of a headset or alone (input).
    case headsetMic = "HeadsetMic"
    /// A Bluetooth headset as for calls (both directions).
    case bluetoothHFP = "BluetoothHFP"
    /// Anything on USB but a display (both directions).
    case usbAudio = "USBAudio"
    /// A socket for line levels, analog or digital (output).
    case lineOut = "LineOut"
    /// A jack with headphones, or with a headset's earphones (output).
    case headphones = "Headphones"
    /// Bluetooth as for music (output).
    case bluetoothA2DP = "BluetoothA2DP"
    /// What one holds to the ear in a call (output).
    case builtInReceiver = "BuiltInReceiver"
    /// The loudspeaker in the machine itself (output).
    case builtInSpeaker = "BuiltInSpeaker"
    /// A display, by HDMI or DisplayPort (output).
    case hdmi = "HDMI"
    /// A loudspeaker in the network, by AirPlay (output).
    case airPlay = "AirPlay"
    /// None of these; ``RoutePort/serverType`` has the server's own word.
    case unknown = "Unknown"

    /// Whether it is part of the machine. Such a port cannot be pulled out; a server calls it unavailable while something
    /// in a jack takes its place.
    public var isBuiltIn: Bool { self == .builtInMic || self == .builtInSpeaker || self == .builtInReceiver }
}

/// Which way the sound goes, seen from the machine.
public enum PortDirection: Sendable, Hashable, CaseIterable {
    case input
    case output
}

/// Whether something is plugged into a port.
public enum PortAvailability: String, Sendable, Hashable, CaseIterable {
    case no
    case yes
    /// The hardware does not tell, as most built-in ones.
    case unknown
}

/// One input or output (R60).
public struct RoutePort: Sendable, Hashable {
    /// What it is.
    public var type: PortType
    /// For people, in the server's language.
    public var name: String
    /// The same for the same physical port whenever it is there: card and port (`alsa_card.pci-0000_00_1f.3/[Out] Speaker`),
    /// or the node where the server knows no ports.
    public var id: String
    /// The name of the sink or source that it is used through; empty when there is none now.
    public var nodeName: String
    /// The server's number for that sink or source.
    public var nodeID: UInt32?
    /// The name of the card, `nil` without one.
    public var deviceName: String?
    /// The server's number for the card.
    public var deviceID: UInt32?
    /// Whether something is plugged in.
    public var availability: PortAvailability
    /// What the server calls its type, empty if it does not; kept for those that are ``PortType/unknown`` here.
    public var serverType: String
    /// Whether it is part of a camera (R52).
    public var isAtCamera: Bool
    /// Whether it is reached over the network, without a card of this machine.
    public var isRemote: Bool

    /// Makes a port.
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

    /// Whether a listener would take them for the same: one physical port, used in the same way.
    public func isSame(as other: RoutePort) -> Bool { id == other.id && type == other.type }
}

/// What is in use (R60). Both lists are empty when there is nothing; several outputs are possible.
public struct Route: Sendable, Hashable {
    /// Where sound is taken from.
    public var inputs: [RoutePort]
    /// Where sound comes out.
    public var outputs: [RoutePort]

    /// Makes a route; one of nothing without arguments.
    public init(inputs: [RoutePort] = [], outputs: [RoutePort] = []) {
        self.inputs = inputs
        self.outputs = outputs
    }

    /// Whether nothing is in use.
    public var isEmpty: Bool { inputs.isEmpty && outputs.isEmpty }

    /// Whether a listener would take them for the same: the same ports in the same order, whatever their nodes are now.
    public func isSame(as other: Route) -> Bool {
        inputs.elementsEqual(other.inputs) { $0.isSame(as: $1) }
            && outputs.elementsEqual(other.outputs) { $0.isSame(as: $1) }
    }

    /// What a session of a category has of it: no output where nothing is played, no input where nothing is recorded (R57).
    public func part(for category: Category) -> Route {
        Route(inputs: category.recordsSound ? inputs : [], outputs: category.playsSound ? outputs : [])
    }
}

extension Category {
    /// Whether it needs an input or output that a route, or its part of one, has not (R15–R20).
    public func lacks(_ route: Route) -> Bool {
        (recordsSound && route.inputs.isEmpty) || (playsSound && route.outputs.isEmpty)
    }
}

/// Why a route changed (R56). There is no 5.
public enum RouteChangeReason: UInt32, Sendable, Hashable, CaseIterable {
    /// The server's facts do not say.
    case unknown = 0
    /// What is used now was not there before.
    case newDeviceAvailable = 1
    /// What was used is not there any more.
    case oldDeviceUnavailable = 2
    /// A session's category is another one (R57).
    case categoryChange = 3
    /// The output was sent elsewhere, or that ended (R41).
    case override = 4
    /// The machine woke up.
    case wakeFromSleep = 6
    /// The category needs an input or output, and there is none.
    case noSuitableRouteForCategory = 7
    /// Another port is used although none came or went, as when the user chose one.
    case routeConfigurationChange = 8

    /// The word for it, on the wire and in the log.
    public var name: String {
        switch self {
        case .unknown: "unknown"
        case .newDeviceAvailable: "new-device-available"
        case .oldDeviceUnavailable: "old-device-unavailable"
        case .categoryChange: "category-change"
        case .override: "override"
        case .wakeFromSleep: "wake-from-sleep"
        case .noSuitableRouteForCategory: "no-suitable-route-for-category"
        case .routeConfigurationChange: "route-configuration-change"
        }
    }
}

/// One change of the route, as listeners hear it (R58).
public struct RouteChange: Sendable, Hashable {
    /// Why.
    public var reason: RouteChangeReason
    /// What was in use.
    public var previous: Route
    /// What is in use.
    public var current: Route

    /// Makes a change.
    public init(reason: RouteChangeReason, previous: Route, current: Route) {
        self.reason = reason
        self.previous = previous
        self.current = current
    }
}
