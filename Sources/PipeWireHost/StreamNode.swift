import CPipeWire
import SessionCore
import SessionHost
import SessionRuntime

/// One stream in the daemon: what its client wants, what the policy wants on top, and the node that shows both.
package final class StreamNode {
    package private(set) var id: StreamID
    let node: OpaquePointer
    /// The node's global id.
    let global: UInt32
    private(set) var properties: StreamProperties
    /// What the policy makes of it; `nil` when it is left alone.
    package var description: SessionDescription?
    unowned let host: PipeWireHost
    private var listener: Listener<pw_impl_node_events>?

    /// What its client wants, and whether it is active and muted for that.
    private var activity: NodeActivity
    private var gain = StreamGain()
    private let rate: LentProperty
    private let latency: LentProperty
    /// What is to be lent in these two.
    private var wish: (rate: String?, latency: String?) = (nil, nil)
    /// We are changing the node's properties ourselves.
    private var isRequesting = false
    /// We are changing the node's active flag ourselves.
    private var isApplying = false

    /// The volumes of the client and the user, as last seen.
    private var volumes = cpw_volumes()
    /// What was written last, and whether the node has shown it since.
    private var written: (volumes: [Float], mute: Bool)?
    private var isAcknowledged = true

    /// - Parameter isNew: It came into being this moment, so nothing has been heard of it yet.
    init(
        id: StreamID, node: OpaquePointer, global: UInt32, properties: StreamProperties, isNew: Bool, host: PipeWireHost
    ) {
        self.id = id
        self.node = node
        self.global = global
        self.properties = properties
        self.host = host
        rate = LentProperty("node.rate", of: node)
        latency = LentProperty("node.latency", of: node)
        activity = NodeActivity(
            isActive: pw_impl_node_is_active(node), isUnanswered: isNew && properties.isOfPulseClient,
            ignoresPause: properties.ignoresPause)
        var events = pw_impl_node_events()
        events.version = UInt32(PW_VERSION_IMPL_NODE_EVENTS)
        events.destroy = { data in
            guard let stream = object(data, as: StreamNode.self) else { return }
            stream.listener = nil
            stream.host.streamDestroyed(stream)
        }
        events.active_changed = { data, active in object(data, as: StreamNode.self)?.activeChanged(active) }
        events.state_changed = { data, old, new, _ in
            guard let stream = object(data, as: StreamNode.self) else { return }
            if new == PW_NODE_STATE_RUNNING { stream.started() }
            // What is to be corked at the daemon's next turn has not begun.
            let runs =
                new == PW_NODE_STATE_RUNNING && pw_impl_node_is_active(stream.node) && stream.activity.shouldBeActive
            if runs || old == PW_NODE_STATE_RUNNING {
                stream.host.post(.streamRunning(stream.id, runs), now: false)
            }
        }
        events.info_changed = { data, info in
            guard let info, let stream = object(data, as: StreamNode.self) else { return }
            if info.pointee.change_mask & UInt64(PW_NODE_CHANGE_MASK_PROPS) != 0 {
                stream.rate.noteChange()
                stream.latency.noteChange()
                stream.changeLater()
                if !stream.isRequesting { stream.host.propertiesChanged(stream) }
            }
            if info.pointee.change_mask & UInt64(PW_NODE_CHANGE_MASK_PARAMS) != 0 { stream.volumesChanged() }
        }
        listener = Listener(events) { pw_impl_node_add_listener(node, $0, $1, pointer(to: self)) }
        cpw_node_read_volumes(node, &volumes)
    }

    /// Whether the server processes the stream at this moment.
    package var isRunning: Bool { pw_impl_node_get_info(node)?.pointee.state == PW_NODE_STATE_RUNNING }

    /// Whether a gain makes a difference to it.
    var hasVolume: Bool { volumes.soft_count > 0 }

    /// The node says something else of itself now, so it counts as another stream, to which nothing was done yet.
    func become(_ id: StreamID, _ properties: StreamProperties) {
        set(Silence.none)
        set(LinearGain.unity)
        request(.none, settings: host.graph.settings)
        self.id = id
        self.properties = properties
        activity.ignoresPause = properties.ignoresPause
    }

    // MARK: - What the client wants

    /// As far as the policy is concerned.
    package var wantsToPlay: Bool { activity.wantsToPlay }

    /// The client asked for this itself; heard also while the policy keeps the stream corked.
    func clientWants(_ wanted: Bool) {
        if let isWanted = activity.want(wanted) { host.post(.streamWanted(id, isWanted), now: true) }
    }

    /// The server has started the node.
    private func started() {
        let wasMuted = activity.isMuted
        guard let isWanted = activity.started() else { return }
        if isWanted { host.post(.streamWanted(id, true), now: true) }
        changeLater()
        if activity.isMuted != wasMuted { writeVolumes() }
    }

    private func activeChanged(_ active: Bool) {
        guard !isApplying else { return }
        // Streams without a client of their own are switched from inside the daemon; for all others this only repeats
        // what the client's request has said.
        clientWants(active)
        // R36: what un-pauses itself while it has to be silent is put back before it is processed. This once not later: the
        // daemon has changed this flag and looks at the graph when the callback returns, and nothing comes or goes with that.
        setActive()
    }

    // MARK: - What the policy wants

    /// How it is silenced.
    var silence: Silence { activity.silence }

    func set(_ silence: Silence) {
        let wasMuted = activity.isMuted
        guard activity.silence(silence) else { return }
        changeLater()
        if activity.isMuted != wasMuted { writeVolumes() }
        // It was to be corked, and is let go before that: the daemon has nothing to tell of it.
        if activity.shouldBeActive, isRunning, pw_impl_node_is_active(node) {
            host.post(.streamRunning(id, true), now: false)
        }
    }

    func set(_ gain: LinearGain) {
        guard gain != self.gain.policy else { return }
        if isRunning, !hasVolume, self.gain.policy == .unity {
            host.log(.info, "\(properties.identity.application.name) cannot be ducked: its node has no soft volumes")
        }
        self.gain.policy = gain
        writeVolumes()
    }

    /// Asks the graph for what its session wishes (R74), and records at its level (R76); or else for what its client asks, and
    /// at the user's level.
    func request(_ wish: StreamWish, settings: GraphSettings) {
        self.wish = (settings.rate(wish), settings.latency(wish))
        changeLater()
        guard wish.inputGain != gain.input else { return }
        gain.input = wish.inputGain
        writeVolumes()
    }

    // MARK: - Its place in the graph

    /// Has its place in the graph changed, if it should have another one, when the daemon has finished what it is doing.
    private func changeLater() {
        if pw_impl_node_is_active(node) != activity.shouldBeActive || activity.isMutedUntilCorked
            || !rate.says(wish.rate)
            || !latency.says(wish.latency)
        {
            host.changeLater(self)
        }
    }

    /// Gives it the place in the graph that it should have; not to be called while the daemon is in the middle of something
    /// (``PipeWireHost/changeLater(_:)``).
    func change() {
        isRequesting = true
        rate.set(wish.rate, fallback: host.graph.settings.usualRate)
        latency.set(wish.latency, fallback: host.graph.settings.usualLatency)
        isRequesting = false
        setActive()
        let wasMuted = activity.isMuted
        activity.settled()
        if activity.isMuted != wasMuted { writeVolumes() }
    }

    private func setActive() {
        let active = activity.shouldBeActive
        guard pw_impl_node_is_active(node) != active else { return }
        isApplying = true
        pw_impl_node_set_active(node, active)
        isApplying = false
    }

    // MARK: - Volumes

    private var isTouched: Bool { gain.isTouched || activity.isMuted }

    /// Writes the soft volumes, which replace the user's own and are never saved: own volume times gain.
    private func writeVolumes() {
        guard let own = ownVolumes else { return }
        let factor = Float(gain.factor)
        let soft = own.map { $0 * factor }
        let mute = volumes.mute || activity.isMuted
        if let written, written.volumes == soft, written.mute == mute, isAcknowledged { return }
        written = (soft, mute)
        isAcknowledged = false
        _ = cpw_node_write_soft_volumes(node, soft, UInt32(truncatingIfNeeded: soft.count), mute)
    }

    /// The volume that user and client have set, for each channel; before the format is known one for all.
    private var ownVolumes: [Float]? {
        let count = Int(volumes.channel_count)
        guard count > 0 else { return [1] }
        return withUnsafeBytes(of: volumes.channel) { Array($0.bindMemory(to: Float.self).prefix(count)) }
    }

    /// Somebody has set a volume or a mute, perhaps we. The node drops the soft volumes when the user's are set, even to
    /// the value that they had, so they are written anew after every change that is not the echo of our own.
    private func volumesChanged() {
        let before = ownVolumes
        let wasMuted = volumes.mute
        let hadVolume = hasVolume
        var now = cpw_volumes()
        cpw_node_read_volumes(node, &now)
        volumes = now
        if hasVolume != hadVolume { host.volumeAppeared(of: id) }
        guard isTouched else { return }
        if ownVolumes != before || volumes.mute != wasMuted {
            written = nil
            writeVolumes()
        } else if isAcknowledged {
            written = nil
            writeVolumes()
        } else if let written, softVolumes == written.volumes, volumes.soft_mute == written.mute {
            isAcknowledged = true
        }
    }

    private var softVolumes: [Float] {
        let count = Int(volumes.soft_count)
        return withUnsafeBytes(of: volumes.soft) { Array($0.bindMemory(to: Float.self).prefix(count)) }
    }
}
