import PolicyEngine

/// The outputs or inputs of a simulated machine: a built-in port, and the plugged-in ones.
///
/// As on most desktops, all streams use the port plugged in last, unless the user has chosen another one.
struct VirtualPorts {
    /// The loudspeaker, which is always there.
    static let speaker = "speaker"
    /// The microphone, which is always there.
    static let microphone = "microphone"

    /// In the order of plugging in.
    private(set) var nodes: [RouteNode]
    /// The node that all streams of the direction use.
    var current: RouteNode

    /// Creates a machine with only the built-in port.
    init(_ direction: PortDirection, firstID: UInt32) {
        let name = direction == .output ? Self.speaker : Self.microphone
        current = Self.node(named: name, direction, id: firstID)
        nodes = [current]
    }

    /// The port that takes over when another one is unplugged.
    var latest: RouteNode? { nodes.last }

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
        RouteNode(
            id: id, name: name, description: name, direction: direction,
            type: direction == .output ? output(name) : input(name))
    }

    private static let outputs: KeyValuePairs<String, PortType> = [
        "headphones": .headphones, "headset": .headphones, "usb": .usbAudio, "hdmi": .hdmi, "bluetooth": .bluetoothA2DP,
    ]
    private static let inputs: KeyValuePairs<String, PortType> = [
        "headset": .headsetMic, "usb": .usbAudio, "bluetooth": .bluetoothHFP,
    ]

    /// The type of an output, from its name.
    private static func output(_ name: String) -> PortType {
        if name == speaker { return .builtInSpeaker }
        return outputs.first { name.hasPrefix($0.key) }?.value ?? .lineOut
    }

    /// The type of an input, from its name.
    private static func input(_ name: String) -> PortType {
        if name == microphone { return .builtInMic }
        return inputs.first { name.hasPrefix($0.key) }?.value ?? .lineIn
    }
}
