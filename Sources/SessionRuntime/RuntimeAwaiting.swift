import SessionCore

/// Streams that have lost the output on which they were heard, and wait for it (R64).
extension SessionRuntime {
    /// Whether the engine must be told now that a client has started or stopped its stream. It is not while the stream waits
    /// for its output, unless its user has done it (R64).
    func concernsEngine(_ stream: StreamID, isWanted: Bool) -> Bool {
        guard let record = streamRecords[stream], record.awaitsOutput else { return true }
        if isWanted {
            // A player that was asked to pause, and has closed its stream, opens another one when its user plays.
            let closed = streamRecords.filter { pauses.isClosed($0.key) && $0.value.application == record.application }
            if !closed.isEmpty {
                for (old, _) in closed { dropClosed(old) }
                record.awaitsOutput = false
                sooner.append(.streamWanted(stream, true))
                return false
            }
        }
        // A first start asks for nothing: the stream may be there in place of one that is gone.
        if !record.isWanted { return true }
        switch awaiting.interpret(stream, isWanted: isWanted, at: host.now) {
        case .byItself: break
        case .byUser:
            record.awaitsOutput = false
            sooner.append(.streamFreed(stream, by: .play))
        }
        return false
    }

    /// Tells the engine that a stream is gone that its client has closed.
    func dropClosed(_ stream: StreamID) {
        pauses.forget(stream)
        players?.forget(stream)
        streamRecords[stream]?.awaitsOutput = false
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

    /// R64: asks the player of a stream that has lost its output to pause, so that it shows that, and does not starve. An
    /// application that has opened a session is told by it.
    func askPlayerToWait(_ stream: StreamID) {
        guard let record = streamRecords[stream], record.awaitsOutput, record.isWanted, !pauses.has(stream),
            !read({ $0.hasOpenedSession(stream) }), players?.pause(stream) == true
        else { return }
        pauses.asked(stream, at: host.now)
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
            record.heardOn = record.isRunning ? portsHeard(stream) : portsLeft[application] ?? []
        }
        let awaited: Bool = if case .output = treatment.cause { record.direction == .playback } else { false }
        // A closed stream is not kept any longer than the output is waited for.
        if record.awaitsOutput, !awaited || treatment.reason == .superseded && awaiting.isClosed(stream) {
            stopAwaiting(stream)
        }
        record.awaitsOutput = awaited
    }
}
