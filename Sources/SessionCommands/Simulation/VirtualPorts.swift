import SessionCore

/// The outputs, or the inputs, of a machine that exists on paper only: the one in the machine itself, and what is plugged in.
///
/// As on most desktops everything goes to what was plugged in last, unless the user has chosen something else.
struct VirtualPorts {
    /// The loudspeaker, which is always there.
    static let speaker = "speaker"
    /// The microphone, which is always there.
    static let microphone = "microphone"

    /// In the order in which they were plugged in.
    private(set) var nodes: [RouteNode]
    /// What everything goes to.
    var current: RouteNode

    /// Makes a machine into which nothing is plugged.
    init(_ direction: PortDirection, firstID: UInt32) {
        let name = direction == .output ? Self.speaker : Self.microphone
        current = Self.node(named: name, direction, id: firstID)
        nodes = [current]
    }

    /// What takes the place of one that is pulled out.
    var latest: RouteNode? { nodes.last }

    /// One that is there.
    subscript(name: String) -> RouteNode? { nodes.first { $0.name == name } }

    /// Plugs one in that is not there.
    mutating func plug(_ name: String, id: UInt32) -> RouteNode {
        let node = Self.node(named: name, current.direction, id: id)
        nodes.append(node)
        return node
    }

    /// Pulls one out; `nil` for one that is not there.
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

    /// What an output is by its name.
    private static func output(_ name: String) -> PortType {
        if name == speaker { return .builtInSpeaker }
        return outputs.first { name.hasPrefix($0.key) }?.value ?? .lineOut
    }

    /// What an input is by its name.
    private static func input(_ name: String) -> PortType {
        if name == microphone { return .builtInMic }
        return inputs.first { name.hasPrefix($0.key) }?.value ?? .lineIn
    }
}
