import ArgumentParser
import BusInterface
import PolicyEngine
import PolicyFile

/// `audio-session explain`: explains how a present stream is treated, or how one with given properties would be.
struct Explain: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Says why a stream is treated as it is, or how the policy would treat one.",
        discussion: """
            With SUBJECT, the module says which session and which rule changed a stream, and for how long already. A \
            number is that of a stream, or else of a process; anything else is an application's name. Without \
            arguments, it says so of all streams that are silenced or lowered now. The status is 1 when there is no \
            such stream, or when the service is not there.

            With --properties, those of a stream or its client as pw-dump or pw-cli show them, the command reads the \
            policy files itself and needs no sound server. Without --policy and --preset, it reads the files that the \
            module would read.
            """)

    @Argument(help: ArgumentHelp("A stream or process by its number, or an application.", valueName: "SUBJECT"))
    var subject: String?

    @Option(
        parsing: .upToNextOption,
        help: ArgumentHelp("Properties of the stream, such as media.role=Music.", valueName: "key=value"))
    var properties: [Property] = []

    @Flag(help: "The stream records, as with media.class=Stream/Input/Audio.")
    var capture = false

    @Flag(help: "Print JSON.")
    var json = false

    @OptionGroup var source: PolicyOptions

    func validate() throws {
        if subject != nil && (!properties.isEmpty || capture || source.policy != nil || source.preset != nil) {
            throw ValidationError("SUBJECT and --properties, --capture, --policy, --preset exclude each other")
        }
    }

    func run() throws {
        if let subject { return try explain(subject) }
        if properties.isEmpty, !capture, source.policy == nil, source.preset == nil { return try explainAll() }
        let policy = try source.chosen() ?? .installed()
        Terminal.report(policy.diagnostics)
        let explanation = Explanation(of: properties, direction: try direction(), under: policy)
        try Terminal.write(json ? explanation.json() : explanation.text)
    }

    /// What the stream does, by the flag or its media class.
    private func direction() throws -> StreamDirection {
        switch properties.value(of: "media.class") {
        case nil: return capture ? .capture : .playback
        case StreamDirection.capture.mediaClass: return .capture
        case StreamDirection.playback.mediaClass where !capture: return .playback
        case let other?:
            let classes = [StreamDirection.playback, .capture].map(\.mediaClass)
            throw Terminal.failure(
                "media.class=\(printable(other)): expected "
                    + (capture ? "\(classes[1]) with --capture" : classes.joined(separator: " or ")))
        }
    }

    /// Prints the module's explanation of a present stream.
    private func explain(_ subject: String) throws {
        let answer = try ServiceConnection().ofSubject("Explain", subject)
        try write(answer.first?.elements?.compactMap(\.text) ?? [], [("subject", .string(subject))])
    }

    /// Prints the module's explanation of all that it does to streams now.
    private func explainAll() throws {
        let service = ServiceConnection()
        let streams = try service.state().everyStream.filter {
            TreatmentTerm(rawValue: $0.treatment) != .untouched && $0.leftAlone == nil
        }
        let texts = service.explanations(of: streams).map(\.text)
        if texts.isEmpty, !json { return try Terminal.write("Nothing is silenced or lowered now.\n") }
        try write(texts, [])
    }

    private func write(_ texts: [String], _ members: [(String, WireValue)]) throws {
        if json {
            try Terminal.write(SchemaJSON.text(members + [("explanations", .strings(texts))]))
        } else {
            // Keep line breaks, and remove characters that control a terminal.
            let lines = texts.map { text in
                text.split(separator: "\n", omittingEmptySubsequences: false).map { printable(String($0), limit: .max) }
                    .joined(separator: "\n")
            }
            try Terminal.write(lines.joined(separator: "\n") + "\n")
        }
    }
}

extension ServiceConnection {
    /// What the service says of each stream; a stream that has ended meanwhile has no explanation.
    func explanations(of streams: [StreamRecord]) -> [(stream: StreamRecord, text: String)] {
        streams.compactMap { stream in
            let answer = try? call("Explain", [.string(String(stream.id))]).get()
            return answer?.first?.elements?.first?.text.map { (stream, $0) }
        }
    }

    /// Calls a method about the streams of a subject; on an error, prints the error and ends the command. A number is that
    /// of a stream, or else of a process.
    func ofSubject(_ member: String, _ subject: String) throws -> [WireValue] {
        let isNumber = !subject.isEmpty && subject.allSatisfy { $0.isASCII && $0.isNumber }
        var answer = call(member, [.string(subject)])
        if isNumber, case .failure(let error) = answer, error.name == WireErrorName.notFound {
            answer = call(member, [.string("pid:\(subject)")])
            if case .failure(let error) = answer, error.name == WireErrorName.notFound {
                throw Terminal.failure("there is no stream with the number \(subject), and none of a process with it")
            }
        }
        return try answer.orExit()
    }
}

extension Property: ExpressibleByArgument {
    init?(argument: String) {
        guard let separator = argument.firstIndex(of: "="), separator != argument.startIndex else { return nil }
        self.init(
            key: String(argument[..<separator]), value: String(argument[argument.index(after: separator)...]))
    }
}
