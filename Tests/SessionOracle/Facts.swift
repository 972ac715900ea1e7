import SessionCore

/// The facts of the oracle. Sessions and streams are arrays in the order of their creation; look-ups search them.

/// Who or what silences or lowers a session (N17).
public enum OracleCause: Sendable, Hashable {
    /// A session, by its number.
    case session(Int)
    /// An output that was removed.
    case output(PortID)
    /// An input that its user muted.
    case input(PortID)
    /// The route of a recording has changed.
    case route
    /// No session: a switch, a category, or the session is inactive.
    case policy
}

/// The phase of a session between its first stream and its last.
enum Phase: Sendable, Equatable {
    /// The session does not request activation, or may not begin.
    case inactive
    /// The session waits until the sessions that it silences are silent.
    case holding
    /// The session may run and does not run yet. Ends after two seconds.
    case starting
    /// The session runs, or an interruption has stopped it.
    case active
    /// The session's last stream has stopped, and its release delay is not over.
    case releasing
}

/// What keeps a session silent other than another session.
enum Block: Sendable, Equatable {
    /// R64: the session's output was removed. The session waits for the output until this time.
    case lostOutput(PortID, name: String, until: Instant)
    /// N7: the session's input is muted.
    case mutedInput(PortID, name: String)
    /// R31, R11: the session was told not to resume. Only its application can activate it again.
    case toldToStay(by: OracleCause)
    /// R8: the session was rejected. Its application has to request activation again.
    case rejected(by: OracleCause)

    /// Whether the session resumes by itself when the block ends.
    var isAwaited: Bool {
        switch self {
        case .lostOutput, .mutedInput: true
        case .toldToStay, .rejected: false
        }
    }

    /// The cause that the session's application is told.
    var cause: OracleCause {
        switch self {
        case .lostOutput(let port, _, _): .output(port)
        case .mutedInput(let port, _): .input(port)
        case .toldToStay(let cause), .rejected(let cause): cause
        }
    }
}

/// How much of an interruption was announced to the session's application (R26, R30).
enum InterruptionStage: Sendable, Equatable {
    case none
    /// The session is silenced. The interruption is announced once the session is inaudible.
    case begun
    /// The beginning was announced.
    case announced
}

struct Stream: Sendable {
    var id: StreamID
    /// The number of its session.
    var session: Int
    var description: SessionDescription
    var direction: StreamDirection
    /// Whether the stream's application wants it to run, and whether its user or application has muted it (N24).
    var isPlayed = false
    var isMuted = false
    /// Whether the stream is loud enough to count (N13), and where it is heard (N27).
    var isSounding = true
    var zones: ZoneSet = []
    /// Whether the stream counts as wanted.
    var isWanted = false
    var isRunning = false
    /// Whether the stream, which was to become silent, is silent.
    var isSettled = false
    /// Whether the stream's input is muted (N7).
    var isInputMuted = false

    var isUISound: Bool { description.category == .uiSound }
    var isAudible: Bool { isRunning && !isSettled }
}

struct Session: Sendable {
    enum Kind: Sendable, Equatable {
        /// The session that an application has because of its streams (R2).
        case implicit
        /// A session that an application opened (R79, R80).
        case opened
        /// An interruption by the system.
        case system(SessionDescription, by: ApplicationID?)
    }

    /// The constant properties, in an object of their own so that copying a session is cheap.
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
    /// The configuration that the application has set.
    var configuration = SessionConfiguration()
    /// Whether the application has set the category.
    var isConfigured = false
    var description: SessionDescription
    /// Whether the session was closed in the present event. It is removed at the end of the event.
    var isClosed = false

    /// The number of the session's latest request for activation. Later requests have higher numbers.
    var lastRequest: Int
    /// Whether the application activates and deactivates the session. Until it first does so, the streams do.
    var isDriven = false
    /// Whether the application has activated the session and nothing has ended the activation.
    var isActivated = false
    /// Whether the application deactivated the session without notifying others (R11).
    var tellsOthersToStay = false
    /// Whether the policy leaves the session's streams alone from the present event on.
    var isLeftAlone = false
    /// Whether the application deactivated the session during an interruption, so that the session does not resume
    /// (R35).
    var hasGivenUp = false
    /// Whether the session was heard since it became active.
    var wasHeard = false
    /// Until when the application may resume after it was told to (N17).
    var mayResumeUntil: Instant?

    var phase = Phase.inactive
    /// When the phase ends by itself.
    var deadline: Instant?
    /// Whether the session has started since it began to request activation. It then no longer waits for others to fall
    /// silent.
    var hasStarted = false
    /// Whether the session requested activation while it was silenced. It then starts as soon as it may.
    var asksWhileSilenced = false

    /// Who or what silences the session now (N17).
    var cause: OracleCause?
    var block: Block?
    /// Whether a block ended in the present event because the session stopped requesting activation.
    var wasBlocked = false
    /// The cause before the present resolution.
    var formerCause: OracleCause?
    /// Whether the event itself ended the session, before resolution.
    var hasLeft = false
    /// Whether the session had a cause before the present event.
    var wasSilenced = false
    /// The cause that ended in the present event and told the session not to resume.
    var toldToStayBy: OracleCause?

    /// The sessions beside which this one is heard because its user wants that (N19).
    var isFreeFrom: Set<Int> = []
    /// Whether the user has freed the session from the switches.
    var isFreeFromSwitches = false

    /// Whether the session was last told that it is active.
    var isToldActive = false
    var interruption = InterruptionStage.none
    /// The cause that was announced with the present interruption.
    var announcedCause: OracleCause?
    /// Whether the end of the interruption is announced in the present event, even if another session silences this
    /// one.
    var endsInterruption = false
    /// The number of the session that ducks this one; `nil` for none.
    var ducker: Int?

    init(
        number: Int, key: SessionKey, application: ApplicationID, kind: Kind, description: SessionDescription,
        lastRequest: Int
    ) {
        self.number = number
        identity = Identity(key, application, kind)
        self.description = description
        self.lastRequest = lastRequest
    }

    var key: SessionKey { identity.key }
    var application: ApplicationID { identity.application }
    var kind: Kind { identity.kind }
    /// Whether the streams determine the session's description, because the application has neither configured nor
    /// activated the session.
    var isDescribedByStreams: Bool { kind == .implicit || kind == .opened && !isConfigured && !isDriven }
    var isOpened: Bool { kind != .implicit }
    var isSystem: Bool { kind != .implicit && kind != .opened }
}

/// A message to the owner of a session, or an answer to a request.
public enum Announcement: Sendable, Equatable {
    case active(SessionKey)
    case inactive(SessionKey)
    case began(SessionKey, by: OracleCause)
    case ended(SessionKey, resumes: Bool)
    case answered(SessionID, Answer)
    case granted(SessionID)

    /// The answer to a request. A refusal names the session that prevents the activation.
    public enum Answer: Sendable, Equatable {
        case done, delayed, nothingDelayed, unknown
        case mistaken
        case refused(by: SessionKey)
    }
}
