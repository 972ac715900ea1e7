import Foundation
import PolicyEngine
import PolicyRuntime
import ServiceFixture
import Synchronization
import TestKit
import Testing

@testable import AudioSession

/// The listings of the phone's programming guide that are in C: each is a program of its own in `Tests/AudioSessionC/listings`,
/// written as for the phone, which runs with the real service. What it says, in which order, and what is heard is its outcome;
/// the page there has all in a table. Twins in Swift of those in Objective-C are in `ListingTests`.
@Suite(.timeLimit(.minutes(10))) struct ListingProgramTests {
    /// A compiler, and the version of C.
    struct Dialect: CustomTestStringConvertible {
        var compiler: String
        var standard: String
        var testDescription: String { "\(compiler) -std=\(standard)" }

        static let all = ["gcc", "clang"].filter { (try? Sandbox().locate($0)) != nil }.flatMap { compiler in
            ["c99", "c11"].map { Dialect(compiler: compiler, standard: $0) }
        }
    }

    /// A program that runs, what happens around it, and what it has said.
    final class Scene {
        let stage: Stage
        private let program: ChildProcess
        private let words: FileHandle
        private var heard = 0

        init(_ name: String, _ dialect: Dialect, on stage: Stage) async throws {
            self.stage = stage
            let path = stage.desk.sandbox.path("run/words")
            try #require(mkfifo(path, 0o600) == 0)
            // Open for both, so that neither side waits for the other.
            words = try #require(FileHandle(forUpdatingAtPath: path))
            program = try stage.desk.sandbox.start(
                name, Invocation(try await ListingProgramTests.build(name, dialect, in: stage.desk.sandbox), [path]))
        }

        /// Waits until the program says lines, which have to be the next ones.
        func says(_ lines: String..., sourceLocation: SourceLocation = #_sourceLocation) async throws {
            try await says(lines, sourceLocation: sourceLocation)
        }
        func says(
            _ lines: [String], inAnyOrder: Bool = false, sourceLocation: SourceLocation = #_sourceLocation
        ) async throws {
            let found = try await next(lines.count, "\(lines)")
            #expect(
                inAnyOrder ? found.sorted() == lines.sorted() : found == lines, "\(found)",
                sourceLocation: sourceLocation)
        }
        private func next(_ count: Int, _ awaited: String) async throws -> [String] {
            let all = try await waitUntil(
                awaited, evidence: { program.log.text + " \(String(describing: program.exitStatus))" }
            ) {
                let all = said
                return all.count >= heard + count || !program.isRunning ? all : nil
            }
            defer { heard += count }
            return Array(all.dropFirst(heard).prefix(count))
        }
        private var said: [String] {
            let text = program.log.text
            guard let end = text.lastIndex(of: "\n") else { return [] }
            return text[..<end].split(separator: "\n").map(String.init)
        }

        /// The program's user does something.
        func user(_ word: String) throws { try words.write(contentsOf: Data("\(word)\n".utf8)) }

        /// Repeats what the user does until the program says these lines: the program is told of others some time after
        /// they have begun.
        func repeats(_ word: String, untilItSays lines: String...) async throws {
            _ = try await waitUntil("\(lines)") {
                try user(word)
                return try await next(lines.count, word) == lines ? true : nil
            }
        }

        /// The program ends by itself, and has said nothing else.
        func ends(sourceLocation: SourceLocation = #_sourceLocation) async throws {
            try user("quit")
            #expect(try await program.waitForExit() == .exited(0), sourceLocation: sourceLocation)
            #expect(Array(said.dropFirst(heard)) == [], sourceLocation: sourceLocation)
        }

        /// The program's sound begins.
        func plays() { stage.desk.play(1, process: UInt32(program.processID)) }

        /// Whether the program's sound is heard.
        func isHeard(_ isHeard: Bool) async throws {
            _ = try await waitUntil("the sound: \(isHeard)") {
                stage.desk.silent.withLock { $0.contains(StreamID(1)) } != isHeard ? true : nil
            }
        }

        /// Whether the service has the session's output go to the loudspeaker.
        func isOverridden(_ isOverridden: Bool) async throws {
            let answer = Answer()
            _ = try await waitUntil("the override: \(isOverridden)") {
                stage.desk.perform { runtime, _ in
                    let sessions = runtime.sessions.keys.compactMap { runtime.engine.state(of: $0) }
                    let found = sessions.contains { $0.configuration.outputOverride == .speaker }
                    answer.isOverridden.withLock { $0 = found }
                }
                return answer.isOverridden.withLock { $0 } == isOverridden ? true : nil
            }
        }

        private final class Answer: Sendable { let isOverridden = Mutex<Bool?>(nil) }

        func call() async throws -> Call { try await Call(SessionApplication(in: stage.desk.sandbox)) }

        /// Headphones come or go.
        func headphones(_ are: Bool) { stage.desk.use(Machine(hasHeadphones: are).events) }
    }

    private static let sources = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../AudioSessionC/listings").standardized.path
    private static let library = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../../Sources/CAudioSession").standardized.path

    /// The folder with the library, which is built once.
    private static let built = Task {
        let sandbox = try workshop.get()
        try await sandbox.run(Invocation("\(library)/build", [sandbox.path("library")], environment: ["CC": "cc"]))
        return sandbox.path("library")
    }
    /// For the library; removed when this program ends.
    private static let workshop = Result { try Sandbox() }

    /// The path of the program of a listing.
    private static func build(_ name: String, _ dialect: Dialect, in sandbox: Sandbox) async throws -> String {
        let folder = try await built.value
        let headers = ["-I\(sources)", "-I\(library)/compat", "-I\(library)/include"]
        let strict = ["-Wall", "-Wextra", "-Werror", "-pedantic", "-std=\(dialect.standard)"]
        // The listing is strict; what it stands on needs not be.
        try await sandbox.run(
            Invocation(
                dialect.compiler,
                strict + headers + ["-c", "\(sources)/\(name).c", "-o", sandbox.path("tmp/listing.o")]))
        let others = ["\(sources)/listing.c", "\(sources)/openal.c", sandbox.path("tmp/listing.o")]
        let result = sandbox.path("bin/\(name)")
        try await sandbox.run(
            Invocation(
                dialect.compiler,
                headers + others + [
                    "-o", result, "-L\(folder)", "-laudiosession", "-Wl,-rpath,\(folder)", "-pthread",
                ]))
        return result
    }

    /// Runs a program with a service of its own, on a machine that has come to rest; without one, there are no devices.
    private func play(
        _ name: String, _ dialect: Dialect, on machine: Machine? = nil, _ body: (Scene) async throws -> Void
    ) async throws {
        try await withStage { stage in
            if let machine {
                stage.desk.use(machine.events)
                let session = try await stage.session()
                try await session.wait(for: 1, of: "outputs") { try session.currentRoute.outputs.count }
                try await session.wait(for: machine.hasMicrophone, of: "isInputAvailable") {
                    try session.isInputAvailable
                }
                session.close()
            }
            let scene = try await Scene(name, dialect, on: stage)
            try await body(scene)
            try await scene.ends()
        }
    }

    @Test("Each listing has a row in the table, and each program is in one")
    func table() throws {
        let page = try String(contentsOfFile: "\(Self.sources)/README.md", encoding: .utf8)
        let rows = page.matches(of: /\n\| ((?:\d-\d+(?:, )?)+)[^|]*\| ([^|]*) \|/)
        let listings = rows.flatMap { $0.1.split(separator: ", ").map(String.init) }
        #expect(listings == ["3-1"] + (1...28).map { "7-\($0)" })
        let named = Set(page.matches(of: /`(\d-\d+\.c)`/).map { String($0.1) })
        let programs = try FileManager.default.contentsOfDirectory(atPath: Self.sources).filter {
            $0.first?.isNumber == true
        }
        #expect(named == Set(programs))
        let tests = try String(contentsOfFile: #filePath, encoding: .utf8)
        #expect(Set(tests.matches(of: /play\("(\d-\d+)"/).map { "\($0.1).c" }) == Set(programs))
    }

    // MARK: - Beginning

    @Test("R26 listing 3-1: what hears of interruptions", arguments: Dialect.all)
    func listener(dialect: Dialect) async throws {
        try await play("3-1", dialect) { scene in
            try await scene.says("initialize 0", "active 0", "ready")
            let call = try await scene.call()
            try await scene.says("music begins")
            try await call.end()
            try await scene.says("music ends")
        }
    }

    @Test("R26 listing 7-1: the session is opened once, and the listener is given its data", arguments: Dialect.all)
    func initialize(dialect: Dialect) async throws {
        try await play("7-1", dialect) { scene in
            try await scene.says("first 0", "second init", "active 0", "ready")
            let call = try await scene.call()
            try await scene.says("view hears 1, the 1. time")
            try await call.end()
            try await scene.says("view hears 0, the 2. time")
        }
    }

    @Test("R15 listing 7-3: activation and deactivation, and a call that does not let it", arguments: Dialect.all)
    func activate(dialect: Dialect) async throws {
        try await play("7-3", dialect) { scene in
            try await scene.says("before initialization !ini", "ready")
            try scene.user("play")
            try scene.user("stop")
            try await scene.says("play 0", "done play", "stop 0", "done stop")
            let call = try await scene.call()
            try scene.user("play")
            try await scene.says("play !act", "done play")
            try await call.end()
            try scene.user("play")
            try await scene.says("play 0", "done play")
        }
    }

    @Test("R8 listing 7-5: the category", arguments: Dialect.all)
    func category(dialect: Dialect) async throws {
        try await play("7-5", dialect) { try await $0.says("set 0", "get 0", "category ambi", "ready") }
    }

    @Test("R77 listing 7-6: a game that is started while music plays", arguments: Dialect.all)
    func game(dialect: Dialect) async throws {
        try await play("7-6", dialect) { scene in
            try await scene.says("ready")
            try scene.user("launch")
            try await scene.says("nobody plays", "done launch")
            let music = try await SessionApplication(in: scene.stage.desk.sandbox)
            scene.stage.desk.play(2, process: UInt32(music.process.processID))
            try await scene.repeats("launch", untilItSays: "others play", "done launch")
        }
    }

    // MARK: - What a category allows

    @Test("R39 listing 7-7: playback that mixes with others", arguments: Dialect.all)
    func mixing(dialect: Dialect) async throws {
        try await play("7-7", dialect) {
            try await $0.says(
                "playback 0", "mixes 1", "another category: mixes 0", "again 0", "mixes 1", "recording !cat", "mixes 0",
                "ready")
        }
    }

    @Test("R74 listing 7-8: an audio unit, of which there is none", arguments: Dialect.all)
    func audioUnit(dialect: Dialect) async throws {
        try await play("7-8", dialect) { try await $0.says("unit -10879", "ready") }
    }

    @Test("R41 listing 7-9: the loudspeaker, until a call", arguments: Dialect.all)
    func speaker(dialect: Dialect) async throws {
        try await play("7-9", dialect) { scene in
            try await scene.says("active 0", "ready")
            try scene.user("speaker")
            try await scene.says("speaker 0", "done speaker")
            try await scene.isOverridden(true)
            let call = try await scene.call()
            try await scene.says("interruption begins")
            try await scene.isOverridden(false)
            try await call.end()
            try await scene.says("interruption ends")
            try scene.user("go on")
            try await scene.says("active 0", "done go on")
            try await scene.isOverridden(false)
            try scene.user("speaker")
            try await scene.says("speaker 0", "done speaker")
            try await scene.isOverridden(true)
        }
    }

    @Test("R42 listing 7-10: the loudspeaker, until the category changes", arguments: Dialect.all)
    func lastingSpeaker(dialect: Dialect) async throws {
        try await play("7-10", dialect) {
            try await $0.says(
                "category plar, speaker 0", "set 0", "speaker 1", "category medi, speaker 0", "set !cat", "speaker 0",
                "ready")
        }
    }

    @Test("R43 listing 7-11: a Bluetooth headset's microphone", arguments: Dialect.all)
    func bluetooth(dialect: Dialect) async throws {
        try await play("7-11", dialect) {
            try await $0.says(
                "recording 0", "allows 1", "recording 0", "allows 1", "playback !cat", "allows 0", "ready")
        }
    }

    // MARK: - Interruptions

    @Test("R34 R35 listings 7-15 and 7-16: a call pauses the music, and ends a recording", arguments: Dialect.all)
    func interruption(dialect: Dialect) async throws {
        try await play("7-15", dialect, on: Machine()) { scene in
            try await scene.says("initialize 0", "ready")
            scene.plays()
            try scene.user("play")
            try await scene.says("active 0", "plays", "done play")
            try await scene.isHeard(true)
            var call = try await scene.call()
            try await scene.says("pauses")
            try await scene.isHeard(false)
            try await call.end()
            try await scene.says("active 0", "plays")
            try await scene.isHeard(true)
            try scene.user("record")
            try await scene.says("active 0", "done record")
            call = try await scene.call()
            try await scene.says("recorded")
            try await call.end()
            try await scene.says("remains")
        }
    }

    @Test("R26 listing 7-17: the context of OpenAL is let go during a call", arguments: Dialect.all)
    func openAL(dialect: Dialect) async throws {
        try await play("7-17", dialect) { scene in
            try await scene.says("active 0", "ready")
            let call = try await scene.call()
            try await scene.says("no context: 1")
            try await call.end()
            try await scene.says("active 0", "its context: 1")
        }
    }

    @Test("R26 listing 7-18: the same, and for systems where it is made anew", arguments: Dialect.all)
    func oldOpenAL(dialect: Dialect) async throws {
        try await play("7-18", dialect) { scene in
            try await scene.says("active 0", "ready")
            var call = try await scene.call()
            try await scene.says("context: 0")
            try await call.end()
            try await scene.says("context: 1")
            try scene.user("go on")
            try await scene.says("active 0", "done go on")
            call = try await scene.call()
            try await scene.says("destroyed")
            try await call.end()
            try await scene.says("brought back: 1")
        }
    }

    // MARK: - Routes and hardware

    @Test("R61 R64 listings 7-19 to 7-21: headphones go, and the user chooses", arguments: Dialect.all)
    func route(dialect: Dialect) async throws {
        try await play("7-20", dialect, on: Machine()) { scene in
            try await scene.says("active 0", "listens 0", "ready")
            scene.plays()
            scene.stage.desk.link(1, to: 20)
            try await scene.isHeard(true)
            // R58: where it would be heard is told first, and that it is interrupted after that.
            let gone = ["asks, was Headphone", "interruption begins"]
            scene.headphones(false)
            try await scene.says(gone)
            try await scene.isHeard(false)
            try scene.user("play")
            // What it hears of its own activation comes on another thread than the answer.
            try await scene.says(["interruption ends", "active 0", "plays", "done play"], inAnyOrder: true)
            try await scene.isHeard(true)
            scene.headphones(true)
            try await scene.says("reason 1")
            scene.headphones(false)
            try await scene.says(gone)
            try scene.user("stop")
            try await scene.says("stopped", "done stop")
            // They are back soon enough for the music to go on, which its user does not want.
            scene.headphones(true)
            try await scene.says("silent", "interruption ends")
        }
    }

    @Test("R75 listing 7-23: a wish for the buffer, and what is in use", arguments: Dialect.all)
    func buffer(dialect: Dialect) async throws {
        try await play("7-23", dialect) { scene in
            try await scene.says("wish 0", "active 0", "ready")
            scene.plays()
            // What is in use follows the wish once there is sound.
            try scene.user("ask until 0.005")
            try await scene.says("buffer 0.005", "done ask until 0.005")
        }
    }

    @Test("R75 listing 7-25: the sample rate in use", arguments: Dialect.all)
    func rate(dialect: Dialect) async throws {
        try await play("7-25", dialect) { scene in
            try await scene.says("active 0", "get 0", "rate 48000", "ready")
        }
    }

    @Test("R78 listing 7-27: whether there is an input", arguments: Dialect.all)
    func input(dialect: Dialect) async throws {
        try await play("7-27", dialect) { scene in
            try await scene.says("input 0", "ready")
            scene.stage.desk.use(Machine().events)
            try await scene.says("input now 1")
        }
    }

    @Test("R57 listing 7-28: what is compiled for a machine, not for a simulator", arguments: Dialect.all)
    func simulator(dialect: Dialect) async throws {
        try await play("7-28", dialect) { scene in
            try await scene.says("machine 0", "route \"\"", "ready")
        }
    }
}
