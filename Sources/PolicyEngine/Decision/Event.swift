/// Something that happened, as a host reports it to the engine.
public enum Event: Sendable, Equatable {
    /// A stream was created. Its application does not want it to run yet, and the server does not process it.
    case streamAppeared(
        StreamID, application: ApplicationID, description: SessionDescription, direction: StreamDirection)
    /// The stream's application wants it to run (`true`), or has paused or stopped it (`false`).
    case streamWanted(StreamID, Bool)
    /// The stream's user or application has muted (`true`) or unmuted it: by its mute, or its own volume at zero (N24).
    case streamMuted(StreamID, Bool)
    /// The user wants to hear the stream although the policy keeps it silent (N19).
    case streamFreed(StreamID, by: UserAction)
    /// The stream's sound is loud enough to count (`true`), or has been too quiet for long enough (N13). A stream whose
    /// level nobody measures counts as sounding.
    case streamSounding(StreamID, Bool)
    /// The server has started (`true`) or stopped (`false`) processing the stream.
    case streamRunning(StreamID, Bool)
    /// A stream that was to become silent is silent: its fade is over, and it is stopped or muted.
    case streamSettled(StreamID)
    case streamVanished(StreamID)
    /// The policy leaves this stream alone from now on; everything done to it is undone. The stream may appear again.
    case streamLeftAlone(StreamID)
    /// The moment of an ``Effect/wake(at:)`` has come.
    case clockReached
    /// Another policy is in force, with the streams' descriptions under it. Streams missing here are left alone.
    indirect case policyChanged(Policy, [StreamID: SessionDescription])
    /// A stream belongs to another session from now on. If that session is unknown, nothing changes.
    case streamMoved(StreamID, to: SessionKey)
    /// An application or the system opened a session, which is not active yet.
    case sessionOpened(SessionID, application: ApplicationID, SessionKind)
    /// An application changed its opened session's configuration; answered.
    case sessionConfigured(SessionID, ConfigurationChange)
    /// An application requested that its opened session be activated or deactivated; answered.
    case sessionRequested(SessionID, SessionRequest)
    /// An opened session was closed; its victims may resume (R12). Its streams return to their application's session.
    case sessionClosed(SessionID)
    /// An input was muted or unmuted by its user, or other streams record from it (N7). `streams` are all of them.
    case inputMuted(PortID, Bool, name: String, streams: [StreamID])
    /// A muted input was removed: no session waits for it any more.
    case inputGone(PortID)
    /// The user changed a switch (N16).
    case switched(Switches)
    /// Something happened to devices, links or preferences of ports.
    indirect case route(RouteEvent)
    /// The host is about to unload the policy: everything done to streams is undone.
    case shutdown

    // What the engine finds in devices and places, and handles within the same event. No host reports these.

    /// The stream is heard in these zones; none if that is not known (N27).
    case streamPlaced(StreamID, ZoneSet)
    /// An output with playing streams was removed (R63, R64). Streams that must not play anywhere else stop at once.
    case outputLost(PortID, name: String, streams: [StreamID])
    /// A removed output is back, and these streams would play on it.
    case outputReturned(PortID, streams: [StreamID])
    /// The route has changed: overrides end, unless an override caused the change (R41), and perhaps recordings (R64).
    case routeChanged(RouteChangeReason)
    /// An output is in use, perhaps for a moment only, that was plugged in a moment ago: overrides end (R41).
    case newOutputUsed
}

/// The owner of an opened session.
public enum SessionKind: Sendable, Hashable {
    case application
    /// The system: an interruption whose sound, if any, is made elsewhere. `by` is the application that began the
    /// interruption and is not affected; `nil` for none.
    case system(SessionDescription, by: ApplicationID? = nil)
}

