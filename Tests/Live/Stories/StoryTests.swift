import Foundation
import PolicyFile
import SessionTestKit
import StandstillTrait
import Synchronization
import Testing

@testable import SessionCommands

/// Every scenario file there is, in a real server: the same files as the unit tests play on the engine.
extension LiveModule {
    @Test(
        "N9 N17 R8 R10 R11 R12 R26 R30 R31 R36 each scenario file with real clients: what is heard, and what sessions are told",
        .ownStandstills, arguments: StoryBatch.all)
    func stories(batch: StoryBatch) async {
        var waiting = batch.files[...]
        await withTaskGroup(of: StoryResult.self) { group in
            for file in waiting.prefix(StoryBatch.atOnce) { group.addTask { await StoryResult.play(file) } }
            waiting = waiting.dropFirst(StoryBatch.atOnce)
            while let result = await group.next() {
                result.report()
                if let file = waiting.popFirst() { group.addTask { await StoryResult.play(file) } }
            }
        }
    }
}

/// Some of the files, of which a few are played at the same time, each on a desktop of its own.
struct StoryBatch: Sendable, CustomTestStringConvertible {
    var number: Int
    var files: [String]

    var testDescription: String { "files \(files.first ?? "") to \(files.last ?? "")" }

    /// How many are played at the same time. They wait more than they work.
    static let atOnce = max(1, variable("AUDIO_SESSION_STORIES").flatMap { Int($0) } ?? 4)
    /// A test of so many takes a minute or two.
    private static let size = 12

    private static func variable(_ name: String) -> String? { ProcessInfo.processInfo.environment[name] }

    /// The project's folder.
    static let project = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().path

    /// All files, by their path in the project: our own, and other people's where `AUDIO_SESSION_PEERS` says so, as they take
    /// a quarter of an hour; of those that `AUDIO_SESSION_STORY` is a part of, if it is set.
    static let files: [String] = {
        let part = variable("AUDIO_SESSION_STORY")
        let hasPeers = part != nil || variable("AUDIO_SESSION_PEERS") != nil
        return (["policy/scenarios", "Tests/Scenarios"] + (hasPeers ? ["Tests/Peers"] : [])).flatMap { folder in
            (FileManager.default.enumerator(atPath: "\(project)/\(folder)")?.compactMap { $0 as? String } ?? [])
                .filter { $0.hasSuffix(".scenario") }.sorted().map { "\(folder)/\($0)" }
        }.filter { file in part.map { file.contains($0) } ?? !file.contains("/car-matrix/") }
    }()

    static let all: [StoryBatch] = stride(from: 0, to: files.count, by: size).map { start in
        StoryBatch(number: start / size, files: Array(files[start..<min(start + size, files.count)]))
    }
}

/// What came of one file.
struct StoryResult: Sendable {
    var file: String
    /// What was not as expected, each with its place.
    var failures: [StoryMistake] = []
    /// What of it this server or this machine cannot show, each with the reason.
    var limits: [String] = []
    /// How many expectations were judged.
    var judged = 0
    /// How late the latest event was.
    var lateness = Duration.zero
    /// How many applications with sessions have them through the library that `AUDIO_SESSION_LIBRARY` names, and how many
    /// by calls on the bus.
    var applications = (library: 0, bus: 0)

    private static let attempts = StandstillTrait.attempts

    /// Plays a file in a server of its own, and again when nothing but its sound was not as expected on a machine that
    /// was late, as `StandstillTrait` does with whole tests.
    static func play(_ file: String) async -> StoryResult {
        for attempt in 1..<attempts {
            let measured = Lateness.measure()
            let result = await StoryResult(playing: file)
            let lateness = measured()
            guard let failure = result.failures.first, result.failures.allSatisfy(\.isOfSound), lateness.losesSound
            else { return result }
            print("Again: \(file) (\(attempt)), as \(lateness): \(failure.text)")
        }
        return await StoryResult(playing: file)
    }

    /// Plays a file once.
    private init(playing file: String) async {
        self.file = file
        let (read, diagnostics) = ScenarioReader.read("\(StoryBatch.project)/\(file)")
        failures = diagnostics.map { StoryMistake(text: $0.description) }
        guard let scenario = read else { return }
        let plan = StoryPlan(scenario)
        limits = plan.limits
        guard plan.isPlayable else { return }
        for name in Set(scenario.sessions.map(\.application.name)) {
            if plan.interface(of: name) == .bus { applications.bus += 1 } else { applications.library += 1 }
        }
        do {
            var judged: StoryJudgement?
            await StoryStage.shared.enter()
            var isSetting = true
            defer { if isSetting { StoryStage.shared.leave() } }
            try await LiveDesktop.run(options: plan.prepare) { desk in
                let player = try await StoryPlayer(plan, on: desk)
                StoryStage.shared.leave()
                isSetting = false
                try await player.play()
                judged = try await player.judge()
            }
            guard let judged else { return }
            failures += judged.failures
            limits += judged.limits
            self.judged = judged.count
            lateness = judged.lateness
        } catch {
            failures.append(
                StoryMistake(
                    text: "\(file): error: found \(error), expected a story that can be played to its end",
                    isOfSound: error is SoundFailure))
        }
    }

    /// Says what came of it; every file has a line.
    func report() {
        let late = Int(lateness.milliseconds)
        print(
            "story \(file): \(failures.isEmpty ? "as expected" : "\(failures.count) mistakes"), \(judged) expectations, "
                + "\(applications.library) applications with a library and \(applications.bus) without, "
                + "at most \(late) ms late" + limits.map { "\n  not shown: \($0)" }.joined())
        for failure in failures { Issue.record("\(failure.text) (events at most \(late) ms late)") }
    }
}

/// Where one story after the other sets its stage: a server, a session manager and a bus that start take all of a machine, and
/// those that play already are to be heard in time.
final class StoryStage: Sendable {
    static let shared = StoryStage()

    private struct State {
        var isTaken = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }
    private let state = Mutex(State())

    /// Waits until nobody else sets the stage.
    func enter() async {
        await withCheckedContinuation { continuation in
            let isFree = state.withLock { state in
                if state.isTaken { state.waiting.append(continuation) }
                defer { state.isTaken = true }
                return !state.isTaken
            }
            if isFree { continuation.resume() }
        }
    }

    /// Lets the next one in.
    func leave() {
        let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
            if state.waiting.isEmpty {
                state.isTaken = false
                return nil
            }
            return state.waiting.removeFirst()
        }
        next?.resume()
    }
}
