import RandomEvents
import SessionCore

/// Computes which sessions are heard, and which session silences which, anew from the facts.
extension Oracle {
    /// Resolves all sessions. If sessions with weaker claims may stop speech, a first pass finds out whether they do;
    /// then everything is undone and resolved again with that knowledge.
    mutating func resolve() {
        for place in sessions.indices { sessions[place].formerCause = sessions[place].cause }
        let former = sessions
        resolveAll()
        let speech = contestedSpeech()
        if speech.isEmpty { return }
        heardSpeech = Set(speech.filter { isHeard(self[$0]) })
        stoppedSpeech = Set(speech).subtracting(heardSpeech)
        sessions = former
        resolveAll()
        let heard = heardSpeech
        heardSpeech = []
        stoppedSpeech = []
        if speech.contains(where: { isHeard(self[$0]) != heard.contains($0) || isContradicted($0) }) {
            isContradictory = true
        }
    }

    /// Whether a heard session should be stopped by a session with a weaker claim that is heard too.
    private func isContradicted(_ number: Int) -> Bool {
        let session = self[number]
        return isHeard(session)
            && sessions.contains { $0.number != number && isHeard($0) && stopsStrongerSpeech($0, session) }
    }

    /// The speech sessions that a session with a weaker claim may stop. They are resolved after those sessions.
    private func contestedSpeech() -> [Int] {
        sessions.filter { session in
            Pairs.isSpeech(session.description)
                && sessions.contains { $0.number != session.number && stopsStrongerSpeech($0, session) }
        }.map(\.number)
    }

    /// Resolves all sessions, strongest claim first, and repeats until nothing changes. Each session's phase follows at
    /// once, so that sessions with weaker claims see it.
    private mutating func resolveAll() {
        holdersMayBegin = false
        var before = sessions.map(Snapshot.init)
        for _ in 0..<32 {
            for place in sessions.indices where !sessions[place].isClosed || sessions[place].isConfigured {
                sessions[place].description = describe(sessions[place])
            }
            for number in order() {
                resolveCause(of: number)
                advance(number)
            }
            let after = sessions.map(Snapshot.init)
            guard after == before else {
                before = after
                continue
            }
            // R37: sessions that wait for others to fall silent begin once nothing else changes and all are silent.
            if holdersMayBegin || !sessions.contains(where: { $0.phase == .holding }) || isAnybodyFading { return }
            holdersMayBegin = true
        }
    }

    private struct Snapshot: Equatable {
        var phase: Phase
        var cause: OracleCause?
        var block: Block?
        var description: SessionDescription

        init(_ session: Session) {
            phase = session.phase
            cause = session.cause
            block = session.block
            description = session.description
        }
    }

    /// Whether any stream can be heard although it should be silent.
    private var isAnybodyFading: Bool {
        streams.contains { stream in
            stream.isAudible && isSilenced(self[stream.session]) && isToBeSilent(stream, in: self[stream.session])
        }
    }

    /// Whether what silences a session silences a stream of it. R13: only other sessions silence user interface sounds.
    func isToBeSilent(_ stream: Stream, in session: Session) -> Bool {
        if case .session = session.cause { return true }
        return !stream.isUISound
    }

    // MARK: - What a session is

    /// Whether a session requests activation.
    func asks(_ session: Session) -> Bool {
        if session.isDriven { return session.isActivated }
        return has(session) { stream in
            stream.isWanted
                && (session.isDescribedByStreams || !stream.isUISound && lack(of: stream, in: session) == nil)
        }
    }

