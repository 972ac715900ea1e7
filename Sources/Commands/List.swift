import ArgumentParser
import BusInterface

/// `audio-session list`: sessions or streams as a table.
struct List: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Lists sessions or streams, a line for each.",
        discussion: "The status is 1 when the service is not there.")

    /// What can be listed.
    enum Kind: String, CaseIterable, ExpressibleByArgument {
        case sessions, streams
    }

    @Argument(help: "What to list.")
    var kind = Kind.sessions

    @Flag(help: "Print JSON.")
    var json = false

    func run() throws {
        let state = try ServiceConnection().state()
        switch kind {
        case .sessions where json:
            try Terminal.write(SchemaJSON.text([("sessions", .records(state.sessions.map(\.record)))]))
        case .streams where json:
            try Terminal.write(
                SchemaJSON.text([
                    ("streams", .records(state.streams.map(\.record))),
                    ("left-alone", .records(state.leftAlone.map(\.record))),
                ]))
        case .sessions: try Terminal.write(state.sessionTable(.output))
        case .streams: try Terminal.write(state.streamTable(.output))
        }
    }
}
