import Foundation
import SessionTestKit
import Testing

/// Users pull plugs (R63, R64): with a card that the stock session manager takes for a real one, recorded plug by plug.
extension LiveModule {
    @Test(
        "R63 R64 a headset is pulled out as a whole: nothing of its music is heard elsewhere, and it goes on when it is back"
    )
    func headsetGoes() async throws {
        try await Desk.run(options: { $0.routeVolume = 1 }) { desk in
            let card = try await FixtureCard.start(.usb, on: desk.desktop)
            let headset = try await Capture.start(on: desk.desktop, of: card.outlet("usb-output"))
            let app = try await desk.application()
            let session = try await app.open()
            let music = try desk.play(Desk.music, with: .paplay, as: "music-player", role: .music)
            try await headset.wait(for: Desk.music, above: Desk.full - 1, lasting: .milliseconds(300))
            for _ in 0..<3 {
                let start = desk.capture.frameCount
                try await card.vanish()
                try await music.waitForStream(in: [.idle, .suspended])
                try await desk.expectSilence(since: start)
                try await card.appear()
                try await card.waitUntilLinked()
                try await headset.wait(for: Desk.music, above: Desk.full - 1, lasting: .milliseconds(300))
                try await desk.expectSilence(since: start)
            }
            #expect(try await app.get(session, "Interrupted").bool == false)
            // A call goes on wherever there is something to hear it with.
            music.terminate()
            _ = try desk.play(Desk.interrupter, with: .pwPlay, as: "telephone", role: .phone)
            try await headset.wait(for: Desk.interrupter, above: Desk.full - 1, lasting: .milliseconds(300))
            try await card.vanish()
            try await desk.hear(Desk.interrupter)
        }
    }

    @Test(
        "R64 what its user plays on after the headset has gone is heard elsewhere, and what is not back in time stays silent"
    )
    func headsetStaysAway() async throws {
        try await Desk.run(arguments: "{ routes = { resume-within = 1s } }", options: { $0.routeVolume = 1 }) { desk in
            let card = try await FixtureCard.start(.usb, on: desk.desktop)
            let headset = try await Capture.start(on: desk.desktop, of: card.outlet("usb-output"))
            let music = try desk.play(Desk.music, with: .mpvPulse, as: "music-player", role: .music)
            try await headset.wait(for: Desk.music, above: Desk.full - 1, lasting: .milliseconds(300))
            let start = desk.capture.frameCount
            try await card.vanish()
            try await desk.log.wait(forLineContaining: "its output has not come back in time")
            try await card.appear()
            try await card.waitUntilLinked()
            try await desk.capture.record(.seconds(1))
            try await desk.expectSilence(since: start)
            try await card.vanish()
            try await music.pause()
            try await music.unpause()
            try await desk.hear(Desk.music)
        }
    }

    @Test(
        "R56 R63 R64 the headphones are pulled out of their jack 100 times at random moments: not one sample on the speaker"
    )
    func headphonesPulled() async throws {
        try await Desk.run(options: { $0.routeVolume = 1 }) { desk in
            let card = try await FixtureCard.start(.laptop, on: desk.desktop)
            let speaker = try await Capture.start(on: desk.desktop, of: card.outlet("speaker"))
            let headphones = try await Capture.start(on: desk.desktop, of: card.outlet("headphones"))
            _ = try desk.play(Desk.music, with: .pwPlay, as: "music-player", role: .music, for: .seconds(600))
            try await headphones.wait(for: Desk.music, above: Desk.full - 1, lasting: .milliseconds(300))
            for _ in 0..<100 {
                // At any moment of the quantum.
                try await headphones.record(.milliseconds(Int.random(in: 30...130)))
                let pulled = try desk.log.lineCount
                try await card.unplug("headphones")
                try await card.wait(untilHeardFrom: "speaker")
                try await desk.log.wait(forLineContaining: "route: Speakers", after: pulled)
                let plugged = try desk.log.lineCount
                try await card.plug("headphones")
                try await card.wait(untilHeardFrom: "headphones")
                let from = headphones.frameCount
                try await headphones.wait(
                    for: Desk.music, above: Desk.full - 1, lasting: .milliseconds(100), from: from)
                try await desk.log.wait(forLineContaining: "route: Headphones", after: plugged)
            }
            let changes = try desk.log.text.split(separator: "\n").filter { $0.contains("] route: ") || $0.contains(": route: ") }
            #expect(changes.count { $0.contains("oldDeviceUnavailable") } == 100, "\(changes)")
            #expect(changes.count { $0.contains("newDeviceAvailable") } == 100, "\(changes)")
            let heard = try speaker.read()
            #expect((heard.left + heard.right).count { abs($0) >= 1e-6 } == 0)
            #expect(!heard.left.isEmpty)
        }
    }
}

extension Desk {
    /// Checks that not one sample of anything has come out of the null sink.
    func expectSilence(since frame: Int) async throws {
        let sound = try capture.read(from: frame)
        #expect((sound.left + sound.right).allSatisfy { abs($0) < 1e-6 })
    }
}
