import PolicyFile
import SessionCore
import SessionRuntime

/// A sound server that exists on paper only, with the service for sessions and the desktop around it, on a clock that goes as
/// fast as it can.
///
/// It behaves as a real one does: what is wanted and not corked runs, what is corked stops, gains and silence take
/// effect at once. Streams go where everything goes, or where their user or a session has sent them.
final class VirtualServer: Host {
    /// What happened to one stream, from the beginning to the end.
    struct Lane {
        var stream: Scenario.Stream
        /// The stream in the server, while there is one.
        var id: StreamID?
        /// What the policy makes of it; `nil` when it leaves it alone.
        var description: SessionDescription?
        /// The opened session that has it, by the number in the scenario.
        var session: Int?
        /// The node that it is linked to.
        var node: UInt32?
        /// Where its user has moved it, by the name of the output or input.
        var choice: String?
        /// The node that a session has it sent to.
        var target: UInt32?
        var state = LaneState()
        /// All states, each with the moment from which on it lasts.
        var history: [Entry] = []
    }

    /// A state from one moment on.
    struct Entry {
        var moment: Duration
        /// Tells what came first within a moment, over all streams.
        var step: Int
        var state: LaneState
    }

    private(set) var now = Instant(nanoseconds: 0)
    var lanes: [Lane]
    var players: [VirtualSession]
    /// What the module would have written to the server's log.
    private(set) var lines: [(moment: Duration, text: String)] = []
    /// How many times something has happened, be it that time has come.
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
    /// The interruptions that have begun, by the number in the scenario.
    var begun: [Int: SessionID] = [:]
    /// The interruption while the machine sleeps.
    var sleeping: SessionID?
    private(set) lazy var runtime = SessionRuntime(policy: policy.policy, host: self)

    init(_ scenario: Scenario) {
        self.scenario = scenario
        policy = scenario.policy
        lanes = scenario.streams.map { Lane(stream: $0) }
        players = scenario.sessions.map { VirtualSession(session: $0) }
        runtime.observer = self
        for port in [outputs.current, inputs.current] {
            runtime.take(.node(port))
            goOn(with: port)
        }
    }

    /// The time since the beginning.
    var elapsed: Duration { Instant(nanoseconds: 0).duration(to: now) }

    // MARK: - What happens

    /// Lets time pass; what becomes due on the way happens in its order.
    func advance(to moment: Duration) {
        let end = Instant(nanoseconds: 0).advanced(by: moment)
        while let due = armed, due <= end {
            now = max(now, due)
            armed = nil
            runtime.timerFired()
            note()
        }
        now = max(now, end)
    }

    /// Lets something happen now.
    func perform(_ action: Scenario.Action) {
        switch action {
        case .play(let index): play(index)
        case .pause(let index): want(index, false)
        case .stop(let index): vanish(index)
        case .kill(let party): kill(scenario.application(of: party))
        case .volume(let index, let factor): lanes[index].state.volume = factor
        case .policy(let policy): change(to: policy)
        case .open, .category, .mode, .activate, .deactivate, .cancel, .close: performSession(action)
        default: performDesktop(action)
        }
        note()
    }

    /// A number that no session had yet.
    func nextSession() -> SessionID {
        lastSession += 1
        return SessionID(lastSession)
    }

    /// A number that no node had yet.
    func nextNode() -> UInt32 {
        lastNode += 1
        return lastNode
    }

