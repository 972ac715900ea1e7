import Foundation
import PolicyFile
import TestKit
import Testing

@testable import Commands

/// Every scenario file there is, in a real server: the same files as the unit tests play on the engine.
extension LiveModule {
    @Test(
        "N9 N17 R8 R10 R11 R12 R26 R30 R31 R36 each scenario file with real clients: what is heard, and what sessions are told",
        arguments: StoryFile.all)
    func stories(story: StoryFile) async throws {
        let (read, diagnostics) = ScenarioReader.read("\(StoryFile.project)/\(story.path)")
        let scenario = try #require(read, "\(diagnostics)")
        let plan = StoryPlan(scenario)
        var judgement = StoryJudgement()
        if plan.isPlayable {
            try await LiveDesktop.run(options: plan.prepare) { desk in
                let player = try await StoryPlayer(plan, on: desk)
                try await player.play()
                try await player.expectWhole()
                judgement = try await player.judge()
            }
        }
        let uses = Set(scenario.sessions.map(\.application.name)).map { plan.interface(of: $0) }
        print(
            "story \(story.path): \(judgement.count) expectations, \(uses.count { $0 != .bus }) applications with a library "
                + "and \(uses.count { $0 == .bus }) without"
                + (plan.limits + judgement.limits).map { "\n  not shown: \($0)" }.joined())
        for failure in judgement.failures { Issue.record("\(failure)") }
    }
}

/// A scenario file, by its path in the project.
struct StoryFile: Sendable, CustomTestStringConvertible {
    var path: String
    var testDescription: String { path }

    private static func variable(_ name: String) -> String? { ProcessInfo.processInfo.environment[name] }

    /// The project's folder.
    static let project = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().path

    /// Our own files, and other people's where `AUDIO_SESSION_PEERS` says so; of those that `AUDIO_SESSION_STORY` is a part of,
    /// if it is set.
    static let all: [StoryFile] = {
        let part = variable("AUDIO_SESSION_STORY")
        let hasPeers = part != nil || variable("AUDIO_SESSION_PEERS") != nil
        return (["policy/scenarios", "Tests/Scenarios"] + (hasPeers ? ["Tests/Peers"] : [])).flatMap { folder in
            (FileManager.default.enumerator(atPath: "\(project)/\(folder)")?.compactMap { $0 as? String } ?? [])
                .filter { $0.hasSuffix(".scenario") }.sorted().map { "\(folder)/\($0)" }
        }.filter { file in part.map { file.contains($0) } ?? !file.contains("/car-matrix/") }.map {
            StoryFile(path: $0)
        }
    }()
}
