public import SessionCore

/// Connects the engine to a host: queues events, passes them to the engine, and carries out the effects.
///
/// Everything happens on the server's main loop. An event that is posted while effects are carried out waits in the
/// queue, so the server may call back in the middle of a call.
public final class SessionRuntime {
    private var engine: Engine
    private var fader: Fader
    unowned let host: any Host
    private var queue: [Event] = []
    /// Events that are handled before the rest of the queue.
    var sooner: [Event] = []
    private var isDraining = false
    private var engineWake: Instant?
    private var armed: Instant?
    /// What the runtime keeps about each stream.
    var streamRecords: [StreamID: RuntimeStream] = [:]
    /// Streams whose treatment is postponed to the next turns of the loop, because one event concerns so many that
    /// treating all at once would delay the server's other work. Some may have been removed or treated since.
    private var postponed: ArraySlice<StreamID> = []
    /// The number of streams treated at once since the queue was last drained.
    private var treated = 0
    /// How long a stream must be known before a higher volume counts as one of the user's (N19).
    static let settlingTime = Duration.seconds(1)
    /// The maximum number of applications whose former outputs are remembered, and for how long.
    private static let maximumPlacesLeft = 64
    private static let placeLifetime = Duration.seconds(60)
    /// The maximum number of streams treated at once, and then in each turn of the loop.
    private static let maximumAtOnce = 16
    var pauses = PlayerPauses()
    var awaiting = AwaitingStreams()
    /// The ports on which applications were heard whose silenced streams are gone: a new stream takes the place of the old.
    var portsLeft: [ApplicationID: (ports: Set<String>, since: Instant)] = [:]
    /// How often an output was lost on which something was audible.
    var losses = 0
    var wishes = Wishes()
    var mutedInputs = MutedInputs()

    /// Asks players to pause (N15). Without it, their streams are corked.
    public weak var players: (any PlayerPausing)?
    /// The observer of all events and effects.
    public weak var observer: (any SessionObserver)?

    /// Creates a runtime without streams.
    public init(policy: Policy, host: any Host) {
        engine = Engine(policy: policy)
        fader = Fader(stepCost: host.gainCost)
        self.host = host
    }

    /// Adds an event to the queue. The next ``drain()`` handles it.
    public func post(_ event: Event) { queue.append(event) }

    /// Handles all queued events, and those that they cause.
    public func drain() {
        guard !isDraining else { return }
        repeat {
            isDraining = true
            treated = 0
            handleQueue()
            handle(.route(.turnEnded))
            applyWishes()
            reportMutedInputs()
            host.turnEnded()
            isDraining = false
            observer?.runtimeIsIdle(self)
        } while !queue.isEmpty || !sooner.isEmpty
        arm()
    }

