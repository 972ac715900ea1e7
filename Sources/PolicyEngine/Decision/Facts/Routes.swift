/// Outputs that go and come back, changes of the route, muted inputs.
extension Engine {
    /// R64: silences the sessions whose output has gone, so that they do not go on on another one.
    mutating func lose(_ port: LostPort, _ streams: [StreamID], at now: Instant) {
        if facts.isSuspended { return }
        let scene = scene(at: now)
        for id in streams {
            guard let index = facts.stream(id), scene.loses(facts.streams[index]) else { continue }
            let place = facts.streams[index].session
            guard verdict.standings[place].obstacle == nil else { continue }
            verdict.standings[place].obstacle = .lostOutput(port, until: outputLimit(from: now))
            if facts.sessions[place].kind == .opened, hasRoute, !routing.tracker.isAtRest {
                verdict.standings[place].routeIsToldUntil = now.advanced(by: Limits.routeChange)
            }
            // The application is notified of this loss even if it was notified of an earlier one.
            if case .notified(_, let prospect) = verdict.standings[place].interruption {
                verdict.standings[place].interruption = .notified(ofObstacle: false, prospect)
            }
        }
    }

    /// R64: the sessions that have lost this output and are heard there again go on.
    mutating func giveBack(_ port: PortID, _ streams: [StreamID]) {
        for id in streams {
            guard let index = facts.stream(id) else { continue }
            verdict.standings[facts.streams[index].session].end(.outputReturned(port))
        }
    }

    private func outputLimit(from now: Instant) -> Instant {
        now.advanced(by: facts.rules.policy.routes.resumesWithin)
    }

    /// Ends the obstacles whose time is over. Returns whether there was one.
    mutating func endObstacles(at now: Instant) -> Bool {
        var isAny = false
        for place in facts.sessions.indices {
            if let until = verdict.standings[place].routeIsToldUntil, until <= now {
                verdict.standings[place].routeIsToldUntil = nil
                isAny = true
            }
            guard let obstacle = verdict.standings[place].obstacle, let end = obstacle.end, end <= now else { continue }
            isAny = true
            let isInterrupted = verdict.standings[place].cause != nil && !facts.isSuspended
            verdict.standings[place].obstacle = obstacle.over(isInterrupted ? outputLimit(from: now) : nil)
        }
        return isAny
    }

    // MARK: - Recordings

    /// R64: stops the recordings that the policy has stopped by such a change. R41: a change that no session has asked
    /// for ends the overrides of the output.
    mutating func changeRoute(_ reason: RouteChangeReason, at now: Instant) {
        if facts.rules.policy.routes.stopsRecording.includes(reason), !facts.isSuspended {
            let scene = scene(at: now)
            for place in facts.sessions.indices where scene.isRecording(place) {
                verdict.standings[place].obstacle = .changedRoute
                // It is inactive at once, and is notified of the interruption all the same.
                if verdict.standings[place].interruption.prospect == nil {
                    verdict.standings[place].interruption = .begun(.mayResume)
                }
            }
        }
        if reason == .override || reason == .categoryChange { return }
        for place in facts.sessions.indices { endOverride(place) }
    }

    /// R41: ends the override of a session's output.
    mutating func endOverride(_ place: Int) { facts.sessions[place].configuration.endOverride() }

    // MARK: - Inputs

    /// N7: silences the sessions whose input is muted while they record, and lets them go on when it is not any more. A
    /// session that starts with a muted input goes on, and so does a call.
    mutating func mute(_ input: LostPort, isMuted: Bool, _ streams: [StreamID], at now: Instant) {
        var concerned: [Int] = []
        var recorded: [Int] = []
        for id in streams {
            guard let index = facts.stream(id), facts.streams[index].direction == .capture else { continue }
            let place = facts.streams[index].session
            if !concerned.contains(place) { concerned.append(place) }
            if facts.streams[index].isRunning, !facts.streams[index].isInputMuted { recorded.append(place) }
            facts.streams[index].isInputMuted = isMuted
        }
        let scene = scene(at: now)
        for place in concerned {
            switch verdict.standings[place].obstacle {
            case .mutedInput(let other):
                if isMuted {
                    verdict.standings[place].obstacle = .mutedInput(input)
                } else if other.id != input.id, !scene.sums[place].isInputMuted {
                    // It records from another input now, which perhaps nobody chose.
                    verdict.standings[place].obstacle = .changedRoute
                }
            case nil:
                if isMuted, scene.stopsWhenMuted(place, recorded: recorded.contains(place)) {
                    verdict.standings[place].obstacle = .mutedInput(input)
                }
            case .lostOutput, .mustNotResume, .rejected, .missedOutput, .changedRoute: break
            }
        }
        if isMuted { return }
        for place in facts.sessions.indices { verdict.standings[place].end(.inputUnmuted(input.id)) }
    }

    /// N7: the sessions that wait for an input that has gone go on only if their applications say so.
    mutating func loseInput(_ port: PortID) {
        for place in facts.sessions.indices {
            guard case .mutedInput(let input) = verdict.standings[place].obstacle, input.id == port else { continue }
            verdict.standings[place].obstacle = .changedRoute
        }
    }
}

extension Scene {
    /// R64: whether a session is heard by this stream, or would be when it resumes, and has to be there.
    func loses(_ stream: Stream) -> Bool {
        let place = stream.session
        // N25: an application may choose this for its own session.
        let choice = facts.sessions[place].configuration.interruptionOnRouteDisconnect
        guard choice ?? rules.policy.routes.pausesPlayback, stream.direction == .playback, !stream.isUISound,
            !standings[place].described.has(.goesOnElsewhere), lack(stream) == nil, !isConversation(place)
        else { return false }
        if facts.isWanted(stream), asks(place) { return true }
        return standings[place].driver.isApplication && isSilenced(place) && mayResume(place)
    }

    /// R64: whether an application plays and records at once in a session of play-and-record, as programs for calls do that
    /// say nothing by a mode. What says by its role that it is music or a game, is none.
    private func isConversation(_ place: Int) -> Bool {
        guard facts.sessions[place].kind == .opened,
            standings[place].described.description.category == .playAndRecord, sums[place].wantedCaptures > 0
        else { return false }
        let played = facts.streams.filter {
            $0.session == place && $0.direction == .playback && !$0.isUISound && facts.isWanted($0)
        }
        return !played.isEmpty
            && played.allSatisfy {
                let own = $0.described.description
                return own.name == Policy.untaggedName || own.category == .playAndRecord
            }
    }

    /// R64: whether a session is recording and is no call, or only another recording keeps it from that.
    func isRecording(_ place: Int) -> Bool {
        let captures =
            sums[place].hasUICapture || sums[place].wantedCaptures > 0 && lack(.capture, place) == nil
        guard standings[place].phase == .active, asks(place), standings[place].obstacle == nil,
            !standings[place].described.has(.goesOnElsewhere), !isConversation(place),
            standings[place].described.description.category == .record || captures
        else { return false }
        return !isSilenced(place) || isSilencedByRecording(place)
    }

    private func isSilencedByRecording(_ place: Int) -> Bool {
        guard let cause = standings[place].cause else { return false }
        return standings[cause].described.description.category == .record
    }

    /// N7: whether a session is silenced when its input is muted.
    func stopsWhenMuted(_ place: Int, recorded: Bool) -> Bool {
        guard !facts.isSuspended, facts.sessions[place].kind == .opened, standings[place].phase == .active,
            asks(place), standings[place].described.description.category == .record, sums[place].isInputMuted
        else { return false }
        return isSilenced(place) ? isSilencedByRecording(place) : recorded
    }
}
