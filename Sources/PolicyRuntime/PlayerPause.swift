import PolicyEngine

/// The pause of one stream's player, from the moment when the stream must be silent until it goes on (N15, R35). A pure
/// value: events in, actions out.
///
/// To the engine the stream is one that its application wants to run: this module, not its user, made the player stop it. We
/// pause only a playing player, and resume only one that we have paused and nobody has touched since. Whatever else happens is
/// its user's doing, and the engine is told.
struct PlayerPause: Equatable {
    /// How long a player may take to stop its stream before the stream is corked. The stream is silent meanwhile.
    static let limit = Duration.milliseconds(750)
    /// How long a player may take to pause after its stream was released, and then to resume, before what its stream does
    /// counts as its user's doing (R35).
    static let resumeLimit = Duration.seconds(5)

    /// What happens.
    enum Event: Equatable {
        /// The stream must be silent.
        case silence
        /// The stream may be heard again; whether no other stream keeps the player paused.
        case free(isLast: Bool)
        /// Another stream must be silent for which the player is kept paused, and will be resumed.
        case sharedByHeld
        /// The client has stopped the stream.
        case stopped
        /// The client has started the stream.
        case started
        /// The client has closed the stream.
        case closed
        /// The player has answered or announced something.
        case player(PlayerNews)
        /// ``until`` is reached.
        case timeUp
        /// The module is unloaded.
        case leave
    }

    /// What is to be done.
    enum Action: Equatable {
        /// Ask the player for its status.
        case askForStatus
        /// Call `Pause`.
        case callPause
        /// Call `Play`.
        case callPlay
        /// Cork the stream.
        case cork
        /// Silence the stream no longer.
        case release
        /// Tell the engine that its user has stopped the stream.
        case pausedByUser
        /// Tell the engine that its user has started the stream.
        case playedByUser
        /// Tell the engine that the stream is gone.
        case vanished
        /// Say this of the stream in the log.
        case log(String)
    }

    /// What we have done to the player.
    enum Step: CaseIterable {
        /// Nothing, or it is somebody else's business now: the pause is over.
        case over
        /// It was asked for its status, as only a player that plays is paused.
        case asking
        /// `Pause` was called.
        case calling
        /// It has answered `Pause`, and not said that it is paused. Once the stream is released, it was asked for its status.
        case called
        /// It has said that it is paused. Once the stream is released, or was started, it was asked for its status.
        case paused
        /// `Play` was called.
        case resuming
        /// It plays, not because of us, or another stream has it paused and resumed: its stream should follow.
        case playing
    }

    /// What the client has done to the stream.
    enum Client: CaseIterable {
        /// It lets it run.
        case runs
        /// It had stopped it before `Pause` was called, and may start it without its user's doing.
        case starting
        /// It has stopped it.
        case stopped
        /// It did not stop it in time, so the stream was corked.
        case corked
        /// It has closed it. The engine still has it.
        case closed
    }

    /// The player's name.
    let player: String
    private(set) var step = Step.over
    private(set) var client = Client.runs
    /// Whether the stream must be silent.
    private(set) var isHeld = false
    /// When ``Event/timeUp`` is due; `nil` for never.
    private(set) var until: Instant?

    /// Whether the player is asked, paused or resumed for this stream.
    var hasPlayer: Bool { step != .over && step != .playing }

    /// Whether the stream is silenced by it, and the player did not fail to pause in time.
    var isInTime: Bool { isHeld && client != .corked }

    /// Handles an event.
    mutating func handle(_ event: Event, at now: Instant) -> [Action] {
        switch event {
        case .silence: return silence(at: now)
        case .free(let isLast): return free(isLast: isLast, at: now)
        case .sharedByHeld:
            if !isHeld, hasPlayer { step = .playing }
            return []
        case .stopped:
            if client == .closed { return [] }
            // What it stops before it is asked to, it may start again, as players do when they seek.
            client = step == .asking ? .starting : .stopped
            if isHeld, client == .stopped { until = nil }
            return []
        case .started: return started()
        case .closed:
            // A stream that was closed because its player has paused comes back when the player resumes.
            if step == .resuming || step == .playing || client == .corked && step != .paused {
                step = .over
            } else {
                client = .closed
                if isHeld { until = nil }
            }
            return []
        case .player(let news): return hear(news, at: now)
        case .timeUp: return expire(at: now)
        case .leave:
            defer { step = .over }
            return step == .calling || step == .called || step == .paused ? [.callPlay] : []
        }
    }

    private mutating func silence(at now: Instant) -> [Action] {
        isHeld = true
        if client == .stopped, step == .over || step == .resuming { client = .starting }
        until = client == .stopped || client == .closed ? nil : now.advanced(by: Self.limit)
        switch step {
        case .over:
            step = .asking
            return [.askForStatus]
        case .resuming:
            // It may not have resumed yet, so its status says nothing; it takes both calls in their order.
            step = .calling
            return [.callPause]
        case .asking, .calling, .called, .paused, .playing: return []
        }
    }