    private func handleQueue() {
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
            handle(event)
            switch event {
            case .sessionClosed(let session): wishes.forget(session)
            case .streamVanished(let stream): forget(stream)
            case .policyChanged(_, let descriptions):
                for stream in streamRecords.keys where descriptions[stream] == nil && awaiting.isClosed(stream) {
                    forget(stream)
                }
            case .shutdown:
                for stream in postponed { streamRecords[stream]?.postponed = nil }
                postponed = []
                // The engine undoes present treatments; a stream that is still fading back is left to the fader.
                perform(fader.undo())
                pauses = PlayerPauses()
                awaiting = AwaitingStreams()
                portsLeft = [:]
                wishes.forgetAll()
                engineWake = nil
            default: break
            }
        }
        queue.removeAll(keepingCapacity: queue.capacity < 1024)
    }

    /// Passes an event to the engine, and carries out its effects.
    private func handle(_ event: Event) {
        let effects = engine.handle(event, among: HostPlaces(runtime: self), at: host.now)
        if case .route(.turnEnded) = event {} else { observer?.runtime(self, handled: event) }
        for effect in effects { carryOut(effect, of: event) }
    }

    private func forget(_ stream: StreamID) {
        if let record = streamRecords[stream], let application = record.application, let ports = record.heardOn,
            !ports.isEmpty
        {
            let now = host.now
            portsLeft = portsLeft.filter { $0.value.since.duration(to: now) < Self.placeLifetime }
            if portsLeft.count < Self.maximumPlacesLeft { portsLeft[application] = (ports, now) }
        }
        _ = awaiting.release(stream)
        if streamRecords[stream]?.isMeasured == true { host.measure(stream, false) }
        streamRecords[stream] = nil
        fader.forget(stream)
        wishes.forget(stream)
        players?.forget(stream)
    }

    /// Handles the time for which the host was armed.
    public func timerFired() {
        armed = nil
        // If the server runs its loop inside a call, the timer is handled after that call.
        guard !isDraining else { return }
        let now = host.now
        treatPostponed()
        if let next = fader.nextStep, next <= now {
            // Events from the host must wait until the step is complete.
            isDraining = true
            perform(fader.step(at: now))
            isDraining = false
        }
        // N15: players that did not respond in time.
        for (stream, action) in pauses.expire(at: now) {
            switch action {
            case .cork:
                host.log(.info, "\(label(of: stream)) has not paused when its player was asked to: cork it")
                host.setSilence(.cork, of: stream)
            case .reportPaused:
                host.log(.info, "\(label(of: stream)) does not go on though its player was asked to")
                players?.forget(stream)
                sooner.append(.streamWanted(stream, false))
            }
        }
        if let silence = nextSilence, silence <= now { endSounds() }
        if let wake = engineWake, wake <= now {
            engineWake = nil
            post(.clockReached)
        }
        drain()
    }

    /// Undoes everything done to all streams.
    public func shutDown() {
        post(.shutdown)
        drain()
    }

    /// The host's clock.
    public var now: Instant { host.now }

    /// Whether a stream must be silent before its application starts it: it would be rejected (R8), or may have to wait until
    /// others are silent (R34). The server may play it before it tells of the start.
    public func mustBeginSilent(_ stream: StreamID) -> Bool { read { $0.mayWait(stream) || $0.wouldReject(stream) } }

    /// Whether an opened session is active, or an activation would succeed now (N26). Only between turns.
    public func canBeActivated(_ session: SessionID) -> Bool { engine.canBeActivated(session) }

    /// Whether a stream can still be heard although it should be silent.
    public var isFading: Bool { read { $0.isFading } }

    /// How long cards go on sounding if nobody gives them anything more.
    public var longestBuffer: Duration { host.longestBuffer }

    /// The configuration that an application has set on its session; `nil` for a session of the system.
    package func configuration(of session: SessionID) -> SessionConfiguration? {
        read { $0.configuration(of: session) }
    }

    /// The policy in force.
    public var policy: Policy { read { $0.policy } }

    /// When a stream's present treatment was set; `nil` if nothing was done to it yet.
    public func treated(since stream: StreamID) -> Instant? { streamRecords[stream]?.treatedSince }

    /// The gain that the policy gives a stream at this moment, how long its present fade still takes, and whether its fades
    /// have no steps.
    public func level(of stream: StreamID) -> (gain: LinearGain, remaining: Duration, glides: Bool) {
        (fader.gain(of: stream, at: host.now), fader.remaining(of: stream, at: host.now), host.glides(stream))
    }

    /// The treatment of a stream; `nil` for one that is left alone (N12).
    public func treatment(of stream: StreamID) -> Treatment? { read { $0.treatment(of: stream) } }

    /// The streams of an opened session, the newest first; empty if the session is unknown.
    func streams(of session: SessionID) -> [(id: StreamID, direction: StreamDirection)] {
        read { $0.streams(of: session) }
    }

    /// Whether a stream may be audible: it is not silenced, or is still fading out.
    public func isAudible(_ stream: StreamID) -> Bool {
        guard let record = streamRecords[stream], record.isManaged else { return false }
        return record.treatment.silence == .none || fader.length(of: stream) > .zero
    }

    /// Whether the server processes a stream.
    func isRunning(_ stream: StreamID) -> Bool { streamRecords[stream]?.isRunning ?? false }

    /// The state of an opened session; `nil` if the session is unknown.
    public func state(of session: SessionID) -> SessionState? { read { $0.state(of: session) } }

    /// All sessions, the strongest claim first.
    public var sessionNumbers: [SessionNumber] { read { $0.sessionNumbers } }

    /// All streams, the oldest first.
    public var streamIDs: [StreamID] { read { $0.streamIDs } }

    /// The snapshot of a session, for people; `nil` if it no longer exists.
    public func snapshot(of session: SessionNumber) -> EngineSnapshot.Session? { read { $0.snapshot(of: session) } }

    /// The snapshot of a stream, for people; `nil` for a stream that is left alone. If the stream's player was not
    /// asked to pause, or did not pause in time, the snapshot says that the stream is corked.
    public func snapshot(of stream: StreamID) -> EngineSnapshot.Stream? {
        var snapshot = read { $0.snapshot(of: stream) }
        if snapshot?.treatment.silence == .pausePlayer, !pauses.isAsked(stream) { snapshot?.treatment.silence = .cork }
        return snapshot
    }

    /// The number of a stream's session; `nil` for a stream that is left alone.
    public func session(of stream: StreamID) -> SessionNumber? { read { $0.session(of: stream) } }

    /// The number of the session that a reference names; `nil` if it no longer exists.
    public func session(_ reference: SessionReference) -> SessionNumber? { read { $0.session(reference) } }

    /// The session, output or input behind a ``Treatment/cause``; `nil` if there is none or it is gone.
    public func interrupter(_ cause: Cause) -> Interrupter? { read { $0.interrupter(cause) } }

    /// Reads from the engine without copying it. The closure must not call anything but the engine.
    func read<Answer>(_ question: (inout Engine) -> Answer) -> Answer { question(&engine) }

    /// Whether the engine must be told of an event now. It is not told what a player does on request (N15).
    private func concernsEngine(_ event: Event) -> Bool {
        switch event {
        case .streamWanted(let stream, let isWanted):
            switch pauses.interpret(stream, isWanted: isWanted) {
            case .forEngine: return concernsEngine(stream, isWanted: isWanted)
            case .expected: return false
            case .playedByUser:
                players?.forget(stream)
                streamRecords[stream]?.awaitsSince = nil
                host.setSilence(.cork, of: stream)
                sooner += [
                    .streamWanted(stream, false), .streamWanted(stream, true), .streamFreed(stream, by: .play),
                ]
                return false
            }
        case .streamVanished(let stream):
            var oldest: StreamID?
            let record = streamRecords[stream]
            // Nothing is waited for any more.
            if record?.treatment.reason == .superseded {
                pauses.forget(stream)
                players?.forget(stream)
            }
            if !pauses.removed(stream) {
                oldest = pauses.dropSurplus()
            } else if let record, record.awaitsSince != nil, record.isWanted, record.treatment.reason != .superseded,
                !awaiting.isClosed(stream)
            {
                oldest = awaiting.close(stream)
            } else {
                return true
            }
            sooner.append(.streamRunning(stream, false))
            if let oldest { dropClosed(oldest) }
            return false
        default: return true
        }
    }

    private func silence(_ stream: StreamID, _ silence: Silence) {
        if silence == .none {
            switch pauses.release(stream, at: host.now) {
            case .uncork: host.setSilence(.none, of: stream)
            case .play:
                host.setSilence(.none, of: stream)
                // R35: a player that its user has paused meanwhile stays paused.
                if players?.resume(stream) == false, pauses.pausedByUser(stream) {
                    sooner.append(.streamWanted(stream, false))
                }
            case .playAnew:
                _ = players?.resume(stream)
                sooner.append(.streamVanished(stream))
            }
        } else if silence != .pausePlayer, pauses.silencedOtherwise(stream) {
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
            let record = record(of: id)
            record.appeared(of: application, as: description, direction, at: host.now)
            updateMeasurement(of: id, record)
            if direction == .capture { mutedInputs.recordingsChanged() }
        case .policyChanged(_, let descriptions):
            for (id, description) in descriptions {
                guard let record = streamRecords[id] else { continue }
                record.described(as: description)
                updateMeasurement(of: id, record)
            }
        case .streamWanted(let id, let isWanted):
            observe(record(of: id), id, isWanted: isWanted)
            host.log(.debug, "\(label(of: id)) is \(isWanted ? "wanted" : "paused") by its application")
        case .streamRunning(let id, let isRunning):
            let record = record(of: id)
            record.isRunning = isRunning
            updateMeasurement(of: id, record)
            if isRunning {
                fader.streamRuns(id, at: host.now)
                if record.heardOn == nil, let application = record.application { portsLeft[application] = nil }
            }
        default: break
        }
    }

    /// N19: the user has played a stream again that the policy keeps silent. A stream that begins for the first time may
    /// have begun by itself, and so may one that was paused for a moment only, as players do when they seek.
    private func observe(_ record: RuntimeStream, _ stream: StreamID, isWanted: Bool) {
        if isWanted, !record.isWanted, record.treatment.silence != .none, let paused = record.pausedSince,
            paused.duration(to: host.now) >= Self.shortestPause
        {
            sooner.append(.streamFreed(stream, by: .play))
        }
        if !isWanted, record.isWanted { record.pausedSince = host.now }
        record.isWanted = isWanted
    }

    /// Reports that a stream was turned up, which its user may have done because it is silent (N19). Session managers
    /// restore the volumes of new streams, so those do not count.
    public func turnedUp(_ stream: StreamID) {
        guard let record = streamRecords[stream], record.treatment.silence != .none,
            let known = record.knownSince, known.duration(to: host.now) >= Self.settlingTime
        else { return }
        post(.streamFreed(stream, by: .raise))
    }

    /// The record of a stream, which is made if there is none.
    private func record(of stream: StreamID) -> RuntimeStream {
        if let record = streamRecords[stream] { return record }
        let record = RuntimeStream()
        streamRecords[stream] = record
        return record
    }

    /// A stream's label for people.
    private func label(of stream: StreamID) -> String { streamRecords[stream]?.label ?? "?" }

    /// Whether a stream's application wants it to run.
    private func isWanted(_ stream: StreamID) -> Bool { streamRecords[stream]?.isWanted ?? false }

    private func carryOut(_ effect: Effect, of event: Event) {
        defer { observer?.runtime(self, carriedOut: effect) }
        switch effect {
        case .treat(let stream, let treatment, let duration, let delay):
            if treated >= Self.maximumAtOnce, !treatment.reason.isAtOnce, mayPostpone(stream, for: event) {
                let record = streamRecords[stream]
                if record?.postponed == nil { postponed.append(stream) }
                record?.postponed = PostponedTreatment(treatment: treatment, duration: duration, delay: delay)
            } else {
                treated += 1
                streamRecords[stream]?.postponed = nil
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

    private func treat(_ stream: StreamID, _ treatment: Treatment, within duration: Duration, after delay: Duration) {
        let record = streamRecords[stream]
        let former = record?.treatment ?? .untouched
        let actions = fader.start(
            stream, to: treatment.gain, then: treatment.silence, within: duration, after: delay,
            quantum: host.quantum(of: stream), glides: host.glides(stream), waits: record?.isRunning != true,
            at: host.now)
        func interrupter() -> Interrupter? { treatment.cause.flatMap { self.interrupter($0) } }
        host.log(
            .info,
            Narration(
                stream: record?.label ?? "?", former: former, treatment: treatment,
                actor: interrupter()?.label ?? "another session", length: fader.length(of: stream),
                pausesPlayer: treatment.silence == .pausePlayer && players != nil && record?.isWanted == true
            ).line)
        let notice = ClientNotices.notice(
            of: treatment, after: former, actor: interrupter()?.description ?? "",
            mayResume: read { $0.mayResume(stream) })
        record?.treatment = treatment
        record?.treatedSince = host.now
        record.map { notePlace(of: stream, $0, after: former) }
        perform(actions)
        guard let notice else { return }
        let isFading = fader.length(of: stream) > .zero
        let due = record?.notices.add(notice, isSilenced: treatment.silence != .none, isFading: isFading)
        for notice in due ?? [] { host.tell(stream, of: notice) }
    }

    /// Whether a stream's treatment may be postponed to a later turn of the loop. Streams that are starting, and
    /// streams that have lost their output, must not be heard even for that time.
    private func mayPostpone(_ stream: StreamID, for event: Event) -> Bool {
        switch event {
        case .streamAppeared(let own, _, _, _), .streamWanted(let own, _), .streamRunning(let own, _),
            .streamMoved(let own, _):
            own != stream
        case .route, .inputMuted, .shutdown: false
        default: true
        }
    }

    private func treatPostponed() {
        guard !postponed.isEmpty else { return }
        isDraining = true
        var count = 0
        while count < Self.maximumAtOnce, let stream = postponed.popFirst() {
            // The stream may have been removed, or treated by a later event.
            guard let record = streamRecords[stream], let next = record.postponed else { continue }
            record.postponed = nil
            count += 1
            treat(stream, next.treatment, within: next.duration, after: next.delay)
        }
        isDraining = false
    }

    private func perform(_ actions: [Fader.Action]) {
        for action in actions {
            switch action {
            case .gain(let stream, let gain): host.setGain(gain, of: stream)
            case .glide(let stream, let gain, let duration, let fromSilence):
                host.glide(stream, to: gain, within: duration, fromSilence: fromSilence)
            case .silence(let stream, let silence): self.silence(stream, silence)
            case .settled(let stream):
                post(.streamSettled(stream))
                for notice in streamRecords[stream]?.notices.settled() ?? [] { host.tell(stream, of: notice) }
            }
        }
    }

    private func arm() {
        let next = [
            fader.nextStep, engineWake, pauses.deadline, nextSilence,
            postponed.isEmpty ? nil : host.now,
        ].compactMap { $0 }.min()
        guard next != armed else { return }
        armed = next
        host.arm(at: next)
    }
}