    /// R15–R19, R23: the reason for which the session's category keeps a stream silent: it has no output, no input, or
    /// neither; `nil` if the category allows the stream's direction.
    func lack(of stream: Stream, in session: Session) -> Reason? {
        if session.kind != .opened || session.isDescribedByStreams || stream.isUISound { return nil }
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
        case .opened where !session.isDescribedByStreams: return configuredDescription(session)
        case .implicit, .opened:
            // A session in its release delay keeps its description.
            guard asks(session) || session.phase == .inactive else { return session.description }
            var description = descriptionOfStreams(session)
            // N8: the preference about alerts applies even if the application has set nothing else.
            let avoidsAlerts = session.configuration.avoidsAlerts
            if avoidsAlerts || session.isOpened && !has(session, { _ in true }) {
                description.avoidsAlerts = avoidsAlerts
            }
            return description
        }
    }

    /// R1: the strongest description of a session's wanted streams, or of all its streams if none is wanted.
    func descriptionOfStreams(_ session: Session) -> SessionDescription {
        let asks = asks(session)
        var all: [SessionDescription] = []
        for stream in streams where stream.session == session.number && (stream.isWanted || !asks) {
            if all.last != stream.description { all.append(stream.description) }
        }
        return strongest(of: all) ?? session.description
    }

    /// R1: the strongest description counts for an application. N14: an application that plays and records without a
    /// role gets the policy's description for pairing.
    func strongest(of descriptions: [SessionDescription]) -> SessionDescription? {
        var all = descriptions
        let listener =
            policy.untaggedCapture
            ?? SessionDescription(name: Policy.untaggedCaptureName, category: .ambient, isInterruptible: false)
        func isPaired(_ description: SessionDescription, _ isCapture: Bool) -> Bool {
            if description.isPaired { return (description.name == Policy.untaggedCaptureName) == isCapture }
            return policy.pairsUntagged && description == (isCapture ? listener : policy.untagged)
        }
        if let pairing = policy.pairing, all.contains(where: { isPaired($0, true) }),
            all.contains(where: { isPaired($0, false) })
        {
            all.append(pairing)
        }
        func strength(_ description: SessionDescription) -> (Int, Int, Int) {
            (
                description.category == .uiSound ? 0 : 1, Int(description.priority.rawValue),
                Pairs.mixes(description) ? (Pairs.ducks(description) ? 1 : 0) : 2
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

    /// R1: a description's rank in the policy's order. Opened sessions come last.
    private func place(of description: SessionDescription) -> Int {
        policy.order[description.name] ?? policy.order.count
    }

    /// R39–R55: the description that follows from an application's configuration. It has only what affects other
    /// sessions.
    private func configuredDescription(_ session: Session) -> SessionDescription {
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
        // R36: the session has the priority of its strongest stream.
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

    // MARK: - Order of claims

    /// R36, R21: whether the first session's claim is stronger: higher priority, then recordings, then the later
    /// request.
    static func isAbove(_ one: Session, _ other: Session) -> Bool {
        if one.description.priority != other.description.priority {
            return one.description.priority > other.description.priority
        }
        let (isRecord, isOtherRecord) = (
            one.description.category == .record, other.description.category == .record
        )
        if isRecord != isOtherRecord { return isRecord }
        return one.lastRequest > other.lastRequest
    }

    /// The numbers of all sessions in the order of resolution: strongest claim first, but speech that sessions with
    /// weaker claims stop comes after those sessions.
    func order() -> [Int] {
        var order = sessions.sorted(by: Self.isAbove)
        for session in order.reversed() where Pairs.isSpeech(session.description) {
            guard !heardSpeech.contains(session.number),
                let last = order.lastIndex(where: {
                    $0.number != session.number && stopsStrongerSpeech($0, session)
                        && ($0.phase != .inactive || asks($0))
                }),
                let place = order.firstIndex(where: { $0.number == session.number }), place < last
            else { continue }
            order.remove(at: place)
            order.insert(session, at: last)
        }
        return order.map(\.number)
    }

    // MARK: - Effects between two sessions

    /// Whether an actor leaves a session alone. R36, R80: an interruption by the system does, if the session's application
    /// began it. Opened sessions of one application affect each other like those of different applications. N19: so does
    /// everybody beside whom the user wants the session to be heard. N13: so does who is quiet. N27: so does who is heard
    /// in other zones.
    func spares(_ actor: Session, _ other: Session) -> Bool {
        if other.isFreeFrom.contains(actor.number) || isQuiet(actor) || isElsewhere(actor, other) { return true }
        if case .system(_, by: other.application) = actor.kind { return true }
        return false
    }

    /// N13: whether a session does something to others only while it sounds, and does not sound.
    private func isQuiet(_ actor: Session) -> Bool {
        actor.description.actsWhileSounding && has(actor) { _ in true }
            && !has(actor) { $0.isWanted && $0.isSounding && $0.direction == .playback }
    }

    /// N27: whether it is known of both where they are heard, and they share no zone.
    private func isElsewhere(_ actor: Session, _ other: Session) -> Bool {
        if policy.zones.all.isEmpty { return false }
        func places(_ session: Session) -> [ZoneSet] {
            streams.compactMap { stream in
                stream.session == session.number && stream.isWanted && stream.direction == .playback
                    ? stream.zones : nil
            }
        }
        let (here, there) = (places(actor), places(other))
        if here.isEmpty || there.isEmpty || (here + there).contains([]) { return false }
        return !here.contains { zone in there.contains { !zone.isDisjoint(with: $0) } }
    }

    func act(_ actor: Session, on other: Session) -> Interplay.Kind {
        if spares(actor, other) { return .mix }
        if stopsStrongerSpeech(actor, other) { return .cork }
        return Pairs.kind(
            actor.description, on: other.description, isNewcomer: other.lastRequest > actor.lastRequest, policy)
    }

    /// N1, N2: whether an actor with a weaker claim stops a speech session. Speech stops whichever of the two came
    /// first.
    private func stopsStrongerSpeech(_ actor: Session, _ other: Session) -> Bool {
        Pairs.isSpeech(other.description) && Self.isAbove(other, actor) && !spares(actor, other)
            && actor.description.priority >= other.description.priority
            && Pairs.stopsPlayingSpeech(actor.description, other.description, policy)
            && !Pairs.kind(other.description, on: actor.description, isNewcomer: false, policy).silences
    }

    /// Whether an actor silences another session while the actor is heard.
    func silences(_ actor: Session, _ other: Session) -> Bool {
        actor.number != other.number && act(actor, on: other).silences
            && (Self.isAbove(actor, other) || stopsStrongerSpeech(actor, other))
    }

    /// Whether a session is silenced now.
    func isSilenced(_ session: Session) -> Bool {
        !isSuspended && (session.cause != nil || session.block != nil)
    }

    /// Whether a session is heard, or about to be heard, and so affects others.
    func isHeard(_ session: Session) -> Bool {
        !isSuspended && session.phase != .inactive && !session.hasLeft && session.cause == nil
            && session.block == nil
            && !stoppedSpeech.contains(session.number)
    }

    /// R8: the heard session that rejects a session of this description; `nil` for none.
    func rejecter(of description: SessionDescription, _ session: Session) -> Session? {
        var other = session
        other.description = description
        return sessions.filter { $0.number != session.number && isHeard($0) && rejects($0, other) }
            .sorted(by: Self.isAbove).first
    }

    private func rejects(_ actor: Session, _ other: Session) -> Bool {
        !spares(actor, other)
            && Pairs.kind(actor.description, on: other.description, isNewcomer: true, policy) == .reject
    }

    /// R8: the heard session that would reject or silence a session if it requested activation now; `nil` for none.
    func blocker(of session: Session) -> Session? {
        var asking = session
        asking.isDriven = true
        asking.lastRequest = requestCount + 1
        asking.description = describe(asking)
        if let rejecter = rejecter(of: asking.description, session) { return rejecter }
        return sessions.filter { isHeard($0) && silences($0, asking) }.sorted(by: Self.isAbove).first
    }

    // MARK: - Causes (N17)

    /// N17: determines the cause of a session. The first cause stays as long as it holds the session and silences it.
    private mutating func resolveCause(of number: Int) {
        // A closed session keeps its cause, which becomes the cause of the sessions that it interrupted.
        if self[number].isClosed { return }
        unblock(number)
        let session = self[number]
        // If only the session's own application can end its block, other sessions do not matter.
        if isFinal(session.block) {
            self[number].cause = nil
            return
        }
        let former = session.cause
        if let former, stillSilences(former, session) { return }
        // A session that no longer requests activation is told the end, even if another session would silence it.
        if case .session = former, !asks(session), session.interruption == .announced, !mayResume(session) {
            self[number].endsInterruption = true
        }
        let next = successor(of: former, for: session) ?? silencer(of: session)
        self[number].cause = next ?? awaited(session)
        guard next == nil, case .session(let last) = former, !isSuspended else { return }
        if resumesByItself(session, after: last) { return }
        if session.isDriven {
            // R34: the session is inactive already. Its application is told whether to activate it again.
            guard session.interruption != .none else { return }
            self[number].hasGivenUp = true
            self[number].toldToStayBy = .session(last)
            self[number].endsInterruption = session.interruption == .announced
            // R27: the beginning must be announced before the end, once the session is silent.
            if session.interruption == .begun { self[number].block = .toldToStay(by: .session(last)) }
        } else if asks(session) {
            // R31: the session no longer waits for its output either.
            self[number].cause = nil
            self[number].block = .toldToStay(by: .session(last))
            self[number].toldToStayBy = .session(last)
        }
    }

    private func isFinal(_ block: Block?) -> Bool { block?.isAwaited == false }

    /// Removes the block of a session to which it no longer applies.
    private mutating func unblock(_ number: Int) {
        let session = self[number]
        // R35: a block ends when the session stops requesting activation. A session that its application drives keeps
        // its block: its application was told of it.
        let isPaused = !asks(session) && !session.isDriven
        // R13: a user interface sound does not inherit the block of its application's other streams. R36: nothing
        // silences a call.
        let ignoresBlocks = session.description.category == .uiSound || Pairs.isPhone(session.description)
        guard session.block != nil, isPaused || ignoresBlocks else { return }
        self[number].block = nil
        if isPaused { self[number].wasBlocked = true }
    }

    /// Whether a cause still silences a session.
    private func stillSilences(_ cause: OracleCause, _ session: Session) -> Bool {
        switch cause {
        case .session(let number):
            guard let actor = self.session(number) else { return false }
            // If the speech is known to be heard, a session with a weaker claim is about to be silenced by it.
            if heardSpeech.contains(session.number) && !Self.isAbove(actor, session) { return false }
            return holds(actor) && silences(actor, session)
        // Another session may silence the session meanwhile, and end again.
        case .output, .input: return awaited(session) == cause && silencer(of: session) == nil
        case .route, .policy: return false
        }
    }

    /// N17: whether the sessions that a session interrupted keep waiting for it: while it is heard, while it is
    /// interrupted itself and may resume, and for a time after it was told to resume.
    func holds(_ session: Session) -> Bool {
        if session.isClosed { return false }
        // R11: a session that was deactivated, or has no wanted streams any more, is still in its former phase until it
        // is resolved.
        let isEnding = session.phase == .releasing && session.deadline.map { $0 <= now } ?? false
        let isGivenUp = isEnding || session.isDriven && !session.isActivated
        // N16: this also applies while the policy is suspended.
        if session.phase != .inactive, !isGivenUp, session.cause == nil, session.block == nil { return true }
        if let block = session.block, !block.isAwaited { return false }
        let isInterrupted =
            session.cause != nil || session.block != nil || session.isDriven && session.interruption == .announced
        // A session that has never begun holds no others, even if it waits itself.
        let hasBegun = session.isDriven || session.phase != .inactive
        if isInterrupted && hasBegun && mayResume(session) { return true }
        return session.mayResumeUntil.map { now < $0 } ?? false
    }

    /// Whether a silenced session resumes when the interruption ends.
    func mayResume(_ session: Session) -> Bool {
        if !session.isDriven { return asks(session) }
        return session.isActivated || session.interruption != .none && !session.hasGivenUp
    }

    /// N17: when the former cause ends, the session that silences it becomes the next cause, if it silences this
    /// session too.
    private func successor(of former: OracleCause?, for session: Session) -> OracleCause? {
        var next = former
        for _ in sessions.indices {
            guard case .session(let number) = next, let actor = self.session(number) else { return nil }
            next = interrupter(of: actor)
            if let next, case .session = next, stillSilences(next, session) { return next }
        }
        return nil
    }

    /// The cause of a session; for a session that ends in the present event, its cause before the event.
    private func interrupter(of session: Session) -> OracleCause? {
        if session.hasLeft { return session.formerCause }
        return holds(session) ? session.cause : session.formerCause ?? session.cause
    }

    /// The heard session with the strongest claim that silences a session; `nil` for none.
    private func silencer(of session: Session) -> OracleCause? {
        silencers(of: session).first.map { .session($0.number) }
    }

    /// The heard sessions that silence a session, strongest claim first.
    func silencers(of session: Session) -> [Session] {
        sessions.filter { isHeard($0) && silences($0, session) && !isStoppedByWeaker($0) }
            // If the speech is known to be heard, sessions with weaker claims are about to be silenced by it.
            .filter { !heardSpeech.contains(session.number) || Self.isAbove($0, session) }
            .sorted(by: Self.isAbove)
    }

    /// N1: whether a heard session with a weaker claim stops a speech session.
    private func isStoppedByWeaker(_ session: Session) -> Bool {
        Pairs.isSpeech(session.description) && !heardSpeech.contains(session.number)
            && sessions.contains { $0.number != session.number && isHeard($0) && stopsStrongerSpeech($0, session) }
    }

    private func awaited(_ session: Session) -> OracleCause? {
        session.block.flatMap { $0.isAwaited ? $0.cause : nil }
    }

    // MARK: - Ends of interruptions

    /// R11, R31, N17: whether a session resumes by itself after its former cause has ended.
    private func resumesByItself(_ session: Session, after number: Int) -> Bool {
        guard let last = self.session(number), !last.isLeftAlone else { return true }
        // The former cause still exists and only stopped silencing this session: one of the two has another
        // description, or this session requested activation again. Looks for another session in the chain of causes.
        let noLongerSilences =
            last.phase != .inactive && last.block?.isAwaited == true && !last.hasLeft && !silences(last, session)
        if holds(last) || noLongerSilences {
            var next = last.cause
            for _ in sessions.indices {
                guard case .session(let number) = next, let other = self.session(number) else { return true }
                if silences(other, session) { return resumesByItself(session, after: number) }
                next = interrupter(of: other)
            }
            return true
        }
        // If the former cause was itself told not to resume, the session that told it so decides, if it would silence
        // this session too.
        if case .session(let successor) = last.toldToStayBy, let other = self.session(successor),
            silences(other, session)
        {
            return resumesByItself(session, after: successor)
        }
        let letsResume = Pairs.letsResume(last.description) || lowersByRule(last, session)
        switch last.kind {
        case .system: return letsResume
        case .implicit, .opened:
            if last.isDriven { return !last.tellsOthersToStay }
            return !last.wasHeard || letsResume
        }
    }

    /// R31: whether an actor silences speech because a rule of the policy has it lowered.
    private func lowersByRule(_ actor: Session, _ other: Session) -> Bool {
        // A weaker claim stops speech only as it does what was playing.
        let isNewcomer = Self.isAbove(actor, other) && other.lastRequest > actor.lastRequest
        return actor.description.resumption == .transient
            && Pairs.lowersByRule(actor.description, other.description, isNewcomer: isNewcomer, policy)
    }

    // MARK: - Phases

    /// Moves a session to the phase that its streams, its cause or block, and the time require.
    private mutating func advance(_ number: Int) {
        var session = self[number]
        let asks = asks(session)
        let wasSilenced = isSilenced(session) || session.wasBlocked || session.block != nil
        if !asks {
            session.hasStarted = false
            session.asksWhileSilenced = false
        }
        if session.description.category == .uiSound || Pairs.isPhone(session.description) { session.block = nil }
        if let block = session.block {
            switch session.cause {
            case .output, .input: if !block.isAwaited { session.cause = nil }
            default: break
            }
        } else {
            switch session.cause {
            case .output, .input: session.cause = nil
            default: break
            }
        }
        // R34: a session that requests activation while it is silenced starts as soon as it may.
        if asks && session.phase == .inactive && session.wasSilenced { session.asksWhileSilenced = true }
        let old = session.phase
        let isSilenced = isSilenced(session)
        let stays = isSilenced && session.cause == nil
        session.phase = phase(after: session, asks: asks, isSilenced: asks ? isSilenced : wasSilenced, stays: stays)
        switch session.phase {
        case .inactive, .active: session.deadline = nil
        case .holding where old != .holding:
            // R37: at most the fade of the others, and two seconds.
            session.deadline = now.advanced(by: session.description.fade).advanced(by: Self.patience)
        case .starting where old != .starting: session.deadline = now.advanced(by: Self.patience)
        case .releasing where old != .releasing: session.deadline = now.advanced(by: session.description.releaseDelay)
        default: break
        }
        if session.phase != .inactive || stays {
            session.asksWhileSilenced = false
        } else if asks && isSilenced {
            session.asksWhileSilenced = true
        }
        if session.phase != .inactive { session.hasStarted = true }
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
            // R37: the session waits once until the others are silent. R19: a call never waits.
            let waits = session.description.handover == .hold && session.description.category != .playAndRecord
            if waits && !session.hasStarted { return .holding }
            // R34: a session that requested activation while it was silenced starts as soon as it may.
            return session.asksWhileSilenced ? .starting : .inactive
        case .holding:
            if !asks { return .inactive }
            if isSilenced { return .active }
            return isOver || runs || holdersMayBegin ? .starting : .holding
        case .starting, .active, .releasing:
            if stays { return .inactive }
            if !asks && session.isDriven { return .inactive }
            if !asks {
                // R2: the session outlives its last stream by its release delay, unless it is silenced.
                let isDone = session.phase == .releasing ? isOver : session.description.releaseDelay <= .zero
                return isSilenced || isDone ? .inactive : .releasing
            }
            if runs || isSilenced { return .active }
            if session.phase != .starting { return .starting }
            return isOver ? .inactive : .starting
        }
    }
}
