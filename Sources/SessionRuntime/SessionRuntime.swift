public import SessionCore

/// Hears of all that the runtime does; on the server's main loop.
public protocol SessionObserver: AnyObject {
    /// The engine has taken an event.
    func runtime(_ runtime: SessionRuntime, took event: Event)
    /// An effect was carried out.
    func runtime(_ runtime: SessionRuntime, carriedOut effect: Effect)
    /// All events have been taken. What is posted now is taken at once.
    func runtimeIsIdle(_ runtime: SessionRuntime)
    /// Another route is in use (R58).
    func runtime(_ runtime: SessionRuntime, routeChanged change: RouteChange)
    /// An opened session's part of the route is another one, or has nothing for its category (R57, R58).
    func runtime(_ runtime: SessionRuntime, session: SessionID, routeChanged change: RouteChange)
    /// Another input or output can be chosen, or one cannot any more (R78).
    func runtimeChangedAvailablePorts(_ runtime: SessionRuntime)
}

/// Joins the engine to a host: queues events, lets the engine decide, and carries the effects out.
///
/// Everything happens on the server's main loop. An event that is posted while effects are carried out waits for its
/// turn, so a server that calls back in the middle of a call does no harm.
public final class SessionRuntime {
    private var engine: Engine
    private var fader: Fader
    unowned let host: any Host
    private var queue: [Event] = []
    /// What has to be taken before the queue goes on.
    private var sooner: [Event] = []
    private var isDraining = false
    private var engineWake: Instant?
    private var armed: Instant?
    private var names: [StreamID: String] = [:]
    private var labels: [StreamID: String] = [:]
    private var running: Set<StreamID> = []
    /// What every stream to which anything is done was told last, to put the next line about it into words.
    private var told: [StreamID: Treatment] = [:]
    /// When it was told that.
    private var since: [StreamID: Instant] = [:]
    /// What the clients of streams are told when these are silent (R26): that an interruption has begun, and what came of it
    /// meanwhile.
    private var untold: [StreamID: [StreamInterruption]] = [:]
    /// What is to be done to streams, where one event concerns so many that all of it would keep the server from other work; and
    /// the streams in their order.
    private var postponed: [StreamID: (treatment: Treatment, duration: Duration, delay: Duration)] = [:]
    private var postponedOrder: ArraySlice<StreamID> = []
    /// How many have been treated at once since the queue was taken.
    private var treated = 0
    /// So many streams are treated at once, and then as many in each turn of the server's loop.
    private static let mostAtOnce = 16
    /// The streams that their applications want to run.
    private var wanted: Set<StreamID> = []
    private var pauses = PlayerPauses()
    var routes = RouteEngine()
    var wishing = WishKeeping()
    var mutes = MuteKeeping()

    /// Who asks players to pause (N15); without one, their streams are corked.
    public weak var players: (any PlayerControl)?
    /// Who hears of everything.
    public weak var observer: (any SessionObserver)?

    /// Makes a runtime that knows of no streams.
    public init(policy: Policy, host: any Host) {
        engine = Engine(policy: policy)
        fader = Fader(stepCost: host.gainCost)
        self.host = host
    }

    /// Adds an event to the queue; it is taken by the next ``drain()``.
    public func post(_ event: Event) { queue.append(event) }

    /// Takes all events that are waiting, and those that they bring about.
    public func drain() {
        guard !isDraining else { return }
        repeat {
            isDraining = true
            treated = 0
            takeQueue()
            handle(.rest)
            grantWishes()
            lookAtMutes()
            host.lookAtStarts()
            isDraining = false
            observer?.runtimeIsIdle(self)
        } while !queue.isEmpty || !sooner.isEmpty
        arm()
    }

