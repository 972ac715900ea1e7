import Foundation
import TestKit
import Testing

/// Recordings, under which plugs are put in and pulled out (R64).
extension LiveModule {
    @Test("R64 N7 either stops a recording where the policy says so: only its application goes on, and is told why")
    func plugsStopRecordings() async throws {
        try await LiveDesktop.run(preset: "phone") { desk in
            let card = try await desk.card(.laptop)
            // The card's own arrival is a change too.
            try await desk.log.wait(forLineContaining: "route: Headphones")
            let app = try await desk.application()
            let session = try await app.open()
            try await app.session(session, "SetCategory", #""record""#, "[]", #""""#)
            try await app.session(session, "Activate", "[]")
            let recording = try Recording("recorder", on: desk)
            _ = try await app.start(recording.invocation)
            try await recording.waitUntilItGoesOn()
            for pulls in [true, false] {
                if pulls { try await card.unplug("headphones") } else { try await card.plug("headphones") }
                try await app.hear(#"InterruptionBegan "route-disconnected""#)
                try await app.hear("InterruptionEnded false")
                try await recording.waitUntilItStops(desk)
                #expect(try await app.get(session, "Active").bool == false)
                try await app.session(session, "Activate", "[]")
                try await recording.waitUntilItGoesOn()
            }
        }
    }

    @Test("R57 R64 that no input suits it stops no recording, under a policy where other inputs would stop it")
    func recordsWithoutInput() async throws {
        // So many seconds are recorded; a whole recording is long.
        let seconds = ProcessInfo.processInfo.environment["AUDIO_SESSION_RECORDED"].flatMap(Int.init) ?? 3
        let policy = "roles = { production = none }"
        try await LiveDesktop.run(preset: "phone", policy: policy) { desk in
            // It records what another program plays, which the policy leaves alone.
            let studio = try desk.play(
                Signal.position(for: .seconds(seconds + 60)), with: .pwPlay, as: "studio", role: .production)
            let played = try await studio.waitForStream()
            let app = try await desk.application()
            let session = try await app.open()
            try await app.session(session, "SetCategory", #""record""#, "[]", #""""#)
            let serial = try #require(played.properties["object.serial"])
            let recording = Recording(in: desk.sandbox, "recorder.wav") { file in
                Invocation("pw-record", ["--target", serial, "--format", "s16", "--channels", "2", file])
            }
            _ = try await app.start(recording.invocation)
            try await app.waitForStream(of: session)
            try await app.session(session, "Activate", "[]")
            try await app.hear("RouteChanged 7")
            for _ in 0..<seconds { try await recording.waitUntilItGoesOn(for: .seconds(1)) }
            #expect(try await app.get(session, "Active").bool == true)
            #expect(!app.signals.contains { $0.hasPrefix("InterruptionBegan") })
            let track = PositionTrack(of: try recording.sound(), threshold: 2e-3)
            print("recorded \(track.sounding.reduce(0) { $0 + $1.count }) frames, breaks: \(track.breaks)")
            #expect(track.breaks.isEmpty)
        }
    }

    @Test("N7 R26 muting the microphone interrupts a recording until it is unmuted; a call goes on, and can tell")
    func mutes() async throws {
        try await LiveDesktop.run { desk in
            let card = try await desk.card(.laptop)
            try await desk.log.wait(forLineContaining: "from Internal Microphone")
            let app = try await desk.application()
            let session = try await app.open()
            let recording = try Recording("recorder", on: desk)
            _ = try await app.start(recording.invocation)
            func mute(_ isMuted: Bool) async throws {
                try await card.setMuted(isMuted, of: "internal-mic")
                _ = try await waitUntil("InputMuted", evidence: { desk.sandbox.logTails() }) {
                    try await app.get(session, "InputMuted").bool == isMuted ? true : nil
                }
            }
            try await app.session(session, "SetCategory", #""play-and-record""#, "[]", #""""#)
            try await app.session(session, "Activate", "[]")
            try await recording.waitUntilItGoesOn()
            try await mute(true)
            try await desk.capture.record(.milliseconds(500))
            #expect(try await app.get(session, "Active").bool == true)
            try await recording.waitUntilItGoesOn()
            try await mute(false)
            #expect(!app.signals.contains { $0.hasPrefix("Interruption") })

            try await app.session(session, "SetCategory", #""record""#, "[]", #""""#)
            try await mute(true)
            try await app.hear(#"InterruptionBegan "device-muted" "Built-in Audio"#)
            try await recording.waitUntilItStops(desk)
            #expect(try await app.get(session, "Active").bool == false)
            #expect(!app.signals.contains { $0.hasPrefix("InterruptionEnded") })
            try await mute(false)
            try await app.hear("InterruptionEnded true")
            try await app.session(session, "Activate", "[]")
            try await recording.waitUntilItGoesOn()

            // Muted already: its application can tell.
            try await app.session(session, "Deactivate", "[]")
            try await recording.waitUntilItStops(desk)
            try await mute(true)
            try await app.session(session, "Activate", "[]")
            try await recording.waitUntilItGoesOn()
            #expect(app.signals.count { $0.hasPrefix("InterruptionBegan") } == 1)
            #expect(try await app.get(session, "Active").bool == true)
        }
    }

    @Test("R26 R79 a recording without a role joins the session that its application opens, and is left alone after it")
    func untaggedRecordings() async throws {
        try await LiveDesktop.run { desk in
            _ = try await desk.card(.laptop)
            try await desk.log.wait(forLineContaining: "from Internal Microphone")
            let app = try await desk.application()
            let recording = try Recording("recorder", with: .parecord, on: desk)
            _ = try await app.start(recording.invocation)
            try await recording.waitUntilItGoesOn()
            for activates in [true, false] {
                #expect(try await app.manager("ListStreams").elements.isEmpty)
                // It is there already.
                let session = try await app.open()
                try await app.session(session, "SetCategory", #""record""#, "[]", #""""#)
                let sessions = try await app.manager("ListSessions").elements
                #expect(sessions.first { $0["path"]?.text == session }?["streams"]?.elements.count == 1)
                #expect(try await app.get(session, "Active").bool == true)
                try await recording.waitUntilItGoesOn()
                try await app.session(session, "Deactivate", "[]")
                try await recording.waitUntilItStops(desk)
                if activates {
                    try await app.session(session, "Activate", "[]")
                    try await recording.waitUntilItGoesOn()
                }
                try await app.session(session, "Close")
                try await recording.waitUntilItGoesOn()
            }
        }
    }

    @Test("R64 on a desktop a recording goes on, whatever is plugged in or pulled out")
    func plugsLeaveRecordings() async throws {
        try await LiveDesktop.run { desk in
            let card = try await desk.card(.laptop)
            let recording = try Recording("recorder", on: desk)
            _ = try desk.sandbox.start("recorder", recording.invocation)
            try await recording.waitUntilItGoesOn()
            try await desk.log.wait(forLineContaining: "route: Headphones")
            try await card.unplug("headphones")
            try await desk.log.wait(forLineContaining: "old-device-unavailable")
            try await desk.capture.record(.milliseconds(500))
            try await recording.waitUntilItGoesOn(for: .milliseconds(500))
        }
    }
}
