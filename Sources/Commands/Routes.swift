import ArgumentParser
import BusInterface
import PolicyEngine

/// `audio-session route`: shows inputs and outputs, and sets the user's choice of one.
struct Routes: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "route",
        abstract: "Shows inputs and outputs, or chooses one.",
        subcommands: [Show.self, Set.self], defaultSubcommand: Show.self)

    /// `audio-session route show`, also the default of `route`.
    struct Show: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Lists the available inputs and outputs, with a mark at those in use.",
            discussion: "The status is 1 when the service is not there.")

        @Flag(help: "Print JSON.")
        var json = false

        func run() throws {
            let state = try ServiceConnection().state()
            if json {
                try Terminal.write(SchemaJSON.text([("route", state.route.record)]))
            } else if state.route.isUnknown {
                Terminal.complain("no inputs or outputs are known")
            } else {
                try Terminal.write(state.portTable(.output))
            }
        }
    }

    /// `audio-session route set`
    struct Set: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Chooses an output or input.",
            discussion: """
                The status is 1 when no port or several ports have this id, name or type; the ids of all ports are \
                printed then.
                """)

        @Argument(help: ArgumentHelp("The id of a port, or a name or type that only one port has.", valueName: "PORT"))
        var port: String

        func run() throws {
            let service = ServiceConnection()
            let before = try service.state().route
            try service.callOrExit("SetRoute", [.string(port)])
            let lists = [
                ("output", before.outputs, before.availableOutputs ?? []),
                ("input", before.inputs, before.availableInputs ?? []),
            ]
            for (direction, used, available) in lists {
                guard let chosen = available.first(where: { [$0.id, $0.name, $0.type].contains(port) }) else {
                    continue
                }
                let old = used.first { $0.id != chosen.id }.map {
                    "; to go back: audio-session route set \($0.id.quoted)"
                }
                try Terminal.write("\(printable(chosen.label)) is chosen as \(direction)\(old ?? "")\n")
            }
        }
    }
}