    private func takeQueue() {
        var index = 0
        if !queue.isEmpty || !sooner.isEmpty { wishing.isStale = true }
        while index < queue.count || !sooner.isEmpty {
            if !sooner.isEmpty {
                queue.insert(contentsOf: sooner, at: index)
                sooner.removeAll()
            }
            let event = queue[index]
            index += 1
            guard concernsEngine(event) else { continue }
            observe(event)
            let effects = engine.handle(event, at: host.now)
            switch event {
            case .sessionOpened(let session, _, _): noteRoute(of: session, followsRoute: false)
            case .sessionClosed(let session):
                wishing.wishes[session] = nil
                noteRoute(of: session, followsRoute: false)
            default: break
            }
            observer?.runtime(self, took: event)
            let followsRoute = if case .routeChanged = event { true } else { false }
            for effect in effects {
                carryOut(effect, of: event)
                if case .sessionChanged(let session) = effect { noteRoute(of: session, followsRoute: followsRoute) }
            }
            switch event {
            case .streamVanished(let stream): forget(stream)
            case .streamMoved, .streamLeftAlone, .policyChanged: handle(.streamsChanged)
            case .shutdown:
                postponed = [:]
                postponedOrder = []
                // First, for a server may tell at once what comes of it.
                handle(.shutdown)
                // The engine undoes what is in force; a stream that is still on its way back is the fader's to finish.
                perform(fader.undo())
                pauses = PlayerPauses()
                wishing.wishes = [:]
                engineWake = nil
            default: break
            }
        }
        queue.removeAll(keepingCapacity: queue.capacity < 1024)
    }

    private func forget(_ stream: StreamID) {
        postponed[stream] = nil
        fader.forget(stream)
        names[stream] = nil
        labels[stream] = nil
        told[stream] = nil
        untold[stream] = nil
        since[stream] = nil
        running.remove(stream)
        wanted.remove(stream)
        players?.forget(stream)
        handle(.streamGone(stream))
        wishing.granted[stream] = nil
        mutes.told[stream] = nil
    }

    /// The moment for which the host was armed has come.
    public func timerFired() {
        armed = nil
        // A server that runs its loop in the middle of a call is served when that call is over.
        guard !isDraining else { return }
        let now = host.now
        treatPostponed()
        if let next = fader.nextStep, next <= now {
            // What the host reports meanwhile may not overtake the rest of the step.
            isDraining = true
            perform(fader.step(at: now))
            isDraining = false
        }
        // N15: players that do not do what they were asked to.
        for (stream, verdict) in pauses.late(at: now) {
            switch verdict {
            case .cork:
                host.log(.info, "\(labels[stream] ?? "?") has not paused when its player was asked to: cork it")
                host.setSilence(.cork, of: stream)
            case .leave:
                host.log(.info, "\(labels[stream] ?? "?") does not go on though its player was asked to")
                players?.forget(stream)
                sooner.append(.streamWanted(stream, false))
            }
        }
        if let wake = engineWake, wake <= now {
            engineWake = nil
            post(.clockReached)
        }
        if let deadline = routes.deadline, deadline <= now { handle(.clock) }
        drain()
    }

    /// Undoes everything that was done to any stream.
    public func shutDown() {
        post(.shutdown)
        drain()
    }

    /// The host's clock.
    public var now: Instant { host.now }

    /// R8: whether a session is heard that rejects others. While none is, ``wouldReject(_:)`` is false for every stream.
    public var rejects: Bool { read { $0.rejects } }

    /// R8: whether a stream would be rejected if its application started it now.
    public func wouldReject(_ stream: StreamID) -> Bool { read { $0.wouldReject(stream) } }

    /// Whether something is on its way to silence that can still be heard.
    public var isFading: Bool { read { $0.isFading } }

    /// What an application has said of its session; `nil` for one of the system.
    func configuration(of session: SessionID) -> SessionConfiguration? {
        read { $0.configuration(of: session) }
    }

    /// All streams, each with the opened session that it belongs to, if any.
    var routedStreams: [RouteStream] { read { $0.routedStreams } }

    /// The policy in force.
    public var policy: Policy { read { $0.policy } }

    /// Since when that is done to a stream; `nil` when nothing was done to it yet.
    public func treated(since stream: StreamID) -> Instant? { since[stream] }

    /// What is done to a stream and why; `nil` for one that is left alone (N12).
    public func treatment(of stream: StreamID) -> Treatment? { read { $0.treatment(of: stream) } }

    /// The streams of an opened session, the newest first; none of one that is not known.
    func streams(of session: SessionID) -> [(id: StreamID, direction: StreamDirection)] {
        read { $0.streams(of: session) }
    }

