import PolicyEngine

/// The outputs or inputs of a simulated machine: a built-in port, and the plugged-in ones.
///
/// As on most desktops, all streams use the port plugged in last, unless the user has chosen another one.
struct VirtualPorts {
    /// The loudspeaker, which is always there.
    static let speaker = "speaker"
    /// The microphone, which is always there.
    static let microphone = "microphone"

    /// In the order of plugging in: the last one takes over when another one is unplugged.
    private(set) var nodes: [RouteNode]
    /// The node that all streams of the direction use.
    var current: RouteNode

    /// Creates a machine with only the built-in port.
    init(_ direction: PortDirection, firstID: UInt32) {
        let name = direction == .output ? Self.speaker : Self.microphone
        current = Self.node(named: name, direction, id: firstID)
        nodes = [current]
    }

    /// The present port with a name.
    subscript(name: String) -> RouteNode? { nodes.first { $0.name == name } }

    /// Plugs in a port that is not present.
    mutating func plug(_ name: String, id: UInt32) -> RouteNode {
        let node = Self.node(named: name, current.direction, id: id)
        nodes.append(node)
        return node
    }

    /// Unplugs a port; `nil` if it is not present.
    mutating func unplug(_ name: String) -> RouteNode? {
        guard let place = nodes.firstIndex(where: { $0.name == name }), place > 0 else { return nil }
        return nodes.remove(at: place)
    }

    private static func node(named name: String, _ direction: PortDirection, id: UInt32) -> RouteNode {
        let isOutput = direction == .output
        let type: PortType =
            switch name {
            case speaker where isOutput: .builtInSpeaker
            case microphone where !isOutput: .builtInMic
            default:
                (isOutput ? outputs : inputs).first { name.hasPrefix($0.key) }?.value ?? (isOutput ? .lineOut : .lineIn)
            }
        return RouteNode(id: id, name: name, description: name, direction: direction, type: type)
    }

    /// The types by how names begin.
    private static let outputs: KeyValuePairs<String, PortType> = [
        "headphones": .headphones, "headset": .headphones, "usb": .usbAudio, "hdmi": .hdmi, "bluetooth": .bluetoothA2DP,
    ]
    private static let inputs: KeyValuePairs<String, PortType> = [
        "headset": .headsetMic, "usb": .usbAudio, "bluetooth": .bluetoothHFP,
    ]
}
