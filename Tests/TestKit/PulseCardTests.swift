import Foundation
import TestKit
import Testing

/// The fixture card in PulseAudio under the stock modules: what a user's desktop does by itself.
extension LiveTests {
    /// A daemon with the stock modules that remember volumes and follow plugs, and no sink but the cards'.
    static func pulseDesktop(hasNullSink: Bool = false) async throws -> PrivatePulseAudio {
        let folders = [try await PulseCard.moduleFolder(), try await PulseCard.stockModuleFolder()]
        let server = try await PrivatePulseAudio.start(
            modules: [
                // Or the null sink's monitor would be the default source, and what records it be moved to the first
                // microphone that comes.
                "module-null-source", "module-device-restore", "module-card-restore", "module-switch-on-port-available",
                "module-suspend-on-idle",
            ],
            daemonArguments: ["--dl-search-path=\(folders.joined(separator: ":"))"])
        do {
            if !hasNullSink {
                try await server.sandbox.run(Invocation("pactl", ["unload-module", "module-null-sink"]))
            }
        } catch {
            await server.stop()
            throw error
        }
        return server
    }

    /// A player, of a sound that lasts, or of less.
    static func playTone(
        for duration: Duration = .seconds(60), arguments: [String] = [], on server: PrivatePulseAudio
    ) throws -> ChildProcess {
        let file = try server.sandbox.write(
            Signal.tone(music.frequency, for: duration), to: "music-\(UUID().uuidString.prefix(6)).wav")
        return try Client(
            .paplay, file: file, as: ApplicationIdentity("player"), role: .music, arguments: arguments, on: server
        ).process
    }

    static func soundingCount(_ captures: Capture...) throws -> Int {
        try captures.reduce(0) { count, capture in
            try count + soundingFrames(of: capture.read().left, above: 1e-6).map(\.count).reduce(0, +)
        }
    }

    /// One plug of a sink is pulled: the daemon moves the sound to the other, and back. What is played comes out of one
    /// plug or the other, and nothing is lost on the way.
    @Test(arguments: [nil, 10, 200] as [Int?]) func pulseMovesTheSoundToTheSpeaker(latency: Int?) async throws {
        try await withServer(LiveTests.pulseDesktop()) { server in
            let card = try await PulseCard.start(.laptop, on: server)
            let speaker = try await card.record("speaker")
            let headphones = try await card.record("headphones")
            let player = try LiveTests.playTone(
                for: .seconds(4), arguments: latency.map { ["--latency-msec=\($0)"] } ?? [], on: server)
            try await LiveTests.hear(headphones, from: 0)
            #expect(try LiveTests.soundingCount(speaker) == 0)

            try await card.unplug("headphones")
            #expect(try await card.state().heard == "speaker")
            try await LiveTests.hear(speaker)
            try await LiveTests.hearNothing(headphones)

            try await card.plug("headphones")
            #expect(try await card.state().heard == "headphones")
            try await LiveTests.hear(headphones)
            try await LiveTests.hearNothing(speaker)

            #expect(try await player.waitForExit() == .exited(0))
            try await LiveTests.hearNothing(headphones)
            // Within a fifth of a millisecond; but a player with a small buffer may run out of it on a busy machine.
            let count = try LiveTests.soundingCount(speaker, headphones)
            #expect(abs(count - 191_999) < (latency == 10 ? 1100 : 10))
        }
    }

    /// A mute, which is a rewind as a pause is, takes back what has been rendered ahead, but not what the card holds: after
    /// a pull that comes out of the other plug.
    @Test(arguments: [0, 24_000]) func whatACardInPulseAudioHoldsComesOut(buffer: Int) async throws {
        try await withServer(LiveTests.pulseDesktop()) { server in
            let card = try await PulseCard.start(.laptop, buffer: buffer, on: server)
            let speaker = try await card.record("speaker")
            let headphones = try await card.record("headphones")
            _ = try LiveTests.playTone(on: server)
            try await LiveTests.hear(headphones, from: 0)
            let stream = try await server.waitForStream("the player's stream") { _ in true }
            try await server.setMuted(true, of: stream)
            try await card.unplug("headphones")
            try await speaker.record(.milliseconds(700))
            // Some of what it holds comes out before the pull.
            let held = try LiveTests.soundingCount(speaker)
            #expect(buffer == 0 ? held == 0 : held > 0 && held <= buffer)
            try await server.setMuted(false, of: stream)
            try await LiveTests.hear(speaker)
        }
    }

