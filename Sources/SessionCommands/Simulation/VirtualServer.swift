import PolicyFile
import SessionCore
import SessionRuntime

/// A simulated sound server with the session service and the desktop around it, on a virtual clock that runs as fast as
/// possible.
///
/// It behaves like a real server: a wanted stream runs unless it is corked, a corked stream stops, and gains and
/// silence take effect at once. Streams use the current node unless the user or a session has sent them elsewhere.
final class VirtualServer: Host {
    /// The history of one stream of the scenario.
    struct Lane {
        var stream: Scenario.Stream
        /// The stream's id in the engine, while it exists.
        var id: StreamID?
        /// How the policy classifies the stream; `nil` if the policy leaves it alone.
        var description: SessionDescription?
        /// The opened session that the stream belongs to, by its number in the scenario.
        var session: Int?
        /// The node that the stream is linked to.
        var node: UInt32?
        /// The output or input to which the user has moved the stream.
        var choice: String?
        /// The node to which a session sends the stream.
        var target: UInt32?
        var state = LaneState()
        /// All states, each with the moment at which it began.
        var history: [Entry] = []
    }

    /// A state and its beginning.
    struct Entry {
        var moment: Duration
        /// Orders events of the same moment, across all streams.
        var step: Int
        var state: LaneState
    }

    private(set) var now = Instant(nanoseconds: 0)
    var lanes: [Lane]
    var sessions: [VirtualSession]
    /// The lines that the module would have written to the server's log.
    private(set) var lines: [(moment: Duration, text: String)] = []
    /// The number of steps so far: events, and moments at which a timer fired.
    private(set) var step = 0
    private var armed: Instant?
    private(set) var policy: PolicyInUse
    private var lastStream: UInt32 = 0
    private var lastSession: UInt32 = 0
    private var laneOfStream: [StreamID: Int] = [:]
    var outputs = VirtualPorts(.output, firstID: 1)
    var inputs = VirtualPorts(.input, firstID: 2)
    private var lastNode: UInt32 = 2
    let scenario: Scenario
    var switches = Switches()
    /// The interruptions in progress, by their number in the scenario.
    var begun: [Int: SessionID] = [:]
    /// The session that interrupts all others while the machine sleeps.
    var sleeping: SessionID?
    private(set) lazy var runtime = SessionRuntime(policy: policy.policy, host: self)

    init(_ scenario: Scenario) {
        self.scenario = scenario
        policy = scenario.policy
        lanes = scenario.streams.map { Lane(stream: $0) }
        sessions = scenario.sessions.map { VirtualSession(session: $0) }
        runtime.observer = self
        for port in [outputs.current, inputs.current] {
            runtime.handle(.node(port))
            makeCurrent(port)
        }
    }

    /// The time since the beginning.
    var elapsed: Duration { Instant(nanoseconds: 0).duration(to: now) }

    // MARK: - Time and events

    /// Advances the clock, and fires the timers due on the way in order.
    func advance(to moment: Duration) {
        let end = Instant(nanoseconds: 0).advanced(by: moment)
        while let due = armed, due <= end {
            now = max(now, due)
            armed = nil
            runtime.timerFired()
            recordStates()
        }
        now = max(now, end)
    }

    /// Performs an action of the scenario now.
    func perform(_ action: Scenario.Action) {
        switch action {
        case .play(let index): play(index)
        case .pause(let index): setWanted(index, false)
        case .stop(let index): removeStream(index)
        case .kill(let party): kill(scenario.application(of: party))
        case .volume(let index, let factor): change(index) { $0.volume = factor }
        case .muteStream(let index, let isMuted): change(index) { $0.isMuted = isMuted }
        case .sound(let index, let isOn): if let id = lanes[index].id { handle(.streamSounding(id, isOn)) }
        case .free(let index): if let id = lanes[index].id { handle(.streamFreed(id, by: .free)) }
        case .policy(let policy): setPolicy(policy)
        case .open, .category, .mode, .activate, .deactivate, .cancel, .close: performSession(action)
        default: performDesktop(action)
        }
        recordStates()
    }

