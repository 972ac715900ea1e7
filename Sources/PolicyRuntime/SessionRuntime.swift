public import PolicyEngine
public import PolicyFile

/// Connects the engine to a sound server: queues events, passes them to the engine, applies the effects, then tells its
/// observer. All on the server's main loop. What is posted meanwhile waits in the queue, so the server may call back in
/// the middle of a call.
public final class SessionRuntime {
    /// The engine. Its own queries (``StreamPlaces``) must not ask it.
    public private(set) var engine: Engine
    /// The sound server.
    public unowned let host: any Host
    /// The streams of the server, and those that their clients have closed and the engine still has.
    public internal(set) var streams: [StreamID: StreamEntry] = [:]
    /// The opened sessions.
    public internal(set) var sessions: [SessionID: SessionEntry] = [:]

    private var queue: [Event] = []
    /// Handled before the rest of the queue.
    var sooner: [Event] = []
    private var isDraining = false
    private var news: [News] = []
    private var engineWake: Instant?
    private var armed: Instant?
    /// Streams treated at once in this turn.
    private var treated = 0
    /// Streams new to the engine in this turn. In the next turn it is told whether their clients want them.
    var introduced: [StreamID] = []
    /// From the turn before. At the end of this turn, the engine is told whether they run.
    private var introducedBefore: [StreamID] = []
    var lastStream: UInt32 = 0
    private var closings: UInt32 = 0

    /// The policy by which streams are classified.
    public internal(set) var inForce: PolicyInForce
    /// The policy that decides in this module's place; `nil` for none.
    public internal(set) var otherPolicy: String?
    /// The warnings that were logged under this policy.
    var warned: Set<String> = []
    /// Whether a sandboxed application may use the microphone.
    public var mayRecord: (AppSandbox) -> Bool = { $0.mayRecord }
    /// Whether a process has ended.
    public var hasEnded: (ProcessID) -> Bool = { _ in false }

    /// Of places left by silenced streams: their number, and how long one is kept beside the interruption.
    private static let maximumPlacesLeft = 64
    private static let placeLifetime = Duration.seconds(60)
    /// The number of streams treated at once, and then in each turn of the loop.
    private static let maximumAtOnce = 16
    /// For new streams of the same applications, which take the place of the old ones.
    var left: [ApplicationID: LeftPlace] = [:]
    /// The inputs that their user has muted, by the number of their node.
    var mutedInputs: [UInt32: MutedInput] = [:]
    /// Whether preferences, sessions or streams have changed since the last application.
    var preferencesAreStale = false

    /// Asks players to pause (N15). Without it, their streams are corked.
    public weak var players: (any MediaPlayers)?
    /// Who is told what has happened.
    public weak var observer: (any RuntimeObserver)?

    /// Creates a runtime without streams.
    public init(policy: PolicyInForce, host: any Host) {
        engine = Engine(policy: policy.policy)
        inForce = policy
        self.host = host
    }

    // MARK: - Turns

    /// Adds an event to the queue. The next ``drain()`` handles it.
    public func post(_ event: Event) { queue.append(event) }

    /// Queues an event. `now` handles it before the first sound of a stream that may have to wait; else after the
    /// server's call.
    public func post(_ event: Event, now: Bool) {
        queue.append(event)
        if now { drain() } else { host.drainLater() }
    }

    /// Handles an event and its consequences.
    public func handle(_ event: Event) {
        queue.append(event)
        drain()
    }

    /// Handles all queued events, and the events that they cause.
    public func drain() {
        guard !isDraining else { return }
        isDraining = true
        repeat {
            treated = 0
            takeQueue()
            take(.route(.turnEnded))
            applyPreferences()
            reportMutedInputs()
            reportIntroduced()
            host.turnEnded()
            flush()
        } while !queue.isEmpty || !sooner.isEmpty || !introducedBefore.isEmpty
        isDraining = false
        arm()
    }

    private func takeQueue() {
        var index = 0
        if !queue.isEmpty || !sooner.isEmpty { preferencesAreStale = true }
        while index < queue.count || !sooner.isEmpty {
            if !sooner.isEmpty {
                queue.insert(contentsOf: sooner, at: index)
                sooner.removeAll()
            }
            let event = queue[index]
            index += 1
            guard concernsEngine(event) else { continue }
            observe(event)
            take(event)
            removeStreams(after: event)
        }
        queue.removeAll(keepingCapacity: queue.capacity < 1024)
    }

