public import ArgumentParser

/// The command `audio-session`: what it can do is in the commands below it.
public struct AudioSession: ParsableCommand {
    /// What the help says, and the commands below this one.
    public static let configuration = CommandConfiguration(
        commandName: "audio-session",
        abstract: "Checks and tries out the policies that decide which program may be heard.",
        discussion: "The manual has more: man audio-session, man audio-session.conf.",
        subcommands: [Run.self, Check.self, Explain.self, Simulate.self])

    /// For the parser.
    public init() {}
}