/// A change that an application makes to its session's configuration.
public enum ConfigurationChange: Sendable, Hashable {
    /// Category, options, and the mode if one is given (R7, R39–R43).
    case category(Category, CategoryOptions, Mode?)
    /// Refused while the session is active or mixes (R54).
    case mode(Mode)
    /// Only with play-and-record (R41).
    case outputOverride(OutputOverride)
    /// Whether ringing leaves the session alone (N8).
    case avoidsAlerts(Bool)
    /// Whether losing its output interrupts the session; `nil` leaves that to the policy (N25).
    case interruptionOnRouteDisconnect(Bool?)
}

/// A request that an application makes for its session.
public enum SessionRequest: Sendable, Hashable {
    /// Activate the session (R8, R10); with `mayWait`, as soon as possible if a session prevents it now (N9).
    case activate(mayWait: Bool)
    /// Deactivate the session. `notifyOthers` decides whether the sessions that it interrupted may resume (R11).
    case deactivate(notifyOthers: Bool)
    /// Withdraw a delayed activation (N9).
    case cancel
}

/// The result of a request.
public enum SessionAnswer: Sendable, Hashable {
    case done
    /// The activation waits for others (N9).
    case delayed
    /// A session with a stronger claim prevents the activation; nothing has changed (R8).
    case refused(by: SessionReference)
    /// The configuration contradicts itself; nothing has changed.
    case mistaken(SessionConfiguration.Mistake)
    /// There is no delayed activation to withdraw.
    case nothingDelayed
    /// There is no such session, or it belongs to the system.
    case unknown
}

/// An action that the engine asks the host to carry out.
public enum Effect: Sendable, Equatable {
    /// Bring a stream into this state within one time, and not before the other has passed. Zero means at once.
    case treat(StreamID, Treatment, within: Duration, after: Duration)
    /// Report ``Event/clockReached`` at this moment; replaces an earlier request.
    case wake(at: Instant)
    /// A session became active (R2).
    case sessionActivated(SessionReference)
    case sessionDeactivated(SessionReference)
    /// A session was interrupted; its streams are already silent (R26, R27).
    indirect case interruptionBegan(SessionReference, by: Interrupter)
    /// The interruption of a session is over (R30, R31, R33).
    case interruptionEnded(SessionReference, shouldResume: Bool)
    /// The result of a request; each request gets one.
    case answered(SessionID, SessionAnswer)
    /// A delayed activation was granted (N9).
    case activationGranted(SessionID)
    /// ``Engine/state(of:)`` has changed for an opened session.
    case sessionChanged(SessionID)
    /// A stream was refused an audio device (R23).
    case streamRefused(StreamID)
    /// An output was lost with these streams (R64), before the server can move them. Streams that their clients
    /// have just stopped count as playing until then.
    indirect case outputLost(RoutePort, streams: [StreamID], stopped: [StreamID])
    /// A lost output for which sessions wait is plugged in, but not in use. They continue on its device's present
    /// output.
    indirect case outputSwitched(RoutePort)
    case command(RouteCommand)
    /// The route is known for the first time. No listener has heard of another.
    case routeBegun(Route)
    /// The route has changed (R58).
    indirect case routeChanged(RouteChange)
    /// A session's route has changed, or has no port for the session's category (R57, R58).
    indirect case sessionRouteChanged(SessionID, RouteChange)
    /// ``Engine/availableInputs`` or ``Engine/availableOutputs`` have changed (R78).
    case availablePortsChanged
}

/// A session as others see it: its application, its description and its id.
public struct SessionReference: Sendable, Hashable {
    /// The application.
    public var application: ApplicationID
    /// The name of its description: a role, or "untagged".
    public var description: String
    /// The id of an opened session; `nil` for the session that an application has because of its streams.
    public var id: SessionID?

    /// Creates a reference.
    public init(application: ApplicationID, description: String, id: SessionID? = nil) {
        self.application = application
        self.description = description
        self.id = id
    }

    /// Text for people: `mpv (music)`.
    public var label: String { "\(application.name) (\(description))" }
}
