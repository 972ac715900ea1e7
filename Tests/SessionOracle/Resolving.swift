import SessionCore

/// Who is heard, and who is silenced by whom, worked out anew from the facts.
extension Oracle {
    /// Judges all sessions. Where weaker ones may stop speech, that is found out first; then all is judged as if it had been
    /// known from the beginning, so that nothing remains of what was only tried.
    mutating func resolve() {
        for place in sessions.indices { sessions[place].formerCause = sessions[place].cause }
        let former = sessions
        judgeAll()
        let speech = postponed()
        if speech.isEmpty { return }
        heardSpeech = Set(speech.filter { isHeard(self[$0]) })
        stoppedSpeech = Set(speech).subtracting(heardSpeech)
        sessions = former
        judgeAll()
        let heard = heardSpeech
        heardSpeech = []
        stoppedSpeech = []
        if speech.contains(where: { isHeard(self[$0]) != heard.contains($0) || isContradicted($0) }) {
            isContradictory = true
        }
    }

    /// Whether a session that is heard would be stopped by a weaker one that is heard too.
    private func isContradicted(_ number: Int) -> Bool {
        let session = self[number]
        return isHeard(session)
            && sessions.contains { $0.number != number && isHeard($0) && speaksOver($0, session) }
    }

    /// Speech that is judged after weaker ones.
    private func postponed() -> [Int] {
        sessions.filter { session in
            Pairs.isSpeech(session.description)
                && sessions.contains { $0.number != session.number && speaksOver($0, session) }
        }.map(\.number)
    }

    /// Judges all sessions from the strongest claim down, each against those above it, and lets each follow at once; again
    /// until nothing changes any more.
    private mutating func judgeAll() {
        holdersMayBegin = false
        var before = sessions.map(Standing.init)
        for _ in 0..<32 {
            for place in sessions.indices where !sessions[place].isClosed || sessions[place].hasSpoken {
                sessions[place].description = describe(sessions[place])
            }
            for number in order() {
                judge(number)
                advance(number)
            }
            let after = sessions.map(Standing.init)
            guard after == before else {
                before = after
                continue
            }
            // R37: those that wait for others to be silent begin when all else is settled and all are.
            if holdersMayBegin || !sessions.contains(where: { $0.phase == .holding }) || isAnybodyFading { return }
            holdersMayBegin = true
        }
    }

    private struct Standing: Equatable {
        var phase: Phase
        var cause: Who?
        var obstacle: Obstacle?
        var description: SessionDescription

        init(_ session: Session) {
            phase = session.phase
            cause = session.cause
            obstacle = session.obstacle
            description = session.description
        }
    }

    /// Whether something can be heard that is to be silent.
    private var isAnybodyFading: Bool {
        streams.contains { stream in
            guard stream.isAudible, isSilenced(self[stream.session]) else { return false }
            // R13: what is over silences no sound of the interface.
            return !stream.isUISound || !isStopped(self[stream.session])
        }
    }

    /// Whether a session is silent until its application begins anew.
    private func isStopped(_ session: Session) -> Bool { session.cause == nil && session.obstacle?.isAwaited == false }

    // MARK: - What a session is

    /// Whether its application wants it to be heard.
    func asks(_ session: Session) -> Bool {
        if session.isDriven { return session.isActivated }
        return has(session) { stream in
            stream.isWanted && (session.isOfStreams || !stream.isUISound && lack(of: stream, in: session) == nil)
        }
    }

    /// R15–R19, R23: why nothing comes of a stream: the category that its application has given the session has no output,
    /// no input, or neither.
    func lack(of stream: Stream, in session: Session) -> Reason? {
        if session.kind != .opened || session.isOfStreams || stream.isUISound { return nil }
        switch (session.description.category, stream.direction) {
        case (.audioProcessing, _): return .noDevice
        case (.record, .playback): return .noOutput
        case (.record, .capture), (.playAndRecord, _), (_, .playback): return nil
        case (_, .capture): return .noInput
        }
    }

    func describe(_ session: Session) -> SessionDescription {
        switch session.kind {
        case .system(let description, _): return description
        case .opened where !session.isOfStreams: return said(session)
        case .implicit, .opened:
            // A session that was opened and no more is what its streams make of it, as one that was not opened. One that outlives its last stream stays what it was.
            guard asks(session) || session.phase == .inactive else { return session.description }
            var description = descriptionOfStreams(session)
            // N8: a preference counts for it all the same.
            let avoidsAlerts = session.configuration.avoidsAlerts
            if avoidsAlerts || session.isOpened && !has(session, { _ in true }) {
                description.avoidsAlerts = avoidsAlerts
            }
            return description
        }
    }

