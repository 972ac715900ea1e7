import ArgumentParser
import Glibc

/// `audio-session simulate`: plays a scenario through the engine and shows the decisions.
struct Simulate: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Plays a scenario, without any sound, and shows what is decided when and why.",
        discussion: "The status is 1 when the scenario has a mistake, or when an expectation in it is not met.")

    /// The format of the result.
    enum Format: String, CaseIterable, ExpressibleByArgument {
        case table, json, svg
    }

    @Argument(
        help: ArgumentHelp("A scenario file.", valueName: "SCENARIO"), completion: .file(extensions: ["scenario"]))
    var scenario: String

    @OptionGroup var source: PolicyOptions

    @Option(help: "How to show the result.")
    var format = Format.table

    @Option(
        help: ArgumentHelp("Where to put the result, instead of the standard output.", valueName: "FILE"),
        completion: .file())
    var output: String?

    func run() throws {
        let policy = try source.chosen(presetFolders: ScenarioReader.usualFolders(scenario))
        if let policy { Terminal.report(policy.diagnostics) }
        let (read, diagnostics) = ScenarioReader.read(scenario, under: policy)
        Terminal.report(diagnostics)
        guard let read else { throw ExitCode.failure }
        let simulation = Simulation(of: read)
        try write(shown(simulation))
        Terminal.report(simulation.failures)
        if !simulation.failures.isEmpty { throw ExitCode.failure }
    }

    private func shown(_ simulation: Simulation) throws -> String {
        switch format {
        case .table: simulation.table
        case .json: try simulation.json()
        case .svg: Picture(simulation).svg
        }
    }

    private func write(_ text: String) throws {
        guard let output else { return try Terminal.write(text) }
        let descriptor = open(output, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
        let isWritten = descriptor >= 0 && Terminal.put(text, to: descriptor)
        // Some file systems report a full disk only when a file is closed.
        guard isWritten, close(descriptor) == 0 else {
            throw Terminal.failure("\(output) cannot be written: \(String(cString: strerror(errno)))")
        }
    }
}
