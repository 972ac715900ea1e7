public import PolicyEngine

/// What is so at this moment.
extension SessionRuntime {
    /// The host's clock.
    public var now: Instant { host.now }

    /// Whether a stream must be silent before its application starts it: it would be rejected (R8), or may have to wait until
    /// others are silent (R34). The server may play it before it tells of the start.
    public func mustBeginSilent(_ stream: StreamID) -> Bool { read { $0.mayWait(stream) || $0.wouldReject(stream) } }

    /// Whether an opened session is active, or an activation would succeed now (N26). Only between turns.
    public func canBeActivated(_ session: SessionID) -> Bool { read { $0.canBeActivated(session) } }

    /// Whether a stream can still be heard although it should be silent.
    public var isFading: Bool { read { $0.isFading } }

    /// The configuration that an application has set on its session; `nil` for a session of the system.
    package func configuration(of session: SessionID) -> SessionConfiguration? {
        read { $0.configuration(of: session) }
    }

    /// The policy in force.
    public var policy: Policy { read { $0.policy } }

    /// The gain that the policy gives a stream at this moment, how long its present fade still takes, and whether its fades
    /// have no steps.
    public func level(of stream: StreamID) -> (gain: LinearGain, remaining: Duration, canRamp: Bool) {
        guard let stream = streams[stream] else { return (.unity, .zero, false) }
        let (level, now) = (stream.level, host.now)
        return (level.gain(at: now), level.remaining(at: now), stream.server?.canRamp ?? false)
    }

    /// The treatment of a stream; `nil` for one that is left alone (N12).
    public func treatment(of stream: StreamID) -> Treatment? { read { $0.treatment(of: stream) } }

    /// The state of an opened session; `nil` if the session is unknown.
    public func state(of session: SessionID) -> SessionState? { read { $0.state(of: session) } }

    /// All sessions, the strongest claim first.
    public var sessionNumbers: [SessionNumber] { read { $0.sessionNumbers } }

    /// All streams that the policy decides about, the oldest first.
    public var streamIDs: [StreamID] { read { $0.streamIDs } }

    /// The snapshot of a session, for people; `nil` if it no longer exists.
    public func snapshot(of session: SessionNumber) -> EngineSnapshot.Session? { read { $0.snapshot(of: session) } }

    /// The snapshot of an opened session, for people; `nil` if it is not open.
    public func snapshot(of session: SessionID) -> EngineSnapshot.Session? {
        sessionNumbers.lazy.compactMap { self.snapshot(of: $0) }.first { $0.reference.id == session }
    }

    /// The snapshot of a stream, for people; `nil` for a stream that is left alone. If the stream's player was not
    /// asked to pause, or did not pause in time, the snapshot says that the stream is corked.
    public func snapshot(of stream: StreamID) -> EngineSnapshot.Stream? {
        var snapshot = read { $0.snapshot(of: stream) }
        if snapshot?.treatment.silence == .pausePlayer, streams[stream]?.pause?.isInTime != true {
            snapshot?.treatment.silence = .cork
        }
        return snapshot
    }

    /// The number of a stream's session; `nil` for a stream that is left alone.
    public func session(of stream: StreamID) -> SessionNumber? { read { $0.session(of: stream) } }

    /// The number of the session that a reference names; `nil` if it no longer exists.
    public func session(_ reference: SessionReference) -> SessionNumber? { read { $0.session(reference) } }

    /// The session, output or input behind a ``Treatment/cause``; `nil` if there is none or it is gone.
    public func interrupter(_ cause: Cause) -> Interrupter? { read { $0.interrupter(cause) } }
}