    /// Hands events to the runtime, and what comes of them to everybody.
    func take(_ events: Event...) {
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
            lanes[index].node = home(of: lanes[index])
            lanes[index].session = session(of: lanes[index].stream)
            lanes[index].description = classify(lanes[index])
            introduce(index)
        }
        want(index, true)
    }

    /// As a host does: before it is wanted, it is in the session that it belongs to.
    func introduce(_ index: Int) {
        let lane = lanes[index]
        guard let id = lane.id, let description = lane.description else { return }
        take(
            .streamAppeared(
                id, application: lane.stream.application, description: description, direction: lane.stream.direction))
        if let session = lane.session.flatMap({ players[$0].id }) { take(.streamMoved(id, to: .opened(session))) }
        if let node = lane.node { runtime.linked(to: node) }
    }

    /// It is there already when the engine hears of it.
    func present(_ index: Int) {
        introduce(index)
        guard let id = lanes[index].id, lanes[index].description != nil else { return }
        if lanes[index].state.isWanted { runtime.post(.streamWanted(id, true)) }
        if lanes[index].state.isRunning { runtime.post(.streamRunning(id, true)) }
        runtime.drain()
    }

    private func want(_ index: Int, _ isWanted: Bool) {
        guard let id = lanes[index].id, lanes[index].state.isWanted != isWanted else { return }
        lanes[index].state.isWanted = isWanted
        take(.streamWanted(id, isWanted))
        follow(index)
        runtime.drain()
    }

    private func vanish(_ index: Int) {
        guard let id = lanes[index].id else { return }
        // The user's volume is the application's next stream's, too.
        let volume = lanes[index].state.volume
        laneOfStream[id] = nil
        lanes[index].id = nil
        lanes[index].session = nil
        lanes[index].choice = nil
        lanes[index].target = nil
        lanes[index].node = nil
        lanes[index].state = LaneState(volume: volume)
        take(.streamVanished(id))
    }

    /// The server hears of its process before the bus does.
    private func kill(_ application: ApplicationID) {
        for index in lanes.indices where lanes[index].stream.application == application { vanish(index) }
        for index in players.indices where players[index].session.application == application { close(index) }
    }

    /// As a module does when its policy files change.
    private func change(to policy: PolicyInUse) {
        self.policy = policy
        var known: [StreamID: SessionDescription] = [:]
        var newcomers: [Int] = []
        for index in lanes.indices {
            guard let id = lanes[index].id else { continue }
            let wasManaged = lanes[index].description != nil
            lanes[index].description = classify(lanes[index])
            if wasManaged { known[id] = lanes[index].description } else { newcomers.append(index) }
        }
        take(.policyChanged(policy.policy, known))
        for index in newcomers where lanes[index].description != nil { present(index) }
    }

    /// An application's session takes what the policy leaves alone for want of a role.
    func classify(_ lane: Lane) -> SessionDescription? {
        let result = policy.classifier.classify(
            direction: lane.stream.direction, access: ClientAccess(properties: lane.stream.property),
            property: lane.stream.property)
        return lane.session == nil ? result.description : result.descriptionInSession
    }

    /// Runs a stream, or stops it, as application and policy want it.
    private func follow(_ index: Int) {
        guard let id = lanes[index].id else { return }
        let runs = lanes[index].state.isWanted && lanes[index].state.silence != .cork
        guard runs != lanes[index].state.isRunning else { return }
        lanes[index].state.isRunning = runs
        runtime.post(.streamRunning(id, runs))
    }

    /// Writes down what has changed.
    private func note() {
        step += 1
        for index in lanes.indices {
            lanes[index].state.decision = decision(about: lanes[index])
            let state = lanes[index].state
            guard lanes[index].history.last?.state ?? LaneState() != state else { continue }
            lanes[index].history.append(Entry(moment: elapsed, step: step, state: state))
        }
        for index in players.indices { players[index].note(elapsed) }
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

    /// Its ports have no card, so a session chooses between nodes.
    func carryOut(_ command: RouteCommand) {
        guard case .send(let stream, let node) = command, let index = laneOfStream[stream] else { return }
        lanes[index].target = node
        link()
    }

    var gainCost: Duration { .microseconds(20) }
    /// Its application ends it, as it is given no device.
    func refuse(_ stream: StreamID) {}
    /// Applications of a scenario hear of interruptions by their sessions only.
    func tell(_ stream: StreamID, of interruption: StreamInterruption) {}

    // Nothing in a scenario wishes for anything.
    func request(_ wish: StreamWish, of stream: StreamID) {}

    func clock(of stream: StreamID?) -> GraphClock { GraphClock(sampleRate: 48000, quantum: .nanoseconds(21_333_333)) }

    func hasVolume(_ stream: StreamID) -> Bool { true }

    func setSilence(_ silence: Silence, of stream: StreamID) {
        guard let index = laneOfStream[stream] else { return }
        lanes[index].state.silence = silence
        follow(index)
    }

    func arm(at moment: Instant?) { armed = moment }

    func log(_ level: LogLevel, _ text: @autoclosure () -> String) {
        if level != .debug { lines.append((elapsed, text())) }
    }
}
