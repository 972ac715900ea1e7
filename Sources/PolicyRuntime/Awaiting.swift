import PolicyEngine

/// A stream's wait for the output on which it was heard (R64).
///
/// A client that gets nothing played may stop its stream and start it again, or close it and open another one. That is
/// not its user's doing, and must not make it heard on another output.
struct OutputWait: Equatable {
    /// When the output was lost.
    let since: Instant
    /// Since when the client has stopped the stream; `nil` while it has not.
    var stoppedSince: Instant?
}

/// What a silenced stream that is gone leaves to a new one of its application.
struct LeftPlace {
    /// The ports on which it was heard.
    var ports: Set<String>
    /// When it went.
    var since: Instant
    /// The session that had interrupted it; `nil` for none.
    var interrupter: SessionNumber?
}

extension SessionRuntime {
    /// N19: whether the user plays a stream that begins: some programs close an interrupted stream when they are paused, and
    /// open another one when they are played. One that has a player on the bus says there that it plays.
    func takesPlaceByUser(_ stream: StreamEntry) -> Bool {
        guard stream.direction == .playback, let place = left[stream.application], isInterrupted(place),
            place.since.duration(to: host.now) >= Self.shortestPause
        else { return false }
        return players?.player(of: stream.identity).map { $0.status == .playing } ?? true
    }

    /// Whether the interruption is not over in which a stream went.
    func isInterrupted(_ place: LeftPlace) -> Bool {
        place.interrupter.flatMap { engine.snapshot(of: $0) } != nil
    }

    /// The shortest pause that counts as one of the user's (N19).
    static let shortestPause = Duration.milliseconds(300)
    /// The maximum number of streams that are kept after their clients have closed them; beyond it the oldest is dropped.
    static let maximumClosed = 64

    /// Whether the engine must be told now that a client has started or stopped its stream. It is not while the stream waits
    /// for its output, unless its user has done it (R64).
    func concernsEngine(_ stream: StreamEntry, isWanted: Bool) -> Bool {
        guard let wait = stream.wait else { return true }
        // A player shows whether its user has paused it meanwhile; a client that starves does not change that.
        let hasPaused = isWanted ? hasPaused(stream, since: wait.since) : nil
        if !stream.isWanted {
            // A first start asks for nothing: the stream may be there in place of one that is gone.
            if hasPaused == true { sooner.append(.streamFreed(stream.id, by: .play)) }
            return true
        }
        if !isWanted {
            stream.wait?.stoppedSince = host.now
        } else if let stopped = wait.stoppedSince {
            stream.wait?.stoppedSince = nil
            if stopped.duration(to: host.now) >= Self.shortestPause, hasPaused ?? true {
                sooner.append(.streamFreed(stream.id, by: .play))
            }
        }
        return false
    }

    /// The longest time for which a client stops its stream while its player goes on, as VLC does when it has just begun.
    private static let longestStop = Duration.seconds(2)

    /// Whether a client has stopped its stream a moment ago, and not its user: its player on the bus still says that it
    /// plays, or it has none and stopped for less time than a user's pause lasts.
    func isStoppedByItself(_ stream: StreamID) -> Bool {
        guard let stream = streams[stream], stream.direction == .playback, !stream.isWanted,
            let start = stream.pausedSince
        else { return false }
        // When its user pauses it, a player may say so a little before its stream stops.
        let hasPaused = hasPaused(stream, since: start.advanced(by: .zero - Self.shortestPause))
        let longest = hasPaused == nil ? Self.shortestPause : Self.longestStop
        return hasPaused != true && start.duration(to: host.now) < longest
    }

    /// Tells the engine that the oldest of the streams is gone that their clients have closed, if there are too many.
    func dropOldestClosed() {
        let closed = streams.values.filter { $0.closing != nil }
        guard closed.count > Self.maximumClosed,
            let oldest = closed.min(by: { $0.closing ?? 0 < $1.closing ?? 0 })
        else { return }
        oldest.pause = nil
        oldest.wait = nil
        sooner.append(.streamVanished(oldest.id))
    }

    /// How often it is looked whether the process has ended that closed a stream. A program that ends closes its streams first,
    /// and the server says nothing of its end.
    static let endCheckInterval = Duration.seconds(1)

    /// Whether nobody is left to open another stream in place of one.
    func hasProcessEnded(_ stream: StreamEntry) -> Bool {
        stream.identity.client.program.map { hasEnded($0.process) } ?? false
    }

    /// Forgets closed streams whose processes have ended.
    func checkEnds(of due: [StreamEntry], at now: Instant) {
        for stream in due where stream.closing != nil && stream.endCheck.map({ $0 <= now }) ?? false {
            stream.endCheck = now.advanced(by: Self.endCheckInterval)
            if hasProcessEnded(stream) { sooner.append(.streamVanished(stream.id)) }
        }
    }

    /// A stream waits no longer for its output: the engine is told what its client has done meanwhile.
    private func stopAwaiting(_ stream: StreamEntry, _ wait: OutputWait) {
        if stream.closing != nil {
            sooner.append(.streamVanished(stream.id))
        } else if wait.stoppedSince != nil {
            sooner.append(.streamWanted(stream.id, false))
        }
    }

    /// Records where a stream was heard that is silenced now, and whether it waits for that output (R64).
    func notePlace(of stream: StreamEntry, after former: Treatment) {
        let treatment = stream.treatment
        if case .output(let port) = treatment.cause {
            stream.heardOn = [port.name]
        } else if treatment.silence == .none {
            stream.heardOn = nil
        } else if former.silence == .none {
            stream.heardOn = stream.isRunning ? portsHeard(stream) : left[stream.application]?.ports ?? []
        }
        let awaited: Bool = if case .output = treatment.cause { stream.direction == .playback } else { false }
        // A closed stream is not kept any longer than the output is waited for.
        if let wait = stream.wait, !awaited || treatment.reason == .superseded && stream.closing != nil {
            stopAwaiting(stream, wait)
        }
        stream.wait = awaited ? stream.wait ?? OutputWait(since: host.now) : nil
    }
}
