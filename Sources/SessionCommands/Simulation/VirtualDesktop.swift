import PolicyFile
import SessionCore
import SessionRuntime

/// What surrounds the streams of a ``VirtualServer``: outputs and inputs, the user's switches, calls, sleep.
extension VirtualServer {
    func performDesktop(_ action: Scenario.Action) {
        switch action {
        case .plug(let name):
            if port(name) == nil { goOn(with: plugIn(name)) }
        case .unplug(let name): unplug(name)
        case .route(let name): goOn(with: port(name) ?? plugIn(name))
        case .move(let index, let name):
            guard lanes[index].id != nil else { break }
            lanes[index].choice = name
            link()
        case .mute(let name, let isMuted):
            if let input = inputs[name] { runtime.muted(input, isMuted) }
        case .begin(let index): begin(index)
        case .end(let index):
            if let id = begun.removeValue(forKey: index) { take(.sessionClosed(id)) }
        case .sleep(true):
            guard sleeping == nil else { break }
            sleeping = begin(SystemInterruption.sleep, by: SystemInterruption.sleeper)
        case .sleep(false):
            guard let id = sleeping else { break }
            runtime.take(.woke)
            sleeping = nil
            take(.sessionClosed(id))
        case .lock(let isOn): change { $0.isLocked = isOn }
        case .silent(let isOn): change { $0.isSilent = isOn }
        case .doNotDisturb(let isOn): change { $0.isUndisturbed = isOn }
        default: break
        }
    }

    private func change(_ body: (inout Switches) -> Void) {
        let old = switches
        body(&switches)
        if switches != old { take(.switched(switches)) }
    }

    // MARK: - Interruptions

    /// As the service answers `BeginInterruption`.
    private func begin(_ index: Int) {
        let interruption = scenario.interruptions[index]
        let access = ClientAccess { interruption.property($0) }
        let result = policy.classifier.classify(direction: .playback, access: access) { name in
            SystemInterruption.property(
                name, kind: interruption.kind, program: interruption.property("application.process.binary"),
                sandbox: interruption.property("pipewire.access.portal.app_id"), label: interruption.displayName)
        }
        guard result.refusedClaim == nil, let description = result.description else {
            let verb = result.refusedClaim == nil ? "leaves \(interruption.kind) alone" : "does not allow it"
            return log(.warning, "\(interruption.displayName) does not begin: the policy \(verb)")
        }
        begun[index] = begin(description, by: interruption.displayName, of: interruption.application)
    }

    private func begin(
        _ description: SessionDescription, by name: String, of application: ApplicationID? = nil
    ) -> SessionID {
        let id = nextSession()
        for event in SystemInterruption.beginning(id, description, by: name, of: application) { take(event) }
        return id
    }

    // MARK: - Outputs and inputs

    private func isInput(_ name: String) -> Bool {
        name == VirtualPorts.microphone || scenario.inputs.contains(name)
    }

    private func port(_ name: String) -> RouteNode? { isInput(name) ? inputs[name] : outputs[name] }

    private func plugIn(_ name: String) -> RouteNode {
        let node = isInput(name) ? inputs.plug(name, id: nextNode()) : outputs.plug(name, id: nextNode())
        runtime.take(.node(node))
        return node
    }

    /// As in a real server it is gone before its streams are moved.
    private func unplug(_ name: String) {
        guard let node = isInput(name) ? inputs.unplug(name) : outputs.unplug(name) else { return }
        runtime.take(.nodeGone(node.id))
        let ports = isInput(name) ? inputs : outputs
        if node == ports.current, let next = ports.latest { goOn(with: next) } else { link() }
    }

    /// Everything of a direction goes there from now on.
    func goOn(with node: RouteNode) {
        if node.direction == .output { outputs.current = node } else { inputs.current = node }
        runtime.take(.defaultNode(node.direction, name: node.name))
        link()
        runtime.linked(to: node.id)
    }

    /// The node that a stream is to be linked to: where its user has moved it, or a session sends it, if that is there, or
    /// else where everything goes.
    func home(of lane: Lane) -> UInt32? {
        let ports = lane.stream.direction == .playback ? outputs : inputs
        if let choice = lane.choice, let node = ports[choice] { return node.id }
        if let target = lane.target, ports.nodes.contains(where: { $0.id == target }) { return target }
        return ports.current.id
    }

    /// Brings all streams to where they are to be.
    func link() {
        var moved: [UInt32] = []
        for index in lanes.indices where lanes[index].id != nil {
            let node = home(of: lanes[index])
            guard lanes[index].node != node else { continue }
            lanes[index].node = node
            if let node, !moved.contains(node) { moved.append(node) }
        }
        for node in moved { runtime.linked(to: node) }
    }
}
