import Foundation
import Testing

@testable import Commands

/// The shipped scenarios, every one of them.
@Suite struct ScenarioTests {
    private func simulation(of name: String) throws -> Simulation {
        let (scenario, diagnostics) = ScenarioReader.read(Project.path(ofScenario: name))
        #expect(diagnostics == [])
        return Simulation(of: try #require(scenario))
    }

    @Test("there are at least ten") func thereAreAtLeastTen() { #expect(Project.scenarioNames.count >= 10) }

    @Test("the table is as it was", arguments: Project.scenarioNames) func tableIsAsItWas(name: String) throws {
        try Project.compare(simulation(of: name).table.withoutFolder, withSnapshot: "\(name).table")
    }

    @Test(
        "the JSON is as it was",
        arguments: ["navigation", "call-in-a-game", "two-players", "headphones-and-crash", "headphones-pulled-out"])
    func jsonIsAsItWas(name: String) throws {
        let json = try simulation(of: name).json()
        try Project.compare(json.withoutFolder, withSnapshot: "\(name).json")
        #expect(throws: Never.self) { try JSONSerialization.jsonObject(with: Data(json.utf8)) }
    }

    @Test("the example of the log is a line of a story") func exampleOfLog() throws {
        let page = try String(contentsOf: Project.folder.appending(path: "install/README.md"), encoding: .utf8)
        let example = try #require(page.firstMatch(of: /For example: "(cork .*?)"/)?.1)
        #expect(try simulation(of: "call-in-a-game").log.contains { $0.text == example })
    }

    /// Whatever the policy, what was done to a stream is undone when nobody is left to do it.
    @Test("nothing is left when all others have ended", arguments: Project.scenarioNames, ["desktop", "phone"])
    func nothingIsLeftWhenAllOthersHaveEnded(name: String, preset: String) throws {
        let (read, _) = try ScenarioReader.read(Project.path(ofScenario: name), under: .preset(preset))
        var scenario = try #require(read)
        let end = scenario.length
        let first = scenario.streams[0].application
        func add(_ seconds: Int64, _ action: Scenario.Action) {
            scenario.events.append(Scenario.Event(moment: end + .seconds(seconds), action: action))
        }
        for stream in scenario.streams.indices.dropFirst() { add(0, .stop(stream)) }
        for interruption in scenario.interruptions.indices { add(0, .end(interruption)) }
        for session in scenario.sessions.indices where scenario.sessions[session].application != first {
            add(0, .kill(.session(session)))
        }
        // Who was superseded has to ask again.
        add(5, .pause(0))
        add(6, .play(0))
        for session in scenario.sessions.indices where scenario.sessions[session].application == first {
            add(6, .activate(session, mayWait: false))
        }
        scenario.expectations.append(
            Scenario.Expectation(
                moment: end + .seconds(9), subject: .stream(0, .heard), place: .init(line: 1, column: 1)))
        scenario.events.removeAll { if case .policy = $0.action { true } else { false } }
        let last = try #require(Simulation(of: scenario).outcomes.last)
        let state = try #require(last.state)
        #expect(state.decision == .free || state.decision.kind == .leftAlone)
        #expect(state.gain == 1)
        #expect(last.isMet)
    }
}

extension String {
    /// The same in every working copy.
    fileprivate var withoutFolder: String { replacingOccurrences(of: Project.folder.path(), with: "") }
}
