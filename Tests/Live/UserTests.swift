import Foundation
import TestKit
import Testing

extension LiveModule {
    @Test(
        "R35 music that its user pauses during a call stays paused after it",
        arguments: ClientProgram.pausable)
    func pausedDuringCall(player: ClientProgram) async throws {
        try await LiveDesktop.run { desk in
            let music = try await desk.playMusic(with: player)
            let call = try desk.play(LiveDesktop.interrupter, with: .plain, as: "telephone", role: .phone)
            try await desk.hearNothing(of: LiveDesktop.music)
            try await music.pause()
            try await desk.waitUntilServerKnows(that: music, isPaused: true)
            call.terminate()
            try await call.waitUntilGone()
            try await desk.log.wait(forLineContaining: "interruption of music-player")
            #expect(try await desk.highestLevel(of: LiveDesktop.music, during: .seconds(2)) < -90)
            try await music.unpause()
            try await desk.hear(LiveDesktop.music)
        }
    }

    @Test(
        "R36 N19 where the policy says so, music that is played again during a call is put back",
        arguments: ClientProgram.pausable)
    func unpausedDuringCall(player: ClientProgram) async throws {
        try await LiveDesktop.run(policy: "user = { play = wait }") { desk in
            let music = try await desk.playMusic(with: player)
            let call = try desk.play(LiveDesktop.interrupter, with: .plain, as: "telephone", role: .phone)
            try await desk.hearNothing(of: LiveDesktop.music)
            try await music.pause()
            try await desk.waitUntilServerKnows(that: music, isPaused: true)
            let start = desk.capture.frameCount
            try await music.unpause()
            try await desk.waitUntilServerKnows(that: music, isPaused: false)
            try await desk.capture.record(.seconds(1))
            #expect(try await desk.highestLevel(of: LiveDesktop.music, from: start) < -90)
            call.terminate()
            try await desk.hear(LiveDesktop.music)
        }
    }

    @Test(
        "N19 music that its user plays again during a call is heard beside it, and stopped by the next one",
        arguments: ClientProgram.pausable)
    func playedDuringCall(player: ClientProgram) async throws {
        try await LiveDesktop.run { desk in
            let music = try await desk.playMusic(with: player)
            let call = try desk.play(LiveDesktop.interrupter, with: .plain, as: "telephone", role: .phone)
            try await desk.hearNothing(of: LiveDesktop.music)
            try await music.pause()
            try await desk.waitUntilServerKnows(that: music, isPaused: true)
            // A shorter pause is not a user's.
            try await desk.capture.record(.milliseconds(500))
            let start = desk.capture.frameCount
            try await music.unpause()
            try await desk.hear(LiveDesktop.music)
            try await desk.hear(LiveDesktop.interrupter)
            try await desk.expectNoClick(since: start)
            call.terminate()
            try await call.waitUntilGone()
            try await desk.expect(LiveDesktop.music, at: LiveDesktop.full, during: .seconds(1))
            let second = try desk.play(LiveDesktop.interrupter, with: .plain, as: "telephone", role: .phone)
            try await desk.hearNothing(of: LiveDesktop.music)
            second.terminate()
            try await desk.hear(LiveDesktop.music)
        }
    }

    @Test(
        "N19 music that its user unmutes or turns up during a call is heard beside it", arguments: ClientProgram.victims
    )
    func turnedUpDuringCall(victim: ClientProgram) async throws {
        try await LiveDesktop.run { desk in
            let music = try await desk.playMusic(with: victim)
            for isMute in [true, false] {
                if isMute { try await music.setMuted(true) } else { try await music.setSlider(to: 0.5) }
                let call = try desk.play(LiveDesktop.interrupter, with: .plain, as: "telephone", role: .phone)
                try await desk.hearNothing(of: LiveDesktop.music)
                if isMute { try await music.setMuted(false) } else { try await music.setSlider(to: 1) }
                try await desk.hear(LiveDesktop.music)
                try await desk.hear(LiveDesktop.interrupter)
                call.terminate()
                try await call.waitUntilGone()
            }
            // Whoever only turns it down does not want to hear it.
            let call = try desk.play(LiveDesktop.interrupter, with: .plain, as: "telephone", role: .phone)
            try await desk.hearNothing(of: LiveDesktop.music)
            try await music.setSlider(to: 0.5)
            #expect(try await desk.highestLevel(of: LiveDesktop.music, during: .seconds(1)) < -90)
            call.terminate()
            try await desk.hear(LiveDesktop.music, lowered: 18.06)
        }
    }

