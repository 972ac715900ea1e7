/// What a user does to hear a stream that the policy keeps silent (N19). The raw values are the keys in policy files.
public enum UserAction: String, Sendable, Hashable, CaseIterable {
    case play
    case unmute
    case raise
    /// The command line or a program on D-Bus frees the stream. No policy forbids that.
    case free
}

/// What follows when a user wants to hear a silenced stream (N19). The raw values are the words in policy files.
public enum UserSay: String, Sendable, Hashable, CaseIterable {
    /// The stream is heard beside its silencer, until the silencer has ended.
    case beside
    case wait
}
