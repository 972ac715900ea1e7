import PolicyEngine
import PolicyFile

@testable import Commands

/// Reads a scenario file, and plays it if it has no errors.
func fuzzScenario(_ bytes: [UInt8]) {
    let (scenario, diagnostics) = ScenarioReader.read(bytes, named: "t", presetFolders: [])
    found("a scenario in spite of errors", (scenario == nil) != diagnostics.contains { $0.severity == .error })
    let lines = 1 + bytes.count { $0 == 0x0A || $0 == 0x0D }
    for diagnostic in diagnostics { judge(diagnostic, lines: lines, columns: bytes.count + 1) }
    guard let scenario else { return }
    let simulation = Simulation(of: scenario)
    found("not all expectations were checked", simulation.outcomes.count != scenario.expectations.count)
    for failure in simulation.failures { judge(failure, lines: lines, columns: bytes.count + 1) }
    for line in simulation.log {
        found("two lines in the log: \(line.text)", line.text.unicodeScalars.contains { $0.value < 0x20 })
    }
    for decided in simulation.decisions { _ = simulation.text(decided) }
    for event in scenario.events { _ = event.text(scenario) }
    for lane in simulation.lanes {
        let moments = lane.history.map(\.moment)
        found("\(lane.stream.name) goes back in time", !zip(moments, moments.dropFirst()).allSatisfy { $0 <= $1 })
    }
}

private func judge(_ diagnostic: Diagnostic, lines: Int, columns: Int) {
    let place = diagnostic.place ?? Place(line: 1, column: 1)
    let isInside = 1...lines ~= place.line && 1...columns ~= place.column
    found("a message outside the text: \(diagnostic)", !isInside)
    found("a message of two lines: \(diagnostic)", diagnostic.description.unicodeScalars.contains { $0.value < 0x20 })
}
