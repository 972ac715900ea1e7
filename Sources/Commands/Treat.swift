import ArgumentParser
import BusInterface
import DBus
import PolicyEngine
import PolicyFile

/// `audio-session treat`: says what a program is, from now on.
struct Treat: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Says what a program is: a call, music, speech, or never to be touched.",
        usage: """
            audio-session treat [--json]
            audio-session treat NAME [--property KEY=VALUE ...] as call|music|speech|alone|default [--json]
            audio-session treat undo [--json]
            """,
        discussion: """
            It holds at once and from now on, until audio-session treat NAME as default. As call, what it records is a \
            call, to which all belongs that it plays meanwhile; if it only plays now, what it plays is a call. As music or \
            speech, what it plays is that; speech is stopped rather than spoken over. As alone, nothing is done to it, and \
            it does nothing to others. Without arguments, the programs of which something was said are listed; undo takes \
            the last change back.

            NAME is that of what plays or records now, as audio-session list streams has it, or a stream's number. \
            With --property, the program need not be there.
            """)

    @Argument(
        help: ArgumentHelp("NAME as call, music, speech, alone or default; or undo.", valueName: "WORD"),
        completion: .custom(Self.complete))
    var words: [String] = []

    @Option(help: ArgumentHelp("A property of the program in place of those that are found.", valueName: "KEY=VALUE"))
    var property: [Property] = []

    @Flag(help: "Print JSON.")
    var json = false

    private static let meanings = TreatedPrograms.Treatment.allCases.map(\.rawValue) + ["default"]

    /// What is to be done.
    private enum Order {
        case list, undo
        case say(of: String, TreatedPrograms.Treatment?)

        var isChange: Bool { if case .list = self { false } else { true } }
    }

    private func order() throws -> Order {
        if words.isEmpty, property.isEmpty { return .list }
        if words == ["undo"], property.isEmpty { return .undo }
        let name = words.dropLast(2).joined(separator: " ")
        guard words.count >= 2, words[words.count - 2] == "as", !name.isEmpty || !property.isEmpty,
            let meaning = words.last, Self.meanings.contains(meaning)
        else {
            let found = words.map { printable($0) }.joined(separator: " ")
            throw ValidationError("found '\(found)', expected NAME as \(list(Self.meanings, lastAfter: "or")), or undo")
        }
        return .say(of: name.isEmpty ? property[0].value : name, TreatedPrograms.Treatment(rawValue: meaning))
    }

    func validate() throws { _ = try order() }

    func run() throws {
        let (file, order) = (try TreatedFile(), try order())
        if order.isChange { try file.lock() }
        let before = try file.read()
        switch order {
        case .list: try Terminal.write(json ? report(before, file) : table(before))
        case .undo:
            let service = ServiceConnection()
            let after = try file.beforeLastChange()
            try file.write(after, over: before, through: service)
            let text = changes(from: before, to: after) + "To do the change again: audio-session treat undo\n"
            try Terminal.write(json ? report(after, file) : text)
        case .say(let name, nil): try forget(name, before, file)
        case .say(let name, let treatment?): try say(name, treatment, before, file)
        }
    }

    // MARK: - Changes

    private func say(
        _ name: String, _ treatment: TreatedPrograms.Treatment, _ before: TreatedPrograms, _ file: TreatedFile
    ) throws {
        let service = ServiceConnection()
        let programs = try known(as: name, service).map { name, properties, streams in
            let isOfRecordings = treatment == .call && (streams.isEmpty || streams.contains(where: \.isCapture))
            return TreatedPrograms.Program(name, as: treatment, ofRecordings: isOfRecordings, knownBy: properties)
        }
        var after = before
        after.programs.removeAll { old in programs.contains { $0.conditions == old.conditions } }
        after.programs += programs
        try file.write(after, over: before, through: service)
        let places = programs.compactMap { after.line(of: $0) }.map { "(\(file.path):\($0):" }
        let matched = service.explanations(of: service.present?.everyStream ?? []).filter { _, text in
            places.contains(where: text.contains)
        }
        if json { return try Terminal.write(report(after, file, matched.map(\.stream))) }
        var lines = programs.map { "\($0.name): \($0.meaning). It is known by \($0.properties)." }
        lines += matched.map { stream, text in
            let why = (text.split(separator: "; ").last.map(String.init) ?? text).below(environment("HOME"))
            return "  stream \(stream.id), \(stream.direction): \(printable(why, limit: 1000))"
        }
        if matched.isEmpty { lines.append("It has no stream now.") }
        if treatment == .call {
            lines += warnings(of: programs, matched.map(\.stream), service.present?.streams(named: name) ?? [])
        }
        try Terminal.write(lines.joined(separator: "\n") + "\n" + Self.undo)
    }

    /// What a user may not expect of a program that is a call now.
    ///
    /// - Parameters:
    ///   - matched: The streams that are a call.
    ///   - named: All streams of the program's name.
    private func warnings(
        of programs: [TreatedPrograms.Program], _ matched: [StreamRecord], _ named: [StreamRecord]
    ) -> [String] {
        let processes = Set(matched.filter(\.isCapture).map(\.process))
        let others = named.filter { !$0.isCapture && !processes.contains($0.process) }
        if programs.contains(where: \.isOfRecordings), !matched.isEmpty, let other = others.first {
            return [
                "But stream \(other.id) belongs to another process than the recording, so the call may silence it. If it is "
                    + "the call's voice: audio-session treat \(other.id) as call"
            ]
        }
        return programs.contains { !$0.isOfRecordings }
            ? [
                "If it records only in calls, give the command again during a call: then only what it records is a call."
            ] : []
    }

    private func forget(_ name: String, _ before: TreatedPrograms, _ file: TreatedFile) throws {
        let service = ServiceConnection()
        let streams = service.present?.streams(named: name) ?? []
        var after = before
        after.programs.removeAll { program in
            let known = program.conditions.map { "\($0.key)=\($0.condition)" }
            return program.name.lowercased() == name.lowercased()
                || program.conditions.contains { $0.condition == name }
                || known == property.map { "\($0.key)=\($0.value)" } || streams.contains { $0.knownBy == known }
        }
        guard after != before else {
            let names = before.programs.map(\.name)
            throw Terminal.failure(
                "'\(printable(name))' is not in the list of audio-session treat, which "
                    + (names.isEmpty ? "is empty" : "has \(list(names, lastAfter: "and"))"))
        }
        try file.write(after, over: before, through: service)
        try Terminal.write(json ? report(after, file) : changes(from: before, to: after) + Self.undo)
    }

    /// The programs that are treated otherwise than before.
    private func changes(from before: TreatedPrograms, to after: TreatedPrograms) -> String {
        let gone = before.programs.filter { old in !after.programs.contains { $0.conditions == old.conditions } }
        let new = after.programs.filter { !before.programs.contains($0) }
        let lines = gone.map { "\(printable($0.name)): taken from the list." }
        return (lines + new.map { "\(printable($0.name)): \($0.meaning)." }).joined(separator: "\n") + "\n"
    }

    private static let undo = "To take it back: audio-session treat undo\n"

    /// The programs of a name, each with its properties and its streams.
    private func known(
        as name: String, _ service: ServiceConnection
    ) throws -> [(name: String, properties: [(key: String, value: String)], streams: [StreamRecord])] {
        guard property.isEmpty else {
            let known = property.map { "\($0.key)=\($0.value)" }
            let streams = (service.present?.everyStream ?? []).filter { $0.knownBy == known }
            return [(name, property.map { ($0.key, $0.value) }, streams)]
        }
        let state = try service.state()
        let streams = state.streams(named: name).filter { !$0.knownBy.isEmpty }
        guard !streams.isEmpty else {
            let names = state.names
            throw Terminal.failure(
                "no program of the name '\(printable(name))' plays or records now, "
                    + (names.isEmpty ? "and no other does" : "but \(list(names, lastAfter: "and"))")
                    + "\nFor a program that does not play now: audio-session treat NAME "
                    + "--property application.process.binary=PROGRAM as \(words.last ?? "call")")
        }
        return Dictionary(grouping: streams, by: \.knownBy).sorted { $0.value[0].id < $1.value[0].id }.map {
            known, streams in
            let properties = known.compactMap(Property.init(argument:)).map { (key: $0.key, value: $0.value) }
            return (streams[0].application, properties, streams)
        }
    }

    // MARK: - Output

    private func table(_ file: TreatedPrograms) -> String {
        if file.programs.isEmpty {
            return "No program is in the list. To say what a program is: audio-session treat NAME as call\n"
        }
        var columns = Columns(["PROGRAM", "AS", "KNOWN BY"], numbers: [], style: .output)
        for program in file.programs {
            columns.add([
                Style.output.safe(program.name),
                program.treatment.rawValue + (program.isOfRecordings ? " (recordings)" : ""),
                Style.output.safe(program.properties, limit: 1000),
            ])
        }
        return columns.text
    }

    private func report(_ file: TreatedPrograms, _ place: TreatedFile, _ matched: [StreamRecord]? = nil) -> String {
        let programs = file.programs.map { program in
            WireValue.record([
                ("name", .string(program.name)), ("as", .string(program.treatment.rawValue)),
                ("recordings", .boolean(program.isOfRecordings)),
                ("known-by", .record(program.conditions.map { ($0.key, .string($0.condition)) })),
            ])
        }
        let streams = matched.map { [("streams", WireValue.records($0.map(\.record)))] } ?? []
        return SchemaJSON.text([("file", .string(place.path)), ("programs", .records(programs))] + streams)
    }

    // MARK: - Completion

    /// The words that can stand in a place.
    @Sendable private static func complete(_ words: [String], _ index: Int, _ prefix: String) -> [String] {
        let before = words.prefix(index).drop { $0 != configuration.commandName && $0 != "treat" }.dropFirst()
        if before.last == "as" { return meanings }
        if !before.isEmpty { return ["as"] }
        let said = (try? TreatedFile().read().programs.map(\.name)) ?? []
        return Set((ServiceConnection().present?.names ?? []) + said).sorted() + ["undo"]
    }
}

