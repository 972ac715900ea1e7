import Foundation
import PolicyEngine
import StateExploration

/// What the exploration was told.
private struct Options {
    var depth = 6
    var minutes = 10.0
    var sessions = 3
    var isConfigured = false
    var policy = Policy.phone

    init?(_ arguments: [String]) {
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            switch argument {
            case "--configured": isConfigured = true
            case "--depth":
                guard let value = rest.popFirst().flatMap({ Int($0) }), (0...30).contains(value) else { return nil }
                depth = value
            case "--minutes":
                guard let value = rest.popFirst().flatMap({ Double($0) }), value > 0, value <= 10_000 else {
                    return nil
                }
                minutes = value
            case "--sessions":
                guard let value = rest.popFirst().flatMap({ Int($0) }), (1...5).contains(value) else { return nil }
                sessions = value
            case "--preset":
                switch rest.popFirst() {
                case "desktop": policy = .desktop
                case "phone": policy = .phone
                default: return nil
                }
            default: return nil
            }
        }
    }
}

/// Explores what three sessions can come to, and prints where a rule is broken. Returns whether none is.
func exploreStates(_ arguments: [String]) -> Bool {
    guard let options = Options(arguments) else { refuse() }
    func cell(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(0, width - text.count)) + text
    }
    print("depth       states  transitions  seconds")
    var exploration = Exploration(policy: options.policy, sessions: options.sessions)
    exploration.run(
        depth: options.depth, within: .seconds(options.minutes * 60), isConfigured: options.isConfigured,
        threads: ProcessInfo.processInfo.activeProcessorCount
    ) { level in
        print(
            cell("\(level.depth)", 5), cell("\(level.states)", 12), cell("\(level.transitions)", 12),
            cell(String(format: "%.1f", level.seconds), 8), level.isComplete ? "" : " (not all of it: the time is over)"
        )
        fflush(nil)
    }
    print("  all", cell("\(exploration.states)", 12), cell("\(exploration.transitions)", 12))
    for violation in exploration.violations {
        print("\nA rule is broken: \(violation.flaw)")
        for line in violation.steps { print(line) }
    }
    return exploration.violations.isEmpty
}
