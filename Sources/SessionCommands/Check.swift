import ArgumentParser
import PolicyFile

/// `audio-session check`: says what is wrong with policy files.
struct Check: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Says what is wrong with policy files.",
        discussion: """
            Each FILE is read on its own, over the preset that it names. Without FILE, everything is read that the \
            module would read. The status is 1 when there are errors; warnings alone leave it 0.
            """)

    @Argument(
        help: ArgumentHelp("Policy files.", valueName: "FILE"), completion: .file(extensions: ["conf"]))
    var files: [String] = []

    func run() throws {
        let presets = PolicyInUse.presetFolders
        let found =
            files.isEmpty
            ? try installed() : files.map { PolicyFile(path: $0, presetFolders: presets).diagnostics }
        let diagnostics = found.flatMap { $0 }
        Terminal.report(diagnostics)
        if diagnostics.contains(where: { $0.severity == .error }) { throw ExitCode.failure }
    }

    private func installed() throws -> [[Diagnostic]] {
        let installed = PolicyInUse.installed()
        try Terminal.write("policy: \(installed.origin)\n")
        return [installed.diagnostics]
    }
}
