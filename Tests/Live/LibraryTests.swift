import Foundation
import TestKit
import Testing

/// Players that use the library for Swift.
extension LiveModule {
    @Test("R8 R26 R34 a player that uses the library stops for a call, and goes on when it is told that it is over")
    func libraryPlayer() async throws {
        try await LiveDesktop.run { desk in
            // Its own tone is an eighth of full level, on both sides.
            let program = try builtProgram("audio-session-player")
            // What it prints is to be read line by line.
            let player = try desk.sandbox.start(
                "audio-session-player", Invocation(desk.sandbox.locate("stdbuf"), ["--output=L", program]))
            func hearPlayer() async throws {
                try await desk.capture.wait(
                    for: LiveDesktop.music, at: LiveDesktop.full - 12.04, lasting: .milliseconds(300))
            }
            try await hearPlayer()
            for _ in 0..<2 {
                let said = player.log.lineCount
                let call = try desk.play(LiveDesktop.interrupter, with: .plain, as: "telephone", role: .phone)
                try await desk.hear(LiveDesktop.interrupter)
                try await desk.hearNothing(of: LiveDesktop.music)
                try await player.log.wait(forLineContaining: "Interrupted (default)", after: said)
                call.terminate()
                try await player.log.wait(forLineContaining: "the tone goes on", after: said)
                try await hearPlayer()
            }
            let streams = try await desk.server.streams().filter { $0.processID == player.processID }
            #expect(player.isRunning && streams.count == 1)
        }
    }
}

/// Recorders that use it.
extension LiveModule {
    @Test("R8 R18 R26 R34 a recorder that uses the library stops for a call, and goes on with what it hears after it")
    func libraryRecorder() async throws {
        try await LiveDesktop.run(options: { $0.addMicrophone() }) { desk in
            let program = try builtProgram("audio-session-recorder")
            let recording = try Recording(in: desk.sandbox, "library.wav") { file in
                Invocation(try desk.sandbox.locate("stdbuf"), ["--output=L", program, file])
            }
            let recorder = try desk.sandbox.start("audio-session-recorder", recording.invocation)
            try await recording.waitUntilItGoesOn()
            for _ in 0..<2 {
                let said = recorder.log.lineCount
                let call = try desk.play(LiveDesktop.interrupter, with: .plain, as: "telephone", role: .phone)
                try await desk.hear(LiveDesktop.interrupter)
                try await recorder.log.wait(forLineContaining: "Interrupted (default)", after: said)
                try await recording.waitUntilItStops(desk)
                call.terminate()
                try await recorder.log.wait(forLineContaining: "the recording goes on", after: said)
                try await recording.waitUntilItGoesOn()
            }
        }
    }
}

/// The players that are shipped as examples for the C library.
extension LiveModule {
    @Test(
        "R8 R26 R34 a player that uses the C library stops for a call, and goes on when it is told that it is over",
        arguments: ["player", "player-glib"])
    func libraryPlayerInC(name: String) async throws {
        try await LiveDesktop.run { desk in
            let program = try LiveDesktop.builtInC(
                "examples/\(name)", by: "Sources/CAudioSession/examples/build .build/examples .build/library")
            // It plays samples without a header.
            let tone = LiveDesktop.music
            let file = desk.sandbox.path("home/tone")
            try Signal.tone(tone.frequency, for: .seconds(60), on: tone.channel).waveFile(.signed16).dropFirst(44)
                .write(to: URL(fileURLWithPath: file))
            try await desk.waitForService()
            let player = try desk.sandbox.start(name, Invocation(program, [file]))
            try await desk.hear(tone)
            for _ in 0..<2 {
                let said = player.log.lineCount
                let call = try desk.play(LiveDesktop.interrupter, with: .plain, as: "telephone", role: .phone)
                try await desk.hear(LiveDesktop.interrupter)
                try await desk.hearNothing(of: tone)
                try await player.log.wait(forLineContaining: "interrupted", after: said)
                call.terminate()
                try await player.log.wait(
                    forLineContaining: "the interruption is over, and the music goes on", after: said)
                try await desk.hear(tone)
            }
            let streams = try await desk.server.streams().filter { $0.processID == player.processID }
            #expect(player.isRunning && streams.count == 1)
        }
    }
}

