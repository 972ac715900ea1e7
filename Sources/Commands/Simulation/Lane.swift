import PolicyEngine
import PolicyRuntime

/// One stream of a scenario in a ``VirtualServer``, and its history.
final class Lane: ServerStream {
    let stream: Scenario.Stream
    weak var server: VirtualServer?
    var id = StreamID(0)
    /// The node that the stream is linked to.
    var node: UInt32?
    /// The output or input to which the user has moved the stream.
    var choice: String?
    /// The node to which a session sends the stream.
    var target: UInt32?
    var state = LaneState()
    /// All states, each with the moment at which it began.
    var history: [VirtualServer.Entry<LaneState>] = []

    init(stream: Scenario.Stream) { self.stream = stream }

    /// Whether the stream exists.
    var isPresent: Bool { state.isPresent }

    /// Whether the policy decides about it.
    var isManaged: Bool { server?.runtime.streams[id]?.isManaged ?? false }

    /// The stream ends. The application's next one keeps the user's volume.
    func end() {
        (choice, target, node) = (nil, nil, nil)
        state = LaneState(volume: state.volume, isMuted: state.isMuted)
    }

    /// Runs a stream that its application wants and the policy does not cork; stops any other.
    func updateRunning() {
        let runs = state.isWanted && !state.isHeld
        guard isPresent, runs != state.isRunning else { return }
        state.isRunning = runs
        server?.runtime.post(.streamRunning(id, runs))
    }

    /// The target of a ramp under way.
    private(set) var rampTarget: LinearGain?

    // MARK: - As the runtime sees it

    var direction: StreamDirection { stream.direction }
    var complaint: String? { nil }
    func property(_ key: String) -> String? { stream.property(key) }
    func readProperties() {}
    var identity: StreamIdentity {
        let session = stream.session.flatMap { server?.sessions[$0].id }
        return StreamIdentity(
            node: 0,
            client: ClientIdentity(
                stream.application, sandbox: stream.property("pipewire.access.portal.app_id").map { AppSandbox($0) }),
            session: session.map { "\($0.rawValue)" })
    }

    var wantsToPlay: Bool { state.isWanted }
    var isMuted: Bool { state.ownVolume <= 0 }
    var isRunning: Bool { state.isRunning }
    var place: UInt32? { node }
    var clock: GraphClock { server?.clock ?? GraphClock(sampleRate: 48_000, quantum: .zero) }
    let hasVolume = true
    var canRamp: Bool { direction == .playback }

    func set(_ gain: LinearGain) {
        rampTarget = nil
        state.gain = gain.value
    }
    func ramp(to gain: LinearGain, within duration: Duration, fromSilence: Bool) { rampTarget = gain }
    /// Sets the gain that the ramp has reached by now.
    func advanceRamp() {
        guard let target = rampTarget, let level = server?.runtime.level(of: id) else { return }
        if level.remaining > .zero { state.gain = level.gain.value } else { set(target) }
    }
    func hold(_ isHeld: Bool) {
        state.isHeld = isHeld
        updateRunning()
    }
    /// Does nothing: the application of a scenario ends a refused stream itself.
    func refuse() {}
    /// Does nothing: applications of a scenario learn of interruptions only through their sessions.
    func tell(of interruption: StreamInterruption) {}
    /// Does nothing: scenarios contain no preferences.
    func apply(_ preferences: StreamPreferences) {}
    func measure(_ isMeasured: Bool) {}
}
