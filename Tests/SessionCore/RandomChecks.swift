import SessionCore

/// What must be so after every event of a random sequence, and at its end.
extension RandomSequence {
    mutating func fail(_ text: String) { if failure == nil { failure = text } }

    mutating func send(_ event: Event) {
        let before = event.isAsked ? engine.fingerprint(at: now) : 0
        // With whatever event comes next, so before what it says is so.
        endsSuspension = switches.pausedUntil.map { $0 <= now } ?? false
        let effects = engine.handle(event, at: now)
        if log != nil { log?.append("\(now.nanoseconds / 1_000_000) \(event)") }
        var answers: [SessionAnswer] = []
        for effect in effects {
            if log != nil { log?.append("        → \(effect)") }
            if case .answered(_, let answer) = effect { answers.append(answer) }
            check(effect)
        }
        note(event, answers)
        // R8: what fails changes nothing.
        if endsSuspension { switches.pausedUntil = engine.report.switches.pausedUntil }
        if let answer = answers.first, answer.isFailure, !endsSuspension {
            if engine.fingerprint(at: now) != before { fail("something has changed though the answer was \(answer)") }
        }
        if answers.count != (event.isAsked ? 1 : 0) { fail("\(answers.count) answers to \(event)") }
        // A session that is forgotten is told no more.
        for (key, state) in told where state.isInterrupted {
            if case .application = key, !streams.contains(where: { $0.session == key && $0.description != nil }) {
                told[key]?.isInterrupted = false
            }
        }
        if !engine.isConsistent { fail("not consistent after \(event)") }
        if let deadline = engine.nextDeadline, wake.map({ $0 > deadline }) ?? true { fail("a wake request was lost") }
        for stream in streams where stream.isPhone && stream.isWanted {
            if case .opened = stream.session { continue }
            if ![.none, .handover, .noDevice].contains(stream.told.cause) {
                fail("phone was touched: \(stream)")
            }
        }
        checkSessions()
    }

    /// What those may read who opened sessions is what they were told.
    private mutating func checkSessions() {
        for session in opened {
            guard let state = engine.state(of: session.id) else {
                fail("an opened session is unknown")
                continue
            }
            let told = told[.opened(session.id)] ?? Told()
            if state.isActive != told.isActive { fail("R26 active or not, and not told: \(session)") }
            if state.isInterrupted != told.isInterrupted { fail("R30 interrupted or not, and not told: \(session)") }
            if state.isActive && state.isInterrupted { fail("active and interrupted") }
            if state.isDelayed != session.isWaiting { fail("N9 waiting or not, and not told: \(session)") }
        }
    }

    /// What the answers mean for those who asked.
    private mutating func note(_ event: Event, _ answers: [SessionAnswer]) {
        switch event {
        case .sessionRequested(let id, let request):
            guard let place = opened.firstIndex(where: { $0.id == id }), let answer = answers.first else { return }
            switch (request, answer) {
            case (.activate, .delayed): opened[place].isWaiting = true
            case (.activate, .refused): break
            default: opened[place].isWaiting = false
            }
        case .sessionClosed(let id):
            if told[.opened(id)].map({ $0.isActive || $0.isInterrupted }) ?? false {
                fail("R12 closed, and not told that it is over")
            }
            told[.opened(id)] = nil
        default: break
        }
    }