    /// R1: of its wanted streams, or of all where none is wanted.
    func descriptionOfStreams(_ session: Session) -> SessionDescription {
        let asks = asks(session)
        var all: [SessionDescription] = []
        for stream in streams where stream.session == session.number && (stream.isWanted || !asks) {
            if all.last != stream.description { all.append(stream.description) }
        }
        return strongest(of: all) ?? session.description
    }

    /// R1: of the descriptions in one application, the strongest counts. N14: one that plays and records, and says nothing of
    /// either, is in a call.
    func strongest(of descriptions: [SessionDescription]) -> SessionDescription? {
        var all = descriptions
        let listener =
            policy.untaggedCapture
            ?? SessionDescription(name: Policy.untaggedCaptureName, category: .ambient, isInterruptible: false)
        if let pairing = policy.pairing, let untagged = policy.untagged, all.contains(untagged), all.contains(listener)
        {
            all.append(pairing)
        }
        func strength(_ description: SessionDescription) -> (Int, Int, Int) {
            (
                description.category == .uiSound ? 0 : 1, Int(description.priority.rawValue),
                Pairs.mixes(description) ? (Pairs.lowers(description) ? 1 : 0) : 2
            )
        }
        if all.count < 2 { return all.first }
        var best = all.first
        for description in all.dropFirst() {
            guard let old = best else { continue }
            let places = (place(of: description), place(of: old))
            let isEarlier =
                (places.0, description.name, description.category.rawValue) < (
                    places.1, old.name, old.category.rawValue
                )
            if strength(description) > strength(old) || strength(description) == strength(old) && isEarlier {
                best = description
            }
        }
        return best
    }

    /// R1: the policy's order among equally strong ones; opened sessions come last, by name.
    private func place(of description: SessionDescription) -> Int {
        policy.order[description.name] ?? policy.order.count
    }

    /// R39–R55: what others have to do with of what an application has said.
    private func said(_ session: Session) -> SessionDescription {
        let configuration = session.configuration
        var mode = configuration.category.takes(configuration.mode) ? configuration.mode : .default
        if mode != .spokenAudio && mode != .voicePrompt && !Pairs.chats.contains(mode) { mode = .default }
        var description = SessionDescription(
            name: configuration.category.rawValue, category: configuration.category,
            options: configuration.options.intersection([.mixWithOthers, .duckOthers, .interruptSpokenAudio]),
            mode: mode)
        description.ducking = policy.ducking
        if mode == .voicePrompt { description.ducking.gain = min(policy.ducking.gain, Decibels(-20)) }
        description.avoidsAlerts = configuration.avoidsAlerts
        // R36: it has the rank of its strongest stream.
        let wanted = streams.lazy.filter { $0.session == session.number && !$0.isUISound && $0.isWanted }.map(
            \.description)
        if let highest = wanted.map(\.priority).max(), highest > description.priority {
            description.priority = highest
            // If any of the strongest streams is a call, the session is a call.
            description.isCall = wanted.contains {
                $0.priority == highest && ($0.category == .playAndRecord || !Pairs.isPhone($0))
            }
        }
        return description
    }

    // MARK: - Who comes before whom

    /// R36, R21: the higher priority, then recordings, then who asked later.
    static func isAbove(_ one: Session, _ other: Session) -> Bool {
        if one.description.priority != other.description.priority {
            return one.description.priority > other.description.priority
        }
        let (isRecord, isOtherRecord) = (
            one.description.category == .record, other.description.category == .record
        )
        if isRecord != isOtherRecord { return isRecord }
        return one.asked > other.asked
    }

    /// The numbers of all sessions in the order in which they are judged: the strongest claim first, but whom others stop
    /// although they are weaker comes after those.
    func order() -> [Int] {
        var order = sessions.sorted(by: Self.isAbove)
        for session in order.reversed() where Pairs.isSpeech(session.description) {
            guard !heardSpeech.contains(session.number),
                let last = order.lastIndex(where: {
                    $0.number != session.number && speaksOver($0, session) && ($0.phase != .inactive || asks($0))
                }),
                let place = order.firstIndex(where: { $0.number == session.number }), place < last
            else { continue }
            order.remove(at: place)
            order.insert(session, at: last)
        }
        return order.map(\.number)
    }

