/// The facts of one stream.
struct Stream: Sendable, Equatable {
    let id: StreamID
    /// The place of its session.
    var session: Int
    var described: Described
    let direction: StreamDirection
    var isPlayed = false
    /// When it makes a call if its application records until then; `nil` if it makes one now, or plays (N14).
    var callsAt: Instant?
    /// Whether its user or application has muted it (N24).
    var isMuted = false
    /// Whether it is loud enough to count (N13).
    var isSounding = true
    /// Where it is heard; empty if that is not known (N27).
    var zones: ZoneSet = []
    /// Whether the server processes it now, and ever did.
    var isRunning = false
    var hasRun = false
    /// Whether its input is muted by the user (N7).
    var isInputMuted = false

    /// N14, N24: whether it counts as wanted. A muted recording does, and one for a call once it has lasted.
    func isWanted(_ muted: MutedStreams) -> Bool {
        isPlayed && (callsAt == nil || !described.has(.isCall))
            && (!isMuted || muted == .count || direction == .capture)
    }

    var isUISound: Bool { described.has(.uiSound) }
}

struct Session: Sendable {
    enum Kind: Sendable {
        /// The session that an application has because of its streams (R2).
        case implicit
        /// A session that an application has opened (R80).
        case opened
        case system
    }

    /// What never changes, in an object, so that copies of a session are cheap.
    final class Identity: Sendable {
        let key: SessionKey
        let application: ApplicationID
        /// The application that has begun an interruption by the system (R36).
        let beginner: ApplicationID?

        init(_ key: SessionKey, _ application: ApplicationID, begunBy beginner: ApplicationID? = nil) {
            self.key = key
            self.application = application
            self.beginner = beginner
        }
    }

    /// Never used again.
    let number: UInt32
    let identity: Identity
    let kind: Kind
    /// What its application has set, and the description of that, or the system's for its interruptions.
    var configuration = SessionConfiguration()
    var own: Described?
    var isConfigured = false
    /// The ports that it prefers, by id (R66).
    var preferredOutput: String?
    var preferredInput: String?
    /// Whether it may change a port that others use (N20).
    var mayUseSharedPorts = true
    /// Later requests have higher numbers.
    var request: UInt64
    /// The numbers of the sessions beside which it is heard because its user wants that (N19).
    var freeFrom: [UInt32] = []
    /// Whether its user has freed it from the switches (N19).
    var isFreeFromSwitches = false

    var key: SessionKey { identity.key }
    var id: SessionID? {
        switch identity.key {
        case .opened(let id): id
        case .application: nil
        }
    }

    var cause: Cause {
        switch kind {
        case .implicit, .opened: .session(SessionNumber(number))
        case .system: .system(SessionNumber(number))
        }
    }

    func reference(_ described: Described) -> SessionReference {
        SessionReference(application: identity.application, description: described.description.name, id: id)
    }

    func interrupter(_ described: Described) -> Interrupter {
        Interrupter(
            cause: cause, reason: described.description.machineReason ?? .default, name: identity.application.name,
            description: described.description.name, id: id)
    }
}

/// All that has happened: streams and sessions in the order of their creation, requests, switches, and the policy.
struct Facts: Sendable {
    var rules: Rules
    var streams: [Stream] = []
    var sessions: [Session] = []
    /// The numbers of the sessions whose delayed activation is pending, the oldest request first (N9).
    var waiting: [UInt32] = []
    var switches = Switches()
    var requests: UInt64 = 0
    var lastNumber: UInt32 = 0

    init(_ policy: Policy) { rules = Rules(policy) }

    var isSuspended: Bool { switches.pausedUntil != nil }

    func stream(_ id: StreamID) -> Int? { streams.firstIndex { $0.id == id } }

    func session(_ id: SessionID) -> Int? { sessions.firstIndex { $0.id == id } }

    func session(_ key: SessionKey) -> Int? { sessions.firstIndex { $0.key == key } }

    func place(_ number: UInt32) -> Int? {
        var (low, high) = (0, sessions.count)
        while low < high {
            let middle = low + (high - low) / 2
            if sessions[middle].number < number { low = middle + 1 } else { high = middle }
        }
        return low < sessions.count && sessions[low].number == number ? low : nil
    }

    func isWanted(_ stream: Stream) -> Bool { stream.isWanted(rules.policy.muted) }

    mutating func nextRequest() -> UInt64 {
        requests &+= 1
        return requests
    }

    /// R39–R55: the description of a session whose application has configured it.
    func described(_ configuration: SessionConfiguration) -> Described {
        Described(configuration.description(ducking: rules.policy.ducking), rules)
    }
}
