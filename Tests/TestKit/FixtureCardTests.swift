import Foundation
import TestKit
import Testing

/// The fixture card under the stock session manager, without any module: what a user's desktop does by itself.
extension LiveTests {
    /// A desktop on which new routes are at full volume, so that levels are the files' own.
    static func loudDesktop(_ change: (inout DesktopOptions) -> Void = { _ in }) async throws -> PrivateDesktop {
        var options = DesktopOptions()
        options.routeVolume = 1
        change(&options)
        return try await PrivateDesktop.start(options)
    }

    static let music = Tone(440)
    static let full = -6.02

    static func play(for duration: Duration = .seconds(60), on desktop: PrivateDesktop) throws -> Client {
        let name = "music-\(UUID().uuidString.prefix(6)).wav"
        let file = try desktop.sandbox.write(Signal.tone(music.frequency, for: duration), to: name)
        return try Client(.paplay, file: file, as: ApplicationIdentity("player"), role: .music, on: desktop)
    }

    static func hear(_ capture: Capture, from start: Int? = nil) async throws {
        try await capture.wait(for: music, at: full, lasting: .milliseconds(200), from: start)
    }

    static func hearNothing(_ capture: Capture, from start: Int? = nil) async throws {
        try await capture.wait(for: music, below: -100, lasting: .milliseconds(200), from: start)
    }

    static func waitForDefaultSink(_ awaited: String, on desktop: PrivateDesktop, _ condition: (String) -> Bool)
        async throws
    {
        _ = try await waitUntil(awaited, evidence: { desktop.sandbox.logTails() }) {
            try await desktop.defaultSink().flatMap { condition($0) ? $0 : nil }
        }
    }

    /// One plug of a sink is pulled: the session manager routes the sound to the other, and back.
    @Test func pullingAPlugMovesTheSoundToTheSpeaker() async throws {
        try await withServer(LiveTests.loudDesktop { $0.hasNullSink = false }) { desktop in
            let card = try await FixtureCard.start(.laptop, on: desktop)
            try await LiveTests.waitForDefaultSink("the card's sink as default", on: desktop) {
                $0 == "alsa_output.pci-0000_00_1f.3.analog-stereo"
            }
            let speaker = try await Capture.start(on: desktop, of: card.outlet("speaker"))
            let headphones = try await Capture.start(on: desktop, of: card.outlet("headphones"))
            _ = try LiveTests.play(on: desktop)
            try await LiveTests.hear(headphones)
            #expect(soundingFrames(of: try speaker.read().left, above: 1e-6).isEmpty)

            try await card.unplug("headphones")
            try await card.wait(untilHeardFrom: "speaker")
            try await LiveTests.hear(speaker)
            try await LiveTests.hearNothing(headphones)

            try await card.plug("headphones")
            try await card.wait(untilHeardFrom: "headphones")
            try await LiveTests.hear(headphones)
            try await LiveTests.hearNothing(speaker)
        }
    }

    /// A plug that has a profile of its own: the sink goes, another one comes, and the stream is moved.
    @Test func pullingAPlugTakesASinkAway() async throws {
        try await withServer(LiveTests.loudDesktop { $0.hasNullSink = false }) { desktop in
            let card = try await FixtureCard.start(.ucm, on: desktop)
            let speaker = try await Capture.start(on: desktop, of: card.outlet("ucm-speaker"))
            let headphones = try await Capture.start(on: desktop, of: card.outlet("ucm-headphones"))
            _ = try LiveTests.play(on: desktop)
            try await LiveTests.hear(headphones)
            try await card.unplug("ucm-headphones")
            let state = try await card.wait(for: "the speaker's profile") { $0.heard == "ucm-speaker" && $0.isLinked }
            #expect(state.profile == "HiFi (Mic1, Speaker)")
            try await LiveTests.hear(speaker)
            try await LiveTests.hearNothing(headphones)
            try await card.plug("ucm-headphones")
            try await card.wait(untilHeardFrom: "ucm-headphones")
            try await LiveTests.hear(headphones)
            try await LiveTests.hearNothing(speaker)
        }
    }

    /// A headset comes and goes as a whole; the stream follows it and returns.
    @Test func streamsFollowAHeadsetThatComesAndGoes() async throws {
        try await withServer(LiveTests.loudDesktop()) { desktop in
            let card = try await FixtureCard.start(.usb, isAbsent: true, on: desktop)
            let elsewhere = try await Capture.start(on: desktop)
            let headset = try await Capture.start(on: desktop, of: card.outlet("usb-output"))
            _ = try LiveTests.play(on: desktop)
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
            #expect(try await desktop.defaultSink() == desktop.sinkName)
        }
    }

