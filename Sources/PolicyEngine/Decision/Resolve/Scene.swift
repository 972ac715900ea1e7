/// A session as it is, or would be after a request.
struct Party: Sendable {
    let place: Int
    let described: Described
    let request: UInt64

    var claim: UInt64 { PolicyEngine.claim(described, request) }
}

/// A claim, the higher the stronger: the priority, then recordings, then the later request (R36, R21).
func claim(_ described: Described, _ request: UInt64) -> UInt64 {
    described.weight << 55 | request & (1 << 55 - 1)
}

/// What is decided from, in an object, because a scene is copied often.
final class Setting: Sendable {
    let facts: Facts
    let now: Instant
    /// The verdict before the event, and the standings when the event had changed the facts.
    let before: Verdict
    let start: [Standing]
    let sums: [Sums]

    init(_ facts: Facts, _ start: [Standing], before: Verdict, applied: [Applied], at now: Instant) {
        self.facts = facts
        self.now = now
        self.before = before
        self.start = start
        sums = Sums.all(facts, applied)
    }
}

/// Facts and standings: which session asks, which is heard, and what each does to others.
struct Scene: Sendable {
    let setting: Setting
    var standings: [Standing]
    /// Of those with an effect on others, the strongest claim first.
    var heard: [Int] = []
    /// The sessions that can affect others, in the order of decisions.
    var actors: [Int] = []
    /// N1: speech that weaker sessions could stop: known to be heard, and known not to be.
    var heardSpeech: [Int] = []
    var stoppedSpeech: [Int] = []

    init(_ facts: Facts, _ standings: [Standing], before: Verdict, applied: [Applied], at now: Instant) {
        setting = Setting(facts, standings, before: before, applied: applied, at: now)
        self.standings = standings
    }

    var facts: Facts { _read { yield setting.facts } }
    var before: Verdict { _read { yield setting.before } }
    var start: [Standing] { _read { yield setting.start } }
    var sums: [Sums] { _read { yield setting.sums } }
    var now: Instant { setting.now }
    var rules: Rules { setting.facts.rules }

    /// `nil` for a session that the event has created.
    func former(_ place: Int) -> Standing? {
        place < before.standings.count ? before.standings[place] : nil
    }

    // MARK: - One session

    /// R1: its streams describe a session that its application has neither configured nor driven.
    func isDescribedByStreams(_ place: Int) -> Bool {
        switch facts.sessions[place].kind {
        case .implicit: true
        case .opened: !facts.sessions[place].isConfigured && standings[place].driver == .streams
        case .system: false
        }
    }

    func asks(_ place: Int) -> Bool {
        switch standings[place].driver {
        case .activated: return true
        case .interrupted, .deactivated, .closed: return false
        case .streams:
            if sums[place].wantedCount == 0 { return false }
            return isDescribedByStreams(place) || hasWantedSound(place)
        }
    }

    /// Whether a wanted stream, no user interface sound, has a direction that the category allows.
    func hasWantedSound(_ place: Int) -> Bool {
        sums[place].wantedCaptures > 0 && lack(.capture, place) == nil
            || sums[place].wantedCount > sums[place].wantedUISounds &+ sums[place].wantedCaptures
                && lack(.playback, place) == nil
    }

    /// R15–R19, R23: why a session's category keeps a direction silent for good.
    func lack(_ direction: StreamDirection, _ place: Int) -> Reason? {
        if facts.sessions[place].kind != .opened || isDescribedByStreams(place) { return nil }
        return standings[place].described.description.category.lack(direction)
    }

    /// A user interface sound belongs to no category but its own (R13).
    func lack(_ stream: Stream) -> Reason? {
        stream.isUISound ? nil : lack(stream.direction, stream.session)
    }

    func isSilenced(_ place: Int) -> Bool {
        !facts.isSuspended && standings[place].hasSilencer
    }

    /// Whether only its own application or user makes the session heard again.
    func isStopped(_ place: Int) -> Bool {
        isSilenced(place) && standings[place].cause == nil && standings[place].hasFinalObstacle
    }

    /// Whether a session is heard, or about to be, and so affects others.
    func isHeard(_ place: Int) -> Bool {
        if standings[place].phase == .inactive || standings[place].hasSilencer || facts.isSuspended { return false }
        if standings[place].phase.isLeaving { return false }
        return standings[place].driver.mayBeHeard && !stoppedSpeech.contains(place)
    }

