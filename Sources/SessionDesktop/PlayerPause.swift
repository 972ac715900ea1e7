/// Pausing one player and letting it go on, without ever taking the user's word from him. A pure value: events in,
/// actions out.

import SessionWire

/// What a player is doing, as MPRIS names it (`org.mpris.MediaPlayer2.Player.PlaybackStatus`).
public enum PlaybackStatus: String, Sendable, Equatable {
    case playing = "Playing"
    case paused = "Paused"
    case stopped = "Stopped"
}

/// What became of the wish to pause a player.
public enum PauseAnswer: Sendable, Equatable {
    /// It was told to pause and has answered. Whether it is silent, its stream shows.
    case asked
    /// It cannot be paused, does not answer, or has gone: why.
    case refused(WireError)
    /// It does not play, so there is nothing to pause and nothing to resume.
    case notPlaying
}

/// The state of one player between being paused by us and going on (N15, R35).
///
/// It pauses only what plays, and resumes only what it paused itself and what nobody has touched since: any change of
/// the status that is not the one it asked for (playing again, stopped) means that the user decides.
public struct PlayerPause: Sendable, Equatable {
    /// What happens.
    public enum Event: Sendable, Equatable {
        /// Somebody wants it to be silent.
        case pause
        /// Nobody wants it to be silent any more.
        case resume
        /// The answer to ``Action/look``: what it does, and whether it says that it can be paused.
        case looked(PlaybackStatus, canPause: Bool)
        /// There was no answer to ``Action/look``.
        case lookFailed(WireError)
        /// It answered to `Pause`.
        case pauseAnswered
        /// It answered `Pause` with an error, or not at all.
        case pauseFailed(WireError)
        /// It announced its status.
        case announced(PlaybackStatus)
        /// The time of ``Action/wait(_:)`` is over.
        case timeUp
        /// It has left the bus.
        case gone
    }
    /// What is to be done.
    public enum Action: Sendable, Equatable {
        /// Ask for its status.
        case look
        /// Call `Pause`, never `PlayPause`, which would start what the user has just paused.
        case callPause
        /// Call `Play`.
        case callPlay
        /// Bring ``Event/timeUp`` after this time; nil for not at all.
        case wait(Duration?)
        /// Tell all who asked for the pause.
        case report(PauseAnswer)
    }

    /// How long a player has to answer to everything that it is asked in order to pause.
    public static let answerLimit = Duration.seconds(1)
    /// How long after its answer a player may take to announce that it is paused, where it is to go on already.
    public static let settlingLimit = Duration.seconds(2)

    private enum Effect: Sendable {
        /// It has not announced that it is paused.
        case notSeen
        /// It has.
        case seen
        /// It did something else afterwards: somebody else told it to.
        case touched
    }
    private enum Step: Sendable, Equatable {
        /// Nothing of ours.
        case idle
        /// Its status was asked for, in order to pause it; `isOurs` where it is paused by us already, if it did what it
        /// said.
        case asking(isOurs: Bool, isSeen: Bool)
        /// `Pause` was called. It may already have been reported that it takes too long, and already be wanted back.
        case pausing(effect: Effect, isReported: Bool, isWantedBack: Bool)
        /// Paused by us, if it did what it said.
        case paused(isSeen: Bool)
        /// Its status was asked for, in order to let it go on.
        case checking(isSeen: Bool)
        /// It is to go on as soon as it has paused.
        case settling
    }
    private var step = Step.idle
    private var status: PlaybackStatus?

    /// A player of which nothing is known.
    public init() {}

    /// Whether it is paused by us, as far as is known, and will be resumed.
    public var isOurs: Bool {
        switch step {
        case .paused, .checking, .settling: true
        case .asking(let isOurs, _): isOurs
        case .pausing(let effect, _, _): effect == .seen
        case .idle: false
        }
    }

    /// Takes an event. Every wish to pause is reported once, whatever else happens.
    public mutating func handle(_ event: Event) -> [Action] {
        switch event {
        case .pause: return pause()
        case .resume: return resume()
        case .looked(let status, let canPause):
            self.status = status
            return looked(status, canPause: canPause)
        case .lookFailed(let error):
            switch step {
            case .asking(let isOurs, let isSeen):
                step = isOurs ? .paused(isSeen: isSeen) : .idle
                return [.wait(nil), .report(.refused(error))]
            case .checking: step = .idle
            default: break
            }
            return []
        case .pauseAnswered: return pauseEnded(nil)
        case .pauseFailed(let error): return pauseEnded(error)
        case .announced(let status):
            // Players repeat themselves when something else changes.
            guard status != self.status else { return [] }
            self.status = status
            return changed(to: status)
        case .timeUp:
            switch step {
            case .asking(let isOurs, let isSeen):
                step = isOurs ? .paused(isSeen: isSeen) : .idle
                return [.report(.refused(PlayerPause.tooSlow))]
            case .pausing(let effect, false, let isWantedBack):
                // It may still do it when it wakes up, so its answer is still awaited.
                step = .pausing(effect: effect, isReported: true, isWantedBack: isWantedBack)
                return [.report(.refused(PlayerPause.tooSlow))]
            case .settling: step = .idle
            default: break
            }
            return []
        case .gone:
            let isAwaited =
                switch step {
                case .asking, .pausing(_, false, _): true
                default: false
                }
            self = PlayerPause()
            return [.wait(nil)] + (isAwaited ? [.report(.refused(PlayerPause.left))] : [])
        }
    }

