import Foundation
import Testing

@testable import Commands

/// Every scenario file there is, on the engine: the shipped ones, those of this project's own tables, and other people's
/// tests. The live tests play the same files in real servers (`Tests/Live/StoryTests.swift`).
@Suite struct StoryTests {
    /// A folder with scenario files, which may be in folders below it.
    struct Folder: Sendable, CustomTestStringConvertible {
        var path: String
        /// Whether it has to be there.
        var isRequired = true

        var testDescription: String { path }
    }

    static let folders = [
        Folder(path: "policy/scenarios"), Folder(path: "Tests/Scenarios"),
        Folder(path: "Tests/Peers", isRequired: false),
    ]

    /// The files below a folder, each with its path in the project.
    static func files(below folder: String) -> [String] {
        let all = FileManager.default.enumerator(atPath: Project.folder.appending(path: folder).path())
        return (all?.compactMap { $0 as? String } ?? []).filter { $0.hasSuffix(".scenario") }.sorted()
            .map { "\(folder)/\($0)" }
    }

    static let files = folders.flatMap { files(below: $0.path) }

    /// An empty list would pass without having shown anything.
    @Test("a folder that is there has files", arguments: folders) func folderThatIsThereHasFiles(folder: Folder) {
        let isThere = FileManager.default.fileExists(atPath: Project.folder.appending(path: folder.path).path())
        #expect(isThere || !folder.isRequired)
        if isThere { #expect(!Self.files(below: folder.path).isEmpty) }
    }

    /// Nothing is expected of a moment at which something changes: a real server takes a moment for everything, and a program
    /// some more to start.
    @Test("everything comes as it is expected, and nothing is expected too close to a change", arguments: files)
    func everythingComesAsItIsExpected(file: String) throws {
        let (read, diagnostics) = ScenarioReader.read(Project.folder.appending(path: file).path())
        for diagnostic in diagnostics { Issue.record("\(diagnostic)") }
        let scenario = try #require(read)
        #expect(!scenario.expectations.isEmpty, "\(file): found nothing that is expected, expected something")
        let simulation = Simulation(of: scenario)
        for failure in simulation.failures { Issue.record("\(failure)") }
        expectsNothingNearChanges(simulation, file)
    }

    private func expectsNothingNearChanges(_ simulation: Simulation, _ file: String) {
        for expectation in simulation.scenario.expectations {
            let changes: [Duration]
            switch expectation.subject {
            case .stream(let stream, _): changes = Self.audibleChanges(of: simulation.lanes[stream])
            case .session(let session, _), .told(let session, _):
                changes = simulation.sessions[session].messages.filter { !$0.told.kind.isOptional }.map(\.moment)
            }
            let begins = simulation.scenario.events.filter { event in
                switch (event.action, expectation.subject) {
                case (.play, .stream), (.move, .stream), (.plug, _), (.unplug, _), (.route, _): true
                default: false
                }
            }.map(\.moment)
            let early = begins.last { $0 <= expectation.moment }.map { expectation.moment - $0 } ?? .seconds(1)
            if early < .milliseconds(700), Self.isHeard(expectation, in: simulation) {
                Issue.record(
                    """
                    \(file):\(expectation.place.line):\(expectation.place.column): found an expectation \
                    \(early.fixed) s after a program starts or a plug moves, expected 0.700 s or more
                    """)
            }
            let near = changes.first { abs(($0 - expectation.moment).seconds) < 0.15 }
            if let near {
                Issue.record(
                    """
                    \(file):\(expectation.place.line):\(expectation.place.column): found a change at \(near.fixed) s, \
                    expected none so close to \(expectation.moment.fixed) s
                    """)
            }
        }
    }

    /// Whether something is to be heard then; silence is there at once.
    private static func isHeard(_ expectation: Scenario.Expectation, in simulation: Simulation) -> Bool {
        let outcome = simulation.outcomes.first { $0.expectation.place == expectation.place }
        return outcome?.state?.isHeard == true
    }

    private static func audibleChanges(of lane: Lane) -> [Duration] {
        var level = 0.0
        return lane.history.compactMap { entry in
            let former = level
            level = entry.state.isHeard ? entry.state.gain * entry.state.volume : 0
            return level == former ? nil : entry.moment
        }
    }
}