    /// An unused session id.
    func nextSession() -> SessionID {
        lastSession += 1
        return SessionID(lastSession)
    }

    /// An unused node id.
    func nextNode() -> UInt32 {
        lastNode += 1
        return lastNode
    }

    /// Passes events to the runtime, which applies their effects before this returns.
    func handle(_ events: Event...) {
        for event in events { runtime.post(event) }
        runtime.drain()
    }

    // MARK: - Streams

    private func play(_ index: Int) {
        if lanes[index].id == nil {
            lastStream += 1
            let id = StreamID(lastStream)
            laneOfStream[id] = index
            lanes[index].id = id
            lanes[index].state.isPresent = true
            lanes[index].node = node(for: lanes[index])
            lanes[index].session = session(of: lanes[index].stream)
            lanes[index].description = classify(lanes[index])
            introduce(index)
            if lanes[index].state.ownVolume <= 0, lanes[index].description != nil { handle(.streamMuted(id, true)) }
        }
        setWanted(index, true)
    }

    /// Assigns a new stream to its session before it starts, as a host does.
    func introduce(_ index: Int) {
        let lane = lanes[index]
        guard let id = lane.id, let description = lane.description else { return }
        handle(
            .streamAppeared(
                id, application: lane.stream.application, description: description, direction: lane.stream.direction))
        if let session = lane.session.flatMap({ sessions[$0].id }) { handle(.streamMoved(id, to: .opened(session))) }
        if let node = lane.node { runtime.handle(.linked(to: node)) }
    }

    /// Announces a stream that exists already, and whether its application wants it to run and it runs.
    func announceExisting(_ index: Int) {
        introduce(index)
        guard let id = lanes[index].id, lanes[index].description != nil else { return }
        if lanes[index].state.ownVolume <= 0 { runtime.post(.streamMuted(id, true)) }
        if lanes[index].state.isWanted { runtime.post(.streamWanted(id, true)) }
        if lanes[index].state.isRunning { runtime.post(.streamRunning(id, true)) }
        runtime.drain()
    }

    private func setWanted(_ index: Int, _ isWanted: Bool) {
        guard let id = lanes[index].id, lanes[index].state.isWanted != isWanted else { return }
        lanes[index].state.isWanted = isWanted
        handle(.streamWanted(id, isWanted))
        updateRunning(index)
        runtime.drain()
    }

    /// Changes a stream's own volume or mute.
    private func change(_ index: Int, _ change: (inout LaneState) -> Void) {
        let old = lanes[index].state.ownVolume
        change(&lanes[index].state)
        let new = lanes[index].state.ownVolume
        guard let id = lanes[index].id, lanes[index].description != nil else { return }
        if (old > 0) != (new > 0) { handle(.streamMuted(id, new <= 0)) }
        if old > 0, new > old {
            runtime.turnedUp(id)
            runtime.drain()
        }
    }

    private func removeStream(_ index: Int) {
        guard let id = lanes[index].id else { return }
        // The application's next stream keeps the user's volume.
        let (volume, isMuted) = (lanes[index].state.volume, lanes[index].state.isMuted)
        laneOfStream[id] = nil
        lanes[index].id = nil
        lanes[index].session = nil
        lanes[index].choice = nil
        lanes[index].target = nil
        lanes[index].node = nil
        lanes[index].state = LaneState(volume: volume, isMuted: isMuted)
        handle(.streamVanished(id))
    }

    /// Kills an application: its streams end before the bus reports its end.
    private func kill(_ application: ApplicationID) {
        for index in lanes.indices where lanes[index].stream.application == application { removeStream(index) }
        for index in sessions.indices where sessions[index].session.application == application { close(index) }
    }

    /// Puts another policy into force, as a module does when policy files change.
    private func setPolicy(_ policy: PolicyInUse) {
        self.policy = policy
        var known: [StreamID: SessionDescription] = [:]
        var newcomers: [Int] = []
        for index in lanes.indices {
            guard let id = lanes[index].id else { continue }
            let wasManaged = lanes[index].description != nil
            lanes[index].description = classify(lanes[index])
            if wasManaged { known[id] = lanes[index].description } else { newcomers.append(index) }
        }
        handle(.policyChanged(policy.policy, known))
        for index in newcomers where lanes[index].description != nil { announceExisting(index) }
    }

