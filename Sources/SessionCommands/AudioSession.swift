public import ArgumentParser

/// The command `audio-session`: what it can do is in the commands below it.
public struct AudioSession: ParsableCommand {
    /// What the help says, and the commands below this one.
    public static let configuration = CommandConfiguration(
        commandName: "audio-session",
        abstract: "Shows and switches who may be heard, and checks and tries out the policies that decide it.",
        discussion: "The manual has more: man audio-session, man audio-session.conf.",
        groupedSubcommands: [
            CommandGroup(name: "Sessions", subcommands: [Status.self, List.self, Monitor.self, Explain.self]),
            CommandGroup(name: "Inputs and outputs", subcommands: [Routes.self]),
            CommandGroup(
                name: "Switches",
                subcommands: [Silent.self, DoNotDisturb.self, Pause.self, Resume.self, Interrupt.self]),
            CommandGroup(name: "Applications", subcommands: [Run.self]),
            CommandGroup(name: "Policies", subcommands: [Check.self, Simulate.self]),
        ])

    /// For the parser.
    public init() {}
}
