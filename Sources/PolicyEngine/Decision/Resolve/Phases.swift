/// Times that no policy sets.
enum Limits {
    /// R37: how long a session waits for others to fall silent, beyond their fade.
    static let handover = Duration.seconds(2)
    /// How long the server may take to run a stream that may run.
    static let start = Duration.seconds(2)
    /// How long a session that has lost its output may wait for its new route before it hears of the loss.
    static let routeChange = Duration.seconds(2)
    /// The fade of a change for which no description gives one.
    static let fade = Duration.milliseconds(500)
}

/// When sessions begin and end, and who is lowered.
extension Scene {
    /// The phase follows from streams, silencers and time (R2, R37).
    mutating func advance(_ place: Int) {
        let asks = asks(place)
        let (isSilenced, isStopped) = (isSilenced(place), isStopped(place))
        let old = standings[place].progress
        var new = old
        if asks {
            // R34: a session that asks while silenced starts as soon as it may.
            if old.phase == .inactive, wasSilenced(place) { new.startsWhenFree = true }
            new.phase = phase(of: place, new, isSilenced: isSilenced, isStopped: isStopped)
        } else {
            (new.hasStarted, new.startsWhenFree) = (false, false)
            // A session that stops asking while silenced ends at once.
            new.phase = ending(of: place, atOnce: isSilenced || start[place].obstacle != nil || isStopped)
        }
        let isActive = new.phase != .inactive
        if isActive || isStopped {
            new.startsWhenFree = false
        } else if asks, isSilenced {
            new.startsWhenFree = true
        }
        if isActive { new.hasStarted = true }
        if isActive, old.phase == .inactive { new.wasHeard = false }
        if !isSilenced, new.phase == .active { new.wasHeard = true }
        if new != old { standings[place].progress = new }
    }

    /// And would have gone on by itself.
    private func wasSilenced(_ place: Int) -> Bool {
        guard !before.isSuspended, place < before.standings.count else { return false }
        return before.standings[place].cause != nil || before.standings[place].hasPassingObstacle
    }

    private func phase(of place: Int, _ progress: Progress, isSilenced: Bool, isStopped: Bool) -> Phase {
        let runs = standings[place].driver.isApplication || sums[place].running > 0
        let isOver = standings[place].phase.end.map { $0 <= now } ?? false
        var starting: Phase { .starting(until: now.advanced(by: Limits.start)) }
        switch standings[place].phase {
        case .inactive:
            if isSilenced { return .inactive }
            if runs { return .active }
            if standings[place].described.has(.waitsForSilence), !progress.hasStarted {
                // R37: at most the fade of the others, and two seconds.
                let fade = standings[place].described.description.fade
                return .handover(until: now.advanced(by: fade).advanced(by: Limits.handover))
            }
            return progress.startsWhenFree ? starting : .inactive
        case .handover:
            if isSilenced { return .active }
            return isOver || runs ? starting : standings[place].phase
        case .starting:
            if isStopped { return .inactive }
            if runs || isSilenced { return .active }
            return isOver ? .inactive : standings[place].phase
        case .active, .releasing, .leaving:
            if isStopped { return .inactive }
            return runs || isSilenced ? .active : starting
        }
    }

    /// R2: a session outlives its last stream by its release delay.
    private func ending(of place: Int, atOnce: Bool) -> Phase {
        if standings[place].driver.isApplication { return .inactive }
        switch standings[place].phase {
        case .inactive, .handover, .leaving: return .inactive
        case .releasing(let until): return atOnce || until <= now ? .inactive : standings[place].phase
        case .starting, .active:
            let delay = standings[place].described.description.releaseDelay
            return atOnce || delay <= .zero ? .inactive : .releasing(until: now.advanced(by: delay))
        }
    }

    /// R37: sessions that wait for others begin when all are silent.
    mutating func begin() {
        guard standings.contains(where: { $0.phase.isHandover }), !isFading else { return }
        for place in standings.indices where standings[place].phase.isHandover {
            standings[place].phase = .starting(until: now.advanced(by: Limits.start))
        }
    }

    /// R13: only other sessions silence user interface sounds.
    var isFading: Bool { standings.indices.contains { isSilenced($0) && isAudible($0) } }

    func isAudible(_ place: Int) -> Bool {
        (standings[place].cause == nil && isSilenced(place) ? sums[place].audibleSounds : sums[place].audible) > 0
    }

    // MARK: - Lowering

    /// R45, N10: the heard session that lowers a session furthest. If two lower each other, only the weaker one is
    /// lowered. Among equal duckers the present one remains.
    func ducker(of place: Int) -> Int? {
        var best: (actor: Int, gain: LinearGain)?
        for actor in heard where actor != place {
            let (acting, other) = (party(actor), party(place))
            guard effect(acting, on: other) == .duck else { continue }
            if acting.claim < other.claim {
                let back = rules.pair(other.described, on: acting.described)
                if back.playing == .duck || back.newcomer == .duck { continue }
            }
            let gain = rules.gain(acting.described, on: other.described)
            if let best, gain > best.gain || gain == best.gain && actor != standings[place].ducker { continue }
            best = (actor, gain)
        }
        return best?.actor
    }
}
