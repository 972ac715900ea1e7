/// The direction of a stream's sound, seen from the application. Raw values: names in policy files and on D-Bus.
public enum StreamDirection: String, Sendable, Hashable, CaseIterable {
    case playback
    case capture
}

/// What has made a session. The raw values are the names on D-Bus.
public enum SessionOrigin: String, Sendable, Hashable, CaseIterable {
    /// Streams of an application that has opened none.
    case implicit
    /// Its application, which has opened it.
    case explicit
    /// The system: a call on a modem, sleep, or an interruption that a program has begun.
    case system
}

/// The state of a session. The raw values are the names on D-Bus.
public enum SessionPhase: String, Sendable, Hashable, CaseIterable {
    /// May not be heard, and asks for nothing.
    case inactive
    /// Waits until the others are silent.
    case holding
    /// Begins, while the others fade out.
    case starting
    /// May be heard.
    case active
    /// Has ended, and still silences others for a moment.
    case releasing
    /// Silenced by another session (R26).
    case interrupted
    /// Waits for its delayed activation (N9).
    case delayed
}

/// What is done to a stream. The raw values are the names on D-Bus.
public enum TreatmentTerm: String, Sendable, Hashable, CaseIterable {
    case untouched
    case ducked
    /// Runs on without being heard.
    case muted
    /// Stopped at its position.
    case corked
    /// The stream's player is asked to pause (N15).
    case playerPaused = "player-paused"
}
