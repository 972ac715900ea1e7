import PolicyEngine

/// A player's status in MPRIS terms (`org.mpris.MediaPlayer2.Player.PlaybackStatus`).
public enum PlaybackStatus: String, Sendable, Equatable {
    case playing = "Playing"
    case paused = "Paused"
    case stopped = "Stopped"
}

/// What a player answers or announces.
public enum PlayerNews: Sendable, Equatable {
    /// Its answer to ``MediaPlayers/askForStatus(of:)``: the status, and whether it says that it can pause.
    case status(PlaybackStatus, canPause: Bool)
    /// It has not answered that, for this reason.
    case statusFailed(String)
    /// It has answered ``MediaPlayers/pause(_:)``. Whether it has paused shows in its status, and in its streams.
    case pauseAnswered
    /// It has answered that with an error, or not at all.
    case pauseFailed(String)
    /// It has announced a status other than the last one that was known.
    case announced(PlaybackStatus)
    /// Somebody else has told it to pause or stop, whether that changes anything or not.
    case toldToPause
    /// It has left the bus.
    case left
}

/// The media players on the bus (N15). No call blocks: what players answer and announce is passed to
/// ``SessionRuntime/hear(_:of:)``.
public protocol MediaPlayers: AnyObject {
    /// The player of a stream: its name, its status, and when it was last seen to pause or stop, in nanoseconds of the
    /// host's clock. `nil` for a stream without a player.
    func player(of stream: StreamIdentity) -> (name: String, status: PlaybackStatus?, pausedAt: Int64?)?
    /// Asks for a player's status. Only the last question is answered.
    func askForStatus(of player: String)
    /// Calls `Pause`; never `PlayPause`, which would resume what the user has just paused.
    func pause(_ player: String)
    /// Calls `Play`.
    func play(_ player: String)
}

/// Performs the actions of ``PlayerPause``.
extension SessionRuntime {
    /// Takes what a player has answered or announced.
    public func hear(_ news: PlayerNews, of player: String) {
        let concerned = streams { $0.pause?.player == player }
        guard !concerned.isEmpty else { return }
        pass(.player(news), to: concerned)
        drain()
    }

    /// Has a stream's player pause. Returns whether there is one that plays, or does no longer because it was asked to.
    func pausePlayer(of stream: StreamEntry) -> Bool {
        guard let player = players?.player(of: stream.identity) else { return false }
        let others = streams.values.filter { $0 !== stream && $0.pause?.player == player.name }
        if let other = others.first(where: { $0.pause?.hasPlayer == true }), let pause = other.pause {
            // What is under way for another stream is under way for this one, which resumes the player if it is the last.
            stream.pause = PlayerPause(player: player.name, step: pause.step, client: stream.pause?.client ?? .runs)
            pass(.sharedByHeld, to: others)
        } else if stream.pause?.player != player.name || stream.pause?.hasPlayer != true {
            // One whose status is not known yet is asked for it.
            guard player.status == .playing || player.status == nil else { return false }
            stream.pause = PlayerPause(player: player.name, client: stream.pause?.client ?? .runs)
        }
        pass(.silence, to: [stream])
        return true
    }

    /// Lets a stream be heard again. Its player is asked to resume, unless it still has to pause for another stream.
    func resumePlayer(of stream: StreamEntry) {
        let isLast = !streams.values.contains {
            $0 !== stream && $0.pause?.player == stream.pause?.player && $0.pause?.isHeld == true
                && $0.pause?.hasPlayer == true
        }
        pass(.free(isLast: isLast), to: [stream])
    }

    /// Resumes all players that have been paused, because there will be nobody to do it later.
    func letPlayersGo() { pass(.leave, to: streamsByAge) }

    /// Ends what players have not done in time.
    func expirePauses(of due: [StreamEntry], at now: Instant) {
        for stream in due {
            if let until = stream.pause?.until, until <= now { pass(.timeUp, to: [stream]) }
        }
    }

    /// Whether the player of a stream has been paused or stopped since a moment; `nil` for a stream without a player.
    func hasPaused(_ stream: StreamEntry, since: Instant) -> Bool? {
        players?.player(of: stream.identity).map { $0.pausedAt.map { $0 >= since.nanoseconds } ?? false }
    }

    /// Passes an event to the pauses of streams, and performs what they want. Their common player is called once, and last:
    /// it may answer at once.
    func pass(_ event: PlayerPause.Event, to streams: [StreamEntry]) {
        var calls: [(action: PlayerPause.Action, player: String)] = []
        for stream in streams {
            guard let pause = stream.pause, let actions = stream.pause?.handle(event, at: host.now) else { continue }
            let player = pause.player
            if stream.pause?.step == .over { stream.pause = nil }
            for action in actions {
                switch action {
                case .askForStatus, .callPause, .callPlay:
                    if !calls.contains(where: { $0 == (action, player) }) { calls.append((action, player)) }
                case .cork: setHeld(true, stream)
                case .release: setHeld(false, stream)
                case .log(let text): host.log(.info, "\(stream.label) \(text)")
                case .pausedByUser: sooner.append(.streamWanted(stream.id, false))
                case .playedByUser:
                    // A client that gets nothing played may start its stream by itself, if its player has not paused (R64).
                    if stream.wait != nil, pause.step == .calling || pause.step == .called { break }
                    stream.wait = nil
                    sooner += [
                        .streamWanted(stream.id, false), .streamWanted(stream.id, true),
                        .streamFreed(stream.id, by: .play),
                    ]
                case .vanished: sooner.append(.streamVanished(stream.id))
                }
            }
        }
        for (action, player) in calls {
            switch action {
            case .askForStatus: players?.askForStatus(of: player)
            case .callPause: players?.pause(player)
            case .callPlay: players?.play(player)
            default: break
            }
        }
    }
}
