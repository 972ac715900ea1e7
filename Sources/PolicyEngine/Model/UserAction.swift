/// What a user does to hear a stream that the policy keeps silent (N19). The raw values are the keys in policy files.
public enum UserAction: String, Sendable, Hashable, CaseIterable {
    /// The user plays the stream again after it was paused.
    case play
    /// The user unmutes the stream.
    case unmute
    /// The user turns the stream up.
    case raise
    /// The user frees the stream with the command line, or a program does it on D-Bus. No policy forbids that.
    case free
}

/// What follows when a user wants to hear what the policy keeps silent (N19). The raw values are the words in policy
/// files.
public enum UserSay: String, Sendable, Hashable, CaseIterable {
    /// The stream is heard beside whoever silences it, until that one has ended.
    case beside
    /// The stream stays silent.
    case wait
}
