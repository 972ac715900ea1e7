import CPipeWire
import HostSupport
package import PolicyEngine
package import PolicyRuntime

/// One stream in the daemon: the state that its client wants, the policy's changes, and the node to which both apply.
package final class StreamNode: ServerStream {
    /// Its id in the engine.
    package var id = StreamID(0)
    let node: OpaquePointer
    /// The node's global id.
    let global: UInt32
    private(set) var properties: StreamProperties
    private unowned let host: PipeWireHost
    private var listener: Listener<pw_impl_node_events>?

    /// Whether the client wants to play, how the policy silences the stream, and the resulting active flag and mute.
    private var activity: NodeActivity
    /// The policy's gain, and the one that its application prefers for recordings (R76).
    private var policyGain = LinearGain.unity
    private var inputGain = LinearGain.unity
    /// Whether the policy's gain is in the links rather than in the soft volumes.
    private var isInLinks = false
    private let rate: PropertyOverride
    private let latency: PropertyOverride
    /// The values for `node.rate` and `node.latency` that replace the client's.
    private var preferred: (rate: String?, latency: String?) = (nil, nil)
    /// Measures its level; `nil` while nobody asks.
    private var meter: Meter?
    /// Whether its state in the graph is to be changed.
    var isDue = false
    /// Whether we are writing the node's properties at this moment.
    private var isRequesting = false
    /// Whether we are writing the node's active flag at this moment.
    private var isApplying = false

    /// The volumes of the client and the user, as last seen.
    private var volumes = cpw_volumes()
    /// The volumes and mute written last, and whether the node has reported them since.
    private var written: (volumes: [Float], mute: Bool)?
    private var isAcknowledged = true

    /// - Parameter isNew: Whether the stream was created at this moment, so that nothing of it has been audible yet.
    init(node: OpaquePointer, global: UInt32, properties: StreamProperties, isNew: Bool, host: PipeWireHost) {
        self.node = node
        self.global = global
        self.properties = properties
        self.host = host
        rate = PropertyOverride("node.rate", of: node)
        latency = PropertyOverride("node.latency", of: node)
        activity = NodeActivity(
            isActive: pw_impl_node_is_active(node), isUnanswered: isNew && properties.isOfPulseClient,
            ignoresPause: properties.ignoresPause)
        var events = pw_impl_node_events()
        events.version = UInt32(PW_VERSION_IMPL_NODE_EVENTS)
        events.destroy = { data in
            guard let stream = object(data, as: StreamNode.self) else { return }
            stream.listener = nil
            cpw_links_forget(stream.node)
            stream.host.streamDestroyed(stream)
        }
        events.active_changed = { data, active in object(data, as: StreamNode.self)?.activeChanged(active) }
        events.state_changed = { data, old, new, _ in
            guard let stream = object(data, as: StreamNode.self) else { return }
            if new == PW_NODE_STATE_RUNNING { stream.started() }
            // A stream that will be corked at the daemon's next turn has not begun.
            let runs =
                new == PW_NODE_STATE_RUNNING && pw_impl_node_is_active(stream.node) && stream.activity.shouldBeActive
            if runs || old == PW_NODE_STATE_RUNNING {
                stream.host.runtime?.post(.streamRunning(stream.id, runs), now: false)
            }
        }
        events.info_changed = { data, info in
            guard let info, let stream = object(data, as: StreamNode.self) else { return }
            if info.pointee.change_mask & UInt64(PW_NODE_CHANGE_MASK_PROPS) != 0 {
                stream.rate.propertiesChanged()
                stream.latency.propertiesChanged()
                stream.changeLater()
                if !stream.isRequesting { stream.readProperties() }
            }
            if info.pointee.change_mask & UInt64(PW_NODE_CHANGE_MASK_PARAMS) != 0 { stream.volumesChanged() }
        }
        listener = Listener(events) { pw_impl_node_add_listener(node, $0, $1, pointer(to: self)) }
        cpw_node_read_volumes(node, &volumes)
        isInLinks = canRamp
    }

    /// Whether the server processes the stream at this moment.
    package var isRunning: Bool { pw_impl_node_get_info(node)?.pointee.state == PW_NODE_STATE_RUNNING }

    /// Whether its user or client has muted it, or has its volume at zero.
    package var isMuted: Bool { volumes.mute || volumes.is_scaled_to_zero || loudest.map { $0 <= 0 } ?? false }

    /// The volume of the loudest channel; `nil` until the channels are known.
    private var loudest: Float? { volumes.channel_count > 0 ? ownVolumes?.max() : nil }

    /// Whether a gain has an effect on the stream.
    package var hasVolume: Bool { isInLinks || volumes.soft_count > 0 }

    package var direction: StreamDirection { properties.direction }
    package var complaint: String? { properties.complaint }

    package func property(_ key: String) -> String? {
        // Only the server may set these properties; the node's own value does not count.
        let isOfServer = key.hasPrefix("pipewire.") || key == "client.api"
        let own = isOfServer ? nil : pw_properties_get(pw_impl_node_get_properties(node), key)
        let inherited = host.client(of: node).flatMap { pw_impl_client_get_properties($0) }
        return text(own ?? inherited.flatMap { pw_properties_get($0, key) })
    }

    package var identity: StreamIdentity {
        StreamIdentity(node: global, client: properties.identity, session: property(StreamIdentity.sessionProperty))
    }

    /// The sink or source that the stream is linked to.
    package var place: UInt32? { host.routes.place(of: global, properties.direction) }

    package var clock: GraphClock { host.clock(of: node) }

    /// Introduces the stream anew if its properties mean something else: some clients announce their role only after the
    /// stream exists.
    package func readProperties() {
        guard let properties = host.changedProperties(of: self) else { return }
        // What the stream was before decided where it was moved.
        host.routes.send(global, to: nil)
        host.runtime?.remove(self, now: true)
        hold(false)
        set(LinearGain.unity)
        apply(.none)
        self.properties = properties
        activity.ignoresPause = properties.ignoresPause
        host.runtime?.add(self)
    }

    // MARK: - What the client wants

    /// Whether the client wants to play, as far as the policy knows.
    package var wantsToPlay: Bool { activity.wantsToPlay }

    /// Records a start or pause by the client itself; noticed also while the policy keeps the stream corked.
    func clientWants(_ wanted: Bool) {
        if let isWanted = activity.want(wanted) { host.runtime?.post(.streamWanted(id, isWanted), now: true) }
    }

    /// Handles the server's start of the node.
    private func started() {
        let wasMuted = activity.isMuted
        guard let isWanted = activity.started() else { return }
        if isWanted { host.runtime?.post(.streamWanted(id, true), now: true) }
        // It was muted in advance, and may be heard after all.
        if !activity.isHeld { activity.activityApplied() }
        changeLater()
        if activity.isMuted != wasMuted { writeVolumes() }
    }

    private func activeChanged(_ active: Bool) {
        guard !isApplying else { return }
        // For streams without a client of their own, code inside the daemon sets the flag. For all others, this only
        // repeats the client's request.
        clientWants(active)
        // R36: a stream that un-pauses itself while it must be silent is stopped again before it is processed. This one
        // change is safe in the middle of the daemon's work: the daemon examines the graph when the callback returns,
        // and nothing is added or removed.
        setActive()
    }

    // MARK: - The policy's changes

    /// Mutes the stream in advance of its start, or no longer: the daemon may play the first cycle of a started stream before
    /// it tells of the start.
    func guardStart(_ isGuarded: Bool) {
        let wasMuted = activity.isMuted
        activity.guardStart(isGuarded)
        if activity.isMuted != wasMuted { writeVolumes() }
    }

    /// Whether the daemon may start the stream before the policy hears of it.
    var mayStart: Bool { activity.mayStart }

    package func hold(_ isHeld: Bool) {
        let wasMuted = activity.isMuted
        guard activity.hold(isHeld) else { return }
        changeLater()
        if activity.isMuted != wasMuted { writeVolumes() }
        // A stream that is released before it was corked keeps running, and the daemon reports no change of state.
        if activity.shouldBeActive, isRunning, pw_impl_node_is_active(node) {
            host.runtime?.post(.streamRunning(id, true), now: false)
        }
    }

    package func set(_ gain: LinearGain) {
        guard gain != policyGain else { return }
        if isRunning, !hasVolume, policyGain == .unity {
            host.log(.info, "\(properties.identity.application.name) cannot be ducked: its node has no soft volumes")
        }
        ramp(to: gain, frames: StreamNode.shortestRamp, fromSilence: false)
    }

    /// The frames of a change at once: too few to be heard as a fade, enough not to click.
    private static let shortestRamp: UInt32 = 480

    /// Whether the daemon itself mixes every node on which the stream is heard. Recordings of the stream itself are not
    /// lowered then.
    package var canRamp: Bool {
        guard host.hasLinkRamps, properties.direction == .playback else { return false }
        return Int(cpw_links_count(node)) == host.routes.heardLinkCount(of: global)
    }

    package func ramp(to gain: LinearGain, within duration: Duration, fromSilence: Bool) {
        let frames = duration / .seconds(1) * clock.sampleRate
        ramp(to: gain, frames: UInt32(exactly: max(frames, 1).rounded()) ?? 1, fromSilence: fromSilence)
    }

    /// Ramps the policy's gain to a target within some frames, from the next cycle of the graph on. Where the daemon does not
    /// mix the stream, the soft volumes change at once.
    private func ramp(to gain: LinearGain, frames: UInt32, fromSilence: Bool) {
        // A change at once cuts no sound of a stream that does not run. If the gain has just moved from the soft volumes into
        // the links, the links have got a target in this turn, and a second target would replace it.
        let jumps = updatePlaceOfGain() || !isRunning && gain < policyGain
        policyGain = gain
        if isInLinks { _ = cpw_links_ramp(node, Float(gain.slider), jumps ? 0 : frames, fromSilence) }
        writeVolumes()
    }

    /// Handles links that came or went: the stream may be heard where the daemon does not mix it, or does again.
    func linksChanged() {
        guard isInLinks != canRamp else { return }
        let hadVolume = hasVolume
        _ = updatePlaceOfGain()
        writeVolumes()
        if hasVolume != hadVolume { host.volumeAppeared(of: id) }
    }

    /// Moves the policy's gain from the soft volumes into the links, or back. Returns whether it has moved.
    private func updatePlaceOfGain() -> Bool {
        guard isInLinks != canRamp else { return false }
        isInLinks.toggle()
        guard policyGain != .unity else { return false }
        if isInLinks {
            _ = cpw_links_ramp(node, Float(policyGain.slider), 0, false)
        } else {
            // The soft volumes reach the client some cycles later. For a moment it is too low, and never too loud.
            writeVolumes()
            _ = cpw_links_ramp(node, 1, UInt32(CPW_LINKS_RETURN), false)
        }
        return true
    }

    /// Requests the session's preferred rate and latency (R74) and input gain (R76); without preferences, the client's
    /// values and the user's level.
    package func apply(_ preferences: StreamPreferences) {
        preferred = (host.graph.settings.rate(preferences), host.graph.settings.latency(preferences))
        changeLater()
        guard preferences.inputGain != inputGain else { return }
        inputGain = preferences.inputGain
        writeVolumes()
    }

    /// Sends the stream's client an error on its node, which ends the stream there (R23).
    package func refuse() { host.refuse(node: global) }

    /// Does nothing: PipeWire has no events for a stream's client. Clients learn of interruptions on the bus.
    package func tell(of interruption: StreamInterruption) {}

    package func measure(_ isMeasured: Bool) {
        meter = nil
        let serial = text(pw_properties_get(pw_impl_node_get_properties(node), "object.serial"))
        guard isMeasured, let serial, let core = host.connectMeters() else { return }
        meter = Meter(core, serial: serial) { [unowned self] in host.runtime?.measured(id, peak: $0) }
    }

    // MARK: - State in the graph

    /// Schedules a change of the graph if the present state differs from the wanted one.
    private func changeLater() {
        if pw_impl_node_is_active(node) != activity.shouldBeActive || activity.isMutedUntilCorked
            || !rate.has(preferred.rate)
            || !latency.has(preferred.latency)
        {
            host.changeLater(self)
        }
    }

    /// Applies the wanted state to the graph. Must not be called while the daemon is in the middle of its work
    /// (``PipeWireHost/changeLater(_:)``).
    func change() {
        isRequesting = true
        rate.set(preferred.rate, fallback: host.graph.settings.usualRate)
        latency.set(preferred.latency, fallback: host.graph.settings.usualLatency)
        isRequesting = false
        setActive()
        let wasMuted = activity.isMuted
        activity.activityApplied()
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

    /// The factor in the soft volumes.
    private var softFactor: Double { (isInLinks ? 1 : policyGain.value) * inputGain.value }

    private var isTouched: Bool { softFactor != 1 || activity.isMuted }

    /// Writes the soft volumes: own volume times gain. Soft volumes take the place of the user's and are never saved.
    private func writeVolumes() {
        guard let own = ownVolumes else { return }
        let factor = Float(softFactor)
        let soft = own.map { $0 * factor }
        let mute = volumes.mute || activity.isMuted
        if let written, written.volumes == soft, written.mute == mute, isAcknowledged { return }
        written = (soft, mute)
        isAcknowledged = false
        _ = cpw_node_write_soft_volumes(node, soft, UInt32(truncatingIfNeeded: soft.count), mute)
    }

    /// The volume set by user and client for each channel; one value for all until the format is known.
    private var ownVolumes: [Float]? {
        let count = Int(volumes.channel_count)
        guard count > 0 else { return [1] }
        return withUnsafeBytes(of: volumes.channel) { Array($0.bindMemory(to: Float.self).prefix(count)) }
    }

    /// Handles a change of a volume or mute, possibly by us. The node drops the soft volumes whenever the user's
    /// volumes are set, even to the same value. So they are written again after each change that does not merely report
    /// our own.
    private func volumesChanged() {
        let before = ownVolumes
        let wasMuted = volumes.mute
        let hadVolume = hasVolume
        let (wasSilent, wasLoudest) = (isMuted, loudest)
        var now = cpw_volumes()
        cpw_node_read_volumes(node, &now)
        volumes = now
        if hasVolume != hadVolume { host.volumeAppeared(of: id) }
        let isHigher = wasLoudest.map { $0 > 0 && $0 < loudest ?? 0 } ?? false
        if isMuted != wasSilent || isHigher {
            host.runtime?.volumeChanged(of: id, wasMuted: wasSilent, isHigher: isHigher)
        }
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
