import PolicyEngine

/// The pause of one stream's player, from its silence until it continues (N15, R35): events in, actions out.
///
/// For the engine, the stream's application wants it to run: this module, not its user, made the player stop it. We
/// pause only a playing player, and resume only a player that we have paused and nobody has touched since. All else is
/// its user's doing, of which the engine is told.
struct PlayerPause: Equatable {
    /// A player that takes longer to stop its stream gets it corked. The stream is silent meanwhile.
    static let limit = Duration.milliseconds(750)
    /// After a release: how long a player may take to pause, and then to resume, before what its stream does counts as
    /// its user's doing (R35).
    static let resumeLimit = Duration.seconds(5)

    enum Event: Equatable {
        case silence
        /// `isLast`: no other stream keeps the player paused.
        case free(isLast: Bool)
        /// The player is kept paused for another stream, which will resume it.
        case sharedByHeld
        /// The client has stopped, started or closed the stream.
        case stopped
        case started
        case closed
        case player(PlayerNews)
        /// ``until`` is reached.
        case timeUp
        case leave
    }

    enum Action: Equatable {
        case askForStatus
        case callPause
        case callPlay
        case cork
        case release
        /// Tell the engine that the user has stopped the stream.
        case pausedByUser
        /// Tell the engine that the user has started the stream.
        case playedByUser
        case vanished
        case log(String)
    }

    /// What we have done to the player.
    enum Step: CaseIterable {
        /// Nothing; or the player is no more our business.
        case over
        /// Its status was requested, as only a playing player is paused.
        case asking
        case calling
        /// `Pause` was answered, the pause is not announced. A release requests its status.
        case called
        /// The pause was announced. A release, or a start, requests its status.
        case paused
        case resuming
        /// It plays without us, or another stream has it paused and resumed: its stream should follow.
        case playing
    }

    enum Client: CaseIterable {
        case runs
        /// Stopped before `Pause`, and perhaps started without its user's doing.
        case starting
        case stopped
        /// Corked, because the client did not stop it in time.
        case corked
        /// Closed by the client; the engine still has it.
        case closed
    }

    let player: String
    private(set) var step = Step.over
    private(set) var client = Client.runs
    private(set) var isHeld = false
    private(set) var until: Instant?

    /// Whether the player is asked, paused or resumed for this stream.
    var hasPlayer: Bool { step != .over && step != .playing }

    /// Whether the stream is silenced, and its player did not fail to pause in time.
    var isInTime: Bool { isHeld && client != .corked }

    mutating func handle(_ event: Event, at now: Instant) -> [Action] {
        switch event {
        case .silence: return silence(at: now)
        case .free(let isLast): return free(isLast: isLast, at: now)
        case .sharedByHeld:
            if !isHeld, hasPlayer { step = .playing }
            return []
        case .stopped:
            if client == .closed { return [] }
            // A client may restart what it stopped before the request, as players do when they seek.
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
            // The status says nothing, as the player may not have resumed yet; it takes both calls in their order.
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
        // The answer to `Pause` is under way, and decides.
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
        // The answer that is under way decides.
        case (.announced(.stopped), .asking): return []
        case (.announced(.stopped), _), (.toldToPause, _): return end()
        case (.left, _): return refuse("it has left the bus")
        case (.status, _), (.statusFailed, _), (.pauseAnswered, _), (.pauseFailed, _), (.announced, _): return []
        }
    }

    private mutating func resume(_ status: PlaybackStatus, at now: Instant) -> [Action] {
        switch status {
        case .paused: return play(at: now)
        // The player may pause yet, and will announce that.
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

    /// The user has the player play in spite of our pause.
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
        // The player hangs, and will pause when it wakes up: then it resumes at once.
        case (false, .calling, _): return play(at: now)
        case (false, _, .stopped), (false, _, .starting):
            return [.log("does not go on though its player was asked to")] + end()
        case (false, _, _): return end()
        }
    }

    /// Logged, unless the stream was found to play on before.
    private mutating func refuse(_ reason: String) -> [Action] {
        let isNews = isHeld && until != nil
        return (isNews ? [.log("\(Self.refusal) (\(printable(reason, limit: 64)))")] : []) + end()
    }

    private static let refusal = "has not paused when its player was asked to: cork it"
    private static let contradiction = "goes on, though its player says that it has paused: cork it"

    /// The player stays as it is; the stream should follow.
    private mutating func follow() -> [Action] {
        if client == .closed { return end() }
        step = .playing
        return []
    }

    /// The player and the stream stay as they are, which is their user's doing.
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
