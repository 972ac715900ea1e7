/// The parts of a session's configuration that decide where its sound goes and comes from.
public struct RouteRequirements: Sendable, Hashable {
    /// What its sound is for.
    public var category: Category
    /// The options in effect (``SessionConfiguration/effectiveOptions``).
    public var options: CategoryOptions
    /// The mode in effect (``SessionConfiguration/effectiveMode``).
    public var mode: Mode
    /// An override of the category's output (R41).
    public var outputOverride: OutputOverride
    /// The preferred output: the id of a port, or the name of a sink (R66).
    public var preferredOutput: String?
    /// The preferred input: the id of a port, or the name of a source (R66).
    public var preferredInput: String?
    /// Whether it may change a port that others use: a call may, if its program is not confined (N20).
    public var mayUseSharedPorts = true

    /// Creates requirements.
    public init(
        category: Category, options: CategoryOptions = [], mode: Mode = .default,
        outputOverride: OutputOverride = .none, preferredOutput: String? = nil,
        preferredInput: String? = nil
    ) {
        self.category = category
        self.options = options
        self.mode = mode
        self.outputOverride = outputOverride
        self.preferredOutput = preferredOutput
        self.preferredInput = preferredInput
    }

    /// Creates the requirements that follow from a configuration.
    public init(
        _ configuration: SessionConfiguration, preferredOutput: String? = nil, preferredInput: String? = nil
    ) {
        self.init(
            category: configuration.category, options: configuration.effectiveOptions,
            mode: configuration.effectiveMode, outputOverride: configuration.outputOverride,
            preferredOutput: preferredOutput, preferredInput: preferredInput)
    }
}

/// The ports on which a session plays and from which it records (R41–R43, R46–R48, R52, R66, N5); `nil` leaves the
/// server to choose, as for a direction that the category does not use. Each change makes the choice anew, so
/// requirements that cannot be met now apply again once they can.
///
/// Sessions without a choice share the port of the default sink. Only a call may change that port (R41, R46). For any
/// other session that prefers a port of that sink, the sink is chosen with its present port: sound that others play in
/// headphones, now or later, must not come out of the loudspeaker (R64).
public struct RouteChoice: Sendable, Hashable {
    /// The output. Its id is its node's name if any port of that node will do.
    public var output: RoutePort?
    /// The input, in the same form.
    public var input: RoutePort?

    /// Creates a choice; without arguments, everything is left to the server.
    public init(output: RoutePort? = nil, input: RoutePort? = nil) {
        self.output = output
        self.input = input
    }

    /// The port of one direction.
    public subscript(direction: PortDirection) -> RoutePort? { direction == .output ? output : input }

    /// Chooses the ports that meet a session's requirements, from the available inputs and outputs. `present` is the
    /// server's route without our changes (``RouteSteering/untouched(_:inputs:outputs:)``).
    public init(for requirements: RouteRequirements, inputs: [RoutePort], outputs: [RoutePort], present: Route) {
        let inputs = Choices(ports: inputs, present: present.inputs)
        let outputs = Choices(ports: outputs, present: present.outputs)
        self = Search(requirements: requirements, inputs: inputs, outputs: outputs).choice
        guard !requirements.mayUseSharedPorts else { return }
        output = output.map { outputs.withoutSharedPort($0) }
        input = input.map { inputs.withoutSharedPort($0) }
    }
}

private struct Search {
    let requirements: RouteRequirements
    let inputs: Choices
    let outputs: Choices

    var choice: RouteChoice {
        // R46: without a loudspeaker there is nothing to override.
        let isOverridden = requirements.category == .playAndRecord && requirements.outputOverride == .speaker
        if isOverridden, let speaker = outputs.first(.builtInSpeaker) {
            return RouteChoice(output: speaker, input: inputs.first(.builtInMic) ?? input)
        }
        let input = requirements.category.recordsSound ? input : nil
        return RouteChoice(output: requirements.category.playsSound ? output(beside: input) : nil, input: input)
    }

    private var mayUseBluetooth: Bool { requirements.options.contains(.allowBluetoothInput) }
    private var avoidsReceiver: Bool { requirements.options.contains(.defaultToSpeaker) }

    // MARK: - Inputs

    private var input: RoutePort? {
        let preferred = inputs.preferred(requirements.preferredInput)
        if let preferred, mayUseBluetooth || preferred.type != .bluetoothHFP { return preferred }
        // R52: a video's sound comes from the camera that records it.
        if requirements.mode == .videoRecording, let camera = inputs.atCamera {
            return inputs.present.contains { $0.nodeID == camera.nodeID } ? nil : camera
        }
        guard !mayUseBluetooth, inputs.present.contains(where: { $0.type == .bluetoothHFP }) else { return nil }
        return PortType.callInputs.lazy.compactMap { inputs.first($0, onlyConnected: true) }.first
            ?? PortType.callInputs.lazy.compactMap { inputs.first($0) }.first
    }

    // MARK: - Outputs