    /// N17: the victims of a session wait while it is heard, while it is interrupted and may resume, and for a
    /// time after the notification that it may resume.
    func holds(_ place: Int) -> Bool {
        if standings[place].driver == .closed { return false }
        let isActive = standings[place].phase != .inactive
        let isDriven = standings[place].driver.isApplication
        let isSilent = standings[place].hasSilencer
        if !isSilent, isActive, !isOver(place) { return true }
        if standings[place].hasFinalObstacle { return false }
        let isInterrupted = isSilent || isDriven && standings[place].interruption.isNotified
        if isInterrupted, isActive || isDriven, mayResume(place) { return true }
        if case .mayResume(let until) = standings[place].interruption { return now < until }
        return false
    }

    /// Whether a session was given up although its phase does not say so yet.
    private func isOver(_ place: Int) -> Bool {
        switch standings[place].phase {
        case .leaving: return true
        case .releasing(let until): if until <= now { return true }
        case .inactive, .handover, .starting, .active: break
        }
        return !standings[place].driver.mayBeHeard
    }

    /// Whether a session goes on when its silencer has ended.
    func mayResume(_ place: Int) -> Bool {
        switch standings[place].driver {
        case .streams: asks(place)
        case .activated: true
        case .interrupted, .deactivated, .closed: standings[place].interruption.prospect == .mayResume
        }
    }

    // MARK: - Two sessions

    func party(_ place: Int) -> Party {
        Party(place: place, described: standings[place].described, request: facts.sessions[place].request)
    }

    func claim(_ place: Int) -> UInt64 { PolicyEngine.claim(standings[place].described, facts.sessions[place].request) }

    func isAbove(_ one: Int, _ other: Int) -> Bool { claim(one) > claim(other) }

    /// Whether an actor leaves a session alone: the user frees the session (N19); the actor is quiet (N13); their zones
    /// differ (N27); or the session's application has begun the actor's interruption (R36).
    func spares(_ actor: Int, _ other: Int) -> Bool {
        if !facts.sessions[other].freeFrom.isEmpty,
            facts.sessions[other].freeFrom.contains(facts.sessions[actor].number)
        {
            return true
        }
        if standings[actor].described.has(.actsWhileSounding), sums[actor].count > 0, sums[actor].sounding == 0 {
            return true
        }
        if rules.hasZones, !sums[actor].zones.concerns(sums[other].zones) { return true }
        guard facts.sessions[actor].kind == .system, let beginner = facts.sessions[actor].identity.beginner else {
            return false
        }
        return beginner == facts.sessions[other].identity.application
    }

    /// Whoever has the stronger claim; but only speech is also stopped by a weaker one (N1, N2).
    func effect(_ actor: Party, on other: Party) -> Interplay.Kind {
        if actor.place == other.place { return .mix }
        let pair = rules.pair(actor.described, on: other.described)
        if pair == .none || spares(actor.place, other.place) { return .mix }
        if pair.stopsSpeech, actor.claim < other.claim, stops(actor, other) { return .cork }
        return other.request > actor.request ? pair.newcomer : pair.playing
    }

    /// N1, N2: whether a weaker actor stops this speech. If two stop each other, the later one wins.
    private func stops(_ actor: Party, _ speech: Party) -> Bool {
        actor.described.description.priority >= speech.described.description.priority
            && !rules.pair(speech.described, on: actor.described).playing.silences
    }

    /// `mix` if the actor does not silence the session.
    func silencing(_ actor: Party, _ other: Party) -> Interplay.Kind {
        if actor.place == other.place { return .mix }
        if actor.claim < other.claim { return stopsStrongerSpeech(actor, other) ? .cork : .mix }
        let kind = effect(actor, on: other)
        return kind.silences ? kind : .mix
    }

    func silences(_ actor: Int, _ other: Int) -> Bool { silencing(party(actor), party(other)) != .mix }

    /// N1, N2: the only case in which the weaker claim wins.
    func stopsStrongerSpeech(_ actor: Party, _ other: Party) -> Bool {
        other.described.has(.isSpeech) && actor.place != other.place && actor.claim < other.claim
            && rules.pair(actor.described, on: other.described).stopsSpeech && !spares(actor.place, other.place)
            && stops(actor, other)
    }
}
