/// What a session has said that has to do with where its sound goes and comes from.
public struct RouteWish: Sendable, Hashable {
    /// What its sound is for.
    public var category: Category
    /// The options as they work (``SessionConfiguration/effectiveOptions``).
    public var options: CategoryOptions
    /// The mode as it works (``SessionConfiguration/effectiveMode``).
    public var mode: Mode
    /// Where the output goes instead of where the category sends it (R41).
    public var outputOverride: SessionConfiguration.OutputOverride
    /// The id of a port, or the name of a sink (R66).
    public var preferredOutput: String?
    /// The id of a port, or the name of a source (R66).
    public var preferredInput: String?

    /// Makes a wish.
    public init(
        category: Category, options: CategoryOptions = [], mode: Mode = .default,
        outputOverride: SessionConfiguration.OutputOverride = .none, preferredOutput: String? = nil,
        preferredInput: String? = nil
    ) {
        self.category = category
        self.options = options
        self.mode = mode
        self.outputOverride = outputOverride
        self.preferredOutput = preferredOutput
        self.preferredInput = preferredInput
    }

    /// The wish that a configuration comes to.
    public init(
        _ configuration: SessionConfiguration, preferredOutput: String? = nil, preferredInput: String? = nil
    ) {
        self.init(
            category: configuration.category, options: configuration.effectiveOptions,
            mode: configuration.effectiveMode, outputOverride: configuration.outputOverride,
            preferredOutput: preferredOutput, preferredInput: preferredInput)
    }
}

/// Where the sound of a session goes and comes from. What is `nil` is left to the server, as is what the category does not
/// use.
///
/// The rules for that are here (R41–R43, R46–R48, R52, R66, N5). A choice is made anew whenever anything that it depends on is
/// different; so a wish that cannot be met now counts again when it can.
///
/// All that has no choice of its own is heard on the default sink, through one port. Only a call may change that (R41,
/// R46). If any other session prefers a port of that sink, it means the sink with whichever port is used: what others hear
/// in headphones must not come out of the loudspeaker for it (R64), be they there already or begin a moment later.
public struct RouteChoice: Sendable, Hashable {
    /// Where it goes. The id of the port is its node's name if any port of that node will do.
    public var output: RoutePort?
    /// Where it comes from, in the same way.
    public var input: RoutePort?

    /// Makes a choice; one that leaves all to the server without arguments.
    public init(output: RoutePort? = nil, input: RoutePort? = nil) {
        self.output = output
        self.input = input
    }

    /// Chooses.
    ///
    /// - Parameters:
    ///   - wish: What the session wants.
    ///   - inputs: The inputs that there are (``RouteTracker/availableInputs``).
    ///   - outputs: The outputs that there are.
    ///   - present: What the server uses by default (``RouteSteering/untouched(_:inputs:outputs:)``).
    public init(for wish: RouteWish, inputs: [RoutePort], outputs: [RoutePort], present: Route) {
        let inputs = Choices(ports: inputs, present: present.inputs)
        let outputs = Choices(ports: outputs, present: present.outputs)
        let mayUseBluetooth = wish.options.contains(.allowBluetoothInput)

        // R46: without a loudspeaker there is nothing to override.
        let isOverridden = wish.category == .playAndRecord && wish.outputOverride == .speaker
        if isOverridden, let speaker = outputs.first(.builtInSpeaker) {
            output = speaker
            input = inputs.first(.builtInMic) ?? Self.input(wish, inputs, mayUseBluetooth: mayUseBluetooth)
            return
        }
        input = wish.category.recordsSound ? Self.input(wish, inputs, mayUseBluetooth: mayUseBluetooth) : nil
        guard wish.category.playsSound else { return }
        output = outputs.preferred(wish.preferredOutput)
        guard wish.category == .playAndRecord else {
            output = output.map { outputs.withoutSharedPort($0) }
            return
        }
        guard output == nil else { return }

        // R48: what is spoken into a headset is answered there.
        if mayUseBluetooth, let used = input ?? present.inputs.first, used.type == .bluetoothHFP,
            let same = outputs.onDevice(of: used)
        {
            output = same
            return
        }
        // N5: what the session may not be sent to is as good as not connected.
        func isBarred(_ port: RoutePort) -> Bool {
            switch port.type {
            // The music of a headset whose microphone the session may use is on its head all the same.
            case .bluetoothA2DP:
                !wish.options.contains(.allowBluetoothA2DP)
                    && !(mayUseBluetooth && (inputs.hasHandsFree(of: port) || outputs.hasHandsFree(of: port)))
            case .airPlay: !wish.options.contains(.allowAirPlay)
            default: false
            }
        }
        // R47: where there is no receiver, the server's default is what default-to-speaker asks for.
        let avoidsReceiver = wish.options.contains(.defaultToSpeaker)
        if outputs.has(.builtInReceiver),
            !outputs.isConnected({ (avoidsReceiver ? !$0.type.isBuiltIn : $0.type.isHeadset) && !isBarred($0) })
        {
            output = outputs.first(avoidsReceiver ? .builtInSpeaker : .builtInReceiver)
        }
        // Nothing is as bad as a call that nobody hears, so only what is surely there takes the place of another.
        guard output == nil, !outputs.present.isEmpty, outputs.present.allSatisfy(isBarred) else { return }
        func isSuitable(_ port: RoutePort) -> Bool {
            switch port.type {
            case .bluetoothHFP: mayUseBluetooth
            case .builtInReceiver: !avoidsReceiver
            default: !isBarred(port)
            }
        }
        output = Self.callOutputs.lazy.compactMap { outputs.first($0, onlyConnected: true, where: isSuitable) }.first
    }