    private mutating func pause() -> [Action] {
        switch step {
        case .idle:
            step = .asking(isOurs: false, isSeen: false)
            return [.look, .wait(PlayerPause.answerLimit)]
        case .paused(let isSeen):
            step = .asking(isOurs: true, isSeen: isSeen)
            return [.look, .wait(PlayerPause.answerLimit)]
        case .checking(let isSeen):
            // The answer that is on its way serves.
            step = .asking(isOurs: true, isSeen: isSeen)
            return [.wait(PlayerPause.answerLimit)]
        case .settling:
            step = .asking(isOurs: true, isSeen: false)
            return [.look, .wait(PlayerPause.answerLimit)]
        case .asking: return []
        case .pausing(let effect, let isReported, _):
            step = .pausing(effect: effect, isReported: isReported, isWantedBack: false)
            return isReported ? [.report(.refused(PlayerPause.tooSlow))] : []
        }
    }

    private mutating func resume() -> [Action] {
        switch step {
        case .asking(let isOurs, let isSeen):
            // The answer that is on its way serves.
            step = isOurs ? .checking(isSeen: isSeen) : .idle
            return [.wait(nil), .report(.notPlaying)]
        case .pausing(let effect, let isReported, _):
            step = .pausing(effect: effect, isReported: isReported, isWantedBack: true)
        case .paused(let isSeen):
            step = .checking(isSeen: isSeen)
            return [.look]
        case .idle, .checking, .settling: break
        }
        return []
    }

    /// Nobody will hear of the player any more: it goes on if it is paused by us, as far as is known, without being asked
    /// first what it does, for nobody would be there to hear the answer.
    public mutating func leave() -> [Action] {
        defer { self = PlayerPause() }
        return isOurs ? [.callPlay] : []
    }

    private mutating func looked(_ status: PlaybackStatus, canPause: Bool) -> [Action] {
        switch step {
        case .asking(let isOurs, _):
            guard status == .playing else {
                step = isOurs && status == .paused ? .paused(isSeen: true) : .idle
                return [.wait(nil), .report(.notPlaying)]
            }
            guard canPause else {
                step = .idle
                return [.wait(nil), .report(.refused(PlayerPause.unable))]
            }
            step = .pausing(effect: .notSeen, isReported: false, isWantedBack: false)
            return [.callPause]
        case .checking(let isSeen):
            switch status {
            case .paused:
                step = .idle
                return [.callPlay]
            case .playing where !isSeen:
                step = .settling
                return [.wait(PlayerPause.settlingLimit)]
            case .playing, .stopped: step = .idle
            }
        default: break
        }
        return []
    }

    private mutating func pauseEnded(_ error: WireError?) -> [Action] {
        guard case .pausing(let effect, let isReported, let isWantedBack) = step else { return [] }
        let answer = error.map(PauseAnswer.refused) ?? .asked
        let report: [Action] = isReported ? [] : [.wait(nil), .report(answer)]
        // A call that failed may have had its effect, and one that succeeded may have it later.
        if effect == .touched || (error != nil && effect == .notSeen) {
            step = .idle
            return report
        }
        step = isWantedBack ? .checking(isSeen: effect == .seen) : .paused(isSeen: effect == .seen)
        return isWantedBack ? report + [.look] : report
    }

    private mutating func changed(to status: PlaybackStatus) -> [Action] {
        switch step {
        case .idle: break
        case .asking(let isOurs, _): step = .asking(isOurs: isOurs && status == .paused, isSeen: true)
        case .pausing(let effect, let isReported, let isWantedBack):
            let next = effect == .notSeen && status == .paused ? Effect.seen : .touched
            step = .pausing(effect: next, isReported: isReported, isWantedBack: isWantedBack)
        case .paused: step = status == .paused ? .paused(isSeen: true) : .idle
        case .checking: step = status == .paused ? .checking(isSeen: true) : .idle
        case .settling:
            step = .idle
            return [.wait(nil)] + (status == .paused ? [.callPlay] : [])
        }
        return []
    }

    private static let tooSlow = WireError(
        "org.freedesktop.DBus.Error.NoReply", "the player has not answered within a second")
    private static let left = WireError("org.freedesktop.DBus.Error.ServiceUnknown", "the player has left the bus")
    private static let unable = WireError(WireErrorName.failed, "the player says that it cannot be paused (CanPause)")
}
