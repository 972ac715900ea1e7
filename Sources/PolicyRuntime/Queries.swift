public import PolicyEngine

/// What is so at this moment, beside what the engine says.
extension SessionRuntime {
    /// The host's clock.
    public var now: Instant { host.now }

    /// Whether a stream must be silent before its application starts it, because of a rejection (R8) or a wait (R34):
    /// the server may play it before it tells of the start.
    public func mustBeginSilent(_ stream: StreamID) -> Bool { engine.mayWait(stream) || engine.wouldReject(stream) }

    /// A stream's present gain by the policy, the rest of its fade, and whether its fades have no steps.
    public func level(of stream: StreamID) -> (gain: LinearGain, remaining: Duration, canRamp: Bool) {
        guard let stream = streams[stream] else { return (.unity, .zero, false) }
        let (level, now) = (stream.level, host.now)
        return (level.gain(at: now), level.remaining(at: now), stream.server?.canRamp ?? false)
    }

    /// The snapshot of an opened session, for people; `nil` if it is not open.
    public func snapshot(of session: SessionID) -> EngineSnapshot.Session? {
        engine.sessionNumbers.lazy.compactMap { self.engine.snapshot(of: $0) }.first { $0.reference.id == session }
    }

    /// The snapshot of a stream, for people; `nil` if left alone. Corked, unless a player pauses in time.
    public func snapshot(of stream: StreamID) -> EngineSnapshot.Stream? {
        var snapshot = engine.snapshot(of: stream)
        if snapshot?.treatment.silence == .pausePlayer, streams[stream]?.pause?.isInTime != true {
            snapshot?.treatment.silence = .cork
        }
        return snapshot
    }
}