    /// What takes the place of an output that a call may not be sent to (N5), the best first. No display: many have no
    /// loudspeaker and do not say so.
    private static let callOutputs: [PortType] = [
        .headphones, .bluetoothHFP, .bluetoothA2DP, .usbAudio, .builtInReceiver, .builtInSpeaker, .lineOut,
    ]

    /// What takes the place of a Bluetooth headset's microphone (R43), the best first. What may be nothing but a socket
    /// comes last.
    private static let substitutes: [PortType] = [.headsetMic, .builtInMic, .usbAudio, .lineIn]

    private static func input(_ wish: RouteWish, _ inputs: Choices, mayUseBluetooth: Bool) -> RoutePort? {
        let preferred = inputs.preferred(wish.preferredInput)
        if let preferred, mayUseBluetooth || preferred.type != .bluetoothHFP { return preferred }
        // R52: the picture's sound comes from where the picture is taken.
        if wish.mode == .videoRecording, let camera = inputs.atCamera {
            return inputs.present.contains { $0.nodeID == camera.nodeID } ? nil : camera
        }
        guard !mayUseBluetooth, inputs.present.contains(where: { $0.type == .bluetoothHFP }) else { return nil }
        return substitutes.lazy.compactMap { inputs.first($0, onlyConnected: true) }.first
            ?? substitutes.lazy.compactMap { inputs.first($0) }.first
    }
}

/// The ports of one direction.
private struct Choices {
    var ports: [RoutePort]
    var present: [RoutePort]

    /// Whether the machine has one, in use or not.
    func has(_ type: PortType) -> Bool { ports.contains { $0.type == type } }

    /// Whether something is plugged in that suits.
    func isConnected(_ suits: (RoutePort) -> Bool) -> Bool { ports.contains { suits($0) && isConnected($0) } }

    /// Whether a port's device is one for calls too, be it in another profile.
    func hasHandsFree(of port: RoutePort) -> Bool { ports.contains { $0.type == .bluetoothHFP && $0.isBeside(port) } }

    /// The microphone of a camera, the one in use if there are several.
    var atCamera: RoutePort? {
        let found = ports.filter { $0.isAtCamera && $0.nodeID != nil && isConnected($0) }
        return found.first { port in present.contains { $0.nodeID == port.nodeID } } ?? found.first
    }

    private func isConnected(_ port: RoutePort) -> Bool {
        switch port.availability {
        case .yes: true
        case .no: false
        // A socket that does not tell is empty unless it is used; what comes as a whole is there.
        case .unknown: !port.type.isSocket || present.contains { $0.id == port.id }
        }
    }

    /// A port of a type, on a node that is in use anyway if there is one.
    ///
    /// Only those that have a node: others belong to a profile that is not in use, and to switch that would take away what
    /// others play on.
    func first(
        _ type: PortType, onlyConnected: Bool = false, where suits: (RoutePort) -> Bool = { _ in true }
    ) -> RoutePort? {
        let found = ports.filter {
            $0.type == type && $0.nodeID != nil && (!onlyConnected || isConnected($0)) && suits($0)
        }
        return found.first { port in present.contains { $0.nodeID == port.nodeID } } ?? found.first
    }

    /// The port with this id, or the node with this name, if it is there.
    func preferred(_ name: String?) -> RoutePort? {
        guard let name, !name.isEmpty else { return nil }
        if let port = ports.first(where: { $0.id == name && $0.nodeID != nil }) { return port }
        let used = present.first { $0.nodeName == name && $0.nodeID != nil }
        guard var node = used ?? ports.first(where: { $0.nodeName == name && $0.nodeID != nil }) else { return nil }
        // Not this port of it, but whichever it is used with.
        node.id = name
        return node
    }

    /// A port, or just its node where that is the default one, or may be while none is in use.
    func withoutSharedPort(_ port: RoutePort) -> RoutePort {
        let used = present.first { $0.nodeID == port.nodeID }
        guard var node = used ?? (present.isEmpty ? port : nil) else { return port }
        node.id = node.nodeName
        return node
    }

    /// The port of the same device, as for calls if there is one.
    func onDevice(of other: RoutePort) -> RoutePort? {
        let own = ports.filter { $0.nodeID != nil && $0.isBeside(other) }
        return own.first { $0.type == .bluetoothHFP } ?? own.first
    }
}

extension RoutePort {
    /// Whether another one belongs to the same device.
    fileprivate func isBeside(_ other: RoutePort) -> Bool {
        if let deviceName { return deviceName == other.deviceName }
        return deviceID != nil && deviceID == other.deviceID
    }
}

extension PortType {
    /// What one has on one's head in a call, or may have (R46).
    fileprivate var isHeadset: Bool {
        switch self {
        case .headphones, .bluetoothHFP, .bluetoothA2DP, .usbAudio: true
        default: false
        }
    }

    /// A part of the machine that something is plugged into.
    fileprivate var isSocket: Bool {
        switch self {
        case .headphones, .headsetMic, .lineIn, .lineOut, .hdmi: true
        default: false
        }
    }
}
