import PolicyEngine

/// A stream's wait for the output on which it was heard (R64). A client that gets nothing played may restart its stream
/// or open another one: not its user's doing, and no reason to play on another output.
struct OutputWait: Equatable {
    let since: Instant
    var stoppedSince: Instant?
}

/// What a silenced stream leaves to a new one of its application when it goes.
struct LeftPlace {
    var ports: Set<String>
    var since: Instant
    var interrupter: SessionNumber?
}

extension SessionRuntime {
    /// N19: some programs close an interrupted stream when paused, and open another one when played. A player on the
    /// bus must say that it plays.
    func takesPlaceByUser(_ stream: StreamEntry) -> Bool {
        guard stream.direction == .playback, let place = left[stream.application], isInterrupted(place),
            place.since.duration(to: host.now) >= Self.shortestPause
        else { return false }
        return players?.player(of: stream.identity).map { $0.status == .playing } ?? true
    }

    func isInterrupted(_ place: LeftPlace) -> Bool {
        place.interrupter.flatMap { engine.snapshot(of: $0) } != nil
    }

    /// Shorter pauses are not the user's (N19).
    static let shortestPause = Duration.milliseconds(300)
    /// Of streams that the engine keeps after their clients have closed them; the oldest is dropped beyond it.
    static let maximumClosed = 64

    /// The engine is not told what a client does while its stream waits for its output, unless its user does it (R64).
    func concernsEngine(_ stream: StreamEntry, isWanted: Bool) -> Bool {
        guard let wait = stream.wait else { return true }
        // A player shows whether its user has paused it; a client that starves leaves the player as it is.
        let hasPaused = isWanted ? hasPaused(stream, since: wait.since) : nil
        if !stream.isWanted {
            // A first start asks for nothing: the stream may replace one that is gone.
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

    /// A client may stop its stream this long while its player plays on, as VLC does at the beginning.
    private static let longestStop = Duration.seconds(2)

    /// Whether a client, not its user, has stopped its stream a moment ago: its player still plays, or there is none
    /// and the stop is shorter than a user's pause.
    func isStoppedByItself(_ stream: StreamID) -> Bool {
        guard let stream = streams[stream], stream.direction == .playback, !stream.isWanted,
            let start = stream.pausedSince
        else { return false }
        // A player may announce its user's pause a little before its stream stops.
        let hasPaused = hasPaused(stream, since: start.advanced(by: .zero - Self.shortestPause))
        let longest = hasPaused == nil ? Self.shortestPause : Self.longestStop
        return hasPaused != true && start.duration(to: host.now) < longest
    }

    func dropOldestClosed() {
        let closed = streams.values.filter { $0.closing != nil }
        guard closed.count > Self.maximumClosed,
            let oldest = closed.min(by: { $0.closing ?? 0 < $1.closing ?? 0 })
        else { return }
        oldest.pause = nil
        oldest.wait = nil
        sooner.append(.streamVanished(oldest.id))
    }

    /// A program that ends closes its streams first, and the server says nothing of the end.
    static let endCheckInterval = Duration.seconds(1)

    /// Nobody is left to open another stream.
    func hasProcessEnded(_ stream: StreamEntry) -> Bool {
        stream.identity.client.program.map { hasEnded($0.process) } ?? false
    }

    func checkEnds(of due: [StreamEntry], at now: Instant) {
        for stream in due where stream.closing != nil && stream.endCheck.map({ $0 <= now }) ?? false {
            stream.endCheck = now.advanced(by: Self.endCheckInterval)
            if hasProcessEnded(stream) { sooner.append(.streamVanished(stream.id)) }
        }
    }

    private func stopAwaiting(_ stream: StreamEntry, _ wait: OutputWait) {
        if stream.closing != nil {
            sooner.append(.streamVanished(stream.id))
        } else if wait.stoppedSince != nil {
            sooner.append(.streamWanted(stream.id, false))
        }
    }

    /// R64: a stream that was silenced may wait for the output on which it was heard.
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
        // The wait for the output ends, and with it a closed stream.
        if let wait = stream.wait, !awaited || treatment.reason == .superseded && stream.closing != nil {
            stopAwaiting(stream, wait)
        }
        stream.wait = awaited ? stream.wait ?? OutputWait(since: host.now) : nil
    }
}
