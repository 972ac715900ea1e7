/// Why a session was interrupted, as its application is told when the interruption begins.
public enum InterruptionReason: String, Sendable, Hashable, CaseIterable {
    /// Another session, or an interruption by the system, is heard.
    case `default`
    /// The machine goes to sleep.
    case suspended
    /// The input that the session records from was muted by its user (N7).
    case deviceMuted = "device-muted"
    /// The output on which the session was heard has gone, or the route of a recording has changed (R64).
    case routeDisconnected = "route-disconnected"

    /// The reason of an interruption by somebody or something.
    ///
    /// - Parameter sleep: The session that stands for the machine's sleep; `nil` while the machine does not go to
    ///   sleep.
    public init(of interrupter: Interrupter, sleep: SessionID?) {
        self =
            switch interrupter.cause {
            case .output, .route: .routeDisconnected
            case .input: .deviceMuted
            case .session, .system, .policy: sleep != nil && interrupter.id == sleep ? .suspended : .default
            }
    }

    /// The reason told to the client of a stream that was stopped for this reason.
    public init(of reason: Reason) {
        self =
            switch reason {
            case .routeDisconnected: .routeDisconnected
            case .inputMuted: .deviceMuted
            case .none, .ducked, .level, .interrupted, .superseded, .rejected, .inactive, .noDevice, .noInput,
                .noOutput,
                .silentSwitch, .screenLock, .doNotDisturb, .handover:
                .default
            }
    }
}