    // MARK: - What two do to each other

    /// R36, R80: an interruption by the system touches nothing of the application that has begun it. Sessions that an
    /// application has opened interrupt each other, and what else it plays, like any other.
    private func isOwn(_ actor: Session, _ other: Session) -> Bool {
        if case .system(_, by: other.application) = actor.kind { return true }
        return false
    }

    func act(_ actor: Session, on other: Session) -> Interplay.Kind {
        if isOwn(actor, other) { return .mix }
        if speaksOver(actor, other) { return .cork }
        return Pairs.kind(
            actor.description, on: other.description, isNewcomer: other.asked > actor.asked, policy)
    }

    /// N1, N2: speech stops also for a weaker one that was there before, as it would have if it had come first.
    private func speaksOver(_ actor: Session, _ other: Session) -> Bool {
        Pairs.isSpeech(other.description) && Self.isAbove(other, actor) && !isOwn(actor, other)
            && actor.description.priority >= other.description.priority
            && Pairs.speaksOver(actor.description, other.description, policy)
            && !Pairs.kind(other.description, on: actor.description, isNewcomer: false, policy).silences
    }

    /// Whether one silences another when it is heard.
    func silences(_ actor: Session, _ other: Session) -> Bool {
        actor.number != other.number && act(actor, on: other).silences
            && (Self.isAbove(actor, other) || speaksOver(actor, other))
    }

    /// Whether a session is kept silent at this moment.
    func isSilenced(_ session: Session) -> Bool {
        !isSuspended && (session.cause != nil || session.obstacle != nil)
    }

    /// Whether a session is heard, or about to be, so that it does something to others.
    func isHeard(_ session: Session) -> Bool {
        !isSuspended && session.phase != .inactive && !session.hasLeft && session.cause == nil
            && session.obstacle == nil
            && !stoppedSpeech.contains(session.number)
    }

    /// R8: who of those that are heard does not let a session of a description begin.
    func rejecter(of description: SessionDescription, _ session: Session) -> Session? {
        var other = session
        other.description = description
        return sessions.filter { $0.number != session.number && isHeard($0) && rejects($0, other) }
            .sorted(by: Self.isAbove).first
    }

    private func rejects(_ actor: Session, _ other: Session) -> Bool {
        !isOwn(actor, other)
            && Pairs.kind(actor.description, on: other.description, isNewcomer: true, policy) == .reject
    }

    /// R8: who of those that are heard would silence a session if it asked now, or does not let it begin.
    func blocker(of session: Session) -> Session? {
        var asking = session
        asking.isDriven = true
        asking.asked = lastAsked + 1
        asking.description = describe(asking)
        if let rejecter = rejecter(of: asking.description, session) { return rejecter }
        return sessions.filter { isHeard($0) && silences($0, asking) }.sorted(by: Self.isAbove).first
    }

    // MARK: - Causes (N17)

    /// N17: a session that is silenced has one cause, the first, as long as that holds and silences it still.
    private mutating func judge(_ number: Int) {
        // Whoever had interrupted it when it was closed gets those that it has interrupted.
        if self[number].isClosed { return }
        unblock(number)
        let session = self[number]
        // Where only its own application makes it go on, nobody else matters.
        if isFinal(session.obstacle) {
            self[number].cause = nil
            return
        }
        let former = session.cause
        if let former, keeps(former, session) { return }
        // Who has given up is told the end of it, though somebody else would silence it now.
        if case .session = former, !asks(session), session.news == .told, !mayResume(session) {
            self[number].isOver = true
        }
        let next = heir(of: former, for: session) ?? silencer(of: session)
        self[number].cause = next ?? awaited(session)
        guard next == nil, case .session(let last) = former, !isSuspended else { return }
        if mayGoOn(session, after: last) { return }
        if session.isDriven {
            // R34: it is inactive anyway, and its application is told whether to activate it again.
            guard session.news != .none else { return }
            self[number].hasGivenUp = true
            self[number].stayedFor = .session(last)
            self[number].isOver = session.news == .told
            // R27: of its interruption it is told first, when it is silent.
            if session.news == .begun { self[number].obstacle = .toldToStay(by: .session(last)) }
        } else if asks(session) {
            // R31: nor does it wait for its output.
            self[number].cause = nil
            self[number].obstacle = .toldToStay(by: .session(last))
            self[number].stayedFor = .session(last)
        }
    }

