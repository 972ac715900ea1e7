public import SessionCore

/// Asks media players to pause and resume (N15). No call blocks.
public protocol PlayerPausing: AnyObject {
    /// Asks the player of a stream to pause.
    ///
    /// - Returns: The player that was asked; `nil` if none was. Whether it has paused shows in the stream's state.
    func pause(_ stream: StreamIdentity) -> String?
    /// Asks a player that was paused to resume, unless its user has changed its state since.
    ///
    /// - Returns: `false` only if the user has paused or stopped the player meanwhile. Whether it resumes shows in the
    ///   stream's state.
    func resume(_ player: String) -> Bool
    /// Whether the player of a stream has been paused or stopped since a moment; `nil` for a stream without a player.
    func hasPaused(_ stream: StreamIdentity, since: Instant) -> Bool?
}

/// The pause of one stream's player (N15).
///
/// The engine treats the stream like a corked one that its application wants to run: this module, not the user, made the
/// player stop it.
struct StreamPause: Equatable {
    /// How long a player may take to stop its stream before the stream is corked. The stream is silent meanwhile.
    static let limit = Duration.milliseconds(750)
    /// How long a player may take to resume before its stream counts as paused by its user (R35).
    static let resumeLimit = Duration.seconds(5)

    enum Phase: Equatable {
        /// The player was asked to pause, and its stream still runs.
        case asked
        /// The player has stopped its stream.
        case paused
        /// The player has stopped and closed its stream. The engine still has the stream.
        case closed
        /// The player did not stop its stream in time, so the stream was corked. The player may pause later.
        case corked
        /// The player was asked to resume.
        case resuming
    }

    /// The player that was asked; `nil` once it was asked to resume, or need not be.
    var player: String?
    private(set) var phase = Phase.asked
    /// Whether the client has stopped the stream.
    private(set) var isStopped = false
    /// When the phase ends by itself; `nil` for never.
    private(set) var until: Instant?

    /// The player was asked to pause.
    ///
    /// - Parameter former: An earlier pause, from which the player may not have resumed yet.
    init(of player: String, after former: StreamPause?, at now: Instant) {
        self.player = player
        isStopped = former?.isStopped ?? false
        until = now.advanced(by: Self.limit)
    }

    /// Whether the stream is silenced by it.
    var silences: Bool { phase != .resuming }

    /// Whether the player did not fail to pause in time.
    var isInTime: Bool { silences && phase != .corked }

    /// What a change that a client makes to its stream means.
    enum Reading: Equatable {
        /// The player did what it was asked to.
        case expected
        /// The player did what it was asked to, and the pause is over.
        case over
        /// The user plays although the player was asked to pause.
        case playedByUser
    }

    /// Interprets a client's start or stop of its stream.
    mutating func interpret(isWanted: Bool) -> Reading {
        let wasStopped = isStopped
        isStopped = !isWanted
        switch (phase, isWanted) {
        case (.asked, false), (.corked, false): (phase, until) = (.paused, nil)
        case (.paused, true): return .playedByUser
        case (.resuming, true): return wasStopped ? .over : .expected
        default: break
        }
        return .expected
    }

    /// Takes the removal of the stream. Returns whether it is kept: a stream that its player has closed because it was asked
    /// to pause comes back when the player is asked to resume.
    mutating func removed() -> Bool {
        guard phase == .paused || phase == .asked || phase == .closed else { return false }
        (phase, isStopped, until) = (.closed, true, nil)
        return true
    }

    /// The player is asked to resume.
    mutating func resumes(at now: Instant) {
        // A player that is about to pause will stop its stream first, and then resume.
        (phase, until) = (.resuming, now.advanced(by: Self.resumeLimit))
    }

    /// What to do when a player has not responded in time.
    enum Lateness: Equatable {
        /// Nothing: it has.
        case none
        /// Cork the stream: it still plays although its player was asked to pause.
        case cork
        /// The pause is over, and if the stream is stopped, somebody else has paused the player.
        case over(isStopped: Bool)
    }

    /// Ends a phase whose time has passed.
    mutating func expire() -> Lateness {
        until = nil
        guard phase == .asked else { return .over(isStopped: isStopped) }
        phase = isStopped ? .paused : .corked
        return isStopped ? .none : .cork
    }
}
