import PolicyEngine
import PolicyFile
import PolicyRuntime

/// The surroundings of a ``VirtualServer``'s streams: outputs and inputs, switches, calls, sleep.
extension VirtualServer {
    func begin(_ event: MachineInterruption) {
        if machine[event] == nil { machine[event] = begin(event.description, by: MachineInterruption.name) }
    }

    func end(_ event: MachineInterruption) {
        guard let id = machine.removeValue(forKey: event) else { return }
        if event == .sleep { runtime.handle(.woke) }
        runtime.close(id)
    }

    // MARK: - Interruptions

    /// Begins an interruption as the service's `BeginInterruption` does.
    func begin(_ index: Int) {
        let interruption = scenario.interruptions[index]
        func begin(_ description: SessionDescription) {
            begun[index] = self.begin(description, by: interruption.displayName, of: interruption.application)
        }
        func refuse(_ verb: String) {
            log(.warning, "\(interruption.displayName) does not begin: the policy \(verb)")
        }
        switch SystemInterruption.meaning(of: interruption.kind, in: policy.policy) {
        case .description(let description): begin(description)
        case .role(let role, let direction):
            let access = ClientAccess { interruption.property($0) }
            let result = policy.classifier.classify(direction: direction, access: access) { name in
                SystemInterruption.property(
                    name, kind: role, program: interruption.property("application.process.binary"),
                    sandbox: interruption.property("pipewire.access.portal.app_id"), label: interruption.displayName)
            }
            if result.refusedClaim != nil { return refuse("does not allow it") }
            guard let description = result.description else { return refuse("leaves \(interruption.kind) alone") }
            begin(description)
        case nil: refuse("knows no \(interruption.kind)")
        }
    }

    private func begin(
        _ description: SessionDescription, by name: String, of application: ApplicationID? = nil
    ) -> SessionID {
        let id = nextSession()
        let events = SystemInterruption.beginning(id, description, by: name, of: application)
        let owner = ApplicationID(portal: nil, binary: nil, displayName: name, fallback: "")
        runtime.open(SessionEntry(id, of: ClientIdentity(application ?? owner), isInterruption: true), with: events)
        return id
    }

    // MARK: - Outputs and inputs

    private func isInput(_ name: String) -> Bool {
        name == VirtualPorts.microphone || scenario.inputs.contains(name)
    }

    func port(_ name: String) -> RouteNode? { isInput(name) ? inputs[name] : outputs[name] }

    func plugIn(_ name: String) -> RouteNode {
        let node = isInput(name) ? inputs.plug(name, id: nextNode()) : outputs.plug(name, id: nextNode())
        runtime.handle(.node(node))
        return node
    }

    /// Removes an output or input before its streams are moved, as in a real server.
    func unplug(_ name: String) {
        guard let node = isInput(name) ? inputs.unplug(name) : outputs.unplug(name) else { return }
        runtime.handle(.nodeGone(node.id))
        let ports = isInput(name) ? inputs : outputs
        if node == ports.current, let next = ports.nodes.last { makeCurrent(next) } else { moveStreams() }
    }

    /// Makes a node the default of its direction, and moves the streams that follow the default.
    func makeCurrent(_ node: RouteNode) {
        if node.direction == .output { outputs.current = node } else { inputs.current = node }
        runtime.handle(.defaultNode(node.direction, name: node.name))
        moveStreams()
        runtime.handle(.linked(to: node.id))
    }

    /// The node for a stream: the user's or the session's choice if that exists, otherwise the current node of the
    /// direction.
    func node(for lane: Lane) -> UInt32? {
        let ports = lane.stream.direction == .playback ? outputs : inputs
        if let choice = lane.choice, let node = ports[choice] { return node.id }
        if let target = lane.target, ports.nodes.contains(where: { $0.id == target }) { return target }
        return ports.current.id
    }

    /// Moves each stream to its node, if it is on another one.
    func moveStreams() {
        var moved: [UInt32] = []
        for lane in lanes where lane.isPresent {
            let node = node(for: lane)
            guard lane.node != node else { continue }
            lane.node = node
            if let node, !moved.contains(node) { moved.append(node) }
        }
        for node in moved { runtime.handle(.linked(to: node)) }
    }
}
