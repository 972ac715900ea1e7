import Foundation
import TestKit
import Testing

/// Users pull plugs (R63, R64): with a card that the stock session manager takes for a real one, recorded plug by plug.
extension LiveModule {
    @Test(
        "R63 R64 a headset is pulled out as a whole: nothing of its music is heard elsewhere, and it goes on when it is back"
    )
    func headsetGoes() async throws {
        try await LiveDesktop.run(options: { $0.routeVolume = 1 }) { desk in
            let card = try await desk.card(.usb)
            let headset = try await card.record("usb-output")
            let app = try await desk.application()
            let session = try await app.open()
            let music = try desk.play(LiveDesktop.music, with: .paplay, as: "music-player", role: .music)
            try await headset.wait(for: LiveDesktop.music, at: LiveDesktop.full, lasting: .milliseconds(300))
            for _ in 0..<3 {
                let start = desk.capture.frameCount
                try await card.vanish()
                try await music.waitForStream(in: [.idle, .suspended])
                try await desk.expectSilence(since: start)
                try await card.appear()
                try await card.waitUntilLinked()
                try await headset.wait(for: LiveDesktop.music, at: LiveDesktop.full, lasting: .milliseconds(300))
                try await desk.expectSilence(since: start)
            }
            #expect(try await app.get(session, "Interrupted").bool == false)
            // A call goes on wherever there is something to hear it with.
            music.terminate()
            _ = try desk.play(LiveDesktop.interrupter, with: .plain, as: "telephone", role: .phone)
            try await headset.wait(for: LiveDesktop.interrupter, at: LiveDesktop.full, lasting: .milliseconds(300))
            try await card.vanish()
            try await desk.hear(LiveDesktop.interrupter)
        }
    }

    @Test(
        "R64 what its user plays on after the headset has gone is heard elsewhere, and what is not back in time stays silent"
    )
    func headsetStaysAway() async throws {
        try await LiveDesktop.run(policy: "routes = { resume-within = 1s }", options: { $0.routeVolume = 1 }) { desk in
            let card = try await desk.card(.usb)
            let headset = try await card.record("usb-output")
            let music = try desk.play(LiveDesktop.music, with: .mpvPulse, as: "music-player", role: .music)
            try await headset.wait(for: LiveDesktop.music, at: LiveDesktop.full, lasting: .milliseconds(300))
            let start = desk.capture.frameCount
            try await card.vanish()
            try await desk.log.wait(forLineContaining: "its output has not come back in time")
            try await card.appear()
            try await card.waitUntilLinked()
            try await desk.capture.record(.seconds(1))
            try await desk.expectSilence(since: start)
            try await card.vanish()
            try await music.pause()
            // As long as anybody needs to press a key again.
            try await desk.capture.record(.milliseconds(400))
            try await music.unpause()
            try await desk.hear(LiveDesktop.music)
        }
    }

    @Test("R56 R63 R64 headphones are pulled out many times, at any moment: not one sample on the speaker")
    func headphonesPulled() async throws {
        try await LiveDesktop.run(options: { $0.routeVolume = 1 }) { desk in
            let card = try await desk.card(.laptop)
            let speaker = try await card.record("speaker")
            let headphones = try await card.record("headphones")
            _ = try desk.play(LiveDesktop.music, with: .plain, as: "music-player", role: .music, for: .seconds(600))
            try await headphones.wait(for: LiveDesktop.music, at: LiveDesktop.full, lasting: .milliseconds(300))
            let before = try desk.changesOfRoute(for: "new-device-available")
            let pulls = Selection.isAll ? 100 : 10
            for _ in 0..<pulls {
                // At any moment of the quantum.
                try await headphones.record(.milliseconds(Int.random(in: 30...130)))
                try await desk.pullAndPlug("headphones", instead: "speaker", of: card, heardOn: headphones)
            }
            #expect(try desk.changesOfRoute(for: "old-device-unavailable") == pulls)
            #expect(try desk.changesOfRoute(for: "new-device-available") == before + pulls)
            try await desk.expectSilence(of: speaker)
        }
    }

