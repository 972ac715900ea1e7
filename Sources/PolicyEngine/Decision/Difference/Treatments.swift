/// Treatments of streams.
extension Difference {
    /// Treats the streams whose treatment has changed, the strongest claim first.
    mutating func treat() {
        var changed: [(claim: UInt64, index: Int, new: Applied)] = []
        for index in scene.facts.streams.indices {
            let new = treatment(of: index)
            let isSame =
                new.map { $0.treatment == applied[index].treatment }
                ?? (applied[index].treatment.reason == .none)
            if isSame { continue }
            changed.append((scene.claim(scene.facts.streams[index].session), index, new ?? Applied()))
        }
        if changed.count > 1 {
            changed.sort { ($1.claim, $0.index) < ($0.claim, $1.index) }
        }
        for change in changed { treat(change.index, change.new) }
    }

    private mutating func treat(_ index: Int, _ new: Applied) {
        let stream = scene.facts.streams[index]
        let described = scene.standings[stream.session].described
        let old = applied[index]
        var new = new
        new.isSettled = old.isSettled && new.treatment.silence != .none
        applied[index] = new
        let isReleased =
            old.treatment.silence == .none && new.treatment.silence == .none
            && new.treatment.gain > old.treatment.gain && stream.isRunning
        effects.append(
            .treat(
                stream.id, new.treatment, within: fade(of: stream, described, from: old, to: new),
                after: isReleased ? wait(after: old.actor, described) : .zero))
        // R23: at once, because some clients wait to learn whether they get a device.
        if new.treatment.reason == .noDevice { effects.append(.streamRefused(stream.id)) }
    }

    /// A stream's treatment, and whose times apply; `nil` for an untouched stream.
    private func treatment(of index: Int) -> Applied? {
        if scene.facts.isSuspended { return nil }
        let place = scene.facts.streams[index].session
        let isUISound = scene.facts.streams[index].isUISound
        let direction = scene.facts.streams[index].direction
        if !isUISound {
            if scene.standings[place].described.has(.hasNoDevice) { return byPolicy(.cork, .noDevice) }
            // R15–R18: the category has no use for the stream.
            if let lack = scene.lack(direction, place) { return byPolicy(.cork, lack) }
        }
        // R13: only other sessions silence a user interface sound; where others wait for an output, it plays elsewhere.
        if scene.isSilenced(place), scene.standings[place].cause != nil || !isUISound {
            return silence(isUISound: isUISound, in: place)
        }
        // R26: an opened session that is not active is silent.
        if !scene.standings[place].driver.mayBeHeard, !isUISound { return byPolicy(.cork, .inactive) }
        if direction == .playback, scene.facts.switches != Switches(), !scene.facts.sessions[place].isFreeFromSwitches,
            let reason = scene.switchedOff(scene.facts.streams[index])
        {
            return byPolicy(.mute, reason)
        }
        // R37: the stream waits until the others are silent.
        if scene.standings[place].phase.isHandover { return byPolicy(.cork, .handover) }
        return direction == .playback ? level(scene.facts.streams[index].described.level, in: place) : nil
    }

    private func byPolicy(_ silence: Silence, _ reason: Reason) -> Applied {
        Applied(treatment: Treatment(silence: silence, reason: reason, cause: .policy))
    }

    private func silence(isUISound: Bool, in place: Int) -> Applied {
        guard let cause = scene.standings[place].cause else {
            guard let obstacle = scene.standings[place].obstacle else { return Applied() }
            return Applied(
                treatment: obstacle.treatment(of: scene.standings[place].described), actor: obstacle.actor)
        }
        // R13: a user interface sound is dropped, not kept for later.
        let silence = isUISound ? .mute : scene.standings[place].silence
        return Applied(
            treatment: Treatment(silence: silence, reason: .interrupted, cause: scene.facts.sessions[cause].cause),
            actor: scene.standings[cause].described)
    }

    /// R45, N10, N23: the level of a stream that is heard.
    private func level(_ level: LinearGain, in place: Int) -> Applied? {
        if let ducker = scene.standings[place].ducker {
            let acting = scene.standings[ducker].described
            let gain = scene.rules.gain(acting, on: scene.standings[place].described)
            return Applied(
                treatment: Treatment(
                    gain: LinearGain(level.value * gain.value), reason: .ducked,
                    cause: scene.facts.sessions[ducker].cause),
                actor: acting)
        }
        if level == .unity { return nil }
        return Applied(treatment: Treatment(gain: level, reason: .level, cause: .policy))
    }

    // MARK: - Times

    /// How long a stream stays low after its ducker, less the time for which the ducker outlived its own sound.
    private func wait(after ducker: Described?, _ described: Described) -> Duration {
        guard let ducker else { return .zero }
        return max(scene.rules.ducking(ducker, on: described).hold - ducker.description.releaseDelay, .zero)
    }

    /// R37, N10: a stream that has not run yet, or is not wanted, changes at once.
    private func fade(of stream: Stream, _ described: Described, from old: Applied, to new: Applied) -> Duration {
        guard stream.hasRun, !old.treatment.soundsLike(new.treatment) else { return .zero }
        func fade(_ actor: Described?) -> Duration {
            actor.map { scene.rules.fade($0, on: described) } ?? Limits.fade
        }
        if new.treatment.silence != .none {
            guard stream.isRunning, !new.treatment.reason.isAtOnce, old.treatment.reason != .handover else {
                return .zero
            }
            return fade(new.actor)
        }
        if old.treatment.silence != .none {
            let isHeard = stream.isRunning || scene.facts.isWanted(stream)
            return isHeard && old.treatment.reason != .handover ? fade(old.actor) : .zero
        }
        guard stream.isRunning else { return .zero }
        let isLowered = new.treatment.gain < old.treatment.gain
        guard let actor = isLowered ? new.actor : old.actor else { return Limits.fade }
        let ducking = scene.rules.ducking(actor, on: described)
        return isLowered ? ducking.attack : ducking.release
    }
}