    private func isFinal(_ obstacle: Obstacle?) -> Bool { obstacle?.isAwaited == false }

    /// Lets go of what keeps a session silent besides others, where that is over.
    private mutating func unblock(_ number: Int) {
        let session = self[number]
        // R35: a pause by its user ends it. Who drives it itself has been told.
        let isPaused = !asks(session) && !session.isDriven
        // R13: a sound of the interface has no part in what kept its application silent. R36: nothing keeps a call silent.
        let isApart = session.description.category == .uiSound || Pairs.isPhone(session.description)
        guard session.obstacle != nil, isPaused || isApart else { return }
        self[number].obstacle = nil
        if isPaused { self[number].wasBlocked = true }
    }

    /// Whether a cause still is one.
    private func keeps(_ cause: Who, _ session: Session) -> Bool {
        switch cause {
        case .session(let number):
            guard let actor = self.session(number) else { return false }
            // A weaker one that has not been looked at yet is about to end, if speech is known to be heard.
            if heardSpeech.contains(session.number) && !Self.isAbove(actor, session) { return false }
            return holds(actor) && silences(actor, session)
        // Another session may come between, and leave again.
        case .output, .input: return awaited(session) == cause && silencer(of: session) == nil
        case .route, .policy: return false
        }
    }

    /// N17: a session keeps others silent while it is heard, while it is interrupted itself and may resume, and for a time
    /// after it was told to resume.
    func holds(_ session: Session) -> Bool {
        if session.isClosed { return false }
        // R11: what has given up is active until it is looked at, and what has lost its streams.
        let isEnding = session.phase == .releasing && session.deadline.map { $0 <= now } ?? false
        let isGivenUp = isEnding || session.isDriven && !session.isActivated
        // N16: a suspended policy changes nothing about it.
        if session.phase != .inactive, !isGivenUp, session.cause == nil, session.obstacle == nil { return true }
        if let obstacle = session.obstacle, !obstacle.isAwaited { return false }
        let isInterrupted = session.cause != nil || session.obstacle != nil || session.isDriven && session.news == .told
        // What has not begun keeps nobody waiting, also if it waits itself.
        let hasBegun = session.isDriven || session.phase != .inactive
        if isInterrupted && hasBegun && mayResume(session) { return true }
        return session.mayResumeUntil.map { now < $0 } ?? false
    }

    /// Whether a session that is silenced goes on afterwards.
    func mayResume(_ session: Session) -> Bool {
        if !session.isDriven { return asks(session) }
        return session.isActivated || session.news != .none && !session.hasGivenUp
    }

    /// N17: whoever leaves passes those that it silenced on to who silences itself, if that one would silence them too.
    private func heir(of former: Who?, for session: Session) -> Who? {
        var next = former
        for _ in sessions.indices {
            guard case .session(let number) = next, let actor = self.session(number) else { return nil }
            next = interrupter(of: actor)
            if let next, case .session = next, keeps(next, session) { return next }
        }
        return nil
    }

    /// Who has interrupted a session; of one that leaves in the present event, before it.
    private func interrupter(of session: Session) -> Who? {
        if session.hasLeft { return session.formerCause }
        return holds(session) ? session.cause : session.formerCause ?? session.cause
    }

    /// Of those that are heard and silence a session, the strongest.
    private func silencer(of session: Session) -> Who? {
        silencers(of: session).first.map { .session($0.number) }
    }

    /// Those that are heard and silence a session, the strongest first.
    func silencers(of session: Session) -> [Session] {
        sessions.filter { isHeard($0) && silences($0, session) && !isSpokenOver($0) }
            // Weaker ones that have not been looked at yet are about to end, if speech is known to be heard.
            .filter { !heardSpeech.contains(session.number) || Self.isAbove($0, session) }
            .sorted(by: Self.isAbove)
    }

    /// N1: speech that comes while others speak over it is not heard, whatever its session was before.
    private func isSpokenOver(_ session: Session) -> Bool {
        Pairs.isSpeech(session.description) && !heardSpeech.contains(session.number)
            && sessions.contains { $0.number != session.number && isHeard($0) && speaksOver($0, session) }
    }

    private func awaited(_ session: Session) -> Who? {
        session.obstacle.flatMap { $0.isAwaited ? $0.who : nil }
    }

    // MARK: - Ends