    /// A plug that has a profile of its own: the sink goes, another one comes, and the stream is moved.
    @Test func pulsePullsAPlugAndTakesASinkAway() async throws {
        try await withServer(LiveTests.pulseDesktop()) { server in
            let card = try await PulseCard.start(.ucm, on: server)
            let speaker = try await card.record("ucm-speaker")
            let headphones = try await card.record("ucm-headphones")
            _ = try LiveTests.playTone(on: server)
            try await LiveTests.hear(headphones)
            let old = try await card.state().nodes["ucm-headphones"]
            try await card.unplug("ucm-headphones")
            let state = try await card.state()
            #expect(state.profile == "HiFi (Mic1, Speaker)" && state.heard == "ucm-speaker")
            #expect(old != nil && state.nodes["ucm-speaker"] != old)
            try await LiveTests.hear(speaker)
            try await LiveTests.hearNothing(headphones)
            try await card.plug("ucm-headphones")
            try await LiveTests.hear(headphones)
            try await LiveTests.hearNothing(speaker)
        }
    }

    /// A headset comes and goes as a whole; the stream follows it and returns.
    @Test func pulseStreamsFollowAHeadsetThatComesAndGoes() async throws {
        try await withServer(LiveTests.pulseDesktop(hasNullSink: true)) { server in
            let card = try await PulseCard.start(.usb, isAbsent: true, on: server)
            let elsewhere = try await Capture.start(on: server)
            let headset = try await card.record("usb-output")
            _ = try LiveTests.playTone(on: server)
            try await LiveTests.hear(elsewhere)
            for _ in 0..<3 {
                try await card.appear()
                try await LiveTests.hear(headset)
                try await LiveTests.hearNothing(elsewhere)
                try await card.vanish()
                try await LiveTests.hear(elsewhere)
                try await LiveTests.hearNothing(headset)
            }
            #expect(try await card.state().isPresent == false)
        }
    }

