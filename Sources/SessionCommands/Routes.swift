import ArgumentParser
import SessionWire

/// `audio-session route`: inputs and outputs, and the user's choice of one.
struct Routes: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "route",
        abstract: "Shows inputs and outputs, or chooses one.",
        subcommands: [Show.self, Set.self], defaultSubcommand: Show.self)

    /// `audio-session route show`, or without the word.
    struct Show: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Lists the inputs and outputs that there are, with a mark at those in use.",
            discussion: "The status is 1 when the service is not there.")

        @Flag(help: "Print JSON.")
        var json = false

        func run() throws {
            let situation = try ServiceConnection().situation()
            if json {
                try Terminal.write(SchemaJSON.text([("route", situation.route.record)]))
            } else if situation.route.isUnknown {
                Terminal.complain("audio-session: no inputs or outputs are known")
            } else {
                try Terminal.write(situation.portTable(.output))
            }
        }
    }

    /// `audio-session route set`
    struct Set: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Chooses an output or input.",
            discussion: """
                The status is 1 when there is no such port, or when several are called so; the ids that there are are \
                printed then.
                """)

        @Argument(help: ArgumentHelp("The id of a port, or a name or type that only one has.", valueName: "PORT"))
        var port: String

        func run() throws { try ServiceConnection().ask("SetRoute", [.string(port)]) }
    }
}
