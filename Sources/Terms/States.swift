/// The direction of a stream's sound, seen from the application. The raw values are the names in policy files and on D-Bus.
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
    /// It may not be heard, and asks for nothing.
    case inactive
    /// It waits until the others are silent.
    case holding
    /// It begins, and the others fade out.
    case starting
    /// It may be heard.
    case active
    /// It has ended, and still silences others for a moment.
    case releasing
    /// Another one silences it (R26).
    case interrupted
    /// It waits for its delayed activation (N9).
    case delayed
}

/// What is done to a stream. The raw values are the names on D-Bus.
public enum TreatmentTerm: String, Sendable, Hashable, CaseIterable {
    /// Nothing.
    case untouched
    /// It is lowered.
    case ducked
    /// It runs on without being heard.
    case muted
    /// It is stopped at its position.
    case corked
    /// Its player is asked to pause (N15).
    case playerPaused = "player-paused"
}