    /// Music in one profile, calls in the other; and pulled out between the two.
    @Test func aHeadsetInPulseAudioChangesItsProfile() async throws {
        try await withServer(LiveTests.pulseDesktop(hasNullSink: true)) { server in
            let card = try await PulseCard.start(.bluetooth, on: server)
            let elsewhere = try await Capture.start(on: server)
            let music = try await card.record("bluetooth-output")
            let call = try await card.record("handsfree-output")
            _ = try LiveTests.playTone(on: server)
            try await LiveTests.hear(music)
            try await card.setProfile("headset-head-unit")
            try await LiveTests.hear(call)
            try await LiveTests.hearNothing(music)
            let sinks = try await server.sandbox.run(Invocation("pactl", ["list", "short", "sinks"]))
            #expect(
                String(decoding: sinks, as: UTF8.self).contains("bluez_sink.00_11_22_33_44_55.headset_head_unit"))
            try await card.vanish(inSwitchTo: "a2dp-sink")
            try await LiveTests.hear(elsewhere)
            try await LiveTests.hearNothing(call)
            try await card.appear()
            try await card.waitUntilLinked()
            try await LiveTests.hearNothing(elsewhere)
        }
    }

    /// R65: each port's volume is the daemon's to remember, and comes back with the plug.
    @Test func volumesFollowThePlugInPulseAudio_R65() async throws {
        try await withServer(LiveTests.pulseDesktop()) { server in
            let card = try await PulseCard.start(.laptop, on: server)
            let headphones = try await card.record("headphones")
            func setVolume(_ position: Double, of plug: String) async throws {
                let value = "\(Int(position * 65536))"
                try await server.sandbox.run(Invocation("pactl", ["set-sink-volume", "@DEFAULT_SINK@", value]))
                try await card.wait(for: "the volume of \(plug)") {
                    abs(($0.volumes[plug] ?? 0) - pow(position, 3)) < 0.001
                }
            }
            try await setVolume(0.8, of: "headphones")
            try await card.unplug("headphones")
            try await setVolume(0.3, of: "speaker")
            for _ in 0..<2 {
                try await card.plug("headphones")
                try await card.wait(for: "the headphones' volume") {
                    $0.heard == "headphones" && abs(($0.volumes["headphones"] ?? 0) - 0.512) < 0.001
                }
                try await card.unplug("headphones")
                try await card.wait(for: "the speaker's volume") {
                    $0.heard == "speaker" && abs(($0.volumes["speaker"] ?? 0) - 0.027) < 0.001
                }
            }
            // And the plug is as loud as that.
            try await card.plug("headphones")
            _ = try LiveTests.playTone(on: server)
            let level = LiveTests.full + 20 * log10(0.512)
            try await headphones.wait(for: LiveTests.music, at: level, tolerance: 0.2, lasting: .milliseconds(100))
        }
    }

    /// A bad contact: the port ends up right.
    @Test(arguments: [(CardKind.phone, "phone-headphones", "phone-speaker"), (.ucm, "ucm-speaker", "ucm-headphones")])
    func aPlugWithABadContactEndsUpRightInPulseAudio(kind: CardKind, plug: String, other: String) async throws {
        try await withServer(LiveTests.pulseDesktop()) { server in
            let card = try await PulseCard.start(kind, on: server)
            let flapping = kind == .ucm ? other : plug
            let one = try await card.record(plug)
            let another = try await card.record(other)
            _ = try LiveTests.playTone(on: server)
            try await LiveTests.hear(another)
            try await card.flap(flapping, timesPerSecond: 50, for: .milliseconds(1020))
            try await LiveTests.hear(one)
            try await LiveTests.hearNothing(another)
            #expect(try await card.state().ports[flapping] == (kind == .ucm ? "no" : "yes"))
        }
    }

    /// Two cards at once, one of them of a type that nobody knows; the sound goes to the better one.
    @Test func twoCardsAtOnceInPulseAudio() async throws {
        try await withServer(LiveTests.pulseDesktop(hasNullSink: true)) { server in
            let odd = try await PulseCard.start(.odd, on: server)
            let laptop = try await PulseCard.start(.laptop, on: server)
            let oddSound = try await odd.record("odd-output")
            let headphones = try await laptop.record("headphones")
            _ = try LiveTests.playTone(on: server)
            try await LiveTests.hear(headphones)
            try await LiveTests.hearNothing(oddSound)
            try await laptop.unload()
            try await LiveTests.hear(oddSound)
            #expect(server.daemon?.isRunning == true)
        }
    }

    /// What a microphone hears says which one it is.
    @Test func aHeadsetsMicrophoneTakesOverInPulseAudio() async throws {
        try await withServer(LiveTests.pulseDesktop(hasNullSink: true)) { server in
            let card = try await PulseCard.start(.laptop, on: server)
            let source = try await card.state().nodes["internal-mic"]
            #expect(source != nil)
            let path = server.sandbox.path("tmp/microphone.f32")
            let recorder = try server.sandbox.start(
                "recorder",
                Invocation(
                    "parecord",
                    [
                        "--device=alsa_input.pci-0000_00_1f.3.analog-stereo", "--raw", "--format=float32le",
                        "--rate=48000", "--channels=2", "--latency-msec=20",
                    ]), output: path)
            let recording = try await Capture.start(following: path, writtenBy: recorder)
            try await recording.wait(for: Tone(310), at: -12.04)
            try await card.plug("headset-mic")
            #expect(try await card.state().nodes["headset-mic"] == source)
            try await recording.wait(for: Tone(530), at: -12.04)
            // Beside a tone as loud as that no other is measured lower.
            try await recording.wait(for: Tone(310), below: -40)
            try await card.unplug("headset-mic")
            try await recording.wait(for: Tone(310), at: -12.04)
        }
    }

    /// All kinds at once, with two of one kind, as the daemon describes them.
    @Test func everyCardIsThereInPulseAudio() async throws {
        try await withServer(LiveTests.pulseDesktop()) { server in
            for kind in CardKind.allCases {
                let card = try await PulseCard.start(kind, on: server)
                let state = try await card.state()
                #expect(state.heard != nil && state.ports.count >= state.nodes.count)
                await #expect(throws: CardRefusal.self) { try await card.unplug("nothing") }
                await #expect(throws: CardRefusal.self) { try await card.setProfile("nothing") }
                await #expect(throws: CardRefusal.self) { _ = try await card.record("nothing") }
            }
            _ = try await PulseCard.start(.usb, instance: "second", on: server)
            let list = try await server.sandbox.run(Invocation("pactl", ["--format=json", "list", "cards"]))
            let cards = try JSONValue(parsing: list).elements
            #expect(cards.count == CardKind.allCases.count + 1)
            #expect(Set(cards.compactMap { $0["name"]?.text }).count == cards.count)
            await #expect(throws: CommandFailure.self) {
                try await server.sandbox.run(
                    Invocation("pactl", ["load-module", "module-fixture-card", "kind=nothing", "socket=/tmp/none"]))
            }
            #expect(server.daemon?.isRunning == true)
        }
    }
}