    private mutating func free(isLast: Bool, at now: Instant) -> [Action] {
        guard isHeld else { return [] }
        isHeld = false
        if client == .corked { client = .runs }
        until = now.advanced(by: Self.resumeLimit)
        let release: [Action] = client == .closed ? [] : [.release]
        if !isLast { return release + follow() }
        switch step {
        case .called, .paused: return release + [.askForStatus]
        // Its answer is waited for.
        case .calling: return release
        case .asking where client == .runs: return release + end()
        case .over, .asking, .resuming, .playing: return release + follow()
        }
    }

    private mutating func started() -> [Action] {
        switch client {
        case .runs, .corked, .closed: return []
        case .starting:
            client = .runs
            return !isHeld && !(step == .calling || step == .called || step == .paused) ? end() : []
        case .stopped:
            client = .runs
            if !isHeld { return end() }
            // A paused player starts its stream for a moment when its user seeks; its status says whether it plays.
            if step == .paused { return [.cork, .askForStatus] }
            step = .over
            return [.cork, .playedByUser]
        }
    }

    private mutating func hear(_ news: PlayerNews, at now: Instant) -> [Action] {
        switch (news, step) {
        case (.status(.playing, let canPause), .asking):
            guard canPause else { return refuse("it says that it cannot be paused") }
            step = .calling
            return [.callPause]
        case (.status, .asking): return end()
        case (.status(let status, _), .called) where !isHeld: return resume(status, at: now)
        case (.status(let status, _), .paused) where !isHeld: return resume(status, at: now)
        case (.statusFailed(let reason), .asking): return refuse(reason)
        case (.statusFailed, .called) where !isHeld: return follow()
        case (.statusFailed, .paused) where !isHeld: return follow()
        case (.pauseAnswered, .calling):
            step = .called
            return isHeld ? [] : [.askForStatus]
        case (.pauseFailed(let reason), .calling): return refuse(reason)
        case (.announced(.paused), .calling), (.announced(.paused), .called):
            step = .paused
            return isHeld ? [] : [.askForStatus]
        case (.announced(.paused), .playing): return end()
        case (.announced(.playing), .paused): return isHeld ? playedByUser() : follow()
        case (.status(.playing, _), .paused): return playedByUser()
        case (.announced(.playing), .resuming): return follow()
        // The answer that is under way says what counts.
        case (.announced(.stopped), .asking): return []
        case (.announced(.stopped), _), (.toldToPause, _): return end()
        case (.left, _): return refuse("it has left the bus")
        case (.status, _), (.statusFailed, _), (.pauseAnswered, _), (.pauseFailed, _), (.announced, _): return []
        }
    }

    /// The status of a player that may be resumed, if that is our pause and it has come.
    private mutating func resume(_ status: PlaybackStatus, at now: Instant) -> [Action] {
        switch status {
        case .paused: return play(at: now)
        // It may pause yet, and will announce that.
        case .playing: return step == .called ? [] : follow()
        case .stopped: return end()
        }
    }

    private mutating func play(at now: Instant) -> [Action] {
        if client == .closed { return [.callPlay] + end() }
        step = .resuming
        until = now.advanced(by: Self.resumeLimit)
        return [.callPlay]
    }

    /// The user has the player play although we have paused it.
    private mutating func playedByUser() -> [Action] {
        switch client {
        // The client starts the stream if the player plays this one.
        case .stopped:
            step = .playing
            return []
        case .closed: return end()
        case .runs, .starting, .corked:
            step = .over
            return [.cork, .playedByUser]
        }
    }

    private mutating func expire(at now: Instant) -> [Action] {
        until = nil
        switch (isHeld, step, client) {
        case (true, .asking, .runs): return [.log(Self.refusal)] + end()
        case (true, _, .runs):
            client = .corked
            return [.log(step == .paused ? Self.contradiction : Self.refusal), .cork]
        case (true, .asking, _): return []
        case (true, _, .starting):
            client = .stopped
            return []
        case (true, _, _): return []
        // It hangs, and will pause when it wakes up: then it resumes at once.
        case (false, .calling, _): return play(at: now)
        case (false, _, .stopped), (false, _, .starting):
            return [.log("does not go on though its player was asked to")] + end()
        case (false, _, _): return end()
        }
    }

    /// The player does not pause. This is logged unless the stream was found to play on before.
    private mutating func refuse(_ reason: String) -> [Action] {
        let isNews = isHeld && until != nil
        return (isNews ? [.log("\(Self.refusal) (\(printable(reason, limit: 64)))")] : []) + end()
    }

    private static let refusal = "has not paused when its player was asked to: cork it"
    private static let contradiction = "goes on, though its player says that it has paused: cork it"

    /// Leaves the player as it is, and waits for the stream to follow.
    private mutating func follow() -> [Action] {
        if client == .closed { return end() }
        step = .playing
        return []
    }

    /// Leaves the player and the stream as they are, which is their user's doing.
    private mutating func end() -> [Action] {
        step = .over
        let cork: [Action] = isHeld && client != .closed && client != .corked ? [.cork] : []
        switch client {
        case .runs, .corked: return cork
        case .starting, .stopped: return cork + [.pausedByUser]
        case .closed: return [.vanished]
        }
    }
}
