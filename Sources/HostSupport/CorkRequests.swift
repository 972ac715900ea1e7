public import PolicyEngine

/// What a PulseAudio stream's client wants, derived from the states that it sets and its answers to cork requests.
///
/// PulseAudio does not distinguish "paused by the user" from "paused on request". So a cork that soon follows a request
/// is its answer, and any other cork is the user's, or the late answer of a client on a busy machine. That client is
/// asked to uncork all the same, and a client that does so follows requests.
public struct CorkRequests: Sendable, Equatable {
    private enum Phase: Equatable {
        case none
        case askedToCork(Instant)
        case followed
        /// The client corked long after it was asked to: late, or because its user paused the stream.
        case pausedOrLate
        /// The client had corked on request, and has not uncorked yet.
        case askedToUncork(Instant)
        /// The client had paused or was late, and has not uncorked yet.
        case askedToUncorkAnyway(Instant)
    }

    /// What a change of the stream's state says about the client's intent.
    public enum Intent: Sendable, Equatable {
        case same
        case wanted(Bool)
        /// The client uncorked the stream although it was asked to cork: it requests activation again.
        case wantedAnew
    }

    /// Where a stream plays: a device, and the port in use there.
    public struct Place: Sendable, Equatable {
        private var device: UInt32?
        private var port: Int?

        /// - Parameter port: The address of the port in use.
        public init(device: UInt32? = nil, port: Int? = nil) {
            self.device = device
            self.port = port
        }
    }

    /// How long a client that may not follow requests can take to cork. A user takes longer to react.
    public static let patience = Duration.milliseconds(500)
    /// How long a client may take to uncork on request.
    public static let returnPatience = Duration.seconds(1)

    /// Whether the client itself wants the stream to run.
    public private(set) var wantsToPlay: Bool
    private var phase = Phase.none
    /// Whether we owe a request to uncork. A client that ignored the request to cork ignores that, too.
    private var wasAsked = false
    /// A client that has corked on request does so again, however late.
    private var isFollower = false
    /// After a client that has let the patience with a request pass, a cork is its user's, however soon.
    private var isIgnorer = false
    private var place = Place()

    /// Creates the state of a client that was asked nothing yet.
    public init(wantsToPlay: Bool) { self.wantsToPlay = wantsToPlay }

    /// Handles a stream that has started or was uncorked.
    public mutating func started() -> Intent {
        defer { phase = .none }
        if phase == .followed {
            // R36: the same as when the user presses play.
            wantsToPlay = true
            return .wantedAnew
        }
        if case .askedToUncorkAnyway = phase {
            isFollower = true
            isIgnorer = false
        }
        return want(true)
    }

    /// Handles a stream that its client has corked.
    public mutating func corked(at now: Instant) -> Intent {
        guard case .askedToCork(let moment) = phase else {
            phase = .none
            // A client whose user paused the stream is not asked to uncork: its stream would play as soon as the
            // interruption ends, and after a lost output, on the speaker (R36, R64).
            wasAsked = false
            return want(false)
        }
        noteIgnored(since: moment, at: now)
        if isFollower || !isIgnorer {
            phase = .followed
            isFollower = true
            return .same
        }
        phase = .pausedOrLate
        return want(false)
    }

    /// Records that the client of a running stream is asked to cork.
    public mutating func ask(at now: Instant, on place: Place = Place()) {
        phase = .askedToCork(now)
        wasAsked = true
        self.place = place
    }

    /// Records that the stream may be heard again, at the present place. Returns whether to ask the client to uncork,
    /// and when to check the answer (``checkUncorked(at:isRunning:)``).
    public mutating func release(
        at now: Instant, on place: Place = Place()
    ) -> (asksToUncork: Bool, checkAt: Instant?) {
        defer { wasAsked = false }
        switch phase {
        // Also a client that still owes an earlier request.
        case .followed, .askedToUncork:
            phase = .askedToUncork(now)
            return (wasAsked, now.advanced(by: CorkRequests.returnPatience))
        case .pausedOrLate:
            // R64: its headphones may have been pulled out, and it must not play on from the speaker.
            guard place == self.place else {
                phase = .none
                return (false, nil)
            }
            phase = .askedToUncorkAnyway(now)
            return (wasAsked, now.advanced(by: CorkRequests.returnPatience))
        case .askedToUncorkAnyway:
            phase = .askedToUncorkAnyway(now)
            return (wasAsked, now.advanced(by: CorkRequests.returnPatience))
        case .askedToCork(let moment):
            noteIgnored(since: moment, at: now)
            phase = .none
            return (wasAsked, nil)
        case .none:
            return (wasAsked, nil)
        }
    }

    /// Checks whether a client that was asked to uncork has done so. If not, its application has paused the stream
    /// meanwhile, or leaves resuming to its user. `again` is when to check again.
    public mutating func checkUncorked(at now: Instant, isRunning: Bool) -> (intent: Intent, again: Instant?) {
        let moment: Instant
        switch phase {
        case .askedToUncork(let asked), .askedToUncorkAnyway(let asked): moment = asked
        default: return (.same, nil)
        }
        let end = moment.advanced(by: CorkRequests.returnPatience)
        guard end <= now else { return (.same, end) }
        phase = .none
        return (want(isRunning), nil)
    }

    private mutating func noteIgnored(since moment: Instant, at now: Instant) {
        if moment.duration(to: now) >= CorkRequests.patience { isIgnorer = true }
    }

    private mutating func want(_ isWanted: Bool) -> Intent {
        guard isWanted != wantsToPlay else { return .same }
        wantsToPlay = isWanted
        return .wanted(isWanted)
    }
}