    /// Reports new streams in two turns. First what their clients want: by then the streams were sent to the output of
    /// their role, so they silence only sessions heard there. Then whether they run: by then they are silenced.
    private func reportIntroduced() {
        for id in introducedBefore where streams[id]?.server?.isRunning == true { post(.streamRunning(id, true)) }
        introducedBefore = introduced
        introduced.removeAll()
        for id in introducedBefore {
            guard let server = streams[id]?.server else { continue }
            if server.isMuted { post(.streamMuted(id, true)) }
            if server.wantsToPlay { post(.streamWanted(id, true)) }
        }
    }

    private func take(_ event: Event) {
        let effects = engine.handle(event, among: HostPlaces(runtime: self), at: host.now)
        if case .route(.turnEnded) = event {} else { tell(.event(event)) }
        for effect in effects {
            apply(effect, of: event)
            tell(.effect(effect, effect.session.flatMap { engine.state(of: $0) }))
        }
    }

    private func tell(_ news: News) { if observer != nil { self.news.append(news) } }

    /// The observer learns of the turn all at once and last.
    private func flush() {
        let told = news
        news.removeAll()
        observer?.turnEnded(self, told)
    }

    /// The moment of ``Host/arm(at:)`` has come.
    public func timerFired() {
        armed = nil
        // If the server runs its loop inside a call, the timer is handled after that call.
        guard !isDraining else { return }
        let now = host.now
        isDraining = true
        let rules = engine.policy.sounding
        let due = streams { $0.postponed != nil || $0.nextMoment(rules).map { $0 <= now } ?? false }
        treatPostponed(among: due)
        step(due, at: now)
        expirePauses(of: due, at: now)
        endSounds(of: due, at: now)
        checkEnds(of: due, at: now)
        isDraining = false
        if let wake = engineWake, wake <= now {
            engineWake = nil
            post(.clockReached)
        }
        drain()
    }

    private func arm() {
        var next = engineWake
        let (rules, now) = (engine.policy.sounding, host.now)
        for stream in streams.values {
            let moment = stream.postponed == nil ? stream.nextMoment(rules) : now
            if let moment { next = min(next ?? moment, moment) }
        }
        guard next != armed else { return }
        armed = next
        host.arm(at: next)
    }

    /// Undoes everything done to all streams.
    public func shutDown() { handle(.shutdown) }

    // MARK: - Events

    /// The engine is not told what a player does on request (N15).
    private func concernsEngine(_ event: Event) -> Bool {
        switch event {
        case .streamWanted(let id, let isWanted):
            guard let stream = streams[id] else { return true }
            guard stream.pause != nil else { return concernsEngine(stream, isWanted: isWanted) }
            pass(isWanted ? .started : .stopped, to: [stream])
            return false
        case .streamVanished(let id):
            guard let stream = streams[id] else { return true }
            // The output is awaited no longer, or nobody is left to open another stream.
            let isOver = stream.treatment.reason == .superseded || hasProcessEnded(stream)
            if isOver { stream.pause = nil }
            pass(.closed, to: [stream])
            if stream.pause == nil {
                let waits = stream.wait != nil && stream.isWanted && !isOver
                guard waits, stream.closing == nil else { return true }
            }
            if stream.closing == nil {
                closings &+= 1
                stream.closing = closings
                // The end of a player shows on the session bus.
                if stream.pause == nil { stream.endCheck = host.now.advanced(by: Self.endCheckInterval) }
                dropOldestClosed()
            }
            sooner.append(.streamRunning(id, false))
            return false
        default: return true
        }
    }

    private func observe(_ event: Event) {
        switch event {
        case .streamAppeared(let id, _, let description, _):
            guard let stream = streams[id] else { return }
            stream.description = description
            stream.knownSince = host.now
            stream.mutedInput = nil
            updateMeasurement(of: stream)
        case .policyChanged(_, let descriptions):
            for (id, description) in descriptions {
                guard let stream = streams[id] else { continue }
                stream.description = description
                updateMeasurement(of: stream)
            }
        case .streamWanted(let id, let isWanted):
            guard let stream = streams[id] else { return }
            observe(stream, isWanted: isWanted)
            host.log(.debug, "\(stream.label) is \(isWanted ? "wanted" : "paused") by its application")
        case .streamRunning(let id, let isRunning):
            guard let stream = streams[id] else { return }
            stream.isRunning = isRunning
            updateMeasurement(of: stream)
            if isRunning {
                stream.level.streamRuns(at: host.now)
                if stream.heardOn == nil, stream.knownSince != nil { left[stream.application] = nil }
            }
        case .route(.nodeGone(let node)): forgetMute(of: node)
        case .shutdown:
            // A stream without its output would continue elsewhere if its player were asked to.
            for stream in streams.values where stream.wait != nil { stream.pause = nil }
        default: break
        }
    }