    private mutating func check(_ effect: Effect) {
        switch effect {
        case .wake(let moment): wake = moment
        case .treat(let id, let treatment, let fade, let delay):
            guard let index = streams.firstIndex(where: { $0.id == id }) else {
                if !endsSuspension { fail("an unknown stream was touched") }
                return
            }
            if streams[index].told == treatment && !endsSuspension { fail("an effect without a difference") }
            if fade < .zero || delay < .zero { fail("a negative fade") }
            let isByItself = [.none, .handover, .noDevice, .routeDisconnected, .inputMuted].contains(treatment.cause)
            if appCount == 1 && !isOpening && !isByItself {
                fail("touched by its own application")
            }
            streams[index].told = treatment
        case .sessionActivated(let session):
            if told[session.key]?.isActive ?? false { fail("activated twice") }
            told[session.key, default: Told()].isActive = true
        case .sessionDeactivated(let session):
            if !(told[session.key]?.isActive ?? false) { fail("deactivated twice") }
            told[session.key, default: Told()].isActive = false
        case .interruptionBegan(let session, let actor):
            let state = told[session.key] ?? Told()
            // R26
            if state.isActive { fail("'began' before it was inactive") }
            if state.isInterrupted { fail("'began' twice") }
            if session.key == actor.key { fail("interrupted by itself") }
            if session.application == actor.application, session.id == nil, actor.id == nil {
                fail("R1 interrupted by its own application")
            }
            for stream in streams where stream.session == session.key && stream.told == .untouched && !endsSuspension {
                let isExempt = stream.description.map { $0.category == .uiSound } ?? true
                if !isExempt { fail("'began' before it was touched") }
            }
            told[session.key, default: Told()].isInterrupted = true
        case .interruptionEnded(let session, _):
            if !(told[session.key]?.isInterrupted ?? false) { fail("'ended' without 'began'") }
            told[session.key, default: Told()].isInterrupted = false
        case .activationGranted(let id):
            guard let place = opened.firstIndex(where: { $0.id == id }), opened[place].isWaiting else {
                fail("N9 granted though it does not wait")
                return
            }
            opened[place].isWaiting = false
        case .answered, .sessionChanged, .streamRefused: break
        }
    }

    /// Runs all timers out.
    private mutating func rest() {
        var limit = 100
        while let due = wake, failure == nil, limit > 0 {
            limit -= 1
            now = max(now, due)
            wake = nil
            send(.clockReached)
        }
        if limit == 0 { fail("timers never run out") }
    }

    /// When no interrupter is left, every stream is as its client wants it, and at last nothing is left.
    mutating func finish() {
        for stream in streams where engine.treatment(of: stream.id) ?? .untouched != stream.told {
            fail("told something else than what is in force")
        }
        if random.oneIn(4) {
            opened = []
            send(.shutdown)
            if streams.contains(where: { $0.told != .untouched }) { fail("left touched after shutdown") }
            if engine.streamCount != 0 || engine.sessionCount != 0 { fail("remembered after shutdown") }
            return
        }
        while !opened.isEmpty, failure == nil { close(opened.count - 1) }
        switches = Switches()
        send(.switched(switches))
        let survivor = random.pick(streams.map(\.session) + [.application(Self.applications[0])])
        while let index = streams.firstIndex(where: { $0.session != survivor }), failure == nil { vanish(index) }
        rest()
        for stream in streams
        where stream.told != .untouched
            && ![.superseded, .rejected, .noDevice, .routeDisconnected, .inputMuted].contains(stream.told.cause)
        {
            fail("still touched with nobody left: \(stream)")
        }
        // R31: what another took over from is so until its client has paused it; then nothing is left of it.
        for index in streams.indices { want(index, false) }
        rest()
        if streams.contains(where: { $0.told != .untouched && $0.told.cause != .noDevice }) {
            fail("still touched though nobody is wanted")
        }
        while !streams.isEmpty, failure == nil { vanish(streams.count - 1) }
        rest()
        if engine.sessionCount != 0 || engine.streamCount != 0 { fail("sessions leak") }
    }
}

extension Event {
    /// Whether somebody waits for an answer.
    fileprivate var isAsked: Bool {
        switch self {
        case .sessionOpened, .sessionConfigured, .sessionRequested: true
        default: false
        }
    }
}

extension SessionAnswer {
    /// Whether nothing may have changed.
    fileprivate var isFailure: Bool {
        switch self {
        case .done, .delayed: false
        default: true
        }
    }
}

extension SessionReference {
    /// Which session it is.
    fileprivate var key: SessionKey { id.map { .opened($0) } ?? .application(application) }
}
