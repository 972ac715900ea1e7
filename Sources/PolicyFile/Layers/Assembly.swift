import SessionCore

/// Puts sources together, and leaves out those with errors.
///
/// A source is left out as a whole. Which ones have an error can depend on those that are left out, so sources are put
/// together in rounds until what remains has none: first those go that are wrong by themselves, then one by one those
/// that do not go together with weaker ones.
struct Assembly {
    /// What the sources without errors say.
    var contents: PolicyContents { last.contents }
    /// All of that with where it was said.
    var builder: PolicyBuilder { last.builder }
    /// The sources that are in force, the weakest first.
    var names: [String] { last.names }
    /// What is wrong with the sources.
    private(set) var diagnosis: Diagnosis

    /// Whether the arguments do more than to choose a preset or a file.
    let argumentsHaveSections: Bool

    /// The sources without errors, put together.
    private let last: Round

    /// Puts sources together.
    ///
    /// - Parameters:
    ///   - documents: The sources, the weakest first.
    ///   - layers: Where files of presets are looked for.
    init(_ documents: [Document], presetsFrom layers: Layers) {
        var presets = PresetFiles(layers)
        argumentsHaveSections = documents.contains { $0.kind == .arguments && $0.hasSections }
        diagnosis = Diagnosis(file: documents.first?.name ?? "")
        // The report is in the order of the sources.
        for document in documents { diagnosis.file = document.name }
        var standing = documents
        while true {
            let round = Round(standing, &presets)
            for name in round.blamed { diagnosis.take(name, from: round.diagnosis) }
            if round.blamed.isEmpty {
                for name in round.names { diagnosis.take(name, from: round.diagnosis) }
                last = round
                return
            }
            presets.exclude(round.blamed)
            standing.removeAll { round.blamed.contains($0.name) }
        }
    }
}

/// Sources put together once.
///
/// A class, as it is large and never changes: copying it as a value would be 100 KB of code in the module.
private final class Round {
    let builder: PolicyBuilder
    let contents: PolicyContents
    let diagnosis: Diagnosis
    /// The sources, with the preset's file.
    let names: [String]
    /// The sources that are to be left out.
    let blamed: Set<String>

    init(_ documents: [Document], _ presets: inout PresetFiles) {
        let choice = presets.choice(of: documents)
        let sources = (choice.file.map { [$0] } ?? []) + documents
        names = sources.map(\.name)
        var diagnosis = Diagnosis(file: names.first ?? "")
        for source in sources {
            diagnosis.file = source.name
            diagnosis.take(source.name, from: source.mistakes)
        }
        for failure in choice.failures { diagnosis.report(failure) }
        var builder = PolicyBuilder(choice.base)
        for source in sources { builder.apply(source, &diagnosis) }
        let wrong = diagnosis.filesWithErrors
        contents = builder.finish(&diagnosis, isComplete: sources.allSatisfy(\.isWellFormed))
        self.builder = builder
        self.diagnosis = diagnosis
        let clashing = diagnosis.filesWithErrors
        blamed = wrong.isEmpty ? Set(names.first(where: clashing.contains).map { [$0] } ?? []) : wrong
    }
}

/// The presets that sources can name: those that are built in, and files.
private struct PresetFiles {
    /// Which preset the sources are laid over.
    struct Choice {
        var base = Sourced(Preset.desktop)
        var file: Document?
        var failures: [PresetFailure] = []
    }

    private let layers: Layers
    private var files: [String: Document?] = [:]
    private var names: [String]?
    private var excluded: Set<String> = []

    init(_ layers: Layers) { self.layers = layers }

    mutating func exclude(_ names: Set<String>) { excluded.formUnion(names) }

    /// The last preset that is named, with its file.
    mutating func choice(of documents: [Document]) -> Choice {
        var choice = Choice()
        for document in documents {
            guard let node = document.presetName else { continue }
            let origin = Origin(file: document.name, place: node.place)
            if let preset = node.text.flatMap({ Vocabulary.presets[$0] }) {
                choice.base = Sourced(preset, at: origin)
                choice.file = nil
            } else if let name = node.text, let file = file(name) {
                choice.base = Sourced(.desktop, at: origin)
                choice.file = file
            } else {
                choice.failures.append(failure(node, origin, isArgument: document.presetIsPolicy))
            }
        }
        guard let file = choice.file else { return choice }
        if excluded.contains(file.name) {
            choice.file = nil
        } else if let node = file.presetName {
            let origin = Origin(file: file.name, place: node.place)
            if let preset = node.text.flatMap({ Vocabulary.presets[$0] }) {
                choice.base = Sourced(preset, at: origin)
            } else {
                choice.failures.append(
                    PresetFailure(
                        origin: origin, found: node.summary, expected: "a built-in preset: \(builtIn)",
                        nearest: node.text.flatMap { nearest(to: $0, among: Preset.all.keys.sorted()) }))
            }
        }
        return choice
    }

    private mutating func file(_ name: String) -> Document? {
        if let known = files[name] { return known }
        let file = layers.preset(name)
        files[name] = .some(file)
        return file
    }

    private var builtIn: String { list(Preset.all.keys.sorted()) }

    private mutating func failure(_ node: Node, _ origin: Origin, isArgument: Bool) -> PresetFailure {
        let files = names ?? layers.presetNames()
        names = files
        let words = Set(files + Preset.all.keys).sorted()
        return PresetFailure(
            origin: origin, found: node.summary,
            expected: (isArgument ? "the absolute path of a policy file or " : "") + "a preset: \(list(words))",
            nearest: node.text.flatMap { nearest(to: $0, among: words) })
    }
}

/// A preset that is named but is not there.
private struct PresetFailure {
    var origin: Origin
    var found: String
    var expected: String
    var nearest: String?
}

extension Diagnosis {
    fileprivate mutating func report(_ failure: PresetFailure) {
        error(at: failure.origin, found: failure.found, expected: failure.expected, nearest: failure.nearest)
    }
}

extension Document {
    /// What names a preset: `preset` or, in the arguments, `policy` with a name instead of a path.
    fileprivate var presetName: Node? {
        if let node = member("preset")?.value { return node }
        return presetIsPolicy ? member("policy")?.value : nil
    }

    fileprivate var presetIsPolicy: Bool {
        guard kind == .arguments, member("preset") == nil, let node = member("policy")?.value else { return false }
        return node.text?.hasPrefix("/") != true
    }
}
