/// Who activates and deactivates a session.
enum Driver: Sendable, Equatable {
    /// Its streams, until its application first does so (R34).
    case streams
    case activated
    /// Its application, which was notified of an interruption since (R26).
    case interrupted
    /// Its application has given it up (R11).
    case deactivated(notifiesOthers: Bool)
    /// Closed in the present event (R12).
    case closed

    var isApplication: Bool { self != .streams }

    var mayBeHeard: Bool {
        switch self {
        case .streams, .activated: true
        case .interrupted, .deactivated, .closed: false
        }
    }

    var hasGivenUp: Bool {
        switch self {
        case .streams, .activated, .interrupted: false
        case .deactivated, .closed: true
        }
    }
}

/// The phase of a session between its first stream and its last (R2).
enum Phase: Sendable, Equatable {
    case inactive
    /// Waits until its victims are silent (R37).
    case handover(until: Instant)
    /// May run, and does not run yet.
    case starting(until: Instant)
    case active
    case releasing(until: Instant)
    /// Ends in the present event without release delay: its streams have moved, or are left alone.
    case leaving(isLeftAlone: Bool)

    var end: Instant? {
        switch self {
        case .handover(let end), .starting(let end), .releasing(let end): end
        case .inactive, .active, .leaving: nil
        }
    }

    var isHandover: Bool {
        switch self {
        case .handover: true
        case .inactive, .starting, .active, .releasing, .leaving: false
        }
    }

    var isLeaving: Bool {
        switch self {
        case .leaving: true
        case .inactive, .handover, .starting, .active, .releasing: false
        }
    }
}

/// Whether an interrupted session may resume, if its application drives it (R11, R31).
enum Prospect: Sendable, Equatable {
    case mayResume
    /// R35: its application has deactivated it meanwhile.
    case hasGivenUp
    /// The session with this number has ended without letting it resume.
    case mustNotResume(after: UInt32)
}

/// How far a session's application was notified of an interruption (R26, R30).
enum Interruption: Sendable, Equatable {
    case none
    /// Silenced, and to be notified when silent.
    case begun(Prospect)
    /// Notified of the beginning: of its obstacle, or of another session.
    case notified(ofObstacle: Bool, Prospect)
    /// Notified of the beginning; the end follows in the present event, whoever silences the session now.
    case over(ofObstacle: Bool, Prospect)
    /// Notified that it may resume until then (N17).
    case mayResume(until: Instant)
    /// Notified that it must not resume by itself (R11, R31).
    case mustNotResume

    /// `nil` if the session is not interrupted.
    var prospect: Prospect? {
        get {
            switch self {
            case .begun(let prospect), .notified(_, let prospect), .over(_, let prospect): prospect
            case .none, .mayResume, .mustNotResume: nil
            }
        }
        set {
            guard let newValue else { return }
            switch self {
            case .begun: self = .begun(newValue)
            case .notified(let ofObstacle, _): self = .notified(ofObstacle: ofObstacle, newValue)
            case .over(let ofObstacle, _): self = .over(ofObstacle: ofObstacle, newValue)
            case .none, .mayResume, .mustNotResume: break
            }
        }
    }

    var end: Instant? {
        switch self {
        case .mayResume(let until): until
        case .none, .begun, .notified, .over, .mustNotResume: nil
        }
    }

    /// Of the beginning and not of the end.
    var isNotified: Bool {
        switch self {
        case .notified, .over: true
        case .none, .begun, .mayResume, .mustNotResume: false
        }
    }

    var hasBegun: Bool {
        switch self {
        case .begun: true
        case .none, .notified, .over, .mayResume, .mustNotResume: false
        }
    }
}

/// How far a session has come since it began to ask.
struct Progress: Sendable, Equatable {
    var phase = Phase.inactive
    /// Whether it has been active since it began to ask, and so no longer waits for others to fall silent (R37).
    var hasStarted = false
    /// Whether it has asked while silenced, and so starts as soon as it may (R34).
    var startsWhenFree = false
    /// Whether it was heard since it became active (R31).
    var wasHeard = false
}

/// What others may read of a session (R77, N6).
enum Playing: Sendable {
    case nothing
    case mixing
    case primary
}

/// What was decided about a session, and what it was notified of. An event may end what it says.
struct Standing: Sendable {
    /// The session as it is now (R1).
    var described: Described
    var driver = Driver.streams
    var progress = Progress()
    /// The place of the session that silences it (N17), and how.
    var cause: Int?
    var silence = Silence.cork
    var obstacle: Obstacle?
    var interruption = Interruption.none
    /// Until when the session is to be told first of the route that follows from its lost output; `nil` once told.
    var routeIsToldUntil: Instant?
    /// The place of the session that lowers it (N10).
    var ducker: Int?
    var playing = Playing.nothing
    /// Whether its input is muted (N7).
    var isInputMuted = false
    /// What its application was last notified of and shown.
    var isNotifiedActive = false
    var shown = SessionState()

    init(_ described: Described) { self.described = described }

    var hasSilencer: Bool { cause != nil || obstacle != nil }

    /// Whether the session goes on by itself after its obstacle, or only by its application or user.
    var hasPassingObstacle: Bool { obstacle.map { !$0.isFinal } ?? false }
    var hasFinalObstacle: Bool { obstacle?.isFinal ?? false }

    mutating func end(_ occasion: Obstacle.Occasion) {
        if obstacle?.ends(occasion) ?? false { obstacle = nil }
    }

    var phase: Phase {
        get { progress.phase }
        set { progress.phase = newValue }
    }
}