    /// Classifies a stream; a stream without a role, which the policy leaves alone, may still belong to its
    /// application's session.
    func classify(_ lane: Lane) -> SessionDescription? {
        let result = policy.classifier.classify(
            direction: lane.stream.direction, access: ClientAccess(properties: lane.stream.property),
            property: lane.stream.property)
        return lane.session == nil ? result.description : result.descriptionInSession
    }

    /// Runs a stream that its application wants and the policy does not cork; stops any other.
    private func updateRunning(_ index: Int) {
        guard let id = lanes[index].id else { return }
        let runs = lanes[index].state.isWanted && lanes[index].state.silence != .cork
        guard runs != lanes[index].state.isRunning else { return }
        lanes[index].state.isRunning = runs
        runtime.post(.streamRunning(id, runs))
    }

    /// Adds the states that have changed to the histories of streams and sessions.
    private func recordStates() {
        step += 1
        for index in lanes.indices {
            lanes[index].state.decision = decision(about: lanes[index])
            let state = lanes[index].state
            guard lanes[index].history.last?.state ?? LaneState() != state else { continue }
            lanes[index].history.append(Entry(moment: elapsed, step: step, state: state))
        }
        for index in sessions.indices { sessions[index].recordState(at: elapsed) }
    }

    private func decision(about lane: Lane) -> Decision {
        guard let id = lane.id else { return .free }
        let treatment = runtime.treatment(of: id)
        return Decision(treatment, by: treatment?.cause.flatMap { runtime.interrupter($0) })
    }

    // MARK: - Host

    /// 1024 frames at 48 kHz, PipeWire's default.
    func quantum(of stream: StreamID) -> Duration { .nanoseconds(21_333_333) }

    func setGain(_ gain: LinearGain, of stream: StreamID) {
        if let index = laneOfStream[stream] { lanes[index].state.gain = gain.value }
    }

    func silence(of stream: StreamID) -> Silence {
        laneOfStream[stream].map { lanes[$0].state.silence } ?? .none
    }

    func streams(heardOn node: UInt32) -> [StreamID] {
        lanes.compactMap { lane in
            lane.node == node && lane.stream.direction == .playback && lane.description != nil ? lane.id : nil
        }
    }

    func place(of stream: StreamID) -> UInt32? { laneOfStream[stream].flatMap { lanes[$0].node } }

    /// The simulated ports have no cards, so a session chooses between nodes.
    func carryOut(_ command: RouteCommand) {
        guard case .send(let stream, let node) = command, let index = laneOfStream[stream] else { return }
        lanes[index].target = node
        moveStreams()
    }

    var gainCost: Duration { .microseconds(20) }
    /// Does nothing: the application of a scenario ends a refused stream itself.
    func refuse(_ stream: StreamID) {}
    /// Does nothing: applications of a scenario learn of interruptions only through their sessions.
    func tell(_ stream: StreamID, of interruption: StreamInterruption) {}

    /// Does nothing: scenarios contain no preferences.
    func apply(_ wish: StreamWish, to stream: StreamID) {}

    func clock(of stream: StreamID?) -> GraphClock { GraphClock(sampleRate: 48000, quantum: .nanoseconds(21_333_333)) }

    func hasVolume(_ stream: StreamID) -> Bool { true }

    /// A scenario says itself what sounds.
    var measuresStreams: Bool { true }

    func setSilence(_ silence: Silence, of stream: StreamID) {
        guard let index = laneOfStream[stream] else { return }
        lanes[index].state.silence = silence
        updateRunning(index)
    }

    func arm(at moment: Instant?) { armed = moment }

    func log(_ level: LogLevel, _ text: @autoclosure () -> String) {
        if level != .debug { lines.append((elapsed, text())) }
    }
}
