/// Something that happened, as a host reports it to the engine.
public enum Event: Sendable, Equatable {
    /// A stream exists. It is not wanted and not running yet.
    case streamAppeared(
        StreamID, application: ApplicationID, description: SessionDescription, direction: StreamDirection)
    /// The stream's own application wants it to run (`true`), or has paused or stopped it (`false`).
    case streamWanted(StreamID, Bool)
    /// The server has begun (`true`) or ceased (`false`) to process the stream.
    case streamRunning(StreamID, Bool)
    /// A stream that was to become silent is silent: its fade is over and it is stopped or muted.
    case streamSettled(StreamID)
    /// The stream is gone.
    case streamVanished(StreamID)
    /// The moment of an ``Effect/wake(at:)`` has come.
    case clockReached
    /// Another policy is in force, and this is what the streams are in its eyes; those that are missing are left alone from
    /// now on.
    case policyChanged(Policy, [StreamID: SessionDescription])
    /// The host is about to leave: everything is to be as if it had never been there.
    case shutdown
}

/// Something to be done, as the engine asks it of a host.
public enum Effect: Sendable, Equatable {
    /// Bring a stream into this state, within this time, and not before some time has passed. A time of zero means at
    /// once.
    case treat(StreamID, Treatment, within: Duration, after: Duration)
    /// Report ``Event/clockReached`` at this moment; replaces an earlier request.
    case wake(at: Instant)
    /// A session is active now (R2).
    case sessionActivated(SessionReference)
    /// A session is no longer active.
    case sessionDeactivated(SessionReference)
    /// A session was interrupted; its streams have been taken away already (R26, R27).
    case interruptionBegan(SessionReference, by: SessionReference)
    /// The interruption of a session is over (R30, R31, R33).
    case interruptionEnded(SessionReference, shouldResume: Bool)
}

/// A session as others see it: whose it is and what it is.
public struct SessionReference: Sendable, Hashable {
    /// The application.
    public var application: ApplicationID
    /// The name of its description: a role, or "untagged".
    public var description: String

    /// Makes a reference.
    public init(application: ApplicationID, description: String) {
        self.application = application
        self.description = description
    }

    /// For people: `mpv (music)`.
    public var label: String { "\(application.name) (\(description))" }
}
