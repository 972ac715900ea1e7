/// Who activates and deactivates a session.
enum Driver: Sendable, Equatable {
    /// Its streams, until its application first does so (R34).
    case streams
    /// Its application has activated it.
    case activated
    /// Its application had activated it, and was notified of an interruption since (R26).
    case interrupted
    /// Its application has deactivated it (R11).
    case deactivated(notifiesOthers: Bool)
    /// It was closed in the present event (R12).
    case closed

    var isApplication: Bool { self != .streams }

    /// Whether the session may be heard, if it asks.
    var mayBeHeard: Bool {
        switch self {
        case .streams, .activated: true
        case .interrupted, .deactivated, .closed: false
        }
    }

    /// Whether its application has given it up.
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
    /// It waits until those that it silences are silent (R37).
    case handover(until: Instant)
    /// It may run, and does not run yet.
    case starting(until: Instant)
    case active
    /// Its last stream has stopped a moment ago.
    case releasing(until: Instant)
    /// It ends in the present event, without its release delay: its streams have moved, or are left alone.
    case leaving(isLeftAlone: Bool)

    /// When the phase ends by itself.
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
    /// It is silenced, and is notified when it is silent.
    case begun(Prospect)
    /// It was notified of the beginning, and whether of its obstacle or of another session.
    case notified(ofObstacle: Bool, Prospect)
    /// It was notified of the beginning, and the end follows in the present event, whoever silences it now.
    case over(ofObstacle: Bool, Prospect)
    /// It was notified that it may resume, and has this long for it (N17).
    case mayResume(until: Instant)
    /// It was notified that it must not resume by itself (R11, R31).
    case mustNotResume

    /// Whether the session resumes when the interruption ends; `nil` if it is not interrupted.
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

    /// When it ends by itself; `nil` for never.
    var end: Instant? {
        switch self {
        case .mayResume(let until): until
        case .none, .begun, .notified, .over, .mustNotResume: nil
        }
    }

    /// Whether the application was notified of the beginning and not of the end.
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
    /// Whether it has been active since it began to ask. It then no longer waits for others to fall silent (R37).
    var hasStarted = false
    /// Whether it has asked while it was silenced. It then starts as soon as it may (R34).
    var startsWhenFree = false
    /// Whether it was heard since it became active (R31).
    var wasHeard = false
}

/// What others may read of a session (R77, N6).
enum Playing: Sendable {
    case nothing
    /// It is heard, and mixes.
    case mixing
    /// It is heard, and does not mix.
    case primary
}

/// Where a session stands: what was decided about it, and what it was notified of. An event may end what it says.
struct Standing: Sendable {
    /// What it is now (R1).
    var described: Described
    var driver = Driver.streams
    var progress = Progress()
    /// The place of the session that silences it (N17), and how.
    var cause: Int?
    var silence = Silence.cork
    /// What else silences it.
    var obstacle: Obstacle?
    var interruption = Interruption.none
    /// Until when the change of the route is told first that its lost output leads to; `nil` if it is told.
    var routeIsToldUntil: Instant?
    /// The place of the session that lowers it (N10).
    var ducker: Int?
    /// What others may read of it.
    var playing = Playing.nothing
    /// Whether its input is muted (N7).
    var isInputMuted = false
    /// Whether it was last notified that it is active, and the state that its application was last shown.
    var isNotifiedActive = false
    var shown = SessionState()

    init(_ described: Described) { self.described = described }

    /// Whether somebody or something silences it, unless the policy is suspended.
    var hasSilencer: Bool { cause != nil || obstacle != nil }

    /// Whether it has an obstacle after which it goes on by itself; and one that only its application or user ends.
    var hasPassingObstacle: Bool { obstacle.map { !$0.isFinal } ?? false }
    var hasFinalObstacle: Bool { obstacle?.isFinal ?? false }

    /// Ends the obstacle if this occasion does.
    mutating func end(_ occasion: Obstacle.Occasion) {
        if obstacle?.ends(occasion) ?? false { obstacle = nil }
    }

    var phase: Phase {
        get { progress.phase }
        set { progress.phase = newValue }
    }
}
