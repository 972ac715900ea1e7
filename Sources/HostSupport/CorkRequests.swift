public import PolicyEngine

/// What the client of a PulseAudio stream wants, derived from the states that it sets and its answers to cork requests.
///
/// PulseAudio does not distinguish "paused by the user" from "paused on request". So a cork that soon follows a request
/// is the answer to it, and any other cork is the user's. It may also be the late answer of a client that had to wait for
/// a busy machine. That client is asked to uncork all the same, and a client that does so follows requests.
public struct CorkRequests: Sendable, Equatable {
    /// The state of the exchange with the client.
    private enum Phase: Equatable {
        case none
        /// The client was asked to cork, and has not corked yet.
        case askedToCork(Instant)
        /// The client corked because it was asked to.
        case followed
        /// The client corked long after it was asked to: late, or because its user paused the stream.
        case pausedOrLate
        /// The client had corked on request, was asked to uncork, and has not uncorked yet.
        case askedToUncork(Instant)
        /// The same for a client that had paused or was late.
        case askedToUncorkAnyway(Instant)
    }

    /// What a change of the stream's state says about whether the client wants the stream to run.
    public enum Intent: Sendable, Equatable {
        /// Nothing has changed.
        case same
        /// The client wants the stream to run, or to be paused.
        case wanted(Bool)
        /// The client uncorked the stream although it was asked to cork: it requests activation again.
        case wantedAnew
    }

    /// Where a stream plays: a device, and the port that is in use there.
    public struct Place: Sendable, Equatable {
        private var device: UInt32?
        private var port: Int?

        /// - Parameters:
        ///   - device: The device's index.
        ///   - port: The address of the port in use.
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
    /// Whether the client was asked to cork, so that it must be asked to uncork later. A client that ignored the first
    /// request ignores the second too.
    private var wasAsked = false
    /// Whether the client has corked on request before. If so, it will again, however late.
    private var isFollower = false
    /// Whether the client has let the patience with a request pass. If so, a later cork is its user's, however soon.
    private var isIgnorer = false
    /// Where the stream played when its client was asked to cork.
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
            // A client whose user paused the stream is not asked to uncork: the stream would play as soon as the
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

    /// Records that the stream may be heard again.
    ///
    /// - Parameters:
    ///   - now: The present time.
    ///   - place: Where the stream plays now.
    /// - Returns: Whether to ask the client to uncork, and when to check whether it has
    ///   (``checkUncorked(at:isRunning:)``).
    public mutating func release(
        at now: Instant, on place: Place = Place()
    ) -> (asksToUncork: Bool, checkAt: Instant?) {
        defer { wasAsked = false }
        switch phase {
        // Also a client that was asked to uncork after an earlier interruption and has not done so yet.
        case .followed, .askedToUncork:
            phase = .askedToUncork(now)
            return (wasAsked, now.advanced(by: CorkRequests.returnPatience))
        case .pausedOrLate:
            // R64: its headphones may have been pulled out, and it must not go on from the speaker.
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
    /// meanwhile, or leaves resuming to its user.
    ///
    /// - Returns: Whether the client wants the stream to run, and when to check again; `nil` for never.
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

    /// Records that a request has been ignored, if the patience with it has passed.
    private mutating func noteIgnored(since moment: Instant, at now: Instant) {
        if moment.duration(to: now) >= CorkRequests.patience { isIgnorer = true }
    }

    private mutating func want(_ isWanted: Bool) -> Intent {
        guard isWanted != wantsToPlay else { return .same }
        wantsToPlay = isWanted
        return .wanted(isWanted)
    }
}
