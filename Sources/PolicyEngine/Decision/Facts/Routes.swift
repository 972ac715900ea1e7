/// Outputs that go and come back, changes of the route, muted inputs.
extension Engine {
    /// R64: sessions whose output has gone must not continue on another one.
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
            // The application is notified of this loss even after a notification of an earlier one.
            if case .notified(_, let prospect) = verdict.standings[place].interruption {
                verdict.standings[place].interruption = .notified(ofObstacle: false, prospect)
            }
        }
    }

    /// R64: sessions continue that are heard again on the output that they had lost.
    mutating func giveBack(_ port: PortID, _ streams: [StreamID]) {
        for id in streams {
            guard let index = facts.stream(id) else { continue }
            verdict.standings[facts.streams[index].session].end(.outputReturned(port))
        }
    }

    private func outputLimit(from now: Instant) -> Instant {
        now.advanced(by: facts.rules.policy.routes.resumesWithin)
    }

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

    /// R64: stops the recordings that the policy wants stopped. R41: a change that no session has asked for ends the
    /// overrides of the output.
    mutating func changeRoute(_ reason: RouteChangeReason, at now: Instant) {
        if facts.rules.policy.routes.stopsRecording.includes(reason), !facts.isSuspended {
            let scene = scene(at: now)
            for place in facts.sessions.indices where scene.isRecording(place) {
                verdict.standings[place].obstacle = .changedRoute
                // Inactive at once, the session is notified of the interruption all the same.
                if verdict.standings[place].interruption.prospect == nil {
                    verdict.standings[place].interruption = .begun(.mayResume)
                }
            }
        }
        if reason == .override || reason == .categoryChange { return }
        endOverrides()
    }

    mutating func endOverrides() { for place in facts.sessions.indices { endOverride(place) } }

    /// R41: interruptions and changes of route end an override.
    mutating func endOverride(_ place: Int) { facts.sessions[place].configuration.endOverride() }

    // MARK: - Inputs

    /// N7: silences the sessions whose input is muted while they record, until it is unmuted. A session that starts
    /// with a muted input continues, and so does a call.
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
                    // The session records from another input now, which perhaps nobody chose.
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

    /// N7: sessions whose muted input has gone wait for their applications.
    mutating func loseInput(_ port: PortID) {
        for place in facts.sessions.indices {
            guard case .mutedInput(let input) = verdict.standings[place].obstacle, input.id == port else { continue }
            verdict.standings[place].obstacle = .changedRoute
        }
    }
}

extension Scene {
    /// R64: whether a session is heard by this stream, or would be when it resumes, and has to be on that output.
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

    /// R64: whether an application plays and records at once in play-and-record, as call programs without a mode do.
    /// Streams with the role of music or games make no conversation.
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

    /// R64: whether a session, no call, records, or would if no other recording prevented it.
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

    /// N7: only an opened session of the category record stops.
    func stopsWhenMuted(_ place: Int, recorded: Bool) -> Bool {
        guard !facts.isSuspended, facts.sessions[place].kind == .opened, standings[place].phase == .active,
            asks(place), standings[place].described.description.category == .record, sums[place].isInputMuted
        else { return false }
        return isSilenced(place) ? isSilencedByRecording(place) : recorded
    }
}