    /// N19: the user has played a silenced stream again. A pause of a moment may be the program's, as in seeking, and
    /// so may a first start, unless the stream replaces one that its user has paused.
    private func observe(_ stream: StreamEntry, isWanted: Bool) {
        let isPlayed =
            stream.pausedSince.map {
                stream.treatment.silence != .none && $0.duration(to: host.now) >= Self.shortestPause
            } ?? takesPlaceByUser(stream)
        if isWanted, !stream.isWanted, isPlayed { sooner.append(.streamFreed(stream.id, by: .play)) }
        if !isWanted, stream.isWanted { stream.pausedSince = host.now }
        stream.isWanted = isWanted
    }

    private func removeStreams(after event: Event) {
        switch event {
        case .streamVanished(let stream): remove(stream)
        case .policyChanged(_, let descriptions):
            for stream in streams.values where stream.closing != nil && descriptions[stream.id] == nil {
                remove(stream.id)
            }
        case .shutdown:
            // The engine undoes present treatments; a stream that is fading back needs this.
            for stream in streamsByAge {
                stream.postponed = nil
                perform(stream.level.undo(), on: stream)
            }
            letPlayersGo()
            for stream in streamsByAge {
                stream.wait = nil
                if stream.closing != nil { remove(stream.id) }
            }
            left = [:]
            engineWake = nil
        default: break
        }
    }

    /// The only place where a stream is forgotten.
    private func remove(_ id: StreamID) {
        guard let stream = streams.removeValue(forKey: id), let ports = stream.heardOn, !ports.isEmpty else { return }
        let now = host.now
        left = left.filter { $0.value.since.duration(to: now) < Self.placeLifetime || isInterrupted($0.value) }
        guard left.count < Self.maximumPlacesLeft else { return }
        left[stream.application] = LeftPlace(
            ports: ports, since: now,
            interrupter: stream.treatment.reason == .interrupted ? stream.treatment.cause?.session : nil)
    }

    // MARK: - Effects

    private func apply(_ effect: Effect, of event: Event) {
        switch effect {
        case .treat(let id, let treatment, let duration, let delay):
            guard let stream = streams[id] else { return }
            if treated >= Self.maximumAtOnce, !treatment.reason.isAtOnce, mayPostpone(id, for: event) {
                stream.postponed = (treatment, duration, delay)
            } else {
                treated += 1
                stream.postponed = nil
                treat(stream, treatment, within: duration, after: delay)
            }
        case .wake(let moment):
            engineWake = moment
        case .sessionActivated(let session):
            host.log(.info, "session of \(session.label) is active")
        case .sessionDeactivated(let session):
            host.log(.info, "session of \(session.label) is over")
        case .interruptionBegan(let session, let actor):
            host.log(.info, "session of \(session.label) was interrupted by \(actor.label)")
        case .interruptionEnded(let session, let shouldResume):
            host.log(
                .info,
                "interruption of \(session.label) has ended, \(shouldResume ? "it resumes" : "it does not resume")")
        case .streamRefused(let id):
            guard let stream = streams[id] else { return }
            host.log(.warning, "\(stream.label) is given no device: its session is one of audio-processing")
            stream.server?.refuse()
        case .outputLost(let port, let streams, let stopped): noteLoss(of: port, with: streams, stopped: stopped)
        case .outputSwitched(let port):
            host.log(.info, "\(port.name) is not in use any more, but is plugged in: its streams go on elsewhere")
        case .command(let command):
            host.log(.debug, "routes: \(command)")
            host.carryOut(command)
        case .routeBegun(let route): host.log(.info, "route: \(route.label)")
        case .routeChanged(let change):
            host.log(.info, "route: \(change.current.label), was \(change.previous.label) (\(change.reason.name))")
        case .sessionChanged, .sessionRouteChanged, .availablePortsChanged, .answered, .activationGranted: break
        }
    }