    @Test("N7 R64 a session is told that its output has gone and that it is back, and goes on when it activates itself")
    func routeDisconnectedTold() async throws {
        try await LiveDesktop.run(options: { $0.routeVolume = 1 }) { desk in
            let card = try await desk.card(.laptop)
            let speaker = try await card.record("speaker")
            let headphones = try await card.record("headphones")
            let app = try await desk.application()
            let session = try await app.open(#"{"display-name": "Player"}"#)
            try await app.session(session, "SetCategory", #""playback""#, "[]", #""""#)
            try await app.session(session, "Activate", "[]")
            _ = try await app.start(desk.invocation(LiveDesktop.music, with: .plain, as: "player", role: .music))
            try await headphones.wait(for: LiveDesktop.music, at: LiveDesktop.full, lasting: .milliseconds(300))
            try await card.unplug("headphones")
            try await app.hear(#"InterruptionBegan "route-disconnected""#)
            #expect(try await app.get(session, "Active").bool == false)
            try await card.wait(untilHeardFrom: "speaker")
            try await card.plug("headphones")
            try await app.hear("InterruptionEnded true")
            try await app.session(session, "Activate", "[]")
            let from = headphones.frameCount
            try await headphones.wait(
                for: LiveDesktop.music, at: LiveDesktop.full, lasting: .milliseconds(300), from: from)
            try await desk.expectSilence(of: speaker)
        }
    }

    @Test(
        "N25 R64 of two sessions one asks for an interruption when its output goes and one for none, whatever the policy",
        arguments: [true, false])
    func interruptionPreferred(policyPauses: Bool) async throws {
        try await LiveDesktop.run(
            policy: "routes = { pause-on-disconnect = \(policyPauses) }", options: { $0.routeVolume = 1 }
        ) { desk in
            let card = try await desk.card(.laptop)
            let speaker = try await card.record("speaker")
            let headphones = try await card.record("headphones")
            var applications: [SessionApplication] = []
            for (wish, tone, name) in [(true, LiveDesktop.music, "film"), (false, LiveDesktop.interrupter, "game")] {
                let app = try await desk.application()
                let session = try await app.open()
                try await app.session(session, "SetCategory", #""playback""#, #"["mix-with-others"]"#, #""""#)
                if wish != policyPauses {
                    try await app.session(
                        session, "SetPreference", #""interruption-on-route-disconnect""#, "\(wish)")
                }
                try await app.session(session, "Activate", "[]")
                _ = try await app.start(desk.invocation(tone, with: .plain, as: name, role: nil))
                try await headphones.wait(for: tone, at: LiveDesktop.full, lasting: .milliseconds(300))
                applications.append(app)
            }
            try await card.unplug("headphones")
            try await applications[0].hear(#"InterruptionBegan "route-disconnected""#)
            try await speaker.wait(for: LiveDesktop.interrupter, at: LiveDesktop.full, lasting: .milliseconds(700))
            // The film is on the left.
            #expect(try await desk.heard(from: 0, in: speaker).left.count { abs($0) >= 1e-6 } == 0)
            #expect(!applications[1].signals.contains { $0.hasPrefix("InterruptionBegan") })
        }
    }

    @Test(
        "R56 R64 a client that is asked to stop and answers late is not heard on the speaker", arguments: [true, false])
    func answersLate(hasAnswered: Bool) async throws {
        try await LiveDesktop.run(options: { $0.routeVolume = 1 }) { desk in
            let card = try await desk.card(.laptop)
            let speaker = try await card.record("speaker")
            let headphones = try await card.record("headphones")
            let music = try desk.play(LiveDesktop.music, with: .paplay, as: "music-player", role: .music)
            try await headphones.wait(for: LiveDesktop.music, at: LiveDesktop.full, lasting: .milliseconds(300))
            if hasAnswered {
                try await desk.pullAndPlug("headphones", instead: "speaker", of: card, heardOn: headphones)
            }
            // As on a machine that has no time for it, or has to read it from its disk again.
            music.process.signal(SIGSTOP)
            try await card.unplug("headphones")
            try await card.wait(untilHeardFrom: "speaker")
            try await speaker.record(.milliseconds(700))
            music.process.signal(SIGCONT)
            // Longer than any client needs to answer: what must not be heard cannot be waited for.
            try await speaker.record(.milliseconds(700))
            try await card.plug("headphones")
            try await card.wait(untilHeardFrom: "headphones")
            if hasAnswered {
                let from = headphones.frameCount
                try await headphones.wait(
                    for: LiveDesktop.music, at: LiveDesktop.full, lasting: .milliseconds(100), from: from)
            }
            try await desk.expectSilence(of: speaker)
        }
    }

    @Test(
        "R64 what a starved player does by itself is not its user's: it is not heard on the speaker",
        arguments: StarvedPlayer.underTest)
    func starved(player: StarvedPlayer) async throws {
        try await LiveDesktop.run(options: { $0.routeVolume = 1 }) { desk in
            let card = try await desk.card(.usb)
            let headset = try await card.record("usb-output")
            let mocks = DesktopMocks(desk.sandbox)
            let process = try player.start(on: desk)
            if player == .vlc { try await mocks.waitForPlayer("vlc", of: process) }
            try await headset.wait(for: LiveDesktop.music, at: LiveDesktop.full, lasting: .milliseconds(300))
            // Pulled again as soon as it is back: some players stop for a moment when they begin.
            let quick = desk.capture.frameCount
            for _ in 0..<3 {
                try await card.vanish()
                try await desk.capture.record(.seconds(1))
                let lines = try desk.log.lineCount
                try await card.appear()
                try await desk.log.wait(forLineContaining: "has ended, it resumes", after: lines)
            }
            try await card.vanish()
            try await desk.capture.record(.seconds(3))
            try await desk.expectSilence(since: quick)
            try await card.appear()
            try await desk.hearAgain(in: headset, of: card)
            let pulls = Selection.isAll ? 10 : 1
            var (whole, tried) = (0, 0)
            while whole < pulls {
                tried += 1
                let start = desk.capture.frameCount
                try await card.vanish()
                // Starved players do something every two seconds or so. After a minute the music is given up.
                try await desk.capture.record(.seconds(Selection.isAll ? 55 : 8))
                try await card.appear()
                try await desk.hearAgain(in: headset, of: card)
                do {
                    try await desk.expectSilence(since: start)
                    whole += 1
                } catch let error as BrokenStretch where tried < 3 * pulls {
                    print("Played again: a pull of \(player), as \(error)")
                }
            }
            print("\(player): \(pulls) pulls, nothing of it on the speaker")
        }
    }

    @Test(
        "R64 a program that dies or ends while its headset is away is gone soon, and not after a minute",
        arguments: [SIGKILL, SIGTERM])
    func diesWhileAway(by signal: Int32) async throws {
        try await LiveDesktop.run(options: { $0.routeVolume = 1 }) { desk in
            let card = try await desk.card(.usb)
            let headset = try await card.record("usb-output")
            let music = try desk.play(LiveDesktop.music, with: .plain, as: "player", role: .music)
            try await headset.wait(for: LiveDesktop.music, at: LiveDesktop.full, lasting: .milliseconds(300))
            let lines = try desk.log.lineCount
            try await card.vanish()
            try await desk.log.wait(forLineContaining: "was interrupted by", after: lines)
            music.process.signal(signal)
            try await music.waitUntilGone()
            let process = music.process.processID
            try await desk.server.waitForStreams { !$0.contains { $0.processID == process } }
            _ = try await waitUntil("its entry to be gone", within: .seconds(30)) {
                try await desk.stream(of: "player") == nil ? true : nil
            }
        }
    }

    @Test("R64 who answered a call late, and lost its headphones in the call, is not heard on the speaker after it")
    func losesOutputInCall() async throws {
        try await LiveDesktop.run(options: { $0.routeVolume = 1 }) { desk in
            let card = try await desk.card(.laptop)
            let speaker = try await card.record("speaker")
            let headphones = try await card.record("headphones")
            let music = try desk.play(LiveDesktop.music, with: .paplay, as: "music-player", role: .music)
            try await headphones.wait(for: LiveDesktop.music, at: LiveDesktop.full, lasting: .milliseconds(300))
            let call = try await desk.call(answeredLateBy: music, while: headphones)
            try await card.unplug("headphones")
            try await speaker.wait(for: LiveDesktop.interrupter, at: LiveDesktop.full, lasting: .milliseconds(300))
            call.terminate()
            try await call.waitUntilGone()
            // Longer than any client needs to go on: what must not be heard cannot be waited for.
            try await speaker.record(.seconds(1))
            // The music is on the left.
            #expect(try await desk.heard(from: 0, in: speaker).left.count { abs($0) >= 1e-6 } == 0)
        }
    }

    @Test(
        "R56 R64 a card whose thread is late, and nowhere else to play: nothing of what was mixed ahead on the speaker")
    func cardIsLate() async throws {
        try await LiveDesktop.run(options: { $0.routeVolume = 1 }) { desk in
            // With another sink the stream would move away, which takes back what was mixed ahead in any case.
            _ = try await desk.capture.stop()
            try await desk.sandbox.run(Invocation("pactl", ["unload-module", "module-null-sink"]))
            let card = try await PulseCard.start(.laptop, lag: .milliseconds(20), on: desk.pulseAudio)
            let speaker = try await card.record("speaker")
            let headphones = try await card.record("headphones")
            _ = try desk.play(LiveDesktop.music, with: .paplay, as: "music-player", role: .music)
            try await headphones.wait(for: LiveDesktop.music, at: LiveDesktop.full, lasting: .milliseconds(300))
            for _ in 0..<2 {
                try await desk.pullAndPlug("headphones", instead: "speaker", of: card, heardOn: headphones)
            }
            try await desk.expectSilence(of: speaker)
        }
    }

    @Test("R64 a card that has a buffer has played it before the speaker is chosen")
    func bufferPlayedOut() async throws {
        try await LiveDesktop.run(options: { $0.routeVolume = 1 }) { desk in
            let card = try await desk.card(.laptop, buffer: 1024)
            let speaker = try await card.record("speaker")
            let headphones = try await card.record("headphones")
            _ = try desk.play(LiveDesktop.music, with: .paplay, as: "music-player", role: .music)
            try await headphones.wait(for: LiveDesktop.music, at: LiveDesktop.full, lasting: .milliseconds(300))
            for _ in 0..<10 {
                try await headphones.record(.milliseconds(Int.random(in: 30...130)))
                try await desk.pullAndPlug("headphones", instead: "speaker", of: card, heardOn: headphones)
            }
            try await desk.expectSilence(of: speaker)
        }
    }

    @Test("R64 a card that is given headroom has played it before the speaker is chosen", arguments: [2048, 10_240])
    func headroomPlayedOut(headroom: Int) async throws {
        try await LiveDesktop.run(options: {
            $0.routeVolume = 1
            $0.pipeWire.cardHeadroom = headroom
        }) { desk in
            // A quantum that is played while the next one is made, and the headroom. WirePlumber gives cards in virtual
            // machines 2048 frames, and before 0.5 8192.
            let card = try await desk.card(.laptop, buffer: 1024 + headroom)
            let speaker = try await card.record("speaker")
            let headphones = try await card.record("headphones")
            _ = try desk.play(LiveDesktop.music, with: .paplay, as: "music-player", role: .music)
            try await headphones.wait(for: LiveDesktop.music, at: LiveDesktop.full, lasting: .milliseconds(300))
            for _ in 0..<5 {
                try await headphones.record(.milliseconds(Int.random(in: 30...130)))
                try await desk.pullAndPlug("headphones", instead: "speaker", of: card, heardOn: headphones)
            }
            try await desk.expectSilence(of: speaker)
        }
    }

    @Test("the session manager has the card: it exports the device, and made the nodes as it does those of ALSA")
    func managerHasCard() async throws {
        try await LiveDesktop.run { desk in
            let state = try await desk.card(.laptop).state()
            let manager = try #require(try desk.pipeWire.wirePlumber).processID
            let objects = try await desk.pipeWire.dump()
            func process(of id: UInt32?) -> String? {
                let owner = objects.first { $0.id == id }?.properties["client.id"]
                return objects.first { "\($0.id)" == owner }?.properties["pipewire.sec.pid"]
            }
            #expect(process(of: state.device) == "\(manager)")
            let node = try #require(objects.first { $0.id == state.nodes["headphones"] })
            #expect(process(of: node.id) == "\(manager)")
            #expect(node.properties["factory.name"] == "api.alsa.pcm.sink")
            #expect(node.properties["node.name"] == "alsa_output.pci-0000_00_1f.3.analog-stereo")
            #expect(node.properties["node.pause-on-idle"] == "false")
        }
    }

    @Test("R56 R63 R64 where each plug has a profile and a sink of its own, pulling one is the same to everybody")
    func profilesPulled() async throws {
        try await LiveDesktop.run(options: { $0.routeVolume = 1 }) { desk in
            let card = try await desk.card(.ucm)
            let speaker = try await card.record("ucm-speaker")
            let headphones = try await card.record("ucm-headphones")
            // WirePlumber 0.5.18 compares profiles by what it has read of plugs before they changed, and so goes back to
            // headphones mostly not by itself, with this module or without. To a profile that its user has chosen it goes.
            if desk.server.kind == .pipeWire {
                for plug in ["Mic1, Speaker", "Headphones, Mic1"] { try await card.setProfile("HiFi (\(plug))") }
            }
            _ = try desk.play(LiveDesktop.music, with: .paplay, as: "music-player", role: .music)
            try await headphones.wait(for: LiveDesktop.music, at: LiveDesktop.full, lasting: .milliseconds(300))
            let start = desk.capture.frameCount
            // WirePlumber 0.5 takes so long to choose a new card's sink that this is a change of its own.
            let before = try desk.changesOfRoute(for: "new-device-available")
            for _ in 0..<5 {
                try await desk.pullAndPlug("ucm-headphones", instead: "ucm-speaker", of: card, heardOn: headphones)
            }
            #expect(try desk.changesOfRoute(for: "old-device-unavailable") == 5)
            #expect(try desk.changesOfRoute(for: "new-device-available") == before + 5)
            try await desk.expectSilence(of: speaker)
            try await desk.expectSilence(since: start)
        }
    }

    @Test("R64 its user chooses the speaker while headphones are in: the music goes on there")
    func profileChosen() async throws {
        try await LiveDesktop.run(options: { $0.routeVolume = 1 }) { desk in
            let card = try await desk.card(.ucm)
            let speaker = try await card.record("ucm-speaker")
            let headphones = try await card.record("ucm-headphones")
            _ = try desk.play(LiveDesktop.music, with: .paplay, as: "music-player", role: .music)
            try await headphones.wait(for: LiveDesktop.music, at: LiveDesktop.full, lasting: .milliseconds(300))
            try await card.setProfile("HiFi (Mic1, Speaker)")
            try await speaker.wait(for: LiveDesktop.music, at: LiveDesktop.full, lasting: .milliseconds(300))
        }
    }

    @Test("R63 R64 two devices go and come at the same time: each gives back what was heard on it")
    func twoDevices() async throws {
        try await LiveDesktop.run(options: { $0.routeVolume = 1 }) { desk in
            let laptop = try await desk.card(.laptop)
            let headset = try await desk.card(.usb)
            let speaker = try await laptop.record("speaker")
            let jack = try await laptop.record("headphones")
            let usb = try await headset.record("usb-output")
            _ = try desk.play(LiveDesktop.music, with: .plain, as: "music-player", role: .music)
            try await usb.wait(for: LiveDesktop.music, at: LiveDesktop.full, lasting: .milliseconds(300))
            let isSilent = (speaker.frameCount, jack.frameCount)
            for _ in 0..<3 {
                async let first: Void = laptop.unplug("headphones")
                async let second: Void = headset.vanish()
                _ = try await (first, second)
                try await laptop.wait(untilHeardFrom: "speaker")
                async let third: Void = laptop.plug("headphones")
                async let fourth: Void = headset.appear()
                _ = try await (third, fourth)
                try await headset.waitUntilLinked()
                let from = usb.frameCount
                try await usb.wait(
                    for: LiveDesktop.music, at: LiveDesktop.full, lasting: .milliseconds(300), from: from)
            }
            try await desk.expectSilence(of: speaker, since: isSilent.0)
            try await desk.expectSilence(of: jack, since: isSilent.1)
        }
    }

    @Test("R63 a plug with a bad contact, 50 times a second: few events, the right end, not a sample on the speaker")
    func flapping() async throws {
        try await LiveDesktop.run(options: { $0.routeVolume = 1 }) { desk in
            let card = try await desk.card(.laptop)
            let speaker = try await card.record("speaker")
            let headphones = try await card.record("headphones")
            _ = try desk.play(LiveDesktop.music, with: .plain, as: "music-player", role: .music)
            try await headphones.wait(for: LiveDesktop.music, at: LiveDesktop.full, lasting: .milliseconds(300))
            let before = try desk.changesOfRoute()
            try await card.flap("headphones", timesPerSecond: 50, for: .seconds(4))
            try await card.wait(untilHeardFrom: "headphones")
            let from = headphones.frameCount
            try await headphones.wait(
                for: LiveDesktop.music, at: LiveDesktop.full, lasting: .milliseconds(300), from: from)
            // Once in two seconds at the most while it lasts, and once when it has ended.
            let changes = try desk.changesOfRoute() - before
            #expect(changes <= 4, "\(changes) changes of the route")
            try await desk.expectSilence(of: speaker)
        }
    }

    @Test("R63 a card vanishes in the middle of a switch of its profile, and comes again: nothing is stuck")
    func vanishesInSwitch() async throws {
        try await LiveDesktop.run(options: { $0.routeVolume = 1 }) { desk in
            let card = try await desk.card(.bluetooth)
            let music = try await card.record("bluetooth-output")
            _ = try desk.play(LiveDesktop.music, with: .paplay, as: "music-player", role: .music)
            try await music.wait(for: LiveDesktop.music, at: LiveDesktop.full, lasting: .milliseconds(300))
            let start = desk.capture.frameCount
            for _ in 0..<3 {
                try await card.vanish(inSwitchTo: "headset-head-unit")
                try await card.appear()
                try await card.waitUntilLinked()
                try await card.setProfile("a2dp-sink")
                try await card.waitUntilLinked()
                let from = music.frameCount
                try await music.wait(
                    for: LiveDesktop.music, at: LiveDesktop.full, lasting: .milliseconds(300), from: from)
            }
            try await desk.expectSilence(since: start)
        }
    }
}

extension LiveDesktop {
    /// Pulls a plug of a card out and puts it in again, each when all that follows is over: the session manager has sent the
    /// sound elsewhere, listeners are told, the music is heard again.
    func pullAndPlug(
        _ plug: String, instead other: String, of card: any SoundCard, heardOn headphones: Capture
    ) async throws {
        let pulled = try log.lineCount
        try await card.unplug(plug)
        try await card.wait(untilHeardFrom: other)
        try await log.wait(forLineContaining: "route: Speaker", after: pulled)
        let plugged = try log.lineCount
        try await card.plug(plug)
        try await card.wait(untilHeardFrom: plug)
        let from = headphones.frameCount
        try await headphones.wait(for: LiveDesktop.music, at: LiveDesktop.full, lasting: .milliseconds(100), from: from)
        try await log.wait(forLineContaining: "route: Headphones", after: plugged)
    }

    /// How many changes of the route the daemon has logged, of a reason or of any.
    func changesOfRoute(for reason: String = "") throws -> Int {
        try log.text.split(separator: "\n").count { $0.contains(" route: ") && $0.contains(reason) }
    }

    /// Checks that not one sample of anything has come out of a plug.
    func expectSilence(of plug: Capture, since frame: Int = 0) async throws {
        // Sound is written in blocks, and no block may have come yet.
        try await plug.waitForFrames(frame + 1)
        let sound = try await heard(from: frame, in: plug)
        #expect((sound.left + sound.right).count { abs($0) >= 1e-6 } == 0)
    }

    /// Waits until the music is heard in a headset that has just come back.
    func hearAgain(in headset: Capture, of card: any SoundCard) async throws {
        try await card.waitUntilLinked()
        let from = headset.frameCount
        try await headset.wait(for: LiveDesktop.music, at: LiveDesktop.full, lasting: .milliseconds(300), from: from)
    }

    /// Checks that not one sample of anything has come out of the null sink.
    func expectSilence(since frame: Int) async throws {
        // Sound is written in blocks, and no block may have come yet.
        try await capture.waitForFrames(frame + 1)
        let sound = try await heard(from: frame)
        let heard = sound.left.indices.filter { abs(sound.left[$0]) >= 1e-6 || abs(sound.right[$0]) >= 1e-6 }
        #expect(
            heard.isEmpty,
            "\(heard.count) frames of the null sink, from \(heard.first ?? 0) to \(heard.last ?? 0) of \(sound.left.count)"
        )
    }
}

/// The players that are starved while their output is gone.
enum StarvedPlayer: String, CaseIterable, CustomTestStringConvertible {
    case vlc
    case mpv
    case gstreamer
    case chromium
    case firefox
    case celluloid

    /// With `AUDIO_SESSION_BROWSERS`, those that `install/dependencies --browsers` installs (`Tests/run browsers`).
    static let underTest: [StarvedPlayer] =
        ProcessInfo.processInfo.environment["AUDIO_SESSION_BROWSERS"] == nil
        ? [.vlc, .mpv, .gstreamer] : [.chromium, .firefox, .celluloid]

    var testDescription: String { rawValue }

    /// Starts to play music.
    func start(on desk: LiveDesktop) throws -> ChildProcess {
        switch self {
        case .vlc:
            // What is not heard passes for VLC as well: the file would be over after two minutes without an output.
            return try desk.sandbox.start(
                "vlc",
                Invocation(
                    try desk.sandbox.vlc(),
                    ["--input-repeat=100"] + MediaPlayers.argumentsOfVLC(file: try file(on: desk), output: "pulse")))
        case .mpv: return try desk.play(LiveDesktop.music, with: .mpvPulse, as: "music-player", role: .music).process
        case .gstreamer:
            return try desk.play(LiveDesktop.music, with: .gstreamerPulse, as: "music-player", role: .music).process
        case .chromium:
            // Chromium refuses to start its sandbox as root.
            let options =
                [
                    "--headless=new", "--no-first-run", "--disable-gpu", "--disable-dev-shm-usage",
                    "--user-data-dir=\(desk.sandbox.path("chromium"))", "--autoplay-policy=no-user-gesture-required",
                ] + (geteuid() == 0 ? ["--no-sandbox"] : [])
            return try desk.sandbox.start("chromium", Invocation("chromium", options + [try page(on: desk)]))
        case .firefox:
            try desk.sandbox.write(
                """
                user_pref("media.autoplay.default", 0);
                user_pref("media.autoplay.blocking_policy", 0);
                user_pref("browser.aboutwelcome.enabled", false);

                """, to: "firefox/user.js")
            let profile = desk.sandbox.path("firefox")
            return try desk.sandbox.start(
                "firefox",
                Invocation("firefox-esr", ["--headless", "--no-remote", "--profile", profile, try page(on: desk)]))
        case .celluloid:
            return try desk.sandbox.start(
                "celluloid", Invocation("xvfb-run", ["-a", "celluloid", "--new-window", try file(on: desk)]))
        }
    }

    /// Two minutes of music.
    private func file(on desk: LiveDesktop) throws -> String {
        try desk.sandbox.write(
            Signal.tone(LiveDesktop.music.frequency, for: .seconds(120), on: LiveDesktop.music.channel),
            to: "\(rawValue).wav")
    }

    /// A page that plays music by itself.
    private func page(on desk: LiveDesktop) throws -> String {
        let sound = "<audio src='file://\(try file(on: desk))' autoplay loop></audio>\n"
        try desk.sandbox.write(sound, to: "page.html")
        return "file://\(desk.sandbox.path("page.html"))"
    }
}
