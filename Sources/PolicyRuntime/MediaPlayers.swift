import PolicyEngine

/// A player's status in MPRIS terms (`org.mpris.MediaPlayer2.Player.PlaybackStatus`).
public enum PlaybackStatus: String, Sendable, Equatable {
    case playing = "Playing"
    case paused = "Paused"
    case stopped = "Stopped"
}

/// What a player answers or announces.
public enum PlayerNews: Sendable, Equatable {
    /// The answer to ``MediaPlayers/askForStatus(of:)``; `canPause` is the player's own statement.
    case status(PlaybackStatus, canPause: Bool)
    case statusFailed(String)
    /// ``MediaPlayers/pause(_:)`` was answered. Status and streams show whether the player has paused.
    case pauseAnswered
    /// ``MediaPlayers/pause(_:)`` failed or got no answer.
    case pauseFailed(String)
    /// Another status than the last known one.
    case announced(PlaybackStatus)
    /// Somebody else has told it to pause or stop, perhaps without effect.
    case toldToPause
    case left
}

/// The media players on the bus (N15). No call blocks: answers and announcements go to ``SessionRuntime/hear(_:of:)``.
public protocol MediaPlayers: AnyObject {
    /// The player of a stream; `pausedAt`: last seen to pause or stop, in nanoseconds of the host's clock.
    func player(of stream: StreamIdentity) -> (name: String, status: PlaybackStatus?, pausedAt: Int64?)?
    /// Only the last question is answered.
    func askForStatus(of player: String)
    /// Never `PlayPause`, which would resume what the user has just paused.
    func pause(_ player: String)
    func play(_ player: String)
}

extension SessionRuntime {
    /// Takes what a player has answered or announced.
    public func hear(_ news: PlayerNews, of player: String) {
        let concerned = streams { $0.pause?.player == player }
        guard !concerned.isEmpty else { return }
        pass(.player(news), to: concerned)
        drain()
    }

    /// Returns whether there is a player that plays, or pauses on request.
    func pausePlayer(of stream: StreamEntry) -> Bool {
        guard let player = players?.player(of: stream.identity) else { return false }
        let others = streams.values.filter { $0 !== stream && $0.pause?.player == player.name }
        if let other = others.first(where: { $0.pause?.hasPlayer == true }), let pause = other.pause {
            // The stream joins a pause under way, and resumes the player if it is the last.
            stream.pause = PlayerPause(player: player.name, step: pause.step, client: stream.pause?.client ?? .runs)
            pass(.sharedByHeld, to: others)
        } else if stream.pause?.player != player.name || stream.pause?.hasPlayer != true {
            // A player of unknown status is asked for it.
            guard player.status == .playing || player.status == nil else { return false }
            stream.pause = PlayerPause(player: player.name, client: stream.pause?.client ?? .runs)
        }
        pass(.silence, to: [stream])
        return true
    }

    /// Whether the player of a stream is asked to pause, and has not failed to. Asking the stream's client as well would have
    /// a player that is just being played pause again.
    package func isPlayerAsked(_ stream: StreamID) -> Bool {
        streams[stream]?.pause.map { $0.hasPlayer && $0.client != .corked } ?? false
    }

    /// The player resumes unless it still has to pause for another stream.
    func resumePlayer(of stream: StreamEntry) {
        let isLast = !streams.values.contains {
            $0 !== stream && $0.pause?.player == stream.pause?.player && $0.pause?.isHeld == true
                && $0.pause?.hasPlayer == true
        }
        pass(.free(isLast: isLast), to: [stream])
    }

    /// The module leaves: nobody resumes players later.
    func letPlayersGo() { pass(.leave, to: streamsByAge) }

    func expirePauses(of due: [StreamEntry], at now: Instant) {
        for stream in due {
            if let until = stream.pause?.until, until <= now { pass(.timeUp, to: [stream]) }
        }
    }

    /// `nil` for a stream without a player.
    func hasPaused(_ stream: StreamEntry, since: Instant) -> Bool? {
        players?.player(of: stream.identity).map { $0.pausedAt.map { $0 >= since.nanoseconds } ?? false }
    }

    /// Calls the streams' common player once, and last: it may answer at once.
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
                    // A client that gets nothing played may restart its stream, if its player has not paused (R64).
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