    /// Music in one profile, calls in the other; and pulled out between the two.
    @Test func aHeadsetChangesItsProfile() async throws {
        try await withServer(LiveTests.loudDesktop()) { desktop in
            let card = try await FixtureCard.start(.bluetooth, on: desktop)
            let elsewhere = try await Capture.start(on: desktop)
            let music = try await Capture.start(on: desktop, of: card.outlet("bluetooth-output"))
            let call = try await Capture.start(on: desktop, of: card.outlet("handsfree-output"))
            _ = try LiveTests.play(on: desktop)
            try await LiveTests.hear(music)
            try await card.setProfile("headset-head-unit")
            try await LiveTests.hear(call)
            try await LiveTests.hearNothing(music)
            let nodes = try await desktop.dump().filter { $0.type == "Node" }.compactMap {
                $0.properties["api.bluez5.profile"]
            }
            #expect(nodes == ["headset-head-unit", "headset-head-unit"])
            try await card.vanish(inSwitchTo: "a2dp-sink")
            try await LiveTests.hear(elsewhere)
            try await LiveTests.hearNothing(call)
            try await card.appear()
            try await card.waitUntilLinked()
            try await LiveTests.hearNothing(elsewhere)
        }
    }

    /// R65: each route's volume is the session manager's to remember, and comes back with the plug.
    @Test func volumesFollowThePlug_R65() async throws {
        try await withServer(PrivateDesktop.start()) { desktop in
            let card = try await FixtureCard.start(.laptop, on: desktop)
            func setVolume(_ position: Double, of plug: String) async throws {
                let node = try #require(try await card.state().nodes[plug])
                try await desktop.sandbox.run(Invocation("wpctl", ["set-volume", "\(node)", "\(position)"]))
                try await card.wait(for: "the volume of \(plug)") {
                    abs(($0.volumes[plug] ?? 0) - pow(position, 3)) < 0.001
                }
            }
            try await setVolume(0.8, of: "headphones")
            try await card.unplug("headphones")
            try await card.wait(untilHeardFrom: "speaker")
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
        }
    }

    /// A bad contact: the route ends up right.
    @Test func aPlugWithABadContactEndsUpRight() async throws {
        try await withServer(LiveTests.loudDesktop { $0.hasNullSink = false }) { desktop in
            let card = try await FixtureCard.start(.phone, on: desktop)
            let headphones = try await Capture.start(on: desktop, of: card.outlet("phone-headphones"))
            let speaker = try await Capture.start(on: desktop, of: card.outlet("phone-speaker"))
            _ = try LiveTests.play(on: desktop)
            try await LiveTests.hear(speaker)
            try await card.flap("phone-headphones", timesPerSecond: 50, for: .milliseconds(1020))
            try await LiveTests.hear(headphones)
            try await LiveTests.hearNothing(speaker)
            #expect(try await card.state().ports["phone-headphones"] == "yes")
        }
    }

    /// Two cards at once, one of them of a type that nobody knows; the sound goes to the better one.
    @Test func twoCardsAtOnce() async throws {
        try await withServer(LiveTests.loudDesktop()) { desktop in
            let odd = try await FixtureCard.start(.odd, on: desktop)
            let laptop = try await FixtureCard.start(.laptop, on: desktop)
            let oddSound = try await Capture.start(on: desktop, of: odd.outlet("odd-output"))
            let headphones = try await Capture.start(on: desktop, of: laptop.outlet("headphones"))
            _ = try LiveTests.play(on: desktop)
            // Of equal rank, so either may be chosen.
            _ = try await waitUntil("the default sink of a card") {
                try await desktop.defaultSink() == desktop.sinkName ? nil : true
            }
            let isOdd = try await desktop.defaultSink()?.hasPrefix("odd") ?? false
            try await LiveTests.hear(isOdd ? oddSound : headphones)
            try await (isOdd ? odd : laptop).vanish()
            try await LiveTests.hear(isOdd ? headphones : oddSound)
        }
    }

    /// What a microphone hears says which one it is.
    @Test func aHeadsetsMicrophoneTakesOver() async throws {
        try await withServer(LiveTests.loudDesktop()) { desktop in
            let card = try await FixtureCard.start(.laptop, on: desktop)
            let source = try #require(try await card.state().nodes["internal-mic"])
            let name = try #require(
                try await desktop.dump().first { $0.id == source }?.properties["node.name"])
            let recording = try await Capture.start(on: desktop, of: .ports(node: name, prefix: "capture"))
            try await recording.wait(for: Tone(310), at: -12.04)
            try await card.plug("headset-mic")
            // What is known to be in is preferred to what may be.
            try await card.wait(for: "the headset's microphone") { $0.nodes["headset-mic"] == source }
            try await recording.wait(for: Tone(530), at: -12.04)
            // Beside a tone as loud as that no other is measured lower.
            try await recording.wait(for: Tone(310), below: -40)
        }
    }
}
