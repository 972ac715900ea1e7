import ArgumentParser
import SessionCore

/// `audio-session explain`: says what the policy makes of a stream, and why.
struct Explain: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Says what the policy makes of a stream, and which line of which file says so.",
        discussion: """
            The properties are those of the stream or its client, as pw-dump or pw-cli show them. Without a policy of \
            its own, the command takes what the module would read.
            """)

    @Option(
        parsing: .upToNextOption,
        help: ArgumentHelp("What the stream says of itself, such as media.role=Music.", valueName: "key=value"))
    var properties: [Property] = []

    @Flag(help: "The stream records.")
    var capture = false

    @Flag(help: "Print JSON.")
    var json = false

    @OptionGroup var source: PolicyOptions

    func run() throws {
        let policy = try source.chosen() ?? .installed()
        Terminal.report(policy.diagnostics)
        let explanation = Explanation(
            of: properties, direction: capture ? .capture : .playback, under: policy)
        try Terminal.write(json ? explanation.json : explanation.text)
    }
}

/// A property of a stream as the command line takes it.
struct Property: ExpressibleByArgument {
    var key: String
    var value: String

    init(key: String, value: String) {
        self.key = key
        self.value = value
    }

    init?(argument: String) {
        guard let separator = argument.firstIndex(of: "="), separator != argument.startIndex else { return nil }
        key = String(argument[..<separator])
        value = String(argument[argument.index(after: separator)...])
    }
}