/// A player as one was written for a phone, with that interface for C.
extension LiveModule {
    @Test(
        "R58 R64 a player of 2010 asks its user when its headphones are pulled out, and is heard once the user says so")
    func phonePlayerInC() async throws {
        try await LiveDesktop.run(options: { $0.routeVolume = 1 }) { desk in
            let card = try await desk.card(.laptop)
            let speaker = try await card.record("speaker")
            let headphones = try await card.record("headphones")
            let program = try LiveDesktop.builtInC(
                "examples/player-phone", by: "Sources/CAudioSession/examples/build .build/examples .build/library")
            let tone = LiveDesktop.music
            let (file, commands) = (desk.sandbox.path("home/tone"), desk.sandbox.path("home/commands"))
            try Signal.tone(tone.frequency, for: .seconds(60), on: tone.channel).waveFile(.signed16).dropFirst(44)
                .write(to: URL(fileURLWithPath: file))
            try #require(mkfifo(commands, 0o600) == 0)
            try await desk.waitForService()
            // Opened in both directions, the pipe has no end.
            let player = try desk.sandbox.start(
                "player-phone", Invocation("bash", ["-c", #"exec "$0" "$1" <>"$2""#, program, file, commands]))
            let user = try #require(FileHandle(forUpdatingAtPath: commands))
            try await headphones.wait(for: tone, at: LiveDesktop.full, lasting: .milliseconds(300))
            for _ in 0..<3 {
                var said = player.log.lineCount
                func news() -> [String] {
                    player.log.text.split(separator: "\n").dropFirst(said).map(String.init)
                }
                try await card.unplug("headphones")
                try await player.log.wait(forLineContaining: "the interruption begins", after: said)
                #expect(
                    news() == [
                        "the route changes: 2", "the headphones have gone: play or stop?", "the interruption begins",
                    ])
                // Whatever its user says later: until then nothing is heard.
                let from = speaker.frameCount
                try await speaker.record(.milliseconds(500))
                try await desk.expectSilence(of: speaker, since: from)
                said = player.log.lineCount
                try user.write(contentsOf: Data("play\n".utf8))
                try await player.log.wait(forLineContaining: "the interruption ends", after: said)
                try await speaker.wait(for: tone, at: LiveDesktop.full, lasting: .milliseconds(300))
                // It was told to play once, and does not resume a second time.
                #expect(news().count { $0 == "plays" } == 1 && news().count == 2, "\(news())")
                try await card.plug("headphones")
                try await headphones.wait(for: tone, at: LiveDesktop.full, lasting: .milliseconds(300))
            }
        }
    }
}

/// Libraries whose sound server ends and comes back.
extension LiveModule {
    @Test(
        "R82 a library whose server has been away sets its session up again by itself, and lowers others as before",
        arguments: ["Swift", "C"], [SIGTERM, SIGKILL])
    func libraryAfterRestart(language: String, signal: Int32) async throws {
        try await LiveDesktop.run(own: "ends the server") { desk in
            let library = try LiveDesktop.builtInC("library/libaudiosession.so.1", by: "install/build")
            try await desk.waitForService()
            let app = try await SessionApplication(
                through: language == "Swift" ? .swift : .c(library), in: desk.sandbox)
            let session = try await app.open(#"{"display-name": "Navigator"}"#)
            try await app.session(session, "SetCategory", #""playback""#, #"["duck-others"]"#, #""""#)
            try await app.session(session, "Activate", "[]")
            if signal == SIGKILL { try await desk.server.outliveStart() }
            try await desk.server.stopDaemon(signal: signal)
            await desk.server.stopServers()
            try await desk.server.startServers()
            // The application asks for nothing.
            let music = try desk.play(LiveDesktop.music, with: .paplay, as: "music-player", role: .music)
            _ = try await waitUntil("music that is lowered", evidence: { (try? desk.log.tail()) ?? "" }) {
                try? await desk.stream(of: "music-player")?["treatment"] as? String == "ducked" ? true : nil
            }
            try await app.session(session, "Deactivate", "[]")
            _ = try await waitUntil("music that is not lowered any more") {
                try await desk.stream(of: "music-player")?["treatment"] as? String == "untouched" ? true : nil
            }
            #expect(music.process.isRunning)
        }
    }
}

extension LiveDesktop {
    /// The path of what a script has compiled from C, beside the folder of the modules.
    static func builtInC(_ name: String, by script: String) throws -> String {
        let modules = URL(fileURLWithPath: try moduleFolder())
        let path = modules.deletingLastPathComponent().appendingPathComponent(name).path
        try #require(FileManager.default.fileExists(atPath: path), "no \(path), which \(script) makes")
        return path
    }
}