    @Test("N19 what its user frees is heard beside a call, and at its full level beside a navigator")
    func freed() async throws {
        try await LiveDesktop.run(preset: "phone") { desk in
            let music = try await desk.playMusic()
            let call = try desk.play(LiveDesktop.interrupter, with: .plain, as: "telephone", role: .phone)
            try await desk.hearNothing(of: LiveDesktop.music)
            try await desk.command("free", "music-player")
            try await desk.hear(LiveDesktop.music)
            try await desk.hear(LiveDesktop.interrupter)
            let explanation = try await desk.command("explain", "music-player")
            #expect(explanation.contains("its user wants to hear it beside telephone"), "\(explanation)")
            #expect(try await desk.command("status").contains("free beside telephone"))
            call.terminate()
            try await call.waitUntilGone()
            let prompt = try desk.play(LiveDesktop.interrupter, with: .plain, as: "navigator", role: .navigation)
            try await desk.hear(LiveDesktop.music, lowered: 20)
            try await desk.command("free", "\(music.process.processID)")
            try await desk.hear(LiveDesktop.music)
            prompt.terminate()
        }
    }

    @Test(
        "N24 what is muted interrupts nobody until it is unmuted", arguments: [MediaRole.phone, .navigation])
    func mutedInterrupter(role: MediaRole) async throws {
        try await LiveDesktop.run { desk in
            _ = try await desk.playMusic()
            let interrupter = try desk.play(LiveDesktop.interrupter, with: .plain, as: "telephone", role: role)
            func expectMusicStepsBack() async throws {
                if role == .phone {
                    try await desk.hearNothing(of: LiveDesktop.music)
                } else {
                    try await desk.hear(LiveDesktop.music, lowered: 20)
                }
            }
            try await expectMusicStepsBack()
            try await interrupter.setMuted(true)
            try await desk.hear(LiveDesktop.music)
            try await desk.expect(LiveDesktop.music, at: LiveDesktop.full, during: .seconds(1))
            #expect(try await desk.command("status").contains("muted by its user or application"))
            try await interrupter.setMuted(false)
            try await expectMusicStepsBack()
            try await interrupter.setSlider(to: 0)
            try await desk.hear(LiveDesktop.music)
            try await interrupter.setSlider(to: 1)
            try await expectMusicStepsBack()
            interrupter.terminate()
            try await desk.hear(LiveDesktop.music)
        }
    }

    @Test("N24 what begins muted, as its user has left it, does not touch the music at all")
    func beginsMuted() async throws {
        try await LiveDesktop.run(own: "saves volumes", options: { $0.remembersVolumes = true }) { desk in
            let earlier = try desk.play(LiveDesktop.interrupter, with: .paplay, as: "telephone", role: .phone)
            try await desk.hear(LiveDesktop.interrupter)
            try await earlier.setMuted(true)
            try await desk.hearNothing(of: LiveDesktop.interrupter)
            // The session manager, or the server, saves it a second later.
            try await desk.capture.record(.seconds(2))
            earlier.terminate()
            try await earlier.waitUntilGone()
            _ = try await desk.playMusic()
            let start = desk.capture.frameCount
            let call = try desk.play(LiveDesktop.interrupter, with: .paplay, as: "telephone", role: .phone)
            try await call.waitForStream(in: [.running])
            #expect(try await call.waitForStream().isMuted)
            try await desk.capture.record(.seconds(2))
            let samples = try await desk.heard(from: start)[LiveDesktop.music.channel]
            let levels = ToneEnvelope(of: samples, frequency: LiveDesktop.music.frequency).levels
            #expect(try #require(levels.min()) > LiveDesktop.full - 1, "the music stepped back")
            try await call.setMuted(false)
            try await desk.hear(LiveDesktop.interrupter)
            try await desk.hearNothing(of: LiveDesktop.music)
            call.terminate()
        }
    }

