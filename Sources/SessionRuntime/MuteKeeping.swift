public import SessionCore

/// What has to be remembered of muted inputs between events (N7).
struct MuteKeeping {
    struct Input: Equatable {
        /// The name of its node, which is the same when it comes back.
        var port: PortID
        /// For people.
        var name: String
    }

    /// Those that are muted, by the number of the node.
    var inputs: [UInt32: Input] = [:]
    /// The streams of which the engine knows that they record from a muted one.
    var told: [StreamID: Input] = [:]
    /// Something has happened since it was looked at who records from them.
    var isStale = false
}

/// Inputs that their user mutes (N7): the engine is told who records from them, and who does not any more.
extension SessionRuntime {
    /// The user has muted a source, or takes that back.
    public func muted(_ input: RouteNode, _ isMuted: Bool) {
        guard isMuted != (mutes.inputs[input.id] != nil) else { return }
        let known = MuteKeeping.Input(port: PortID(input.name), name: input.description)
        host.log(.info, "\(known.name) is \(isMuted ? "muted" : "not muted any more")")
        mutes.inputs[input.id] = isMuted ? known : nil
        mutes.isStale = true
        if !isMuted {
            let streams = mutes.told.filter { $0.value.port == known.port }.map(\.key)
            for stream in streams { mutes.told[stream] = nil }
            post(.inputMuted(known.port, false, name: known.name, streams: inOrder(streams)))
        }
        drain()
    }

    /// A source is gone.
    func forgetMute(of node: UInt32) {
        guard let input = mutes.inputs.removeValue(forKey: node) else { return }
        mutes.isStale = true
        post(.inputGone(input.port))
    }

    /// Tells the engine which streams record from a muted input since they were last looked at, and which do not any more.
    func lookAtMutes() {
        guard mutes.isStale else { return }
        mutes.isStale = false
        guard !mutes.inputs.isEmpty || !mutes.told.isEmpty else { return }
        let recordings = inOrder(routedStreams.filter { $0.direction == .capture }.map(\.id))
        let known = Set(recordings)
        mutes.told = mutes.told.filter { known.contains($0.key) }
        var muted: [PortID: (name: String, streams: [StreamID])] = [:]
        for stream in recordings {
            let place = host.place(of: stream)
            let former = mutes.told[stream]
            if let input = place.flatMap({ mutes.inputs[$0] }) {
                guard former != input else { continue }
                mutes.told[stream] = input
                muted[input.port, default: (input.name, [])].streams.append(stream)
            } else if let former, place != nil || !mutes.inputs.values.contains(former) {
                // While it is linked to nothing it is on its way, and may come back.
                mutes.told[stream] = nil
                let node = routes.places.first { $0.nodeID == place }?.nodeName
                post(
                    .inputMuted(
                        node.map { PortID($0) } ?? former.port, false, name: former.name, streams: [stream]))
            }
        }
        for (port, news) in muted.sorted(by: { $0.key.name < $1.key.name }) {
            post(.inputMuted(port, true, name: news.name, streams: news.streams))
        }
    }

    private func inOrder(_ streams: [StreamID]) -> [StreamID] { streams.sorted { $0.rawValue < $1.rawValue } }
}
