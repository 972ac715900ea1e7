/// The pure state machine of the policy: events in, effects out.
///
/// Keeps what has happened (`Facts`), decides who is heard (`Resolve`), returns what differs from the verdict before
/// (`Difference`). Has no clock, does no input or output, and accepts every event in every order.
public struct Engine: Sendable {
    var facts: Facts
    var verdict = Verdict()
    /// Apart from the facts, which are copied often.
    var routing = Routing()
    /// The effects of the present event, and the events found in it that are to be handled next.
    var effects: [Effect] = []
    var found: [Event] = []

    /// The longest time that a session waits for others to fall silent, beyond their fade.
    public static let handoverLimit = Limits.handover
    /// The longest time that the server may take to run a stream that may run.
    public static let startLimit = Limits.start

    /// Creates an engine without streams and devices.
    public init(policy: Policy) { facts = Facts(policy) }

    /// The policy in force.
    public var policy: Policy { facts.rules.policy }

    /// Handles one event and returns the effects to carry out, in this order. Events of unknown streams do nothing.
    ///
    /// - Parameters:
    ///   - places: Where streams are in the server; `nil` if unknown.
    ///   - now: When it happened; never earlier than the event before.
    public mutating func handle(
        _ event: Event, among places: (any StreamPlaces)? = nil, at now: Instant
    ) -> [Effect] {
        let mayMove = noteRoutes(event, places, at: now)
        if case .route = event {} else { decide(event, places, at: now) }
        if mayMove { findZones(places) }
        while !found.isEmpty {
            let next = found.removeFirst()
            // Nothing else finds the clock.
            if next == .clockReached { endWaitsForRoute() }
            decide(next, places, at: now)
        }
        requestWake(after: event)
        defer { effects = [] }
        return effects
    }

    private mutating func decide(_ event: Event, _ places: (any StreamPlaces)?, at now: Instant) {
        if event == .shutdown { return undoAll(at: now) }
        let isDue = expire(before: event, at: now)
        if isKnown(event), !isDue { return }
        returnStreams(by: event)
        let former = event.startedOrUnmuted.flatMap { facts.stream($0) }.map { facts.streams[$0] }
        let answer = take(event, at: now)
        follow(event, former, at: now)
        if let answer, let id = event.request { effects.append(.answered(id, answer)) }
        showStates(after: event, places, at: now)
    }

    /// Handles an event, or the time: the facts change, all is decided from them, and the differences become effects.
    @discardableResult
    private mutating func take(_ event: Event, at now: Instant) -> SessionAnswer? {
        let before = verdict
        let answer = apply(event, at: now)
        let (scene, granted) = resolve(before, at: now)
        effects += difference(consume scene, granted)
        return answer
    }

    /// Decides who is heard. N9: grants each delayed activation that nobody prevents any more, the oldest first.
    private mutating func resolve(_ before: Verdict, at now: Instant) -> (Scene, granted: [SessionID]) {
        var scene = Scene(facts, verdict.standings, before: before, applied: verdict.applied, at: now)
        scene.resolve()
        var granted: [SessionID] = []
        while let place = facts.waiting.lazy.compactMap({ scene.facts.place($0) }).first(where: {
            scene.blocker(of: $0) == nil
        }) {
            let number = facts.sessions[place].number
            facts.waiting.removeAll { $0 == number }
            verdict.standings = scene.standings
            activate(place)
            scene = Scene(facts, verdict.standings, before: before, applied: verdict.applied, at: now)
            scene.resolve()
            if let id = facts.sessions[place].id { granted.append(id) }
        }
        return (scene, granted)
    }

    private mutating func difference(_ scene: consuming Scene, _ granted: [SessionID]) -> [Effect] {
        var difference = Difference(scene, verdict.applied)
        difference.notify(granted: granted)
        verdict.standings = difference.scene.standings
        verdict.applied = difference.applied
        verdict.isSuspended = facts.isSuspended
        verdict.now = difference.scene.now
        endWhatIsOver(difference.interrupted, difference.scene)
        return difference.effects
    }

    // MARK: - Before and after an event

