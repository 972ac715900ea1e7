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
    /// What is kept of every stream.
    var records: [StreamID: RuntimeStream] = [:]
    /// The streams that are treated in the next turns of the loop, where one event concerns so many that all of it would keep
    /// the server from other work; some of them may be gone, or treated already.
    private var postponed: ArraySlice<StreamID> = []
    /// How many have been treated at once since the queue was taken.
    private var treated = 0
    /// So many streams are treated at once, and then as many in each turn of the server's loop.
    private static let mostAtOnce = 16
    private var pauses = PlayerPauses()
    var routes = RouteEngine()
    var wishes = Wishes()
    var mutedInputs = MutedInputs()

    /// Who asks players to pause (N15); without one, their streams are corked.
    public weak var players: (any PlayerPausing)?
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
        if !queue.isEmpty || !sooner.isEmpty { wishes.isStale = true }
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
                wishes.forget(session)
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
                for stream in postponed { records[stream]?.postponed = nil }
                postponed = []
                // First, for a server may tell at once what comes of it.
                handle(.shutdown)
                // The engine undoes what is in force; a stream that is still on its way back is the fader's to finish.
                perform(fader.undo())
                pauses = PlayerPauses()
                wishes.forgetAll()
                engineWake = nil
            default: break
            }
        }
        queue.removeAll(keepingCapacity: queue.capacity < 1024)
    }

    private func forget(_ stream: StreamID) {
        records[stream] = nil
        fader.forget(stream)
        wishes.forget(stream)
        players?.forget(stream)
        handle(.streamGone(stream))
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
                host.log(.info, "\(label(of: stream)) has not paused when its player was asked to: cork it")
                host.setSilence(.cork, of: stream)
            case .leave:
                host.log(.info, "\(label(of: stream)) does not go on though its player was asked to")
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
    public func treated(since stream: StreamID) -> Instant? { records[stream]?.treatedSince }

    /// What is done to a stream and why; `nil` for one that is left alone (N12).
    public func treatment(of stream: StreamID) -> Treatment? { read { $0.treatment(of: stream) } }

    /// The streams of an opened session, the newest first; none of one that is not known.
    func streams(of session: SessionID) -> [(id: StreamID, direction: StreamDirection)] {
        read { $0.streams(of: session) }
    }

    /// Whether a stream may be heard: nothing has silenced it, or it is still on its way to silence.
    public func isAudible(_ stream: StreamID) -> Bool {
        guard let record = records[stream], record.isManaged else { return false }
        return record.treatment.silence == .none || fader.length(of: stream) > .zero
    }

    /// Whether the server processes a stream.
    func isRunning(_ stream: StreamID) -> Bool { records[stream]?.isRunning ?? false }

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
        } else if silence == .pausePlayer, isWanted(stream), host.silence(of: stream) == .none,
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
            records[id, default: RuntimeStream()].appeared(of: application, as: description)
            if direction == .capture { mutedInputs.recordingsChanged() }
        case .policyChanged(_, let descriptions):
            for (id, description) in descriptions { records[id]?.described(as: description) }
        case .streamWanted(let id, let isWanted):
            records[id, default: RuntimeStream()].isWanted = isWanted
            host.log(.debug, "\(label(of: id)) is \(isWanted ? "wanted" : "paused") by its application")
        case .streamRunning(let id, let isRunning):
            records[id, default: RuntimeStream()].isRunning = isRunning
            if isRunning { fader.streamRuns(id, at: host.now) }
        default: break
        }
    }

    /// How people are told of a stream.
    private func label(of stream: StreamID) -> String { records[stream]?.label ?? "?" }

    /// Whether its application wants a stream to run.
    private func isWanted(_ stream: StreamID) -> Bool { records[stream]?.isWanted ?? false }

    private func carryOut(_ effect: Effect, of event: Event) {
        defer { observer?.runtime(self, carriedOut: effect) }
        switch effect {
        case .treat(let stream, let treatment, let duration, let delay):
            if treated >= Self.mostAtOnce, mayPostpone(stream, for: event) {
                if records[stream]?.postponed == nil { postponed.append(stream) }
                records[stream]?.postponed = PostponedTreatment(
                    treatment: treatment, duration: duration, delay: delay)
            } else {
                treated += 1
                records[stream]?.postponed = nil
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
            host.log(.warning, "\(label(of: stream)) is given no device: its session is one of audio-processing")
            host.refuse(stream)
        case .sessionChanged, .answered, .activationGranted: break
        }
    }

    private func treat(_ stream: StreamID, _ treatment: Treatment, within duration: Duration, after delay: Duration) {
        let former = records[stream]?.treatment ?? .untouched
        let actions = fader.start(
            stream, to: treatment.gain, then: treatment.silence, within: duration, after: delay,
            quantum: host.quantum(of: stream), waits: !isRunning(stream), at: host.now)
        func interrupter() -> Interrupter? { treatment.cause.flatMap { self.interrupter($0) } }
        host.log(
            .info,
            Narration(
                stream: label(of: stream), former: former, treatment: treatment,
                actor: interrupter()?.label ?? "another session", length: fader.length(of: stream),
                pausesPlayer: treatment.silence == .pausePlayer && players != nil && isWanted(stream)
            ).line)
        let notice = ClientNotices.notice(
            of: treatment, after: former, actor: interrupter()?.description ?? "",
            mayResume: read { $0.mayResume(stream) })
        records[stream]?.treatment = treatment
        records[stream]?.treatedSince = host.now
        perform(actions)
        guard let notice else { return }
        let isMoving = fader.length(of: stream) > .zero
        let due = records[stream]?.notices.add(notice, isSilenced: treatment.silence != .none, isMoving: isMoving)
        for notice in due ?? [] { host.tell(stream, of: notice) }
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
        guard !postponed.isEmpty else { return }
        isDraining = true
        var count = 0
        while count < Self.mostAtOnce, let stream = postponed.popFirst() {
            // It may be gone, or treated by something that came later.
            guard let next = records[stream]?.postponed else { continue }
            records[stream]?.postponed = nil
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
                for notice in records[stream]?.notices.settled() ?? [] { host.tell(stream, of: notice) }
            }
        }
    }

    private func arm() {
        let next = [
            fader.nextStep, engineWake, pauses.deadline, routes.deadline, postponed.isEmpty ? nil : host.now,
        ].compactMap { $0 }.min()
        guard next != armed else { return }
        armed = next
        host.arm(at: next)
    }
}
