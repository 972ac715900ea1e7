public import SessionCore

/// The inputs that their user has muted, and who records from them (N7).
struct MutedInputs {
    /// A muted input.
    struct Input: Equatable {
        /// The name of its node, which is the same when it comes back.
        var port: PortID
        /// For people.
        var name: String
    }

    /// A stream that records.
    struct Recording {
        var stream: StreamID
        /// The node that it records from; `nil` while it is linked to nothing.
        var node: UInt32?
        /// The muted input from which it records, as the engine knows.
        var known: Input?
    }

    /// What has become of recordings.
    struct Changes {
        /// From which muted input they record now, where that is another one, or none.
        var inputs: [(stream: StreamID, input: Input?)] = []
        /// What the engine is told of that.
        var events: [Event] = []
    }

    /// By the number of the node.
    private var inputs: [UInt32: Input] = [:]
    /// Something has happened since it was looked at who records from them.
    private var isStale = false

    /// A stream records, or something new is linked to a node.
    mutating func recordingsChanged() { if !inputs.isEmpty { isStale = true } }

    /// The user has muted a source, or takes that back; `nil` if it was so already.
    mutating func muted(_ node: RouteNode, _ isMuted: Bool) -> Input? {
        guard isMuted != (inputs[node.id] != nil) else { return nil }
        let input = Input(port: PortID(node.name), name: node.description)
        inputs[node.id] = isMuted ? input : nil
        isStale = true
        return input
    }

    /// A source is gone; `nil` if it was not muted.
    mutating func forget(_ node: UInt32) -> Input? {
        guard let input = inputs.removeValue(forKey: node) else { return nil }
        isStale = true
        return input
    }

    /// Which recordings record from a muted input since this was asked last, and which do not any more.
    ///
    /// - Parameters:
    ///   - recordings: All streams that record, the oldest first.
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
                // While it is linked to nothing it is on its way, and may come back.
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
    /// The user has muted a source, or takes that back (N7).
    public func muted(_ node: RouteNode, _ isMuted: Bool) {
        guard let input = mutedInputs.muted(node, isMuted) else { return }
        host.log(.info, "\(input.name) is \(isMuted ? "muted" : "not muted any more")")
        if !isMuted {
            let streams = recordings.filter { $0.known?.port == input.port }.map(\.stream)
            for stream in streams { records[stream]?.mutedInput = nil }
            post(.inputMuted(input.port, false, name: input.name, streams: streams))
        }
        drain()
    }

    /// A source is gone.
    func forgetMute(of node: UInt32) {
        if let input = mutedInputs.forget(node) { post(.inputGone(input.port)) }
    }

    /// Tells the engine which streams record from a muted input since they were last looked at, and which do not any more.
    func lookAtMutes() {
        let changes = mutedInputs.changes(
            among: { recordings }, name: { node in routes.places.first { $0.nodeID == node }?.nodeName })
        for (stream, input) in changes.inputs { records[stream]?.mutedInput = input }
        for event in changes.events { post(event) }
    }

    /// All streams that record, the oldest first.
    private var recordings: [MutedInputs.Recording] {
        routedStreams.filter { $0.direction == .capture }.map(\.id).sorted { $0.rawValue < $1.rawValue }.map {
            MutedInputs.Recording(stream: $0, node: host.place(of: $0), known: records[$0]?.mutedInput)
        }
    }
}
