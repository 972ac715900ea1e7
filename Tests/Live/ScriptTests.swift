import Foundation
import TestKit
import Testing

/// What scripts and dictations do to others.
extension LiveModule {
    @Test("N21 a script lowers or stops others while its command runs", arguments: ["duck", "speech", "alarm"])
    func scriptInterrupts(kind: String) async throws {
        try await LiveDesktop.run { desk in
            _ = try await desk.playMusic()
            let script = try desk.sandbox.start(
                "script",
                Invocation(
                    try builtProgram("audio-session"),
                    ["interrupt", "begin", kind, "--name", "dinner", "--", "sleep", "60"]))
            switch kind {
            case "duck": try await desk.hear(LiveDesktop.music, lowered: 14)
            case "speech": try await desk.hear(LiveDesktop.music, lowered: 20)
            default: try await desk.hearNothing(of: LiveDesktop.music)
            }
            #expect(try await desk.command("explain", "music-player").contains("dinner"))
            script.signal(SIGTERM)
            try await desk.hear(LiveDesktop.music)
        }
    }

    @Test("N21 a kind that the policy does not know is refused, with those that it knows")
    func unknownInterruption() async throws {
        try await LiveDesktop.run { desk in
            await #expect {
                try await desk.command("interrupt", "begin", "dinner", "--", "true")
            } throws: { error in
                "\(error)".contains("dinner") && "\(error)".contains("navigation") && "\(error)".contains("duck")
            }
        }
    }

    @Test("N22 a dictation lowers the music while it records, and in the preset phone nothing plays meanwhile")
    func dictationLowers() async throws {
        for preset in ["desktop", "phone"] {
            try await LiveDesktop.run(preset: preset == "desktop" ? nil : preset, options: { $0.addMicrophone() }) {
                desk in
                _ = try await desk.playMusic()
                let file = desk.sandbox.path("tmp/dictation.wav")
                let dictation = try Client(
                    .plainRecorder, file: file, as: ApplicationIdentity("writer"),
                    role: MediaRole("dictation"), on: desk.server)
                if preset == "desktop" {
                    try await desk.hear(LiveDesktop.music, lowered: 30)
                } else {
                    try await desk.hearNothing(of: LiveDesktop.music)
                }
                dictation.terminate()
                try await desk.hear(LiveDesktop.music)
            }
        }
    }
}
