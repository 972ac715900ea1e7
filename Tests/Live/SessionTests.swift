import Foundation
import TestKit
import Testing

/// Sessions over the bus, with a real bus, a real daemon and real clients.
extension LiveModule {
    @Test("R8 R10 R11 R26 R27 R33 R34 R36 a session is interrupted by a call, told of it, and activates itself again")
    func sessionInterrupted() async throws {
        try await LiveDesktop.run { desk in
            let app = try await desk.application()
            let session = try await app.open(#"{"display-name": "Player"}"#)
            try await app.session(session, "SetCategory", #""playback""#, "[]", #""""#)
            #expect(try await app.session(session, "Activate", "[]").text == "active")
            let player = try await app.start(
                desk.invocation(LiveDesktop.music, with: .plain, as: "player", role: .music))
            try await desk.hear(LiveDesktop.music)
            let call = try desk.play(LiveDesktop.interrupter, with: .plain, as: "telephone", role: .phone)
            try await app.hear(#"InterruptionBegan "default" "telephone (phone)""#)
            // R26: told when it is inactive and silent.
            #expect(try await app.get(session, "Active").bool == false)
            #expect(try await app.get(session, "Interrupted").bool == true)
            try await desk.hearNothing(of: LiveDesktop.music)
            // R8: the call is in the way, and the error says so.
            await #expect(throws: SessionApplication.Failure.self) { try await app.session(session, "Activate", "[]") }
            call.terminate()
            try await app.hear("InterruptionEnded true")
            // R34: it has to be activated by its application.
            #expect(try await desk.highestLevel(of: LiveDesktop.music, during: .seconds(1)) < -90)
            try await app.session(session, "Activate", "[]")
            try await desk.hear(LiveDesktop.music)
            try await app.stop(player)
        }
    }

    @Test("R10 R11 R12 R81 deactivation with and without notice, and the end of a connection")
    func sessionEnds() async throws {
        try await LiveDesktop.run(preset: "phone") { desk in
            let music = try await desk.playMusic(with: .mpvPulse)
            for (number, isLast) in [(1, false), (2, false), (3, true)] {
                let app = try await desk.application("application-\(number)")
                let session = try await app.open()
                try await app.session(session, "SetCategory", #""playback""#, "[]", #""""#)
                try await app.session(session, "Activate", "[]")
                try await desk.hearNothing(of: LiveDesktop.music)
                if isLast {
                    app.process.signal(SIGKILL)
                    try await desk.hear(LiveDesktop.music)
                } else if number == 1 {
                    try await app.session(session, "Deactivate", #"["notify-others"]"#)
                    try await desk.hear(LiveDesktop.music)
                } else {
                    try await app.session(session, "Deactivate", "[]")
                    try await desk.log.wait(
                        forLineContaining: "interruption of music-player (music) has ended, it does not")
                    #expect(try await desk.highestLevel(of: LiveDesktop.music, during: .seconds(1)) < -90)
                    // R9: its user wants it.
                    try await music.pause()
                    try await music.unpause()
                    try await desk.hear(LiveDesktop.music)
                }
            }
        }
    }

    @Test("R40 R49 a session that ducks others, and changes its mind")
    func sessionDucks() async throws {
        try await LiveDesktop.run { desk in
            _ = try await desk.playMusic()
            let start = desk.capture.frameCount
            let app = try await desk.application()
            let session = try await app.open()
            try await app.session(session, "SetCategory", #""playback""#, #"["duck-others"]"#, #""""#)
            try await app.session(session, "Activate", "[]")
            try await desk.hear(LiveDesktop.music, lowered: 14)
            #expect(try await app.get(session, "Options").elements.compactMap(\.text) == ["duck-others"])
            #expect(
                try await app.get(session, "EffectiveOptions").elements.compactMap(\.text) == [
                    "mix-with-others", "duck-others",
                ])
            try await app.session(session, "SetCategory", #""playback""#, #"["mix-with-others"]"#, #""""#)
            try await desk.hear(LiveDesktop.music)
            try await desk.expectNoClick(since: start)
        }
    }

    @Test("N9 an activation that waits for the end of a call, and one that is cancelled")
    func sessionDelayed() async throws {
        try await LiveDesktop.run { desk in
            let call = try desk.play(LiveDesktop.interrupter, with: .plain, as: "telephone", role: .phone)
            try await desk.hear(LiveDesktop.interrupter)
            let app = try await desk.application()
            let first = try await app.open()
            let second = try await app.open()
            for session in [first, second] {
                #expect(try await app.session(session, "Activate", #"["delayed"]"#).text == "delayed")
                #expect(try await app.get(session, "ActivationDelayed").bool == true)
            }
            try await app.session(first, "CancelActivation")
            call.terminate()
            try await app.hear("ActivationGranted")
            #expect(try await app.get(second, "Active").bool == true)
            #expect(try await app.get(first, "Active").bool == false)
        }
    }
}

extension LiveDesktop {
    /// Waits until the module has its name on the bus, which it may have had before the test.
    func waitForService() async throws {
        let line = "org.AudioSession1 is on the session bus"
        try await LogFile(path: log.path).wait(forLineContaining: line)
    }

    /// Starts a program that holds sessions, once the service is on the bus.
    func application(_ name: String = "session-application") async throws -> SessionApplication {
        try await waitForService()
        return try await SessionApplication(name, in: sandbox)
    }
}