    /// Handles what is over by the clock, each kind as an event of its own. Returns whether that had effects.
    private mutating func expire(before event: Event, at now: Instant) -> Bool {
        guard let next = verdict.next, next <= now else { return false }
        let count = effects.count
        if let end = facts.switches.pausedUntil, end <= now {
            facts.switches.pausedUntil = nil
            take(.clockReached, at: now)
        }
        if beginCalls(at: now) { take(.clockReached, at: now) }
        if endObstacles(at: now) { take(.clockReached, at: now) }
        if event != .clockReached { take(.clockReached, at: now) }
        return effects.count > count
    }

    /// A user who unmutes a stream wants to hear it (N19). A stream that starts without a device is refused one (R23).
    private mutating func follow(_ event: Event, _ former: Stream?, at now: Instant) {
        guard let former, let index = facts.stream(former.id) else { return }
        let stream = facts.streams[index]
        if former.isMuted, !stream.isMuted { take(.streamFreed(stream.id, by: .unmute), at: now) }
        if stream.isPlayed, !former.isPlayed, facts.isWanted(stream),
            verdict.applied[index].treatment.reason == .noDevice
        {
            effects.append(.streamRefused(stream.id))
        }
    }

    /// Ends overrides of the interrupted (R41), freedoms from ended sessions (N19), and sessions without streams.
    private mutating func endWhatIsOver(_ interrupted: [Int], _ scene: Scene) {
        if !interrupted.isEmpty { for place in interrupted { endOverride(place) } }
        if facts.sessions.contains(where: { !$0.freeFrom.isEmpty }) { endFreedoms(scene) }
        for place in facts.sessions.indices.reversed() where scene.sums[place].count == 0 {
            let isGone = facts.sessions[place].kind == .implicit && verdict.standings[place].phase == .inactive
            guard isGone || verdict.standings[place].driver == .closed else { continue }
            removeSession(place)
        }
    }

    /// N19: nobody is free from a session that has ended.
    private mutating func endFreedoms(_ scene: Scene) {
        for place in facts.sessions.indices {
            facts.sessions[place].freeFrom.removeAll { number in
                scene.facts.place(number).map { !scene.holds($0) } ?? true
            }
        }
    }

    private mutating func requestWake(after event: Event) {
        if case .route(.turnEnded) = event {} else { verdict.next = nextMoment() }
        if event == .clockReached { verdict.wake = nil }
        let next = earliest(verdict.next, routing.deadline)
        if let next, next != verdict.wake { effects.append(.wake(at: next)) }
        verdict.wake = next
    }

    // MARK: - What is left alone

    /// Also of streams that the event leaves alone.
    private mutating func returnStreams(by event: Event) {
        if case .streamLeftAlone(let id) = event, let index = facts.stream(id) { undo(index, Limits.fade) }
        guard case .policyChanged(_, let descriptions) = event else { return }
        for index in facts.streams.indices where descriptions[facts.streams[index].id] == nil {
            undo(index, Limits.fade)
        }
    }

    private mutating func undo(_ index: Int, _ fade: Duration) {
        let stream = facts.streams[index]
        if verdict.applied[index].treatment == .untouched { return }
        effects.append(.treat(stream.id, .untouched, within: stream.isRunning ? fade : .zero, after: .zero))
    }

    /// At once, also in the server; then starts anew with the same devices.
    private mutating func undoAll(at now: Instant) {
        for index in facts.streams.indices { undo(index, .zero) }
        command(routing.steering.undo(), at: now)
        let effects = effects
        let tracker = routing.tracker
        self = Engine(policy: policy)
        routing.tracker = tracker
        self.effects = effects
    }
}

extension Event {
    /// The stream that the event may start or unmute.
    fileprivate var startedOrUnmuted: StreamID? {
        if case .streamWanted(let id, true) = self { return id }
        if case .streamMuted(let id, false) = self { return id }
        return nil
    }

    fileprivate var request: SessionID? {
        if case .sessionOpened(let id, _, _) = self { return id }
        if case .sessionConfigured(let id, _) = self { return id }
        if case .sessionRequested(let id, _) = self { return id }
        return nil
    }
}
