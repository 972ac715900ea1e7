import ArgumentParser

/// `audio-session status`: what the module does to whom, as a tree.
struct Status: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Shows sessions, their streams, and what is done to them and why.",
        discussion: "Active sessions come first. The status is 1 when the service is not there.")

    @Flag(help: "Print JSON.")
    var json = false

    func run() throws {
        let situation = try ServiceConnection().situation()
        try Terminal.write(
            json
                ? SchemaJSON.text(situation.members)
                : StatusText(situation: situation, style: .output, now: WallTime.now.microseconds).text)
    }
}
