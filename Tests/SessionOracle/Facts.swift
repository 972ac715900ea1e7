import SessionCore

/// What the oracle knows. Sessions and streams are kept in the order in which they came, and found by looking through.

/// Who or what keeps a session silent (N17).
public enum Who: Sendable, Hashable {
    /// A session, an application's or the system's, by its number.
    case session(Int)
    /// The output that has gone.
    case output(PortID)
    /// The input that its user has muted.
    case input(PortID)
    /// The route of a recording has changed.
    case route
    /// No session: switches, a category, the session's own inactivity.
    case policy
}

/// Where a session is between its first stream and its last.
enum Phase: Sendable, Equatable {
    /// It does not want to be heard, or may not begin.
    case inactive
    /// It waits until those that it silences are silent.
    case holding
    /// It was let go and does not run yet; for two seconds.
    case starting
    /// It runs, or would if it were not silenced.
    case active
    /// Its last stream has stopped; until its release delay is over.
    case releasing
}

/// What keeps a session silent although no session does.
enum Obstacle: Sendable, Equatable {
    /// R64: its output has gone; it is waited for until then.
    case lostOutput(PortID, name: String, until: Instant)
    /// N7: its input is muted.
    case mutedInput(PortID, name: String)
    /// R31, R11: it was told to stay. Only its application begins again.
    case toldToStay(by: Who)
    /// R8: it was not let begin, and has to ask again.
    case rejected(by: Who)

    /// Whether it goes on by itself when this is over.
    var isAwaited: Bool {
        switch self {
        case .lostOutput, .mutedInput: true
        case .toldToStay, .rejected: false
        }
    }

    /// Whom its application is told of.
    var who: Who {
        switch self {
        case .lostOutput(let port, _, _): .output(port)
        case .mutedInput(let port, _): .input(port)
        case .toldToStay(let who), .rejected(let who): who
        }
    }
}

/// How far its application was told of an interruption (R26, R30).
enum News: Sendable, Equatable {
    case none
    /// It is silenced, and can be heard still.
    case begun
    /// It was told "began".
    case told
}

struct Stream: Sendable {
    var id: StreamID
    /// The number of its session.
    var session: Int
    var description: SessionDescription
    var direction: StreamDirection
    var isWanted = false
    var isRunning = false
    /// It has become silent, as it was told to.
    var isSettled = false
    /// What it records from is muted (N7).
    var isInputMuted = false

    var isUISound: Bool { description.category == .uiSound }
    var isAudible: Bool { isRunning && !isSettled }
}

struct Session: Sendable {
    enum Kind: Sendable, Equatable {
        /// An application has it because it has streams (R2).
        case implicit
        /// An application has opened it (R79, R80).
        case opened
        /// The system interrupts.
        case system(SessionDescription, by: ApplicationID?)
    }

    /// What never changes of it; apart, so that a session is quickly copied.
    final class Identity: Sendable {
        let key: SessionKey
        let application: ApplicationID
        let kind: Kind

        init(_ key: SessionKey, _ application: ApplicationID, _ kind: Kind) {
            self.key = key
            self.application = application
            self.kind = kind
        }
    }

    let number: Int
    let identity: Identity
    /// What its application has said of it.
    var configuration = SessionConfiguration()
    /// It has said what its session is.
    var hasSpoken = false
    var description: SessionDescription
    /// It is closed, and gone after this event.
    var isClosed = false

    /// When it last asked to be heard: the later, the larger.
    var asked: Int
    /// Its application activates and deactivates it, and has activated it.
    var isDriven = false
    var isActivated = false
    /// It deactivated without notifying others (R11).
    var endsWithStay = false
    /// Its streams are left alone by the policy from the present event on.
    var isLeftAlone = false
    /// It gave up while it was interrupted (R35).
    var hasGivenUp = false
    /// It was heard since it last began.
    var wasHeard = false
    /// It was told to resume, and may until then (N17).
    var mayResumeUntil: Instant?

    var phase = Phase.inactive
    var deadline: Instant?
    /// It has begun since it last began to ask, so it does not wait for others to fall silent again.
    var hasHeld = false
    /// It asks although it has to be silent.
    var asksInVain = false

    /// Who silences it (N17).
    var cause: Who?
    var obstacle: Obstacle?
    /// It was kept silent by something else until its application gave up in the present event.
    var wasBlocked = false
    /// The same before the present look.
    var formerCause: Who?
    /// It has ended in the present event, before anything was worked out.
    var hasLeft = false
    /// It had a cause before the present event.
    var wasSilenced = false
    /// Who silenced it until this event, if nobody does any more and it was to stay.
    var stayedFor: Who?

    var isToldActive = false
    var news = News.none
    /// Who it was told of.
    var toldOf: Who?
    /// It has given up, and who has interrupted it has left in the present event.
    var isOver = false
    /// Who lowers it.
    var ducker: Int?

    init(
        number: Int, key: SessionKey, application: ApplicationID, kind: Kind, description: SessionDescription,
        asked: Int
    ) {
        self.number = number
        identity = Identity(key, application, kind)
        self.description = description
        self.asked = asked
    }

    var key: SessionKey { identity.key }
    var application: ApplicationID { identity.application }
    var kind: Kind { identity.kind }
    /// It is what its streams make of it: nobody has said anything of it yet.
    var isOfStreams: Bool { kind == .implicit || kind == .opened && !hasSpoken && !isDriven }
    var isOpened: Bool { kind != .implicit }
    var isSystem: Bool { kind != .implicit && kind != .opened }
}

/// What was told, in order.
public enum Told: Sendable, Equatable {
    case active(SessionKey)
    case inactive(SessionKey)
    case began(SessionKey, by: Who)
    case ended(SessionKey, resumes: Bool)
    case answered(SessionID, Answer)
    case granted(SessionID)

    /// An answer, with the one in the way by its key.
    public enum Answer: Sendable, Equatable {
        case done, delayed, nothingWaits, unknown, noRoom
        case mistaken
        case refused(by: SessionKey)
    }
}