    /// Whether a stream may be heard: nothing has silenced it, or it is still on its way to silence.
    public func isAudible(_ stream: StreamID) -> Bool {
        let treatment = told[stream] ?? .untouched
        return names[stream] != nil && (treatment.silence == .none || fader.length(of: stream) > .zero)
    }

    /// Whether the server processes a stream.
    func isRunning(_ stream: StreamID) -> Bool { running.contains(stream) }

    /// What an opened session is; `nil` for one that is not known.
    public func state(of session: SessionID) -> SessionState? { read { $0.state(of: session) } }

    /// All that is known at this moment; what tells others asks for one after the other.
    package var report: Report {
        var report = read { $0.report }
        report.streams = report.streams.compactMap { self.report(of: $0.id) }
        return report
    }

    /// All sessions, the strongest claim first.
    public var sessionNumbers: [SessionNumber] { read { $0.sessionNumbers } }

    /// All streams, the oldest first.
    public var streamIDs: [StreamID] { read { $0.streamIDs } }

    /// What is known of a session, for people; `nil` for one that is gone.
    public func report(of session: SessionNumber) -> Report.Session? { read { $0.report(of: session) } }

    /// What is known of a stream, for people; `nil` for one that is left alone. One whose player was not asked to pause, or did
    /// not, is a corked one.
    public func report(of stream: StreamID) -> Report.Stream? {
        var report = read { $0.report(of: stream) }
        if report?.treatment.silence == .pausePlayer, !pauses.isAsked(stream) { report?.treatment.silence = .cork }
        return report
    }

    /// Which session a stream belongs to; `nil` for one that is left alone.
    public func session(of stream: StreamID) -> SessionNumber? { read { $0.session(of: stream) } }

    /// Which session is spoken of; `nil` for one that is gone.
    public func session(_ reference: SessionReference) -> SessionNumber? { read { $0.session(reference) } }

    /// Who or what is behind a ``Treatment/cause``; `nil` when that is nobody, or gone.
    public func interrupter(_ cause: Cause) -> Interrupter? { read { $0.interrupter(cause) } }

    /// Asks the engine without copying it, as reading a property of an object would. What is asked must not call anything else.
    private func read<Answer>(_ question: (inout Engine) -> Answer) -> Answer { question(&engine) }

    /// Whether the engine is to hear of an event now. What a player does because it was asked to is no news (N15).
    private func concernsEngine(_ event: Event) -> Bool {
        switch event {
        case .streamWanted(let stream, let isWanted):
            switch pauses.read(stream, isWanted: isWanted) {
            case .news: return true
            case .expected: return false
            case .defiance:
                players?.forget(stream)
                host.setSilence(.cork, of: stream)
                sooner += [.streamWanted(stream, false), .streamWanted(stream, true)]
                return false
            }
        case .streamVanished(let stream):
            if pauses.vanished(stream) { return true }
            sooner.append(.streamRunning(stream, false))
            if let oldest = pauses.dropSurplus() {
                players?.forget(oldest)
                sooner.append(.streamVanished(oldest))
            }
            return false
        default: return true
        }
    }

    private func silence(_ stream: StreamID, _ silence: Silence) {
        if silence == .none {
            switch pauses.mayReturn(stream, at: host.now) {
            case .uncork: host.setSilence(.none, of: stream)
            case .play:
                host.setSilence(.none, of: stream)
                // R35: what the user has paused meanwhile stays paused.
                if players?.resume(stream) == false, pauses.wasTouched(stream) {
                    sooner.append(.streamWanted(stream, false))
                }
            case .playAnew:
                _ = players?.resume(stream)
                sooner.append(.streamVanished(stream))
            }
        } else if silence != .pausePlayer, pauses.isLeft(stream) {
            sooner.append(.streamVanished(stream))
        } else if pauses.has(stream) {
            return
        } else if silence == .pausePlayer, wanted.contains(stream), host.silence(of: stream) == .none,
            players?.pause(stream) == true
        {
            pauses.asked(stream, at: host.now)
        } else {
            host.setSilence(silence == .pausePlayer ? .cork : silence, of: stream)
        }
    }

