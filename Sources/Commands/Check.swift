import ArgumentParser
import BusInterface
import PolicyFile

/// `audio-session check`: reports mistakes in policy files, and prints the effective policy.
struct Check: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Says what is wrong with policy files.",
        discussion: """
            Each FILE is read on its own, over the preset that it names. Without FILE, everything is read that the \
            module would read. The status is 1 when there are errors; warnings alone leave it 0.
            """)

    @Flag(help: "Print the policy that is in force, with the file and line that each value is from.")
    var effective = false

    @Flag(help: "Print what is wrong as JSON.")
    var json = false

    @Argument(
        help: ArgumentHelp("Policy files.", valueName: "FILE"), completion: .file(extensions: ["conf"]))
    var files: [String] = []

    func validate() throws {
        if effective && files.count > 1 { throw ValidationError("--effective takes one FILE, or none") }
        if effective && json { throw ValidationError("--effective and --json exclude each other") }
    }

    func run() throws {
        let diagnostics: [Diagnostic]
        if effective {
            let policy = effectivePolicy()
            diagnostics = policy.diagnostics
            // A file with errors has no effective policy.
            if files.isEmpty || !policy.hasErrors { try Terminal.write(policy.text) }
        } else if files.isEmpty {
            let installed = PolicyInUse.installed()
            diagnostics = installed.diagnostics
            if !json {
                try Terminal.write("policy: \(installed.origin)\n")
                try praise(installed.files, but: diagnostics)
            }
        } else {
            let presets = PolicyInUse.presetFolders
            diagnostics = files.flatMap { PolicyFile(path: $0, presetFolders: presets).diagnostics }
            if !json { try praise(files, but: diagnostics) }
        }
        if json {
            let mistakes = diagnostics.map { mistake in
                WireValue.object([
                    "severity": .string(mistake.severity.rawValue), "file": .string(mistake.file),
                    "line": mistake.place.map { .int64(Int64($0.line)) },
                    "column": mistake.place.map { .int64(Int64($0.column)) }, "message": .string(mistake.message),
                ])
            }
            try Terminal.write(WireValue.object(["schema": .int32(1), "diagnostics": .records(mistakes)]).report())
        } else {
            Terminal.report(diagnostics)
        }
        if diagnostics.contains(where: { $0.severity == .error }) { throw ExitCode.failure }
    }

    /// Says which files have no mistake, and how much is in each.
    private func praise(_ files: [String], but diagnostics: [Diagnostic]) throws {
        for file in files where !diagnostics.contains(where: { $0.file == file }) {
            let document = Document((try? FileContents.read(file).get()) ?? [], named: file)
            let counts = ["roles", "rules"].map { section in
                let count =
                    switch document.member(section)?.value.content {
                    case .array(let elements): elements.count
                    case .object(let members): members.count
                    default: 0
                    }
                return "\(count) \(count == 1 ? String(section.dropLast()) : section)"
            }
            try Terminal.write("\(file): no mistake (\(counts.joined(separator: ", ")))\n")
        }
    }

    /// The effective policy of the given FILE, or without one that of all layers.
    private func effectivePolicy() -> EffectivePolicy {
        if let file = files.first { return EffectivePolicy(path: file, presetFolders: PolicyInUse.presetFolders) }
        return PolicyLoader.effective(arguments: nil, environment: environment)
    }
}
