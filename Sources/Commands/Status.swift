import ArgumentParser

/// `audio-session status`: shows all sessions and streams and their treatment as a tree.
struct Status: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Shows sessions, their streams, and what is done to them and why.",
        discussion: "Active sessions come first. The status is 1 when the service is not there.")

    @Flag(help: "Print JSON.")
    var json = false

    @Flag(help: "Also say what this sound server cannot do, and why.")
    var limits = false

    func run() throws {
        let state = try ServiceConnection().state()
        try Terminal.write(
            json
                ? SchemaJSON.text(state.members)
                : StatusText(state: state, style: .output, now: WallTime.now.microseconds, showsLimits: limits).text)
    }
}
