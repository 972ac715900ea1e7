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
    /// The stream is there, but is left alone from now on: what was done to it is undone. It may appear again.
    case streamLeftAlone(StreamID)
    /// The moment of an ``Effect/wake(at:)`` has come.
    case clockReached
    /// Another policy is in force, and this is what the streams are in its eyes; those that are missing are left alone from
    /// now on.
    indirect case policyChanged(Policy, [StreamID: SessionDescription])
    /// A stream belongs to another session from now on. One to an unknown session changes nothing.
    case streamMoved(StreamID, to: SessionKey)
    /// A session was opened. It is not active.
    case sessionOpened(SessionID, application: ApplicationID, SessionKind)
    /// Its application says something else of an opened session; answered.
    case sessionConfigured(SessionID, ConfigurationChange)
    /// Its application wants an opened session to be active or not; answered.
    case sessionRequested(SessionID, SessionRequest)
    /// An opened session is gone; whom it interrupted is to go on (R12). Streams that are left go back to its application.
    case sessionClosed(SessionID)
    /// An output has gone on which streams were heard (R63, R64). What may not be heard anywhere else stops at once.
    case outputLost(PortID, name: String, streams: [StreamID])
    /// An output is there again, and these streams would be heard on it.
    case outputReturned(PortID, streams: [StreamID])
    /// Another route is in use (R41: that ends overrides, but for the change that an override itself has made; R64: the
    /// policy may stop recordings).
    case routeChanged(RouteChangeReason)
    /// An input was muted by its user, or is not any more, or these streams record from it since a moment ago (N7). With the
    /// streams that record from it.
    case inputMuted(PortID, Bool, name: String, streams: [StreamID])
    /// A muted input has gone: nobody waits for it any more.
    case inputGone(PortID)
    /// The user has switched something (N16).
    case switched(Switches)
    /// The host is about to leave: everything is to be as if it had never been there.
    case shutdown
}

/// Whose a session is that was opened.
public enum SessionKind: Sendable, Hashable {
    /// An application's, which configures it.
    case application
    /// The system's: an interruption whose sound is made elsewhere, if any.
    ///
    /// - Parameter by: The application that has begun it, which it does not touch; `nil` for none.
    case system(SessionDescription, by: ApplicationID? = nil)
}

/// What an application says of its session.
public enum ConfigurationChange: Sendable, Hashable {
    /// Category, options, and the mode if one is given (R7, R39–R43).
    case category(Category, CategoryOptions, Mode?)
    /// The mode (R54).
    case mode(Mode)
    /// Where the output goes (R41).
    case outputOverride(SessionConfiguration.OutputOverride)
    /// Whether ringing may interrupt (N8).
    case avoidsAlerts(Bool)
    /// Whether the loss of its output interrupts it; `nil` is as the policy has it (N25).
    case interruptionOnRouteDisconnect(Bool?)
}

/// What an application asks for its session.
public enum SessionRequest: Sendable, Hashable {
    /// To be heard (R8, R10); with `mayWait`, as soon as that is possible (N9).
    case activate(mayWait: Bool)
    /// Not to be heard any more. Those that it interrupted are told to resume, or not to (R11).
    case deactivate(notifyOthers: Bool)
    /// Not to wait any longer (N9).
    case cancel
}

/// What became of a request.
public enum SessionAnswer: Sendable, Hashable {
    /// It is as was asked.
    case done
    /// It waits (N9).
    case delayed
    /// A session with a stronger claim is in the way; nothing has changed (R8).
    case refused(by: SessionReference)
    /// What was said does not go together; nothing has changed.
    case mistaken(SessionConfiguration.Mistake)
    /// There is nothing to withdraw.
    case nothingWaits
    /// So many different sessions are in use that there is no room for another kind; nothing has changed.
    case noRoom
    /// There is no such session, or it is the system's.
    case unknown
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
    indirect case interruptionBegan(SessionReference, by: Interrupter)
    /// The interruption of a session is over (R30, R31, R33).
    case interruptionEnded(SessionReference, shouldResume: Bool)
    /// What became of a request; one answer to each.
    case answered(SessionID, SessionAnswer)
    /// An activation that waited was granted: the session is active (N9).
    case activationGranted(SessionID)
    /// What ``Engine/state(of:)`` says of an opened session is something else now.
    case sessionChanged(SessionID)
    /// A stream was given no device (R23).
    case streamRefused(StreamID)
}

/// A session as others see it: whose it is and what it is.
public struct SessionReference: Sendable, Hashable {
    /// The application.
    public var application: ApplicationID
    /// The name of its description: a role, or "untagged".
    public var description: String
    /// Which of the opened sessions it is; `nil` for one that an application has because of its streams.
    public var id: SessionID?

    /// Makes a reference.
    public init(application: ApplicationID, description: String, id: SessionID? = nil) {
        self.application = application
        self.description = description
        self.id = id
    }

    /// For people: `mpv (music)`.
    public var label: String { "\(application.name) (\(description))" }
}
