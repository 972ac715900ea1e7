import SessionCore

/// Streams that have lost the output on which they were heard, and wait for it (R64).
extension SessionRuntime {
    /// The shortest pause that counts as one of the user's (N19).
    static let shortestPause = Duration.milliseconds(300)

    /// Whether the engine must be told now that a client has started or stopped its stream. It is not while the stream waits
    /// for its output, unless its user has done it (R64).
    func concernsEngine(_ stream: StreamID, isWanted: Bool) -> Bool {
        guard let record = streamRecords[stream], let start = record.awaitsSince else { return true }
        // A player shows whether its user has paused it meanwhile; a client that starves does not change that.
        let hasPaused = isWanted ? players?.hasPaused(stream, since: start) : nil
        if !record.isWanted {
            // A first start asks for nothing: the stream may be there in place of one that is gone.
            if hasPaused == true { sooner.append(.streamFreed(stream, by: .play)) }
            return true
        }
        if !isWanted {
            awaiting.stopped(stream, at: host.now)
        } else if awaiting.started(stream, at: host.now), hasPaused ?? true {
            sooner.append(.streamFreed(stream, by: .play))
        }
        return false
    }

    /// The longest time for which a client stops its stream while its player goes on, as VLC does when it has just begun.
    private static let longestStop = Duration.seconds(2)

    /// Whether a client has stopped its stream a moment ago, and not its user: its player on the bus still says that it
    /// plays, or it has none and stopped for less time than a user's pause lasts.
    func isStoppedByItself(_ stream: StreamID) -> Bool {
        guard let record = streamRecords[stream], record.direction == .playback, !record.isWanted,
            let start = record.pausedSince
        else { return false }
        // When its user pauses it, a player may say so a little before its stream stops.
        let hasPaused = players?.hasPaused(stream, since: start.advanced(by: .zero - Self.shortestPause))
        let longest = hasPaused == nil ? Self.shortestPause : Self.longestStop
        return hasPaused != true && start.duration(to: host.now) < longest
    }

    /// Tells the engine that a stream is gone that its client has closed.
    func dropClosed(_ stream: StreamID) {
        pauses.forget(stream)
        players?.forget(stream)
        streamRecords[stream]?.awaitsSince = nil
        sooner.append(.streamVanished(stream))
    }

    /// A stream waits no longer for its output: the engine is told what its client has done meanwhile.
    func stopAwaiting(_ stream: StreamID) {
        let (isStopped, isClosed) = awaiting.release(stream)
        if isClosed {
            sooner.append(.streamVanished(stream))
        } else if isStopped {
            sooner.append(.streamWanted(stream, false))
        }
    }

    /// Records where a stream was heard that is silenced now, and whether it waits for that output (R64).
    func notePlace(of stream: StreamID, _ record: RuntimeStream, after former: Treatment) {
        let treatment = record.treatment
        guard let application = record.application else { return }
        if case .output(let port) = treatment.cause {
            record.heardOn = [port.name]
        } else if treatment.silence == .none {
            record.heardOn = nil
        } else if former.silence == .none {
            record.heardOn = record.isRunning ? portsHeard(stream) : portsLeft[application]?.ports ?? []
        }
        let awaited: Bool = if case .output = treatment.cause { record.direction == .playback } else { false }
        // A closed stream is not kept any longer than the output is waited for.
        if record.awaitsSince != nil, !awaited || treatment.reason == .superseded && awaiting.isClosed(stream) {
            stopAwaiting(stream)
        }
        record.awaitsSince = awaited ? record.awaitsSince ?? host.now : nil
    }
}