    private func observe(_ event: Event) {
        switch event {
        case .streamAppeared(let id, let application, let description, let direction):
            names[id] = application.name
            label(id, description)
            mutes.told[id] = nil
            if direction == .capture { mutes.isStale = true }
        case .policyChanged(_, let descriptions):
            for (id, description) in descriptions { label(id, description) }
        case .streamWanted(let id, let isWanted):
            if isWanted { wanted.insert(id) } else { wanted.remove(id) }
            host.log(.debug, "\(labels[id] ?? "?") is \(isWanted ? "wanted" : "paused") by its application")
        case .streamRunning(let id, true):
            running.insert(id)
            fader.streamRuns(id, at: host.now)
        case .streamRunning(let id, false):
            running.remove(id)
        default: break
        }
    }

    private func label(_ id: StreamID, _ description: SessionDescription) {
        guard let name = names[id] else { return }
        let isTagged = description.name != Policy.untaggedName && description.name != Policy.untaggedCaptureName
        labels[id] = isTagged ? "\(name) (\(description.name))" : name
    }

    private func carryOut(_ effect: Effect, of event: Event) {
        defer { observer?.runtime(self, carriedOut: effect) }
        switch effect {
        case .treat(let stream, let treatment, let duration, let delay):
            if treated >= Self.mostAtOnce, mayPostpone(stream, for: event) {
                if postponed.updateValue((treatment, duration, delay), forKey: stream) == nil {
                    postponedOrder.append(stream)
                }
            } else {
                treated += 1
                postponed[stream] = nil
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
        case .streamRefused(let stream):
            host.log(.warning, "\(labels[stream] ?? "?") is given no device: its session is one of audio-processing")
            host.refuse(stream)
        case .sessionChanged, .answered, .activationGranted: break
        }
    }

    private func treat(_ stream: StreamID, _ treatment: Treatment, within duration: Duration, after delay: Duration) {
        let actions = fader.start(
            stream, to: treatment.gain, then: treatment.silence, within: duration, after: delay,
            quantum: host.quantum(of: stream), waits: !running.contains(stream), at: host.now)
        host.log(.info, narrate(stream, treatment))
        let news = news(of: stream, for: treatment, after: told[stream] ?? .untouched)
        told[stream] = treatment == .untouched ? nil : treatment
        since[stream] = host.now
        perform(actions)
        if let news { tell(stream, of: news, isSilent: treatment.silence != .none) }
    }

    /// Whether what is done to a stream may come some turns of the loop later than the event that it is for. What is about to
    /// start, and what has lost its output, is not heard even for that time.
    private func mayPostpone(_ stream: StreamID, for event: Event) -> Bool {
        switch event {
        case .streamAppeared(let own, _, _, _), .streamWanted(let own, _), .streamRunning(let own, _),
            .streamMoved(let own, _):
            own != stream
        case .outputLost, .inputMuted, .routeChanged, .shutdown: false
        default: true
        }
    }

    private func treatPostponed() {
        guard !postponedOrder.isEmpty else { return }
        isDraining = true
        var count = 0
        while count < Self.mostAtOnce, let stream = postponedOrder.popFirst() {
            // It may be gone, or treated by something that came later.
            guard let next = postponed.removeValue(forKey: stream) else { continue }
            count += 1
            treat(stream, next.treatment, within: next.duration, after: next.delay)
        }
        isDraining = false
    }

    private func perform(_ actions: [Fader.Action]) {
        for action in actions {
            switch action {
            case .gain(let stream, let gain): host.setGain(gain, of: stream)
            case .silence(let stream, let silence): self.silence(stream, silence)
            case .settled(let stream):
                post(.streamSettled(stream))
                tellWhatWaited(to: stream)
            }
        }
    }

    private func arm() {
        let next = [
            fader.nextStep, engineWake, pauses.deadline, routes.deadline, postponedOrder.isEmpty ? nil : host.now,
        ].compactMap { $0 }.min()
        guard next != armed else { return }
        armed = next
        host.arm(at: next)
    }

    /// That an interruption has begun is told when the stream is silent (R26); one that is over before never was.
    private func tell(_ stream: StreamID, of news: StreamInterruption, isSilent: Bool) {
        switch news {
        case .ended where !isSilent:
            if untold.removeValue(forKey: stream) == nil { host.tell(stream, of: news) }
        case .began, .ended:
            untold[stream, default: []].append(news)
            if fader.length(of: stream) == .zero { tellWhatWaited(to: stream) }
        }
    }

    private func tellWhatWaited(to stream: StreamID) {
        for news in untold.removeValue(forKey: stream) ?? [] { host.tell(stream, of: news) }
    }

    /// What a stream's client hears of another treatment.
    private func news(of stream: StreamID, for treatment: Treatment, after before: Treatment) -> StreamInterruption? {
        switch (before.isInterruption, treatment.isInterruption) {
        case (false, true):
            let reason =
                switch treatment.reason {
                case .routeDisconnected: "route-disconnected"
                case .inputMuted: "device-muted"
                default: "default"
                }
            return .began(reason: reason, by: treatment.cause.flatMap { interrupter($0)?.description } ?? "")
        // R34: also where it stays silent until its application activates its session again.
        case (true, false): return .ended(shouldResume: treatment.reason != .inactive || read { $0.mayResume(stream) })
        case (true, true) where treatment.reason == .superseded && before.reason != .superseded:
            return .ended(shouldResume: false)
        default: return nil
        }
    }

    /// One line for people: what is done to which stream, and why.
    private func narrate(_ stream: StreamID, _ treatment: Treatment) -> String {
        let name = labels[stream] ?? "?"
        let actor = treatment.cause.flatMap { interrupter($0)?.description } ?? "?"
        let before = told[stream] ?? .untouched
        let length = fader.length(of: stream)
        let time = length > .zero ? " within \(length.wholeNanoseconds / 1_000_000) ms" : " at once"
        switch (treatment.silence, treatment.reason) {
        case (.none, .none):
            return before.reason == .handover ? "let \(name) begin: the others are silent" : "restore \(name)\(time)"
        case (.none, _):
            return "duck \(name) to \(treatment.gain.decibels) dB\(time): \(actor) plays"
        case (_, .handover):
            return "hold \(name) until the others are silent"
        case (_, .rejected):
            return "keep \(name) silent: \(actor) does not let it begin, its application has to ask again"
        case (_, .inactive):
            return "keep \(name) silent: its session is not active"
        case (_, .noDevice):
            return "give \(name) no device: its session is one of audio-processing"
        case (_, .routeDisconnected) where treatment.cause == .route:
            return "stop \(name) at once: the route has changed, and its application has to resume"
        case (_, .routeDisconnected): return "stop \(name) at once: its output has gone"
        case (_, .noInput): return "keep \(name) silent: its session's category has no input"
        case (_, .noOutput): return "keep \(name) silent: its session's category has no output"
        case (_, .inputMuted): return "stop \(name) at once: its input is muted"
        case (_, .silentSwitch): return "mute \(name)\(time): the silent switch is on"
        case (_, .screenLock): return "mute \(name)\(time): the screen is locked"
        case (_, .doNotDisturb): return "mute \(name)\(time): the user does not want to be disturbed"
        case (_, .superseded) where treatment.cause?.sessionNumber == nil:
            return "keep \(name) silent: its output has not come back in time, and its application has to resume"
        case (_, .superseded):
            return "keep \(name) silent: \(actor) took over, and its application has to resume"
        case (let silence, _):
            let verb =
                silence == .pausePlayer && before.silence == .none && players != nil && wanted.contains(stream)
                ? "pause the player of"
                : before.silence != .none && before.reason != .handover ? "keep" : silence == .mute ? "mute" : "cork"
            return verb == "keep" ? "keep \(name) silent: \(actor) plays" : "\(verb) \(name)\(time): \(actor) plays"
        }
    }
}

extension Treatment {
    /// Whether a stream's client is told of it: it is stopped, and neither only until others are silent nor because its own
    /// session is not active.
    fileprivate var isInterruption: Bool {
        (silence == .cork || silence == .pausePlayer) && reason != .handover && reason != .inactive
    }
}
