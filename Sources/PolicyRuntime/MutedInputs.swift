public import PolicyEngine

/// An input that its user has muted (N7).
struct MutedInput: Equatable {
    /// By the node's name, which survives removal and return.
    var port: PortID
    var name: String
}

extension SessionRuntime {
    /// Handles a source that its user muted or unmuted (N7).
    public func muted(_ node: RouteNode, _ isMuted: Bool) {
        guard isMuted != (mutedInputs[node.id] != nil) else { return }
        let input = MutedInput(port: PortID(node.name), name: node.description)
        mutedInputs[node.id] = isMuted ? input : nil
        host.log(.info, "\(input.name) is \(isMuted ? "muted" : "not muted any more")")
        if !isMuted {
            let streams = streams { $0.mutedInput?.port == input.port }
            for stream in streams { stream.mutedInput = nil }
            post(.inputMuted(input.port, false, name: input.name, streams: streams.map(\.id)))
        }
        drain()
    }

    func forgetMute(of node: UInt32) {
        if let input = mutedInputs.removeValue(forKey: node) { post(.inputGone(input.port)) }
    }

    /// Which recordings have begun or ceased to use a muted input since the last turn.
    func reportMutedInputs() {
        guard !mutedInputs.isEmpty || streams.values.contains(where: { $0.mutedInput != nil }) else { return }
        var muted: [PortID: (name: String, streams: [StreamID])] = [:]
        for stream in engine.recordings.compactMap({ streams[$0] }) {
            let (node, former) = (stream.server?.place, stream.mutedInput)
            if let input = node.flatMap({ mutedInputs[$0] }) {
                guard former != input else { continue }
                stream.mutedInput = input
                muted[input.port, default: (input.name, [])].streams.append(stream.id)
            } else if let former, node != nil || !mutedInputs.values.contains(former) {
                // A stream without a link is being moved, and may come back.
                stream.mutedInput = nil
                let name = node.flatMap { node in engine.places.first { $0.nodeID == node }?.nodeName }
                let port = name.map { PortID($0) } ?? former.port
                post(.inputMuted(port, false, name: former.name, streams: [stream.id]))
            }
        }
        for (port, input) in muted.sorted(by: { $0.key.name < $1.key.name }) {
            post(.inputMuted(port, true, name: input.name, streams: input.streams))
        }
    }
}
