import CPulseCore
import HostSupport
package import PolicyEngine
package import PolicyRuntime

/// One stream in the daemon: the state that its client wants, and the policy's changes.
///
/// A stopped stream is held in the device's thread, below the state that the client sets. So no sound is lost, and the
/// stream's state still shows what the client does, above all a pause. If the daemon corked the stream itself, a pause
/// would not show. Clients that listen to `request-cork` are asked to cork themselves as well, so that their windows
/// show the pause.
package final class PulseStream: ServerStream {
    /// Its id in the engine.
    package var id = StreamID(0)
    let handle: StreamHandle
    let index: UInt32
    private(set) var properties: StreamProperties
    private unowned let host: PulseAudioHost

    /// Whether the policy holds it.
    private var isStopped = false
    /// The policy's gain, and the one that its application prefers for recordings (R76).
    private var policyGain = LinearGain.unity
    private var inputGain = LinearGain.unity
    /// Whether the policy's gain is applied to the samples, where it can ramp, and not by the volume factor.
    private var isInSound = false
    /// The gain that was sent to the device's thread last; nothing can be sent while the stream moves.
    private var sentGain = LinearGain.unity
    /// Whether the stream is corked and muted in advance, because it would be rejected if its client started it (R8).
    private var isGuarded = false
    /// Whether the log says that the stream cannot be ducked.
    private var isRefusalLogged = false
    /// Whether changes are being collected, to be applied together.
    private var isChanging = false
    /// Whether the device's thread was last told to hold the stream.
    private var isHeldByThread = false

    /// Whether the client runs the stream, and our requests to cork.
    private var client: CorkRequests
    /// Whether the client runs the stream, or would if we had not asked it to cork.
    package var wantsToPlay: Bool { client.wantsToPlay }
    /// Whether its user or client has muted it, or has its volume at zero.
    package var isMuted: Bool { volume <= 0 }
    /// The volume that its user and client have set, as last seen; 0 while they mute it.
    private var volume: Double
    /// Whether the client was told that an interruption began, but not yet that it ended.
    private var isInterrupted = false
    /// Whether the interruption continues after the stream changed its properties. The client then gets no event of its
    /// end.
    private var interruptionContinues = false
    /// The events that wait until the client can receive them.
    private var pendingEvents: [(event: String, properties: [(String, String)])] = []

    /// The number of events that wait at most; further ones are dropped.
    private static let maximumPendingEvents = 16

    /// Whether it is to be killed.
    private(set) var isRefused = false
    /// Whether its volume or mute has changed and is to be read.
    var isVolumeStale = false

    init(handle: StreamHandle, properties: StreamProperties, host: PulseAudioHost) {
        self.handle = handle
        self.properties = properties
        self.host = host
        index = handle.index
        volume = handle.volume
        client = CorkRequests(wantsToPlay: handle.state == CPC_RUNNING)
    }

    package var direction: StreamDirection { handle.direction }
    private var application: ApplicationID { properties.identity.application }
    package var complaint: String? { properties.complaint }

    /// Whether the client has corked the stream.
    var isCorked: Bool { handle.state == CPC_CORKED }

    /// Whether the client runs the stream and the policy does not stop it.
    package var isRunning: Bool { handle.state == CPC_RUNNING && !isStopped }

    package func property(_ key: String) -> String? { text(handle.property(key)) }

    package var identity: StreamIdentity {
        StreamIdentity(node: index, client: properties.identity, session: property(StreamIdentity.sessionProperty))
    }

    /// The sink or source that the stream plays on or records from.
    package var place: UInt32? { host.routes.place(of: handle) }

    /// The rate of the stream's device; without a device, that of the default sink (R74).
    package var clock: GraphClock {
        let device = handle.device
        return host.clock(
            direction == .capture
                ? cpc_source_sample_spec(device) : cpc_sink_sample_spec(device ?? cpc_default_sink(host.core)))
    }

    /// Whether the daemon allows changes of the stream's volume.
    package var hasVolume: Bool { !handle.isPassthrough }

    /// Introduces the stream anew if its properties mean something else: some clients announce their role only after the
    /// stream exists. The changes that follow replace the former ones in one step, so a stream that stays silent is not
    /// released in between.
    package func readProperties() {
        guard let properties = host.changedProperties(of: self) else { return }
        host.runtime?.remove(self, now: true)
        interruptionContinues = false
        changeAtOnce {
            isStopped = false
            policyGain = .unity
            inputGain = .unity
            self.properties = properties
            host.runtime?.add(self)
        }
        if !interruptionContinues { tell(of: .ended(shouldResume: true)) }
    }

    /// Collects the changes that `change` makes, and applies them together.
    private func changeAtOnce(_ change: () -> Void) {
        let wasHeld = isHeld
        isChanging = true
        change()
        isChanging = false
        applyChanges(after: wasHeld)
    }

    /// Undoes all changes to a stream that is no longer managed.
    func undoChanges() {
        guardStart(false)
        hold(false)
        set(LinearGain.unity)
        apply(.none)
        tell(of: .ended(shouldResume: true))
        left()
    }

    /// Leaves nothing of ours in the stream, which is about to go or to be left alone.
    func left() { handle.endRamp() }

    // MARK: - What the client wants

    /// Reads the stream's own volume and mute anew. Returns whether it was muted before, and whether it is louder now.
    func readVolume() -> (wasMuted: Bool, isHigher: Bool) {
        let former = volume
        volume = handle.volume
        return (former <= 0, former > 0 && volume > former)
    }

    /// Handles a change of the stream's state. The daemon calls in the middle of its work, so the policy's decision
    /// takes effect before the first sound.
    func stateChanged() {
        switch handle.state {
        case CPC_RUNNING: started()
        case CPC_CORKED: corked()
        default: break
        }
    }

    private func started() {
        follow(client.started())
        if isHeld {
            // A change of state ends the hold.
            holdInThread()
            requestCork()
        }
        host.runtime?.post(.streamRunning(id, isRunning), now: false)
    }

    private func corked() {
        follow(client.corked(at: host.now))
        host.runtime?.post(.streamRunning(id, false), now: false)
    }

    private func follow(_ intent: CorkRequests.Intent) {
        switch intent {
        case .same: break
        case .wanted(let isWanted): host.runtime?.post(.streamWanted(id, isWanted), now: true)
        case .wantedAnew:
            // A stream that may not start stays held between the two events (R8).
            changeAtOnce {
                host.runtime?.post(.streamWanted(id, false), now: true)
                host.runtime?.post(.streamWanted(id, true), now: true)
                host.runtime?.post(.streamFreed(id, by: .play), now: true)
            }
        }
    }

    /// Checks whether a client has uncorked after our `request-uncork`.
    func checkRequest(at now: Instant) {
        let (intent, again) = client.checkUncorked(at: now, isRunning: handle.state == CPC_RUNNING)
        if let again { host.checkRequestLater(at: again) }
        follow(intent)
    }

    // MARK: - The policy's changes

    /// Whether the device's thread must hold the stream.
    private var isHeld: Bool { isStopped || isMute }

    /// Whether it is to be muted and has no volume, so that it is held. For the policy it runs on, as a muted stream does.
    private var isMute: Bool { policyGain == .silence && handle.isPassthrough }

    package func hold(_ isHeld: Bool) {
        let wasHeld = self.isHeld
        isStopped = isHeld
        applyChanges(after: wasHeld)
    }

    private func applyChanges(after wasHeld: Bool) {
        guard !isChanging else { return }
        writeGain()
        guard isHeld != wasHeld else { return }
        holdInThread()
        if isHeld {
            requestCork()
        } else {
            let (requestsUncork, moment) = client.release(at: host.now, on: handle.place)
            if let moment { host.checkRequestLater(at: moment) }
            if requestsUncork { tell("request-uncork") }
        }
        host.runtime?.post(.streamRunning(id, isRunning), now: false)
    }

    /// Asks a client that runs its stream to cork. Not during a handover, when the stream waits only until others are
    /// silent: a request would only prolong the wait. And not while its player is asked to pause.
    private func requestCork() {
        guard handle.state == CPC_RUNNING, host.runtime?.engine.treatment(of: id)?.reason != .handover,
            host.runtime?.isPlayerAsked(id) != true
        else { return }
        client.ask(at: host.now, on: handle.place)
        tell("request-cork")
    }

    package func set(_ gain: LinearGain) {
        if gain != policyGain { ramp(to: gain, within: .zero, fromSilence: false) }
    }

    /// Whether the stream's gain can change with every sample.
    package var canRamp: Bool { handle.canRamp }

    /// Ramps the policy's gain to a target, from the first sample on that has not been played. Where no ramp is possible, the
    /// volume factor changes at once.
    package func ramp(to gain: LinearGain, within duration: Duration, fromSilence: Bool) {
        let wasHeld = isHeld
        policyGain = gain
        writeGain(within: duration, fromSilence: fromSilence)
        if isHeld != wasHeld { applyChanges(after: wasHeld) }
    }

    private func writeGain(within duration: Duration = .zero, fromSilence: Bool = false) {
        guard !isChanging else { return }
        isInSound = handle.canRamp
        let isNew = isInSound && policyGain != sentGain
        if isNew, handle.ramp(to: policyGain, within: duration, fromSilence: fromSilence) {
            sentGain = policyGain
        } else if isNew, !handle.isRamping {
            // There is no memory for a ramp.
            isInSound = false
        }
        writeFactor()
    }

    /// Applies the one preference that PulseAudio supports: a gain on recorded sound (R76). The daemon gives each stream its
    /// own latency, and a sink runs at the rate of the first stream that it plays.
    package func apply(_ preferences: StreamPreferences) {
        guard preferences.inputGain != inputGain else { return }
        inputGain = preferences.inputGain
        writeFactor()
    }

    /// Kills the stream (R23). The daemon still needs the stream while creating it, so the kill comes later.
    package func refuse() {
        isRefused = true
        host.drainLater()
    }

    package func measure(_ isMeasured: Bool) { host.measure(self, isMeasured) }

    private func writeFactor() {
        guard !isChanging else { return }
        let factor = (isInSound ? 1 : policyGain.value) * inputGain.value
        guard !handle.setFactor(isGuarded ? 0 : factor), factor != 1, !isRefusalLogged, handle.isPassthrough else {
            return
        }
        isRefusalLogged = true
        host.log(.info, "\(application.name) cannot be ducked: its sound passes through the daemon unchanged")
    }

    /// Mutes the stream in advance of its start, or restores its level.
    func guardStart(_ isGuarded: Bool) {
        guard isGuarded != self.isGuarded else { return }
        self.isGuarded = isGuarded
        writeFactor()
    }

    /// Applies the changes again after the stream has moved to another device.
    func moved() {
        writeGain()
        // The thread's state moves along, but the hold may have ended meanwhile. Other streams are skipped: the thread
        // applies a state to all streams that are synchronized with this one.
        if isHeld || isHeldByThread { holdInThread() }
    }

    /// Tells the device's thread to hold or play the stream.
    private func holdInThread() {
        if handle.hold(isHeld) { isHeldByThread = isHeld }
    }

    // MARK: - Events for the client

    /// Tells the client once that an interruption began, and once that it ended, even if the stream changed its
    /// properties in between.
    package func tell(of interruption: StreamInterruption) {
        switch interruption {
        case .began(let reason, let actor):
            interruptionContinues = true
            guard !isInterrupted else { return }
            isInterrupted = true
            tell(
                StreamEvent.name,
                [(StreamEvent.state, "began"), (StreamEvent.reason, reason.rawValue), (StreamEvent.actor, actor)])
        case .ended(let shouldResume):
            guard isInterrupted else { return }
            isInterrupted = false
            tell(StreamEvent.name, [(StreamEvent.state, "ended"), (StreamEvent.shouldResume, "\(shouldResume)")])
        }
    }

    /// Queues an event for the client, which receives events only after the stream's creation was confirmed.
    func tell(_ event: String, _ properties: [(String, String)] = []) {
        guard pendingEvents.count < PulseStream.maximumPendingEvents else { return }
        pendingEvents.append((event, properties))
        host.drainLater()
    }

    /// Sends the queued events.
    func sendPendingEvents() {
        let due = pendingEvents
        pendingEvents = []
        for (event, properties) in due { handle.send(event, properties) }
    }
}
