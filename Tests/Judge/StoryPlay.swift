import Foundation

@testable import Commands

/// Every scenario file of the project, on the engine.
enum StoryPlay {
    /// Plays all files and prints those of which an expectation is not met. Returns whether all are.
    static func run() -> Bool {
        var failed = 0
        let files = ["policy/scenarios", "Tests/Scenarios", "Tests/Peers"].flatMap { scenarios(below: $0) }
        for file in files {
            guard let scenario = ScenarioReader.read(file).scenario else {
                print("\(file) cannot be read")
                failed += 1
                continue
            }
            let failures = Simulation(of: scenario).failures
            if failures.isEmpty { continue }
            failed += 1
            print("\(file): \(failures[0])")
        }
        print("\(files.count) stories, \(failed) failed")
        return failed == 0 && !files.isEmpty
    }

    private static func scenarios(below folder: String) -> [String] {
        let all = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
        return all.filter { $0.hasSuffix(".scenario") }.sorted().map { "\(folder)/\($0)" }
    }
}