    /// R11, R31, N17: whether a session goes on by itself, now that the one that silenced it does so no longer.
    private func mayGoOn(_ session: Session, after number: Int) -> Bool {
        guard let last = self.session(number), !last.isLeftAlone else { return true }
        // It mixes now, or the session has asked anew. Who has interrupted it would have got the session.
        // What waits for its output and is something else now lets others be, too.
        let letsBe =
            last.phase != .inactive && last.obstacle?.isAwaited == true && !last.hasLeft && !silences(last, session)
        if holds(last) || letsBe {
            var next = last.cause
            for _ in sessions.indices {
                guard case .session(let number) = next, let other = self.session(number) else { return true }
                if silences(other, session) { return mayGoOn(session, after: number) }
                next = interrupter(of: other)
            }
            return true
        }
        // Who is told to stay passes on what it was told, to those who would have been told the same.
        if case .session(let successor) = last.stayedFor, let other = self.session(successor), silences(other, session)
        {
            return mayGoOn(session, after: successor)
        }
        switch last.kind {
        case .system: return Pairs.letsResume(last.description)
        case .implicit, .opened:
            if last.isDriven { return !last.endsWithStay }
            return !last.wasHeard || Pairs.letsResume(last.description)
        }
    }

    // MARK: - Phases

    /// Moves a session to the phase that its streams, its silence and the time call for.
    private mutating func advance(_ number: Int) {
        var session = self[number]
        let asks = asks(session)
        let wasSilenced = isSilenced(session) || session.wasBlocked || session.obstacle != nil
        if !asks {
            session.hasHeld = false
            session.asksInVain = false
        }
        if session.description.category == .uiSound || Pairs.isPhone(session.description) { session.obstacle = nil }
        if let obstacle = session.obstacle {
            switch session.cause {
            case .output, .input: if !obstacle.isAwaited { session.cause = nil }
            default: break
            }
        } else {
            switch session.cause {
            case .output, .input: session.cause = nil
            default: break
            }
        }
        // R34: who begins where it was silenced before has been stopped by that, so it goes ahead when it may.
        if asks && session.phase == .inactive && session.wasSilenced { session.asksInVain = true }
        let old = session.phase
        let isSilenced = isSilenced(session)
        let stays = isSilenced && session.cause == nil
        session.phase = phase(after: session, asks: asks, isSilenced: asks ? isSilenced : wasSilenced, stays: stays)
        switch session.phase {
        case .inactive, .active: session.deadline = nil
        case .holding where old != .holding:
            // R37: no longer than the fade of the others, and two seconds.
            session.deadline = now.advanced(by: session.description.fade).advanced(by: Self.patience)
        case .starting where old != .starting: session.deadline = now.advanced(by: Self.patience)
        case .releasing where old != .releasing: session.deadline = now.advanced(by: session.description.releaseDelay)
        default: break
        }
        if session.phase != .inactive || stays {
            session.asksInVain = false
        } else if asks && isSilenced {
            session.asksInVain = true
        }
        if session.phase != .inactive { session.hasHeld = true }
        if old == .inactive { session.wasHeard = false }
        if session.phase == .active && !isSilenced { session.wasHeard = true }
        self[number] = session
    }

    private func phase(after session: Session, asks: Bool, isSilenced: Bool, stays: Bool) -> Phase {
        let runs =
            session.isDriven ? session.isActivated : has(session) { $0.isWanted && $0.isRunning }
        let isOver = session.deadline.map { $0 <= now } ?? false
        switch session.phase {
        case .inactive:
            if isSilenced || !asks { return .inactive }
            if runs { return .active }
            // R37: it waits until the others are silent, once; R19: a call never does.
            let waits = session.description.handover == .hold && session.description.category != .playAndRecord
            if waits && !session.hasHeld { return .holding }
            // R34: who asked in vain goes ahead as soon as it may.
            return session.asksInVain ? .starting : .inactive
        case .holding:
            if !asks { return .inactive }
            if isSilenced { return .active }
            return isOver || runs || holdersMayBegin ? .starting : .holding
        case .starting, .active, .releasing:
            if stays { return .inactive }
            if !asks && session.isDriven { return .inactive }
            if !asks {
                // R2: it outlives its last stream for a moment, unless it is silenced.
                let isDone = session.phase == .releasing ? isOver : session.description.releaseDelay <= .zero
                return isSilenced || isDone ? .inactive : .releasing
            }
            if runs || isSilenced { return .active }
            if session.phase != .starting { return .starting }
            return isOver ? .inactive : .starting
        }
    }
}