extension TreatedPrograms.Program {
    /// The conditions, for people.
    fileprivate var properties: String { conditions.map { "\($0.key) = \($0.condition)" }.joined(separator: ", ") }

    /// What the treatment means from now on.
    fileprivate var meaning: String {
        switch treatment {
        case .call where isOfRecordings: "what it records is a call, and so is what it plays meanwhile"
        case .call: "what it plays is a call, because it records nothing now"
        case .music: "what it plays is music"
        case .speech: "what it plays is speech, which is stopped rather than spoken over"
        case .alone: "nothing is done to it, and it does nothing to others"
        }
    }
}

extension ServiceConnection {
    /// The service's state; `nil` without a service.
    fileprivate var present: ServiceState? { try? wait { read(then: $0) }.get() }
}

extension ServiceState {
    /// The names of the applications of all streams.
    fileprivate var names: [String] { Set(everyStream.map { printable($0.application, limit: 256) }).sorted() }

    /// The streams of an application, a session or a property of this name, or the one of this number; or else those of
    /// the only application whose name has it as a part.
    fileprivate func streams(named name: String) -> [StreamRecord] {
        let small = name.lowercased()
        let sessions = Set(sessions.filter { $0.label.lowercased() == small }.map(\.id))
        let equal = everyStream.filter { stream in
            stream.application.lowercased() == small || String(stream.id) == name || sessions.contains(stream.session)
                || stream.knownBy.contains { $0.hasSuffix("=\(name)") }
        }
        if !equal.isEmpty { return equal }
        let similar = everyStream.filter { $0.application.lowercased().contains(small) }
        return Set(similar.map(\.application)).count == 1 ? similar : []
    }
}
