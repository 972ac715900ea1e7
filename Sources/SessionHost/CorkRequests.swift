public import SessionCore

/// What the client of a stream of PulseAudio wants, read from the states that it sets and from how it answers requests to cork.
///
/// PulseAudio has no state for "paused by its user" beside "paused because it was asked to". So a cork that soon follows a
/// request is the answer to it, and any other is the user's.
public struct CorkRequests: Sendable, Equatable {
    /// What has passed between us and the client about a cork.
    private enum Phase: Equatable {
        case none
        /// It was asked to cork, and has not done it yet.
        case asked(Instant)
        /// It has corked because it was asked to.
        case followed
        /// It was asked to go on, having followed, and has not done it yet.
        case recalled(Instant)
    }

    /// What a change of the stream's state says of its client's wish.
    public enum Wish: Sendable, Equatable {
        /// Nothing new.
        case same
        /// The client wants the stream to run, or to be paused.
        case wanted(Bool)
        /// The client runs the stream though it was asked to cork: it has paused, and asks to be heard once more.
        case wantedAnew
    }

    /// How long a client may take to cork of which nobody knows whether it follows requests; a user needs longer.
    public static let patience = Duration.milliseconds(500)
    /// How long it may take to go on.
    public static let returnPatience = Duration.seconds(1)

    /// The client wants the stream to run, as far as that is its own wish.
    public private(set) var wantsToPlay: Bool
    private var phase = Phase.none
    /// The client was asked to cork, and is asked to go on when it may be heard again. A client that ignores the first request
    /// ignores the second too, so that does no harm.
    private var wasAsked = false
    /// It has corked because it was asked to before, so it will again, however late.
    private var isFollower = false

    /// A client of which nothing was asked yet.
    public init(wantsToPlay: Bool) { self.wantsToPlay = wantsToPlay }

    /// The stream runs now.
    public mutating func started() -> Wish {
        defer { phase = .none }
        if phase == .followed {
            // R36: as when its user presses play.
            wantsToPlay = true
            return .wantedAnew
        }
        return want(true)
    }

    /// The client has corked the stream.
    public mutating func corked(at now: Instant) -> Wish {
        if case .asked(let moment) = phase, isFollower || moment.duration(to: now) < CorkRequests.patience {
            phase = .followed
            isFollower = true
            return .same
        }
        phase = .none
        // What its user has paused is not asked to go on: where the pause ends what held it, that would be heard at once, and
        // where its output has gone, on the speaker (R36, R64).
        wasAsked = false
        return want(false)
    }

    /// The client is asked to cork a stream that runs.
    public mutating func ask(at now: Instant) {
        phase = .asked(now)
        wasAsked = true
    }

    /// The stream may be heard again.
    ///
    /// - Returns: Whether the client is asked to go on, and when to look whether it has (``look(at:isRunning:)``).
    public mutating func release(at now: Instant) -> (asksToGoOn: Bool, lookAt: Instant?) {
        defer { wasAsked = false }
        switch phase {
        // Also who was asked to go on after an interruption before, and has not done so yet.
        case .followed, .recalled:
            phase = .recalled(now)
            return (wasAsked, now.advanced(by: CorkRequests.returnPatience))
        case .asked, .none:
            phase = .none
            return (wasAsked, nil)
        }
    }

    /// Whether a client that was asked to go on has done so. If not, its application has paused it meanwhile, or leaves that to
    /// its user.
    ///
    /// - Returns: What that says of its wish, and when to look again.
    public mutating func look(at now: Instant, isRunning: Bool) -> (wish: Wish, again: Instant?) {
        guard case .recalled(let moment) = phase else { return (.same, nil) }
        let end = moment.advanced(by: CorkRequests.returnPatience)
        guard end <= now else { return (.same, end) }
        phase = .none
        return (want(isRunning), nil)
    }

    private mutating func want(_ isWanted: Bool) -> Wish {
        guard isWanted != wantsToPlay else { return .same }
        wantsToPlay = isWanted
        return .wanted(isWanted)
    }
}