    private func output(beside input: RoutePort?) -> RoutePort? {
        let preferred = outputs.preferred(requirements.preferredOutput)
        guard requirements.category == .playAndRecord else { return preferred.map { outputs.withoutSharedPort($0) } }
        if let preferred { return preferred }
        // R48: a session that records from a headset also plays on it.
        if mayUseBluetooth, let used = input ?? inputs.present.first, used.type == .bluetoothHFP,
            let same = outputs.onDevice(of: used)
        {
            return same
        }
        return builtIn ?? replacement
    }

    /// R47: the receiver or the loudspeaker, unless a headset is connected. Without a receiver, the default.
    private var builtIn: RoutePort? {
        guard outputs.has(.builtInReceiver),
            !outputs.isConnected({ (avoidsReceiver ? !$0.type.isBuiltIn : $0.type.isHeadset) && !isBarred($0) })
        else { return nil }
        return outputs.first(avoidsReceiver ? .builtInSpeaker : .builtInReceiver)
    }

    /// Replaces barred outputs, only by one that is certainly connected: an inaudible call is the worst outcome.
    private var replacement: RoutePort? {
        guard !outputs.present.isEmpty, outputs.present.allSatisfy(isBarred) else { return nil }
        return PortType.callOutputs.lazy.compactMap { outputs.first($0, onlyConnected: true, where: isSuitable) }.first
    }

    /// N5: a barred output counts as not connected.
    private func isBarred(_ port: RoutePort) -> Bool {
        guard let needed = port.type.neededOption, !requirements.options.contains(CategoryOptions(needed)) else {
            return false
        }
        // A headset whose microphone the session may use may also use its music profile.
        return port.type != .bluetoothA2DP || !mayUseBluetooth
            || !inputs.hasHandsFree(of: port) && !outputs.hasHandsFree(of: port)
    }

    private func isSuitable(_ port: RoutePort) -> Bool {
        if port.type == .bluetoothHFP { return mayUseBluetooth }
        return port.type == .builtInReceiver ? !avoidsReceiver : !isBarred(port)
    }
}

private struct Choices {
    var ports: [RoutePort]
    var present: [RoutePort]

    /// Whether the machine has such a port, in use or not.
    func has(_ type: PortType) -> Bool { ports.contains { $0.type == type } }

    func isConnected(_ suits: (RoutePort) -> Bool) -> Bool { ports.contains { suits($0) && isConnected($0) } }

    func hasHandsFree(of port: RoutePort) -> Bool { ports.contains { $0.type == .bluetoothHFP && $0.isBeside(port) } }

    /// The microphone of a camera; of several, the one in use.
    var atCamera: RoutePort? {
        let found = ports.filter { $0.isAtCamera && $0.nodeID != nil && isConnected($0) }
        return found.first { port in present.contains { $0.nodeID == port.nodeID } } ?? found.first
    }

    private func isConnected(_ port: RoutePort) -> Bool {
        switch port.availability {
        case .yes: true
        case .no: false
        // A socket without detection is empty unless in use; a device that is plugged in as a whole is there.
        case .unknown: !port.type.isSocket || present.contains { $0.id == port.id }
        }
    }

    /// A port of a type, preferably on a node that is in use. A port without a node belongs to an inactive profile;
    /// switching to that would take away the ports that other streams use.
    func first(
        _ type: PortType, onlyConnected: Bool = false, where suits: (RoutePort) -> Bool = { _ in true }
    ) -> RoutePort? {
        let found = ports.filter {
            $0.type == type && $0.nodeID != nil && (!onlyConnected || isConnected($0)) && suits($0)
        }
        return found.first { port in present.contains { $0.nodeID == port.nodeID } } ?? found.first
    }

    func preferred(_ name: String?) -> RoutePort? {
        guard let name, !name.isEmpty else { return nil }
        if let port = ports.first(where: { $0.id == name && $0.nodeID != nil }) { return port }
        let used = present.first { $0.nodeName == name && $0.nodeID != nil }
        guard var node = used ?? ports.first(where: { $0.nodeName == name && $0.nodeID != nil }) else { return nil }
        // Any port that the node uses will do.
        node.id = name
        return node
    }

    /// The port itself; or only its node, if the node is the default or there is no default.
    func withoutSharedPort(_ port: RoutePort) -> RoutePort {
        let used = present.first { $0.nodeID == port.nodeID }
        guard var node = used ?? (present.isEmpty ? port : nil) else { return port }
        node.id = node.nodeName
        return node
    }

    func onDevice(of other: RoutePort) -> RoutePort? {
        let own = ports.filter { $0.nodeID != nil && $0.isBeside(other) }
        return own.first { $0.type == .bluetoothHFP } ?? own.first
    }
}

extension RoutePort {
    fileprivate func isBeside(_ other: RoutePort) -> Bool {
        if let deviceName { return deviceName == other.deviceName }
        return deviceID != nil && deviceID == other.deviceID
    }
}
