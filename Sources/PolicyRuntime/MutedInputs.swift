public import PolicyEngine

/// The inputs that their user has muted, and the streams that record from them (N7).
struct MutedInputs {
    /// A muted input.
    struct Input: Equatable {
        /// The name of the input's node, which is the same after the node was removed and came back.
        var port: PortID
        /// The input's name, for people.
        var name: String
    }

    /// A stream that records.
    struct Recording {
        var stream: StreamID
        /// The number of the node from which it records; `nil` while it is linked to none.
        var node: UInt32?
        /// The muted input from which it records, as last reported to the engine.
        var known: Input?
    }

    /// Changes to report.
    struct Changes {
        /// The streams that record from another muted input than before, or no longer from one.
        var inputs: [(stream: StreamID, input: Input?)] = []
        /// The events for the engine.
        var events: [Event] = []
    }

    /// The muted inputs by node number.
    private var inputs: [UInt32: Input] = [:]
    /// Whether links or streams have changed since the last call of `changes`.
    private var isStale = false

    /// Records that a stream records, or that links to a node have changed.
    mutating func recordingsChanged() { if !inputs.isEmpty { isStale = true } }

    /// Records that a source was muted or unmuted. Returns the input; `nil` if nothing has changed.
    mutating func muted(_ node: RouteNode, _ isMuted: Bool) -> Input? {
        guard isMuted != (inputs[node.id] != nil) else { return nil }
        let input = Input(port: PortID(node.name), name: node.description)
        inputs[node.id] = isMuted ? input : nil
        isStale = true
        return input
    }

    /// Forgets a source that was removed. Returns its input; `nil` if it was not muted.
    mutating func forget(_ node: UInt32) -> Input? {
        guard let input = inputs.removeValue(forKey: node) else { return nil }
        isStale = true
        return input
    }

    /// The recordings that started or stopped using a muted input since the last call.
    ///
    /// - Parameters:
    ///   - recordings: All recording streams, the oldest first.
    ///   - name: The name of a node.
    mutating func changes(among recordings: () -> [Recording], name: (UInt32) -> String?) -> Changes {
        guard isStale else { return Changes() }
        isStale = false
        var changes = Changes()
        var muted: [PortID: (name: String, streams: [StreamID])] = [:]
        for recording in recordings() {
            if let input = recording.node.flatMap({ inputs[$0] }) {
                guard recording.known != input else { continue }
                changes.inputs.append((recording.stream, input))
                muted[input.port, default: (input.name, [])].streams.append(recording.stream)
            } else if let former = recording.known, recording.node != nil || !inputs.values.contains(former) {
                // A stream linked to nothing is being moved, and may come back.
                changes.inputs.append((recording.stream, nil))
                let port = recording.node.flatMap(name).map { PortID($0) } ?? former.port
                changes.events.append(.inputMuted(port, false, name: former.name, streams: [recording.stream]))
            }
        }
        for (port, input) in muted.sorted(by: { $0.key.name < $1.key.name }) {
            changes.events.append(.inputMuted(port, true, name: input.name, streams: input.streams))
        }
        return changes
    }
}

extension SessionRuntime {
    /// Handles a source that its user muted or unmuted (N7).
    public func muted(_ node: RouteNode, _ isMuted: Bool) {
        guard let input = mutedInputs.muted(node, isMuted) else { return }
        host.log(.info, "\(input.name) is \(isMuted ? "muted" : "not muted any more")")
        if !isMuted {
            let streams = recordings.filter { $0.known?.port == input.port }.map(\.stream)
            for stream in streams { self.streams[stream]?.mutedInput = nil }
            post(.inputMuted(input.port, false, name: input.name, streams: streams))
        }
        drain()
    }

    /// Handles a source that was removed.
    func forgetMute(of node: UInt32) {
        if let input = mutedInputs.forget(node) { post(.inputGone(input.port)) }
    }

    /// Reports to the engine which recordings started or stopped using a muted input since the last call.
    func reportMutedInputs() {
        let changes = mutedInputs.changes(
            among: { recordings }, name: { node in read { $0.places.first { $0.nodeID == node }?.nodeName } })
        for (stream, input) in changes.inputs { streams[stream]?.mutedInput = input }
        for event in changes.events { post(event) }
    }

    /// All recording streams, the oldest first.
    private var recordings: [MutedInputs.Recording] {
        read { $0.recordings }.map {
            MutedInputs.Recording(stream: $0, node: streams[$0]?.server?.place, known: streams[$0]?.mutedInput)
        }
    }
}
