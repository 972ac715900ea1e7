import SessionCore

/// The outputs of a machine that exists on paper only: its loudspeaker, and what is plugged in.
///
/// As on most desktops everything plays on what was plugged in last, unless the user has chosen something else.
struct VirtualOutputs {
    /// The loudspeaker, which is always there.
    static let speaker = "speaker"

    /// In the order in which they were plugged in.
    private var nodes: [RouteNode]
    private var lastID: UInt32 = 1
    /// What everything plays on.
    var current: RouteNode

    /// Makes a machine into which nothing is plugged.
    init() {
        current = Self.node(named: Self.speaker, id: 1)
        nodes = [current]
    }

    /// What takes the place of one that is pulled out.
    var latest: RouteNode? { nodes.last }

    /// An output that is there.
    subscript(name: String) -> RouteNode? { nodes.first { $0.name == name } }

    /// Plugs one in that is not there.
    mutating func plug(_ name: String) -> RouteNode {
        lastID &+= 1
        let node = Self.node(named: name, id: lastID)
        nodes.append(node)
        return node
    }

    /// Pulls one out; `nil` for one that is not there.
    mutating func unplug(_ name: String) -> RouteNode? {
        guard name != Self.speaker, let place = nodes.firstIndex(where: { $0.name == name }) else { return nil }
        return nodes.remove(at: place)
    }

    private static func node(named name: String, id: UInt32) -> RouteNode {
        RouteNode(id: id, name: name, description: name, direction: .output, type: type(of: name))
    }

    private static let types: KeyValuePairs<String, PortType> = [
        "headphones": .headphones, "headset": .headphones, "usb": .usbAudio, "hdmi": .hdmi, "bluetooth": .bluetoothA2DP,
    ]

    /// What an output is by its name.
    private static func type(of name: String) -> PortType {
        if name == speaker { return .builtInSpeaker }
        return types.first { name.hasPrefix($0.key) }?.value ?? .lineOut
    }
}
