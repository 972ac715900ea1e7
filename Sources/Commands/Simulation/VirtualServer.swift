import PolicyEngine
import PolicyFile
import PolicyRuntime

/// A simulated sound server with the session service and the desktop around it, on a virtual clock that runs as fast as
/// possible.
///
/// It behaves like a real server: a wanted stream runs unless it is corked, a corked stream stops, silence takes
/// effect at once, and gains change in ramps. Streams use the current node unless the user or a session has sent them elsewhere.
final class VirtualServer: Host {
    /// A state and its beginning.
    struct Entry<State> {
        var moment: Duration
        /// Orders events of the same moment, across all streams and sessions.
        var step: Int
        var state: State
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
    private var lastSession: UInt32 = 0
    var outputs = VirtualPorts(.output, firstID: 1)
    var inputs = VirtualPorts(.input, firstID: 2)
    private var lastNode: UInt32 = 2
    let scenario: Scenario
    var switches = Switches()
    /// The interruptions in progress, by their number in the scenario.
    var begun: [Int: SessionID] = [:]
    /// The interruptions by the machine in progress.
    var machine: [MachineInterruption: SessionID] = [:]
    private(set) lazy var runtime = SessionRuntime(policy: policy.inForce, host: self)

    init(_ scenario: Scenario) {
        self.scenario = scenario
        policy = scenario.policy
        lanes = scenario.streams.map { Lane(stream: $0) }
        sessions = scenario.sessions.map { VirtualSession(session: $0) }
        for lane in lanes { lane.server = self }
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
        while let due = nextMoment, due <= end {
            now = max(now, due)
            if let moment = armed, moment <= now {
                armed = nil
                runtime.timerFired()
            }
            for lane in lanes { lane.advanceRamp() }
            recordStates()
        }
        now = max(now, end)
    }

    /// When the timer is due, or a ramp has moved on.
    private var nextMoment: Instant? {
        guard lanes.contains(where: { $0.rampTarget != nil }) else { return armed }
        let next = now.advanced(by: clock.quantum)
        return min(armed ?? next, next)
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
        case .sound(let index, let isOn): if lanes[index].isPresent { handle(.streamSounding(lanes[index].id, isOn)) }
        case .free(let index): if lanes[index].isPresent { handle(.streamFreed(lanes[index].id, by: .free)) }
        case .policy(let policy):
            self.policy = policy
            runtime.apply(policy.inForce)
        case .open(let index): open(index)
        case .close(let index): close(index)
        case .category(let index, let category, let options, let mode):
            configure(index, .category(category, options, mode))
        case .mode(let index, let mode): configure(index, .mode(mode))
        case .activate(let index, let mayWait): request(index, .activate(mayWait: mayWait))
        case .deactivate(let index, let notifies): request(index, .deactivate(notifyOthers: notifies))
        case .cancel(let index): request(index, .cancel)
        case .begin(let index): begin(index)
        case .end(let index): if let id = begun.removeValue(forKey: index) { runtime.close(id) }
        case .machine(let event, let isOn): if isOn { begin(event) } else { end(event) }
        case .flip(let one, let isOn):
            guard switches[one] != isOn else { break }
            switches[one] = isOn
            handle(.switched(switches))
        case .mute(let name, let isMuted): if let input = inputs[name] { runtime.muted(input, isMuted) }
        case .plug(let name): if port(name) == nil { makeCurrent(plugIn(name)) }
        case .unplug(let name): unplug(name)
        case .route(let name): makeCurrent(port(name) ?? plugIn(name))
        case .move(let index, let name):
            guard lanes[index].isPresent else { break }
            lanes[index].choice = name
            moveStreams()
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
        let lane = lanes[index]
        if !lane.isPresent {
            lane.state.isPresent = true
            lane.node = node(for: lane)
            runtime.add(lane)
            if lane.isManaged, let node = lane.node { runtime.handle(.linked(to: node)) }
        }
        setWanted(index, true)
    }

    private func setWanted(_ index: Int, _ isWanted: Bool) {
        let lane = lanes[index]
        guard lane.isPresent, lane.state.isWanted != isWanted else { return }
        lane.state.isWanted = isWanted
        handle(.streamWanted(lane.id, isWanted))
        lane.updateRunning()
        runtime.drain()
    }

    /// Changes a stream's own volume or mute.
    private func change(_ index: Int, _ change: (inout LaneState) -> Void) {
        let lane = lanes[index]
        let old = lane.state.ownVolume
        change(&lane.state)
        let new = lane.state.ownVolume
        guard lane.isPresent else { return }
        runtime.volumeChanged(of: lane.id, wasMuted: old <= 0, isHigher: old > 0 && new > old)
        runtime.drain()
    }

    private func removeStream(_ index: Int) {
        let lane = lanes[index]
        guard lane.isPresent else { return }
        lane.end()
        runtime.remove(lane, now: true)
    }

    /// Kills an application: its streams end before the bus reports its end.
    private func kill(_ application: ApplicationID) {
        for index in lanes.indices where lanes[index].stream.application == application { removeStream(index) }
        for index in sessions.indices where sessions[index].session.application == application { close(index) }
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
        for index in sessions.indices where sessions[index].history.last?.state != sessions[index].state {
            sessions[index].history.append(Entry(moment: elapsed, step: step, state: sessions[index].state))
        }
    }

    private func decision(about lane: Lane) -> Decision {
        guard lane.isPresent else { return .free }
        let treatment = runtime.engine.treatment(of: lane.id)
        return Decision(treatment, by: treatment?.cause.flatMap { runtime.engine.interrupter($0) })
    }

    // MARK: - Host

    /// 1024 frames at 48 kHz, PipeWire's default.
    let clock = GraphClock(sampleRate: 48000, quantum: .nanoseconds(21_333_333))
    let server = ServerDescription.pipeWire("")
    var gainCost: Duration { .microseconds(20) }
    /// A scenario says which streams sound.
    var measuresStreams: Bool { true }
    var longestBuffer: Duration { .zero }
    func device(_ node: UInt32) -> DeviceProperties? { nil }
    func outputLost(_ port: RoutePort) {}
    func choose(_ port: RoutePort, direction: PortDirection) -> Bool { false }
    func turnEnded() {}
    /// Does nothing: each action of a scenario drains the queue.
    func drainLater() {}

    func streams(heardOn node: UInt32) -> [StreamID] {
        lanes.compactMap { lane in
            lane.isPresent && lane.node == node && lane.direction == .playback && lane.isManaged ? lane.id : nil
        }
    }

    /// The simulated ports have no cards, so a session chooses between nodes.
    func carryOut(_ command: RouteCommand) {
        guard case .send(let stream, let node) = command,
            let lane = lanes.first(where: { $0.isPresent && $0.id == stream })
        else { return }
        lane.target = node
        moveStreams()
    }

    func arm(at moment: Instant?) { armed = moment }

    func log(_ level: LogLevel, _ text: @autoclosure () -> String) {
        if level != .debug { lines.append((elapsed, text())) }
    }
}