    @Test("N24 a client that has its own volume at zero, beside that of its channels, does not touch the music")
    func beginsAtZero() async throws {
        try await LiveDesktop.run { desk in
            _ = try await desk.playMusic()
            let start = desk.capture.frameCount
            var call = try desk.invocation(LiveDesktop.interrupter, with: .plain, as: "telephone", role: .phone)
            call.arguments.insert("--volume=0", at: 0)
            _ = try desk.sandbox.start("telephone", call)
            try await waitUntil("the call's record to say that it is muted") {
                let stream = try await desk.streams().first { $0["description"] as? String == "phone" }
                return stream?["muted"] as? Bool == true ? () : nil
            }
            try await desk.capture.record(.seconds(2))
            let samples = try await desk.heard(from: start)[LiveDesktop.music.channel]
            let levels = ToneEnvelope(of: samples, frequency: LiveDesktop.music.frequency).levels
            #expect(try #require(levels.min()) > LiveDesktop.full - 1, "the music stepped back")
        }
    }

    @Test("R9 R31 among equals the last one to ask is heard, and the other does not resume by itself")
    func mediaAgainstMedia() async throws {
        try await LiveDesktop.run(preset: "phone") { desk in
            let first = try await desk.playMusic(with: .mpvPulse)
            let second = try desk.play(LiveDesktop.interrupter, with: .paplay, as: "second-player", role: .music)
            try await desk.hear(LiveDesktop.interrupter)
            try await desk.hearNothing(of: LiveDesktop.music)
            // R9: its application un-pauses it, so it asks again, and now it comes last.
            try await first.pause()
            try await first.unpause()
            try await desk.hear(LiveDesktop.music)
            try await desk.hearNothing(of: LiveDesktop.interrupter)
            first.terminate()
            try await first.waitUntilGone()
            #expect(try await desk.highestLevel(of: LiveDesktop.interrupter, during: .seconds(2)) < -90)
            second.terminate()
        }
    }

    @Test("R12 music that is closed during a call leaves nothing behind")
    func closedDuringCall() async throws {
        try await LiveDesktop.run { desk in
            let music = try await desk.playMusic()
            let call = try desk.play(LiveDesktop.interrupter, with: .plain, as: "telephone", role: .phone)
            try await desk.hearNothing(of: LiveDesktop.music)
            music.terminate()
            try await music.waitUntilGone()
            call.terminate()
            try await call.waitUntilGone()
            _ = try await desk.playMusic()
        }
    }

    @Test(
        "R12 an interrupter that is killed gives the music back", arguments: [MediaRole.phone, .ringtone, .navigation])
    func interrupterKilled(role: MediaRole) async throws {
        try await LiveDesktop.run { desk in
            _ = try await desk.playMusic()
            let start = desk.capture.frameCount
            let interrupter = try desk.play(LiveDesktop.interrupter, with: .plain, as: "telephone", role: role)
            try await desk.capture.wait(for: LiveDesktop.music, below: LiveDesktop.full - 19)
            interrupter.kill()
            try await desk.hear(LiveDesktop.music)
            try await desk.expectNoClick(since: start)
        }
    }

    @Test("R65 the user's slider is followed while ducked, and is what remains", arguments: ClientProgram.victims)
    func sliderWhileDucked(victim: ClientProgram) async throws {
        try await LiveDesktop.run { desk in
            let music = try await desk.playMusic(with: victim)
            let prompt = try desk.play(LiveDesktop.interrupter, with: .plain, as: "navigator", role: .navigation)
            try await desk.hear(LiveDesktop.music, lowered: 20)
            // Half of the way up is an eighth of the amplitude: 18 dB less.
            try await music.setSlider(to: 0.5)
            try await desk.hear(LiveDesktop.music, lowered: 38.06)
            let volumes = try await music.waitForStream().channelVolumes
            #expect(!volumes.isEmpty && volumes.allSatisfy { abs($0 - 0.125) < 0.001 })
            prompt.terminate()
            try await desk.hear(LiveDesktop.music, lowered: 18.06)
            try await music.setSlider(to: 1)
            try await desk.hear(LiveDesktop.music)
        }
    }

