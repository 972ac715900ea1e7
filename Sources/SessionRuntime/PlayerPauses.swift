public import SessionCore

/// What the runtime needs of those who control players (N15). None of it blocks.
public protocol PlayerControl: AnyObject {
    /// Asks the player of a stream to pause.
    ///
    /// - Returns: Whether it was asked. Whether it has paused is seen from the stream.
    func pause(_ stream: StreamID) -> Bool
    /// Lets a player that was asked to pause go on, unless its user has touched it since.
    ///
    /// - Returns: Whether it was asked to go on.
    func resume(_ stream: StreamID) -> Bool
    /// Nothing more is wanted of a stream's player.
    func forget(_ stream: StreamID)
}

/// Streams that are silenced by asking their players to pause (N15).
///
/// To the engine they are streams whose applications want them to run, as those that are corked: that their players have
/// stopped them is this module's doing, not the user's.
struct PlayerPauses {
    /// How long a player may take to stop its stream before the stream is corked. It is unheard meanwhile.
    static let limit = Duration.milliseconds(750)

    private enum Phase: Equatable {
        /// The player was asked, and its stream still runs.
        case asked(until: Instant)
        /// The player has stopped its stream.
        case paused
        /// The player has stopped and closed its stream; to the engine it is still there.
        case closed
        /// The player has not stopped its stream in time, so that it was corked. The player may pause later.
        case corked
        /// The player was asked to go on.
        case resuming
    }

    /// What an event about a stream comes to.
    enum Reading: Equatable {
        /// The engine is to hear of it.
        case news
        /// It is what was asked for.
        case expected
        /// The user plays in spite of the pause: cork the stream, and let the engine decide about it as a new wish.
        case defiance
    }

    private var phases: [StreamID: Phase] = [:]

    /// When the next stream is corked whose player does not stop it.
    var deadline: Instant? {
        var earliest: Instant?
        for case .asked(let until) in phases.values { earliest = min(earliest ?? until, until) }
        return earliest
    }

    /// The streams whose players have had their time.
    mutating func late(at now: Instant) -> [StreamID] {
        var late: [StreamID] = []
        for (stream, phase) in phases {
            if case .asked(let until) = phase, until <= now { late.append(stream) }
        }
        for stream in late { phases[stream] = .corked }
        return late
    }

    mutating func asked(_ stream: StreamID, at now: Instant) {
        phases[stream] = .asked(until: now.advanced(by: PlayerPauses.limit))
    }

    func has(_ stream: StreamID) -> Bool { phases[stream] != nil && phases[stream] != .resuming }

    /// What its client says of a stream.
    mutating func read(_ stream: StreamID, isWanted: Bool) -> Reading {
        switch (phases[stream], isWanted) {
        case (.asked, false), (.corked, false):
            phases[stream] = .paused
            return .expected
        case (.paused, true):
            phases[stream] = nil
            return .defiance
        case (.resuming, true):
            phases[stream] = nil
            return .expected
        case (.resuming, false):
            return .expected
        default: return .news
        }
    }

    /// The stream is gone. Returns whether the engine is to hear of it now: what its player closed when it was asked to pause
    /// comes back when it is asked to go on.
    mutating func vanished(_ stream: StreamID) -> Bool {
        switch phases[stream] {
        case .paused, .asked:
            phases[stream] = .closed
            return false
        case .closed: return false
        default:
            phases[stream] = nil
            return true
        }
    }

    /// What is left to do for a stream that may be heard again.
    enum Return: Equatable {
        /// Uncork it.
        case uncork
        /// Ask its player to go on, and uncork it if it was corked; when it is not asked, its user has paused it.
        case play
        /// Ask its player to go on, with another stream; this one is gone.
        case playAnew
    }

    mutating func mayReturn(_ stream: StreamID) -> Return {
        switch phases[stream] {
        case .asked, .corked:
            phases[stream] = nil
            return .play
        case .paused:
            phases[stream] = .resuming
            return .play
        case .closed:
            phases[stream] = nil
            return .playAnew
        case .resuming, nil: return .uncork
        }
    }

    mutating func forget(_ stream: StreamID) { phases[stream] = nil }
}
