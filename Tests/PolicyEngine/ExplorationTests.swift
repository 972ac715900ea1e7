import PolicyEngine
import StateExploration
import Testing

/// All that three sessions can come to within a few events; `Tests/bin/judge states` goes further.
@Suite struct ExplorationTests {
    @Test(
        "R8 R26 R28 R30 R36 N9 every state of three sessions keeps the rules, and has a way out",
        arguments: [("phone", 1, false), ("desktop", 1, false)])
    func explore(preset: String, depth: Int, isConfigured: Bool) throws {
        let policy = try #require(Shipped(rawValue: preset)).policy
        var exploration = Exploration(policy: policy, sessions: 3)
        exploration.run(depth: depth, within: .seconds(3_600), isConfigured: isConfigured, threads: 2) { _ in }
        for violation in exploration.violations {
            Issue.record("\(violation.flaw)\n\(violation.steps.joined(separator: "\n"))")
        }
        #expect(exploration.levels.last?.depth == depth && exploration.levels.last?.isComplete == true)
        #expect(exploration.states > 50)
    }

    @Test("what has to hold is looked at: an engine under a policy that lets two be heard is found out")
    func finds() throws {
        let pair = InterplayRules.Pair(.named("solo-ambient"), .named("solo-ambient"))
        let policy = Policy.phone.with {
            $0.interplay = InterplayRules([pair: InterplayRules.Rule(playing: Interplay(.mix))])
        }
        var exploration = Exploration(policy: policy, sessions: 2, rules: .phone)
        exploration.run(depth: 2, within: .seconds(3_600), isConfigured: false, threads: 2) { _ in }
        let violation = try #require(exploration.violations.first { $0.flaw.hasPrefix("heard-together") })
        // Two activations, and nothing that is not needed.
        #expect(violation.steps.filter { $0.first?.isNumber ?? false }.count == 2)
    }
}
