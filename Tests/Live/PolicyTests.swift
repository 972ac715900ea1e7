import Foundation
import TestKit
import Testing

/// What policy files say, heard in a real server.
extension LiveModule {
    @Test(
        "R2 a rule gives a program without a role the role that it should have",
        arguments: [ClientProgram.paplay, .mpvPulse, .gstreamerPulse])
    func ruleByProperties(prompter: ClientProgram) async throws {
        let policy = """
            rules = [
                { matches = [ { application.process.binary = "~^navig" media.role = null } ]
                  actions = { update-session = { role = navigation } } }
            ]
            """
        try await LiveDesktop.run(options: {
            $0.configurationFiles["audio-session/policy.conf.d/50-rules.conf"] = policy
        }) {
            desk in
            _ = try await desk.playMusic(with: .plain)
            let prompt = try desk.play(LiveDesktop.interrupter, with: prompter, as: "navigator", role: nil)
            try await desk.hear(LiveDesktop.interrupter)
            try await desk.hear(LiveDesktop.music, lowered: 20)
            prompt.terminate()
            try await desk.hear(LiveDesktop.music)
        }
    }

    @Test("N11 who may not be a phone is heard, but interrupts nobody, and it is said once")
    func refusedClaim() async throws {
        let policy = "claims = { phone = { allow = [ { application.process.binary = \"linphone\" } ] } }"
        try await LiveDesktop.run(options: { $0.configurationFiles["audio-session/policy.conf"] = policy }) { desk in
            _ = try await desk.playMusic()
            for _ in 0..<2 {
                let pretender = try desk.play(LiveDesktop.interrupter, with: .plain, as: "telephone", role: .phone)
                try await desk.hear(LiveDesktop.interrupter)
                try await desk.hear(LiveDesktop.music)
                pretender.terminate()
                try await pretender.waitUntilGone()
            }
            let refusals = try desk.log.text.components(separatedBy: "may not claim").count - 1
            #expect(refusals == 1)
            let call = try desk.play(LiveDesktop.interrupter, with: .plain, as: "linphone", role: .phone)
            try await desk.hearNothing(of: LiveDesktop.music)
            call.terminate()
            try await desk.hear(LiveDesktop.music)
        }
    }

    @Test("N14 an application that plays and records without a role is in a call", arguments: [true, false])
    func capturePairing(isOn: Bool) async throws {
        let policy = "capture-pairing = \(isOn)\n"
        try await LiveDesktop.run(options: {
            $0.configurationFiles["audio-session/policy.conf"] = policy
            $0.addMicrophone()
        }) { desk in
            _ = try await desk.playMusic()
            // One of its processes plays, another one records.
            let browser = try await SessionApplication("browser", as: "browser", isShared: true, in: desk.sandbox)
            let voices = try await browser.start(
                desk.invocation(LiveDesktop.interrupter, with: .paplay, as: "browser", role: nil, isShared: true))
            try await desk.hear(LiveDesktop.interrupter)
            try await desk.hear(LiveDesktop.music)
            // What it is given is the file into which it records.
            let microphone = try await browser.start(
                desk.invocation(LiveDesktop.music, with: .parecord, as: "browser", role: nil, isShared: true))
            _ = try await desk.server.waitForStream("the browser's recording") { $0.processID == pid_t(microphone) }
            if isOn { try await desk.hearNothing(of: LiveDesktop.music) }
            try await desk.hear(LiveDesktop.interrupter)
            if !isOn { try await desk.hear(LiveDesktop.music) }
            try await browser.stop(microphone)
            try await desk.hear(LiveDesktop.music)
            try await browser.stop(voices)
        }
    }

    @Test("N14 N11 a recording that a rule calls a call makes one when it has lasted", arguments: ["60000", "100"])
    func callAfter(milliseconds: String) async throws {
        let policy = """
            call-after = \(milliseconds)
            rules = [ {
                matches = [ { media.class = "Stream/Input/Audio" application.name = messenger } ]
                actions = { update-session = { role = phone } }
            } ]
            """
        try await LiveDesktop.run(options: {
            $0.configurationFiles["audio-session/policy.conf"] = policy
            $0.addMicrophone()
        }) { desk in
            _ = try await desk.playMusic()
            let program = try await desk.application()
            let from = desk.capture.frameCount
            // What it is given is the file into which it records.
            let microphone = try await program.start(
                desk.invocation(LiveDesktop.interrupter, with: .plainRecorder, as: "messenger", role: nil))
            _ = try await desk.server.waitForStream("the recording") {
                $0.processID == pid_t(microphone) && $0.state == .running
            }
            if milliseconds == "100" { return try await desk.hearNothing(of: LiveDesktop.music) }
            try await desk.capture.record(.seconds(1))
            try await desk.expectUnbroken(LiveDesktop.music, since: from)
            try await program.stop(microphone)
        }
    }

    @Test("R8 music that a call does not let begin stays silent until its user starts it again")
    func rejectedMusic() async throws {
        let policy = "interplay = { phone = { any = { newcomer = reject } } }"
        try await LiveDesktop.run(options: { $0.configurationFiles["audio-session/policy.conf"] = policy }) { desk in
            let call = try desk.play(LiveDesktop.interrupter, with: .plain, as: "telephone", role: .phone)
            try await desk.hear(LiveDesktop.interrupter)
            let start = desk.capture.frameCount
            let music = try desk.play(LiveDesktop.music, with: .mpvPulse, as: "music-player", role: .music)
            try await desk.log.wait(forLineContaining: "does not let it begin")
            try await desk.capture.record(.seconds(1))
            #expect(try await desk.highestLevel(of: LiveDesktop.music, from: start) < -90)
            call.terminate()
            try await call.waitUntilGone()
            try await desk.log.wait(forLineContaining: "session of telephone (phone) is over")
            #expect(try await desk.highestLevel(of: LiveDesktop.music, during: .seconds(2)) < -90)
            try await music.pause()
            try await music.unpause()
            try await desk.hear(LiveDesktop.music)
        }
    }

    @Test("a pair's own gain is heard, and layers win key by key")
    func pairInLayers() async throws {
        let files = [
            "audio-session/policy.conf": "interplay = { phone = { music = { kind = duck gain = -30 } } }",
            "audio-session/policy.conf.d/20-softer.conf": "interplay = { phone = { music = { gain = -12 } } }",
        ]
        try await LiveDesktop.run(options: { $0.configurationFiles.merge(files) { $1 } }) { desk in
            _ = try await desk.playMusic()
            let start = desk.capture.frameCount
            let call = try desk.play(LiveDesktop.interrupter, with: .plain, as: "telephone", role: .phone)
            try await desk.hear(LiveDesktop.music, lowered: 12)
            call.terminate()
            try await desk.hear(LiveDesktop.music)
            try await desk.expectNoClick(since: start)
        }
    }
}