    /// Starting streams, and streams without their output, must not be heard even until a later turn.
    private func mayPostpone(_ stream: StreamID, for event: Event) -> Bool {
        switch event {
        case .streamAppeared(let own, _, _, _), .streamWanted(let own, _), .streamRunning(let own, _),
            .streamMoved(let own, _):
            own != stream
        case .route, .inputMuted, .shutdown: false
        default: true
        }
    }

    private func treatPostponed(among due: [StreamEntry]) {
        for stream in due.lazy.filter({ $0.postponed != nil }).prefix(Self.maximumAtOnce) {
            guard let next = stream.postponed else { continue }
            stream.postponed = nil
            treat(stream, next.treatment, within: next.duration, after: next.delay)
        }
    }

    private func treat(
        _ stream: StreamEntry, _ treatment: Treatment, within duration: Duration, after delay: Duration
    ) {
        let former = stream.treatment
        let isSilent = treatment.silence != .none
        let actions = stream.level.approach(
            isSilent ? .silence : treatment.gain,
            // A stream muted instead of paused stays paused.
            holds: isSilent && (treatment.silence != .mute || stream.pause?.isHeld == true), within: duration,
            after: delay, quantum: stream.server?.clock.quantum ?? .zero, isOfServer: stream.server?.canRamp ?? false,
            waits: !stream.isRunning, at: host.now)
        func interrupter() -> Interrupter? { treatment.cause.flatMap { engine.interrupter($0) } }
        host.log(
            .info,
            TreatmentText(treatment, by: interrupter()?.label).line(
                of: stream.label, after: former, within: stream.level.length,
                pausesPlayer: treatment.silence == .pausePlayer && players != nil && stream.isWanted))
        let notice = ClientNotices.notice(
            of: treatment, after: former, actor: interrupter()?.description ?? "",
            mayResume: engine.mayResume(stream.id))
        stream.treatment = treatment
        stream.treatedSince = host.now
        if isSilent, treatment.silence != .pausePlayer, stream.pause?.isHeld == true, stream.pause?.client == .closed {
            // Its player has closed the stream, and is not asked to resume.
            stream.pause = nil
            sooner.append(.streamVanished(stream.id))
        }
        notePlace(of: stream, after: former)
        perform(actions, on: stream)
        // The stream was lowered to nothing before.
        if isSilent, former.silence == .none, actions.isEmpty, !stream.level.isFading {
            post(.streamSettled(stream.id))
        }
        guard let notice else { return }
        let due = stream.notices.add(notice, isSilenced: isSilent, isFading: stream.level.isFading)
        for notice in due { stream.server?.tell(of: notice) }
    }

    /// Steps for a millisecond; the others are for the next turn.
    private func step(_ due: [StreamEntry], at now: Instant) {
        let due = due.filter { $0.level.nextStep.map { $0 <= now } ?? false }
        guard !due.isEmpty else { return }
        let cost = max(host.gainCost, .microseconds(1))
        let pace = max(StreamLevel.pace, cost * streams.values.count { $0.level.isFading })
        for stream in due.prefix(max(1, Int(Duration.milliseconds(1) / cost))) {
            perform(stream.level.step(at: now, pace: pace), on: stream)
        }
    }

    private func perform(_ actions: [StreamLevel.Action], on stream: StreamEntry) {
        for action in actions {
            switch action {
            case .gain(let gain): stream.server?.set(gain)
            case .ramp(let gain, let duration, let fromSilence):
                stream.server?.ramp(to: gain, within: duration, fromSilence: fromSilence)
            case .hold(let isHeld): hold(stream, isHeld)
            case .settled:
                post(.streamSettled(stream.id))
                for notice in stream.notices.settled() { stream.server?.tell(of: notice) }
            }
        }
    }

    func setHeld(_ isHeld: Bool, _ stream: StreamEntry) {
        stream.isHeld = isHeld
        stream.server?.hold(isHeld)
    }

    /// By a pause of the stream's player, if the treatment says so and that is possible (N15).
    private func hold(_ stream: StreamEntry, _ isHeld: Bool) {
        if stream.pause?.isHeld == true {
            if stream.treatment.silence == .none { resumePlayer(of: stream) }
        } else if isHeld, stream.treatment.silence == .pausePlayer, stream.isWanted, !stream.isHeld {
            // A stream that must not be heard elsewhere is stopped at once, as asking takes a moment.
            let isAsked = pausePlayer(of: stream)
            if !isAsked || stream.treatment.reason.isAtOnce { setHeld(true, stream) }
        } else {
            setHeld(isHeld, stream)
        }
    }
}
