public import ArgumentParser
import BusInterface

/// The command `audio-session`, with its subcommands.
public struct AudioSession: ParsableCommand {
    /// The help text and the subcommands.
    public static let configuration = CommandConfiguration(
        commandName: "audio-session",
        abstract: "Shows and switches who may be heard, and checks and tries out the policies that decide it.",
        discussion: "The manual has more: man audio-session, man audio-session.conf.",
        version: AudioSessionBus.version,
        groupedSubcommands: [
            CommandGroup(
                name: "Sessions",
                subcommands: [Status.self, Top.self, List.self, Monitor.self, Explain.self, Waybar.self, Doctor.self]),
            CommandGroup(name: "Inputs and outputs", subcommands: [Routes.self]),
            CommandGroup(
                name: "Switches",
                subcommands: [Silent.self, DoNotDisturb.self, Pause.self, Resume.self, Free.self, Interrupt.self]),
            CommandGroup(name: "Applications", subcommands: [Treat.self, Run.self]),
            CommandGroup(name: "Policies", subcommands: [Check.self, Simulate.self]),
        ])

    /// Required by the argument parser.
    public init() {}
}
