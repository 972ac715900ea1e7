import SessionCore
import SessionRuntime

/// A sound server that exists on paper only, on a clock that goes as fast as it can.
///
/// It behaves as a real one does: what is wanted and not corked runs, what is corked stops, gains and silence take
/// effect at once. All streams play on the same output.
final class VirtualServer: Host {
    /// What happened to one stream, from the beginning to the end.
    struct Lane {
        var stream: Scenario.Stream
        /// The stream in the server, while there is one.
        var id: StreamID?
        /// What the policy makes of it; `nil` when it leaves it alone.
        var description: SessionDescription?
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
    private(set) var lanes: [Lane]
    /// What the module would have written to the server's log.
    private(set) var lines: [(moment: Duration, text: String)] = []
    /// How many times something has happened, be it that time has come.
    private(set) var step = 0
    private var armed: Instant?
    private var policy: PolicyInUse
    private var lastID: UInt32 = 0
    private var laneOfStream: [StreamID: Int] = [:]
    private var outputs = VirtualOutputs()
    private lazy var runtime = SessionRuntime(policy: policy.policy, host: self)

    init(_ streams: [Scenario.Stream], under policy: PolicyInUse) {
        self.policy = policy
        lanes = streams.map { Lane(stream: $0) }
        runtime.take(.node(outputs.current))
        play(on: outputs.current)
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
        case .kill(let index):
            let application = lanes[index].stream.application
            for other in lanes.indices where lanes[other].stream.application == application { vanish(other) }
        case .volume(let index, let factor): lanes[index].state.volume = factor
        case .plug(let name): if outputs[name] == nil { play(on: plugIn(name)) }
        case .unplug(let name): unplug(name)
        case .route(let name): play(on: outputs[name] ?? plugIn(name))
        case .policy(let policy): change(to: policy)
        }
        note()
    }

    private func plugIn(_ name: String) -> RouteNode {
        let node = outputs.plug(name)
        runtime.take(.node(node))
        return node
    }

    /// As in a real server it is gone before its streams are moved.
    private func unplug(_ name: String) {
        guard let node = outputs.unplug(name) else { return }
        runtime.take(.nodeGone(node.id))
        if node == outputs.current, let next = outputs.latest { play(on: next) }
    }

    private func play(on node: RouteNode) {
        outputs.current = node
        runtime.take(.defaultNode(.output, name: node.name))
        runtime.linked(to: node.id)
    }

    private func play(_ index: Int) {
        if lanes[index].id == nil {
            lastID += 1
            let id = StreamID(lastID)
            laneOfStream[id] = index
            lanes[index].id = id
            lanes[index].state.isPresent = true
            lanes[index].description = classify(lanes[index].stream)
            introduce(index)
        }
        want(index, true)
    }

    private func introduce(_ index: Int) {
        guard let id = lanes[index].id, let description = lanes[index].description else { return }
        let stream = lanes[index].stream
        runtime.post(
            .streamAppeared(
                id, application: stream.application, description: description, direction: stream.direction))
        runtime.drain()
    }

    private func want(_ index: Int, _ isWanted: Bool) {
        guard let id = lanes[index].id, lanes[index].state.isWanted != isWanted else { return }
        lanes[index].state.isWanted = isWanted
        runtime.post(.streamWanted(id, isWanted))
        runtime.drain()
        follow(index)
        runtime.drain()
    }

    private func vanish(_ index: Int) {
        guard let id = lanes[index].id else { return }
        // The user's volume is the application's next stream's, too.
        let volume = lanes[index].state.volume
        laneOfStream[id] = nil
        lanes[index].id = nil
        lanes[index].state = LaneState(volume: volume)
        runtime.post(.streamVanished(id))
        runtime.drain()
    }

    /// As a module does when its policy files change.
    private func change(to policy: PolicyInUse) {
        self.policy = policy
        var known: [StreamID: SessionDescription] = [:]
        var newcomers: [Int] = []
        for index in lanes.indices {
            guard let id = lanes[index].id else { continue }
            let wasManaged = lanes[index].description != nil
            lanes[index].description = classify(lanes[index].stream)
            if wasManaged { known[id] = lanes[index].description } else { newcomers.append(index) }
        }
        runtime.post(.policyChanged(policy.policy, known))
        runtime.drain()
        for index in newcomers where lanes[index].description != nil {
            introduce(index)
            guard let id = lanes[index].id else { continue }
            if lanes[index].state.isWanted { runtime.post(.streamWanted(id, true)) }
            if lanes[index].state.isRunning { runtime.post(.streamRunning(id, true)) }
            runtime.drain()
        }
    }

    private func classify(_ stream: Scenario.Stream) -> SessionDescription? {
        policy.classifier.classify(direction: stream.direction, property: stream.property).description
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
    }

    private func decision(about lane: Lane) -> Decision {
        guard let id = lane.id else { return .free }
        let treatment = runtime.treatment(of: id)
        return Decision(treatment, actor: treatment?.actor.flatMap { runtime[$0]?.name })
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
        guard node == outputs.current.id else { return [] }
        return lanes.compactMap { $0.stream.direction == .playback && $0.description != nil ? $0.id : nil }
    }

    /// All play on the output in use.
    func place(of stream: StreamID) -> UInt32? { outputs.current.id }

    /// There are no sessions that choose.
    func carryOut(_ command: RouteCommand) {}

    var gainCost: Duration { .microseconds(20) }
    /// A virtual client is told nothing.
    func refuse(_ stream: StreamID) {}
    /// Neither of this.
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
