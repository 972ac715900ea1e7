public import SessionCore

/// What the runtime needs of those who control players (N15). None of it blocks.
public protocol PlayerPausing: AnyObject {
    /// Asks the player of a stream to pause.
    ///
    /// - Returns: Whether it was asked. Whether it has paused is seen from the stream.
    func pause(_ stream: StreamID) -> Bool
    /// Lets a player that was asked to pause go on, unless its user has touched it since.
    ///
    /// - Returns: `false` only when its user has paused or stopped it meanwhile. Whether it goes on is seen from the stream.
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
    /// How long a player may take to go on before its stream counts as paused by its user (R35).
    static let resumeLimit = Duration.seconds(5)

    /// The most streams that their players have closed and that keep their place; the oldest lose it.
    static let mostClosed = 64

    private enum Phase: Equatable {
        /// The player was asked, and its stream still runs.
        case asked
        /// The player has stopped its stream.
        case paused
        /// The player has stopped and closed its stream; to the engine it is still there.
        case closed
        /// The player has not stopped its stream in time, so that it was corked. The player may pause later.
        case corked
        /// The player was asked to go on.
        case resuming
    }

    private struct State: Equatable {
        var phase: Phase
        /// Its client does not want it to run.
        var isStopped = false
        /// When the phase ends by itself.
        var until: Instant?
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

    /// What is to be done with a stream whose player has had its time.
    enum Verdict: Equatable {
        /// It plays on though it was asked to pause.
        case cork
        /// It does not go on though it was asked to: somebody else has paused it.
        case leave
    }

    private var states: [StreamID: State] = [:]
    /// Those that were closed, the oldest first; some may have gone since.
    private var closed: [StreamID] = []

    /// When the next player has had its time.
    var deadline: Instant? {
        var earliest: Instant?
        for state in states.values {
            if let until = state.until { earliest = min(earliest ?? until, until) }
        }
        return earliest
    }

    /// The streams whose players have had their time.
    mutating func late(at now: Instant) -> [(stream: StreamID, verdict: Verdict)] {
        var late: [(stream: StreamID, verdict: Verdict)] = []
        for (stream, state) in states {
            guard let until = state.until, until <= now else { continue }
            states[stream]?.until = nil
            switch state.phase {
            case .asked where !state.isStopped:
                states[stream]?.phase = .corked
                late.append((stream, .cork))
            case .asked: states[stream]?.phase = .paused
            default:
                states[stream] = nil
                if state.isStopped { late.append((stream, .leave)) }
            }
        }
        return late
    }

    mutating func asked(_ stream: StreamID, at now: Instant) {
        // One that was about to go on may not have done so yet.
        let isStopped = states[stream]?.isStopped ?? false
        states[stream] = State(phase: .asked, isStopped: isStopped, until: now.advanced(by: PlayerPauses.limit))
    }

    /// Whether a stream is silenced here already.
    func has(_ stream: StreamID) -> Bool { states[stream].map { $0.phase != .resuming } ?? false }

    /// Whether a stream's player was asked to pause, and has not had its time in vain.
    func isAsked(_ stream: StreamID) -> Bool { has(stream) && states[stream]?.phase != .corked }

    /// What its client says of a stream.
    mutating func read(_ stream: StreamID, isWanted: Bool) -> Reading {
        guard let state = states[stream] else { return .news }
        states[stream]?.isStopped = !isWanted
        switch (state.phase, isWanted) {
        case (.asked, false), (.corked, false): states[stream] = State(phase: .paused, isStopped: true)
        case (.paused, true):
            states[stream] = nil
            return .defiance
        case (.resuming, true): if state.isStopped { states[stream] = nil }
        default: break
        }
        return .expected
    }

    /// The stream is gone. Returns whether the engine is to hear of it now: what its player closed when it was asked to pause
    /// comes back when it is asked to go on.
    mutating func vanished(_ stream: StreamID) -> Bool {
        switch states[stream]?.phase {
        case .paused, .asked, .closed:
            states[stream] = State(phase: .closed, isStopped: true)
            closed.removeAll { $0 == stream }
            closed.append(stream)
            return false
        default:
            states[stream] = nil
            return true
        }
    }

    /// Forgets the stream that was closed first of too many; `nil` when there are not too many. A player that opens and
    /// closes streams all through a long call would have this grow without end.
    mutating func dropSurplus() -> StreamID? {
        guard closed.count > PlayerPauses.mostClosed else { return nil }
        closed.removeAll { states[$0]?.phase != .closed }
        guard closed.count > PlayerPauses.mostClosed else { return nil }
        let oldest = closed.removeFirst()
        states[oldest] = nil
        return oldest
    }

    /// What is left to do for a stream that may be heard again.
    enum Return: Equatable {
        /// Uncork it.
        case uncork
        /// Uncork it, and ask its player to go on.
        case play
        /// Ask its player to go on, with another stream; this one is gone.
        case playAnew
    }

    mutating func mayReturn(_ stream: StreamID, at now: Instant) -> Return {
        switch states[stream]?.phase {
        case .asked, .corked, .paused:
            // A player that is about to pause stops its stream, and then lets it go on.
            states[stream]?.phase = .resuming
            states[stream]?.until = now.advanced(by: PlayerPauses.resumeLimit)
            return .play
        case .closed:
            states[stream] = nil
            return .playAnew
        case .resuming, nil: return .uncork
        }
    }

    /// Its user has paused the player. Returns whether the engine does not know that its client has stopped the stream.
    mutating func wasTouched(_ stream: StreamID) -> Bool {
        let state = states.removeValue(forKey: stream)
        return state?.isStopped ?? false
    }

    /// The stream is to be silent for another reason than an interruption. Returns whether its player has closed it, so that
    /// nothing keeps it any more.
    mutating func isLeft(_ stream: StreamID) -> Bool {
        guard states[stream]?.phase == .closed else { return false }
        states[stream] = nil
        return true
    }
}
