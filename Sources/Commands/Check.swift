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
            if !json { try Terminal.write("policy: \(installed.origin)\n") }
        } else {
            let presets = PolicyInUse.presetFolders
            diagnostics = files.flatMap { PolicyFile(path: $0, presetFolders: presets).diagnostics }
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

    /// The effective policy of the given FILE, or without one that of all layers.
    private func effectivePolicy() -> EffectivePolicy {
        if let file = files.first { return EffectivePolicy(path: file, presetFolders: PolicyInUse.presetFolders) }
        return PolicyLoader.effective(arguments: nil, environment: environment)
    }
}