    @Test("R65 the user's mute is followed while ducked", arguments: ClientProgram.victims)
    func muteWhileDucked(victim: ClientProgram) async throws {
        try await LiveDesktop.run { desk in
            let music = try await desk.playMusic(with: victim)
            let prompt = try desk.play(LiveDesktop.interrupter, with: .plain, as: "navigator", role: .navigation)
            try await desk.hear(LiveDesktop.music, lowered: 20)
            try await music.setMuted(true)
            try await desk.hearNothing(of: LiveDesktop.music)
            try await music.setMuted(false)
            try await desk.hear(LiveDesktop.music, lowered: 20)
            try await music.setMuted(true)
            try await desk.hearNothing(of: LiveDesktop.music)
            prompt.terminate()
            try await prompt.waitUntilGone()
            #expect(try await desk.highestLevel(of: LiveDesktop.music, during: .seconds(2)) < -90)
            #expect(try await music.waitForStream().isMuted)
            try await music.setMuted(false)
            try await desk.hear(LiveDesktop.music)
        }
    }

    @Test(
        "R65 nothing that the module does is saved as the user's own",
        arguments: [MediaRole.phone, .navigation, .alarm, MediaRole("Ringtone")])
    func nothingIsSaved(role: MediaRole) async throws {
        try await LiveDesktop.run(own: "saves volumes", options: { $0.remembersVolumes = true }) { desk in
            // Every role that is met is noted; the interrupter's is to be known before the comparison.
            let early = try desk.play(
                LiveDesktop.interrupter, with: .plain, as: "telephone", role: role, for: .seconds(1))
            try await early.waitForExit()
            let music = try await desk.playMusic()
            try await music.setSlider(to: 0.9)
            _ = try await waitUntil("the volume to be saved") {
                desk.server.hasSaved(slider: 0.9, of: .music) ? true : nil
            }
            // WirePlumber writes a second file and renames it.
            try await desk.capture.record(.seconds(2))
            let before = canonical(desk.server.savedState())
            let interrupter = try desk.play(LiveDesktop.interrupter, with: .plain, as: "telephone", role: role)
            try await desk.capture.wait(for: LiveDesktop.music, below: LiveDesktop.full - 19, lasting: .seconds(3))
            let during = canonical(desk.server.savedState())
            #expect(before == during, "\(before)\nbecame\n\(during)")
            interrupter.terminate()
            // The slider's 0.9 is 0.729 of the amplitude.
            try await desk.capture.wait(
                for: LiveDesktop.music, at: LiveDesktop.full - 2.74, lasting: .milliseconds(300))
            // WirePlumber saves a second after a change.
            try await desk.capture.record(.seconds(3))
            let after = canonical(desk.server.savedState())
            #expect(!before.isEmpty)
            #expect(before == after, "\(before)\nbecame\n\(after)")
        }
    }

    /// What is saved, line by line; of each object of WirePlumber 0.5, whose members come in any order, sorted ones.
    private func canonical(_ state: [String: [UInt8]]) -> [String: [String]] {
        state.mapValues { bytes in
            guard let text = String(bytes: bytes, encoding: .utf8) else { return ["\(bytes)"] }
            return text.components(separatedBy: "\n").map { line in
                guard let equals = line.range(of: "={") else { return line }
                let object = Data(("{" + line[equals.upperBound...]).utf8)
                guard let value = try? JSONSerialization.jsonObject(with: object),
                    let sorted = try? JSONSerialization.data(withJSONObject: value, options: .sortedKeys)
                else { return line }
                return line[..<equals.upperBound] + String(decoding: sorted, as: UTF8.self)
            }
        }
    }
}

extension LiveDesktop {
    /// Waits until the daemon has heard that a user has paused a stream, or lets it go on, which the policy stops meanwhile.
    fileprivate func waitUntilServerKnows(that client: Client, isPaused: Bool) async throws {
        switch server.kind {
        case .pipeWire:
            // What the client wants shows in the log alone: the stream is inactive in any case.
            try await log.wait(forLineContaining: isPaused ? "paused by its application" : "wanted by its application")
        case .pulseAudio:
            // The stream's state is its client's, and the policy holds it below.
            try await client.waitForStream(in: [isPaused ? .idle : .running])
        }
    }
}
