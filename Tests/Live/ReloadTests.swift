import Foundation
import TestKit
import Testing

/// How an editor saves.
enum Saving: String, CaseIterable, CustomTestStringConvertible {
    /// Into the file itself.
    case inPlace
    /// Into another file, which takes the place of the first.
    case byRenaming

    var testDescription: String { rawValue }
}

extension LiveModule {
    @Test("an edit, a broken edit and a repaired edit while a call corks the music", arguments: Saving.allCases)
    func editsDuringCall(saving: Saving) async throws {
        let corking = "preset = desktop\n"
        let ducking = """
            preset = desktop
            roles = { phone = { priority = normal options = [ duck-others ] duck = { gain = -20 } } }
            """
        let broken = ducking.replacingOccurrences(of: "gain = -20", with: "gain = -20 attack = soon")
        try await LiveDesktop.run(options: { $0.configurationFiles["audio-session/policy.conf"] = corking }) { desk in
            _ = try await desk.playMusic()
            let call = try desk.play(LiveDesktop.interrupter, with: .plain, as: "telephone", role: .phone)
            try await desk.hear(LiveDesktop.interrupter)
            try await desk.hearNothing(of: LiveDesktop.music)
            let start = desk.capture.frameCount

            try await desk.save(ducking, saving)
            try await desk.hear(LiveDesktop.music, lowered: 20)

            let lines = try desk.log.lineCount
            try await desk.save(broken, saving, effect: "policy.conf:2:")
            try await desk.log.wait(forLineContaining: "the last good one stays in force", after: lines)
            try await desk.expect(LiveDesktop.music, at: LiveDesktop.full - 20, during: .seconds(1))

            try await desk.save(corking, saving)
            try await desk.hearNothing(of: LiveDesktop.music)

            call.terminate()
            try await desk.hear(LiveDesktop.music)
            // A hard cut of this music clicks at -15 dBFS.
            try await desk.expectNoClick(since: start)
        }
    }

    @Test("policy files on a disk that does not answer: sound and policy go on, and the files are read when it does")
    func slowDisk() async throws {
        let ducking = """
            preset = desktop
            roles = { phone = { priority = normal options = [ duck-others ] duck = { gain = -20 } } }
            """
        let standstill = [
            "LD_PRELOAD": try builtProgram("libslow-files.so"), "SLOW_FOLDER": ".config/audio-session",
            "SLOW_WHILE": "standstill",
        ]
        try await LiveDesktop.run(options: {
            $0.configurationFiles["audio-session/policy.conf"] = "preset = desktop\n"
            $0.pipeWire.environment.merge(standstill) { $1 }
            $0.pulseAudio.environment.merge(standstill) { $1 }
        }) { desk in
            _ = try await desk.playMusic()
            let start = desk.capture.frameCount
            let mark = desk.sandbox.path("home/standstill")
            try Data().write(to: URL(fileURLWithPath: mark))
            try await desk.save(ducking, .byRenaming, effect: "take long to be read")
            try await desk.expectUnbroken(LiveDesktop.music, since: start)
            let call = try desk.play(LiveDesktop.interrupter, with: .plain, as: "telephone", role: .phone)
            try await desk.hear(LiveDesktop.interrupter)
            try await desk.hearNothing(of: LiveDesktop.music)
            let lines = try desk.log.lineCount
            try FileManager.default.removeItem(atPath: mark)
            try await desk.log.wait(forLineContaining: "policy: ", after: lines)
            try await desk.hear(LiveDesktop.music, lowered: 20)
            // What is written later counts as well.
            try await desk.save("preset = desktop\n", .inPlace)
            try await desk.hearNothing(of: LiveDesktop.music)
            call.terminate()
            try await desk.hear(LiveDesktop.music)
        }
    }

    @Test("a policy that comes into being, and goes, while the music is ducked")
    func policyComesAndGoes() async throws {
        try await LiveDesktop.run(own: "needs a home without a policy") { desk in
            _ = try await desk.playMusic()
            let start = desk.capture.frameCount
            _ = try desk.play(LiveDesktop.interrupter, with: .plain, as: "navigator", role: .navigation)
            try await desk.hear(LiveDesktop.music, lowered: 20)
            // The folder is not there before.
            try await desk.save("roles = { navigation = { duck = { gain = -6 } } }\n", .inPlace)
            try await desk.hear(LiveDesktop.music, lowered: 6)
            let lines = try desk.log.lineCount
            try FileManager.default.removeItem(atPath: desk.policyPath)
            try await desk.log.wait(forLineContaining: "policy:", after: lines)
            try await desk.hear(LiveDesktop.music, lowered: 20)
            try await desk.expectNoClick(since: start)
        }
    }
}

extension LiveDesktop {
    /// The user's policy file.
    var policyPath: String { LiveDesktop.policyPath(in: sandbox) }

    static func policyPath(in sandbox: Sandbox) -> String { sandbox.path("home/.config/audio-session/policy.conf") }

    /// Saves the user's policy, and waits until the daemon's log shows that it was read.
    func save(_ text: String, _ saving: Saving, effect: String = "policy:") async throws {
        let lines = try log.lineCount
        let folder = (policyPath as NSString).deletingLastPathComponent
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try text.write(toFile: policyPath, atomically: saving == .byRenaming, encoding: .utf8)
        try await log.wait(forLineContaining: effect, after: lines)
    }
}
