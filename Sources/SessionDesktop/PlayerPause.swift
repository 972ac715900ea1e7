/// Pauses and resumes one player without ever overriding the user. A pure value: events in, actions out.

import SessionWire

/// A player's status in MPRIS terms (`org.mpris.MediaPlayer2.Player.PlaybackStatus`).
public enum PlaybackStatus: String, Sendable, Equatable {
    case playing = "Playing"
    case paused = "Paused"
    case stopped = "Stopped"
}

/// The result of a request to pause a player.
public enum PauseAnswer: Sendable, Equatable {
    /// The player has answered the call to pause. Its stream shows whether it is silent.
    case asked
    /// The player cannot pause, does not answer, or has gone; with the reason.
    case refused(WireError)
    /// The player is not playing, so there is nothing to pause or resume.
    case notPlaying
}

/// The state of one player, from our pause until it is resumed (N15, R35).
///
/// We pause only a playing player, and resume only one that we have paused and nobody has touched since. Any further
/// change of status (playing again, stopped) means that the user decides.
public struct PlayerPause: Sendable, Equatable {
    /// An event of the player or of its users.
    public enum Event: Sendable, Equatable {
        /// A stream needs the player to be silent.
        case pause
        /// No stream needs the player to be silent any more.
        case resume
        /// The answer to ``Action/askForStatus``: the status, and whether the player says that it can pause.
        case statusAnswered(PlaybackStatus, canPause: Bool)
        /// ``Action/askForStatus`` got no answer.
        case statusFailed(WireError)
        /// The player answered `Pause`.
        case pauseAnswered
        /// The player answered `Pause` with an error, or not at all.
        case pauseFailed(WireError)
        /// The player announced its status.
        case announced(PlaybackStatus)
        /// The time of ``Action/wait(_:)`` has passed.
        case timeUp
        /// The player has left the bus.
        case gone
    }
    /// An action to perform.
    public enum Action: Sendable, Equatable {
        /// Ask for the player's status.
        case askForStatus
        /// Call `Pause`; never `PlayPause`, which would resume what the user has just paused.
        case callPause
        /// Call `Play`.
        case callPlay
        /// Send ``Event/timeUp`` after this time; nil cancels the wait.
        case wait(Duration?)
        /// Report the result to everybody who asked for the pause.
        case report(PauseAnswer)
    }

    /// How long a player has for all its answers to a request to pause.
    public static let answerLimit = Duration.seconds(1)
    /// How long after its answer a player may take to announce the pause, if a resume is already wanted.
    public static let settlingLimit = Duration.seconds(2)

    private enum Effect: Sendable {
        /// The player has not announced that it is paused.
        case notSeen
        /// The player has announced that it is paused.
        case seen
        /// The player changed its status again afterwards, on somebody else's command.
        case touched
    }
    private enum Step: Sendable, Equatable {
        /// We have not paused the player.
        case idle
        /// The status was requested before a pause. `isOurs`: we have already paused the player, if it did what it
        /// answered.
        case asking(isOurs: Bool, isSeen: Bool)
        /// `Pause` was called. The request may already have been reported as late, and a resume may already be wanted.
        case pausing(effect: Effect, isReported: Bool, mustResume: Bool)
        /// We have paused the player, if it did what it answered.
        case paused(isSeen: Bool)
        /// The status was requested before resuming.
        case checking(isSeen: Bool)
        /// Resume as soon as the pause is announced.
        case settling
    }
    private var step = Step.idle
    private var status: PlaybackStatus?

    /// A player whose status is unknown.
    public init() {}

    /// Whether we have paused the player, as far as known, and will resume it.
    public var isOurs: Bool {
        switch step {
        case .paused, .checking, .settling: true
        case .asking(let isOurs, _): isOurs
        case .pausing(let effect, _, _): effect == .seen
        case .idle: false
        }
    }

    /// Handles an event. Every request to pause is reported exactly once, whatever else happens.
    public mutating func handle(_ event: Event) -> [Action] {
        switch event {
        case .pause: return pause()
        case .resume: return resume()
        case .statusAnswered(let status, let canPause):
            self.status = status
            return statusAnswered(status, canPause: canPause)
        case .statusFailed(let error):
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
            // Players repeat their status when another property changes.
            guard status != self.status else { return [] }
            self.status = status
            return changed(to: status)
        case .timeUp:
            switch step {
            case .asking(let isOurs, let isSeen):
                step = isOurs ? .paused(isSeen: isSeen) : .idle
                return [.report(.refused(PlayerPause.tooSlow))]
            case .pausing(let effect, false, let mustResume):
                // The player may still pause when it wakes up, so we keep waiting for its answer.
                step = .pausing(effect: effect, isReported: true, mustResume: mustResume)
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
            return [.askForStatus, .wait(PlayerPause.answerLimit)]
        case .paused(let isSeen):
            step = .asking(isOurs: true, isSeen: isSeen)
            return [.askForStatus, .wait(PlayerPause.answerLimit)]
        case .checking(let isSeen):
            // The pending answer serves this request, too.
            step = .asking(isOurs: true, isSeen: isSeen)
            return [.wait(PlayerPause.answerLimit)]
        case .settling:
            step = .asking(isOurs: true, isSeen: false)
            return [.askForStatus, .wait(PlayerPause.answerLimit)]
        case .asking: return []
        case .pausing(let effect, let isReported, _):
            step = .pausing(effect: effect, isReported: isReported, mustResume: false)
            return isReported ? [.report(.refused(PlayerPause.tooSlow))] : []
        }
    }

    private mutating func resume() -> [Action] {
        switch step {
        case .asking(let isOurs, let isSeen):
            // The pending answer serves this request, too.
            step = isOurs ? .checking(isSeen: isSeen) : .idle
            return [.wait(nil), .report(.notPlaying)]
        case .pausing(let effect, let isReported, _):
            step = .pausing(effect: effect, isReported: isReported, mustResume: true)
        case .paused(let isSeen):
            step = .checking(isSeen: isSeen)
            return [.askForStatus]
        case .idle, .checking, .settling: break
        }
        return []
    }

    /// Ends the control of the player. Resumes it if we have paused it, as far as known; without asking for its status
    /// first, because nobody would be there for the answer.
    public mutating func leave() -> [Action] {
        defer { self = PlayerPause() }
        return isOurs ? [.callPlay] : []
    }

    private mutating func statusAnswered(_ status: PlaybackStatus, canPause: Bool) -> [Action] {
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
            step = .pausing(effect: .notSeen, isReported: false, mustResume: false)
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
        guard case .pausing(let effect, let isReported, let mustResume) = step else { return [] }
        let answer = error.map(PauseAnswer.refused) ?? .asked
        let report: [Action] = isReported ? [] : [.wait(nil), .report(answer)]
        // A failed call may still have had its effect, and a successful one may have it later.
        if effect == .touched || (error != nil && effect == .notSeen) {
            step = .idle
            return report
        }
        step = mustResume ? .checking(isSeen: effect == .seen) : .paused(isSeen: effect == .seen)
        return mustResume ? report + [.askForStatus] : report
    }

    private mutating func changed(to status: PlaybackStatus) -> [Action] {
        switch step {
        case .idle: break
        case .asking(let isOurs, _): step = .asking(isOurs: isOurs && status == .paused, isSeen: true)
        case .pausing(let effect, let isReported, let mustResume):
            let next = effect == .notSeen && status == .paused ? Effect.seen : .touched
            step = .pausing(effect: next, isReported: isReported, mustResume: mustResume)
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
