import PolicyEngine

/// Merges sources, and leaves out those with errors.
///
/// A source with an error is left out as a whole. Whether a source has an error can depend on the others, so sources
/// are merged in rounds until none of the remaining ones has an error. First those are left out that are wrong by
/// themselves. Then those that contradict weaker sources are left out one by one.
struct Assembly {
    /// The policy from the sources without errors.
    var contents: PolicyContents { last.contents }
    /// The merged drafts, with the origin of every value.
    var builder: PolicyBuilder { last.builder }
    /// The name of the preset in force.
    var preset: String { last.preset }
    /// The names of the sources in force, weakest first.
    var names: [String] { last.names }
    /// All mistakes in the sources.
    private(set) var diagnosis: Diagnosis

    /// Whether the module's arguments do more than choose a preset or a file.
    let argumentsHaveSections: Bool

    /// The last round, without errors.
    private let last: Round

    /// Merges sources.
    ///
    /// - Parameters:
    ///   - documents: The sources, weakest first.
    ///   - layers: Where to look for preset files.
    init(_ documents: [Document], presetsFrom layers: Layers) {
        var presets = PresetFiles(layers)
        argumentsHaveSections = documents.contains { $0.kind == .arguments && $0.hasSections }
        diagnosis = Diagnosis(file: documents.first?.name ?? "")
        // So that mistakes are reported in the order of the sources.
        for document in documents { diagnosis.file = document.name }
        var standing = documents
        while true {
            let round = Round(standing, &presets)
            for name in round.blamed { diagnosis.add(name, from: round.diagnosis) }
            if round.blamed.isEmpty {
                for name in round.names { diagnosis.add(name, from: round.diagnosis) }
                last = round
                return
            }
            presets.exclude(round.blamed)
            standing.removeAll { round.blamed.contains($0.name) }
        }
    }
}

/// One attempt to merge sources.
///
/// A class, because it is large and immutable: copying it as a value would add 100 KB of code to the module.
private final class Round {
    let builder: PolicyBuilder
    /// The name of the preset.
    let preset: String
    let contents: PolicyContents
    let diagnosis: Diagnosis
    /// The names of the sources, with the preset's file.
    let names: [String]
    /// The names of the sources with errors, which must be left out.
    let blamed: Set<String>

    init(_ documents: [Document], _ presets: inout PresetFiles) {
        let choice = presets.choice(of: documents)
        let sources = (choice.file.map { [$0] } ?? []) + documents
        let file = choice.file?.name.split(separator: "/").last?.dropLast(".conf".count)
        preset = file.map(String.init) ?? choice.base.value.rawValue
        names = sources.map(\.name)
        var diagnosis = Diagnosis(file: names.first ?? "")
        for source in sources {
            diagnosis.file = source.name
            diagnosis.add(source.name, from: source.mistakes)
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

/// The presets that sources can name: built-in ones and files.
private struct PresetFiles {
    /// The preset that is the base of the sources.
    struct Choice {
        var base = Sourced(BuiltInPreset.desktop)
        var file: Document?
        var failures: [PresetFailure] = []
    }

    private let layers: Layers
    private var files: [String: Document?] = [:]
    private var names: [String]?
    private var excluded: Set<String> = []

    init(_ layers: Layers) { self.layers = layers }

    mutating func exclude(_ names: Set<String>) { excluded.formUnion(names) }

    /// The preset that was named last, with its file.
    mutating func choice(of documents: [Document]) -> Choice {
        var choice = Choice()
        for document in documents {
            guard let node = document.presetName else { continue }
            let origin = Origin(file: document.name, place: node.place)
            if let preset = node.text.flatMap(BuiltInPreset.init) {
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
            if let preset = node.text.flatMap(BuiltInPreset.init) {
                choice.base = Sourced(preset, at: origin)
            } else {
                choice.failures.append(
                    PresetFailure(
                        origin: origin, found: node.summary, expected: "a built-in preset: \(builtIn)",
                        nearest: node.text.flatMap { nearest(to: $0, among: BuiltInPreset.names) }))
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

    private var builtIn: String { list(BuiltInPreset.names) }

    private mutating func failure(_ node: Node, _ origin: Origin, isArgument: Bool) -> PresetFailure {
        let files = names ?? layers.presetNames()
        names = files
        let words = Set(files + BuiltInPreset.names).sorted()
        return PresetFailure(
            origin: origin, found: node.summary,
            expected: (isArgument ? "the absolute path of a policy file or " : "") + "a preset: \(list(words))",
            nearest: node.text.flatMap { nearest(to: $0, among: words) })
    }
}

/// A preset that is named but does not exist.
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
    /// The value that names a preset: `preset` or, in the arguments, `policy` with a name instead of a path.
    fileprivate var presetName: Node? {
        if let node = member("preset")?.value { return node }
        return presetIsPolicy ? member("policy")?.value : nil
    }

    fileprivate var presetIsPolicy: Bool {
        guard kind == .arguments, member("preset") == nil, let node = member("policy")?.value else { return false }
        return node.text?.hasPrefix("/") != true
    }
}
