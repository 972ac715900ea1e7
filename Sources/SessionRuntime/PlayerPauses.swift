public import SessionCore

/// Asks media players to pause and resume (N15). No call blocks.
public protocol PlayerPausing: AnyObject {
    /// Asks the player of a stream to pause.
    ///
    /// - Returns: Whether the player was asked. Whether it has paused shows in the stream's state.
    func pause(_ stream: StreamID) -> Bool
    /// Asks a player that was paused to resume, unless its user has changed its state since.
    ///
    /// - Returns: `false` only if the user has paused or stopped the player meanwhile. Whether it resumes shows in the
    ///   stream's state.
    func resume(_ stream: StreamID) -> Bool
    /// Whether the player of a stream has been paused or stopped since a moment; `nil` for a stream without a player.
    func hasPaused(_ stream: StreamID, since: Instant) -> Bool?
    /// Forgets the player of a stream that needs no more requests.
    func forget(_ stream: StreamID)
}

/// Streams that are silenced by asking their players to pause (N15).
///
/// The engine treats them like corked streams that their applications want to run: this module, not the user, made the
/// players stop them.
struct PlayerPauses {
    /// How long a player may take to stop its stream before the stream is corked. The stream is silent meanwhile.
    static let limit = Duration.milliseconds(750)
    /// How long a player may take to resume before its stream counts as paused by its user (R35).
    static let resumeLimit = Duration.seconds(5)

    /// The maximum number of closed streams that are remembered; beyond it the oldest is dropped.
    static let maximumClosed = 64

    private enum Phase: Equatable {
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

    private struct State: Equatable {
        var phase: Phase
        /// Whether the client has stopped the stream.
        var isStopped = false
        /// When the phase ends by itself; `nil` for never.
        var until: Instant?
    }

    /// The meaning of a change that a client makes to its stream.
    enum Reading: Equatable {
        /// The engine must handle the change.
        case forEngine
        /// The player did what it was asked to.
        case expected
        /// The user plays although the player was asked to pause: cork the stream, and request activation again.
        case playedByUser
    }

    /// What to do with a stream whose player did not respond in time.
    enum LateAction: Equatable {
        /// Cork the stream: it still plays although its player was asked to pause.
        case cork
        /// Report the stream as paused: its player was asked to resume and did not, so somebody else has paused it.
        case reportPaused
    }

    private var states: [StreamID: State] = [:]
    /// The closed streams, the oldest first. Some may no longer be tracked.
    private var closed: [StreamID] = []

    /// The next time by which a player must have responded; `nil` for none.
    var deadline: Instant? {
        var earliest: Instant?
        for state in states.values {
            if let until = state.until { earliest = min(earliest ?? until, until) }
        }
        return earliest
    }

    /// Ends the phases whose time has passed. Returns the streams whose players did not respond in time.
    mutating func expire(at now: Instant) -> [(stream: StreamID, action: LateAction)] {
        var late: [(stream: StreamID, action: LateAction)] = []
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
                if state.isStopped { late.append((stream, .reportPaused)) }
            }
        }
        return late
    }

    mutating func asked(_ stream: StreamID, at now: Instant) {
        // The player may not have resumed yet although it was asked to.
        let isStopped = states[stream]?.isStopped ?? false
        states[stream] = State(phase: .asked, isStopped: isStopped, until: now.advanced(by: PlayerPauses.limit))
    }

    /// Whether a stream is silenced by a pause of its player.
    func has(_ stream: StreamID) -> Bool { states[stream].map { $0.phase != .resuming } ?? false }

    /// Forgets a stream.
    mutating func forget(_ stream: StreamID) { states[stream] = nil }

    /// Whether a stream's player was asked to pause and did not fail to do so in time.
    func isAsked(_ stream: StreamID) -> Bool { has(stream) && states[stream]?.phase != .corked }

    /// Interprets a client's start or stop of its stream.
    mutating func interpret(_ stream: StreamID, isWanted: Bool) -> Reading {
        guard let state = states[stream] else { return .forEngine }
        states[stream]?.isStopped = !isWanted
        switch (state.phase, isWanted) {
        case (.asked, false), (.corked, false): states[stream] = State(phase: .paused, isStopped: true)
        case (.paused, true):
            states[stream] = nil
            return .playedByUser
        case (.resuming, true): if state.isStopped { states[stream] = nil }
        default: break
        }
        return .expected
    }

    /// Records that a stream was removed. Returns whether the engine must be told now: a stream that its player closed
    /// because it was asked to pause comes back when the player is asked to resume.
    mutating func removed(_ stream: StreamID) -> Bool {
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

    /// Forgets the oldest closed stream and returns it if there are too many; otherwise returns `nil`. Without a limit,
    /// a player that opens and closes streams during a long call would fill the list.
    mutating func dropSurplus() -> StreamID? {
        guard closed.count > PlayerPauses.maximumClosed else { return nil }
        closed.removeAll { states[$0]?.phase != .closed }
        guard closed.count > PlayerPauses.maximumClosed else { return nil }
        let oldest = closed.removeFirst()
        states[oldest] = nil
        return oldest
    }

    /// How a stream that may be heard again is released.
    enum Release: Equatable {
        /// Uncork it.
        case uncork
        /// Uncork it, and ask its player to resume.
        case play
        /// Ask its player to resume with a new stream; this one was closed.
        case playAnew
    }

    mutating func release(_ stream: StreamID, at now: Instant) -> Release {
        switch states[stream]?.phase {
        case .asked, .corked, .paused:
            // A player that is about to pause will stop its stream first, and then resume.
            states[stream]?.phase = .resuming
            states[stream]?.until = now.advanced(by: PlayerPauses.resumeLimit)
            return .play
        case .closed:
            states[stream] = nil
            return .playAnew
        case .resuming, nil: return .uncork
        }
    }

    /// Records that the user paused the player. Returns whether the engine must still be told that the client stopped
    /// the stream.
    mutating func pausedByUser(_ stream: StreamID) -> Bool {
        let state = states.removeValue(forKey: stream)
        return state?.isStopped ?? false
    }

    /// Records that the stream is silent for another reason than an interruption. Returns whether its player has closed
    /// it, so that the stream can be removed.
    mutating func silencedOtherwise(_ stream: StreamID) -> Bool {
        guard states[stream]?.phase == .closed else { return false }
        states[stream] = nil
        return true
    }
}
