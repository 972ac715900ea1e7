import Foundation
import TestKit
import Testing

/// What is decided by the level of a sound, and where and how loud a role is heard.
extension LiveModule {
    @Test(
        "N13 a voice channel that is open all the time lowers others only while somebody speaks",
        arguments: ClientProgram.interrupters)
    func voiceChannel(program: ClientProgram) async throws {
        let policy = """
            roles = { navigation = { acts-while = sounding release-delay = 2000 duck = { hold = 0 } } }
            sounding = { above = -45 hold = 500 }
            """
        try await LiveDesktop.run(policy: policy) { desk in
            _ = try await desk.playMusic()
            // Silence, two seconds of a voice, silence, and again.
            let word = Signal.tone(LiveDesktop.interrupter.frequency, for: .seconds(2), on: .right).right
            let silence = [Float](repeating: 0, count: 4 * Sound.rate)
            let voice = Sound(left: [], right: silence + word + silence + word + silence)
            let start = desk.capture.frameCount
            let channel = try desk.play(voice, with: program, as: "channel", role: .navigation)
            try await channel.waitForStream(in: [.running])
            for _ in 0..<2 {
                try await desk.capture.wait(
                    for: LiveDesktop.interrupter, at: LiveDesktop.full, lasting: .milliseconds(300))
                try await desk.hear(LiveDesktop.music, lowered: 20)
                try await desk.hearNothing(of: LiveDesktop.interrupter)
                try await desk.hear(LiveDesktop.music)
            }
            let end = desk.capture.frameCount
            channel.terminate()
            try await desk.capture.record(.milliseconds(1500))
            try await desk.expectNoClick(since: start)
            // Before the first word, and when the silent channel is closed, the music is as loud as ever.
            for (first, length) in [(start, 3 * Sound.rate), (end, Sound.rate)] {
                let part = try await desk.heard(from: first)[LiveDesktop.music.channel].prefix(length)
                let levels = ToneEnvelope(of: Array(part), frequency: LiveDesktop.music.frequency).levels
                #expect(try #require(levels.min()) > LiveDesktop.full - 1, "the music stepped back for silence")
            }
        }
    }

    @Test("N23 a role is heard on its own output and at its own level, and nothing of that is left")
    func roleHasPlace() async throws {
        let policy = "roles = { notification = { output = \"test-*\" volume = -6 } }"
        try await LiveDesktop.run(options: { $0.routeVolume = 1 }) { desk in
            try await desk.save(policy, .byRenaming)
            let card = try await desk.card(.usb)
            let headset = try await card.record("usb-output")
            _ = try desk.play(LiveDesktop.music, with: .paplay, as: "music-player", role: .music)
            try await headset.wait(for: LiveDesktop.music, at: LiveDesktop.full, lasting: .milliseconds(300))
            let start = headset.frameCount
            let bell = try desk.play(LiveDesktop.interrupter, with: .plain, as: "bell", role: .event)
            try await desk.hear(LiveDesktop.interrupter, lowered: 6)
            #expect(try await desk.command("explain", "bell").contains("the output of its role is test-*"))
            try await headset.record(.seconds(1))
            let stray = ToneEnvelope(
                of: try await desk.heard(from: start, in: headset)[LiveDesktop.interrupter.channel],
                frequency: LiveDesktop.interrupter.frequency
            ).highestLevel
            print("on the headset: \(stray ?? -200) dBFS of the bell")
            let loudest = try #require(stray)
            withKnownIssue(LiveDesktop.steeredLate, isIntermittent: true) {
                #expect(loudest < -60)
            } when: {
                desk.server.kind == .pipeWire
            }
            try await desk.save("muted = ignore", .byRenaming)
            try await headset.wait(for: LiveDesktop.interrupter, at: LiveDesktop.full, lasting: .milliseconds(300))
            try await desk.hearNothing(of: LiveDesktop.interrupter)
            bell.terminate()
        }
    }

    @Test("N27 a call in one zone leaves the music in another one alone")
    func zonesApart() async throws {
        let place = "roles = { phone = { output = \"test-*\" } }"
        try await LiveDesktop.run(options: { $0.routeVolume = 1 }) { desk in
            try await desk.save("\(place) zones = { desk = [ \"test-*\" ] head = [ usb ] }", .byRenaming)
            let card = try await desk.card(.usb)
            let headset = try await card.record("usb-output")
            _ = try desk.play(LiveDesktop.music, with: .paplay, as: "music-player", role: .music)
            try await headset.wait(for: LiveDesktop.music, at: LiveDesktop.full, lasting: .milliseconds(300))
            let start = headset.frameCount
            let call = try desk.play(LiveDesktop.interrupter, with: .plain, as: "telephone", role: .phone)
            try await desk.hear(LiveDesktop.interrupter)
            try await headset.record(.seconds(1))
            let levels = ToneEnvelope(
                of: try await desk.heard(from: start, in: headset)[LiveDesktop.music.channel],
                frequency: LiveDesktop.music.frequency
            ).levels
            let lowest = try #require(levels.min())
            withKnownIssue(LiveDesktop.steeredLate, isIntermittent: true) {
                #expect(lowest > LiveDesktop.full - 1, "the music in the other zone stepped back")
            } when: {
                desk.server.kind == .pipeWire
            }
            // Without zones, the call concerns the whole desktop.
            try await desk.save(place, .byRenaming)
            try await headset.wait(for: LiveDesktop.music, below: -90, lasting: .milliseconds(300))
            call.terminate()
            try await headset.wait(for: LiveDesktop.music, at: LiveDesktop.full, lasting: .milliseconds(300))
        }
    }
}

extension LiveDesktop {
    /// A fault of the module in PipeWire: a role's own output is asked for when the stream is linked already, some 120 ms after
    /// it acts on others. Until then the stream is heard on the default output, and counts as being in that one's zone.
    fileprivate static let steeredLate: Comment = "a stream is sent to its role's own output too late"
}
