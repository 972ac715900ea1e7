/// What a ``RouteEngine`` is told, and what comes of it.
extension RouteEngine {
    /// An event from the server, the sessions or the clock.
    public enum Event: Sendable {
        /// The devices have changed, or a possible cause of a route change occurred.
        case server(RouteEvent)
        /// A stream or filter was linked to a sink or source.
        case linked(to: UInt32)
        /// An opened session has this configuration now; `nil` when it is closed. With `followsRoute`, the route has
        /// ended an override, which must not cause another change.
        case session(SessionID, SessionConfiguration?, isActive: Bool, followsRoute: Bool)
        /// An opened session prefers these ports, by id; `nil` for no preference (R66).
        case preference(SessionID, output: String?, input: String?)
        /// An opened session belongs to a confined program, which changes no port that others use (N20).
        case confined(SessionID)
        /// Streams were added, or moved to another session.
        case streamsChanged
        /// A stream was removed.
        case streamGone(StreamID)
        /// Another session manager runs, or none. The former one's settings are gone. The new one's first settings are
        /// its own, not its user's choice.
        case managerChanged
        /// All other events of this turn have been handled.
        case turnEnded
        /// The time ``RouteEngine/deadline`` has come.
        case clock
        /// Everything that was done for sessions is to be undone.
        case shutdown
    }

    /// A command for the server, or a change to announce.
    public enum Effect: Sendable, Hashable {
        /// An output was lost, and these streams play nowhere else (R64). Comes before the server can move them.
        case lost(RoutePort, streams: [StreamID])
        /// A lost output is in use again, and these streams play on it.
        case returned(RoutePort, streams: [StreamID])
        /// A lost output is plugged in but not in use. Its streams may continue on its device's present output.
        case switched(RoutePort, streams: [StreamID])
        /// The server must carry out this command.
        case command(RouteCommand)
        /// The route has changed (R58).
        case changed(RouteChange)
        /// A session's route has changed, or has no port for the session's category (R57, R58).
        case sessionChanged(SessionID, RouteChange)
        /// ``RouteEngine/availableInputs`` or ``RouteEngine/availableOutputs`` have changed (R78).
        case availableChanged
        /// The route is known for the first time. No listener has heard of another.
        case begun(Route)
    }
}
