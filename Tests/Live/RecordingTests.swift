import Foundation
import SessionTestKit
import Testing

/// Recordings, under which plugs are put in and pulled out (R64).
extension LiveModule {
    @Test("R64 N7 either stops a recording where the policy says so: only its application goes on, and is told why")
    func plugsStopRecordings() async throws {
        try await Desk.run(arguments: "{ preset = phone }") { desk in
            let card = try await FixtureCard.start(.laptop, on: desk.desktop)
            func invocation(_ name: String) throws -> Invocation {
                try Client.invocation(
                    .pwRecord, file: desk.desktop.sandbox.path("tmp/\(name).wav"), as: ApplicationIdentity(name),
                    role: nil, on: desk.desktop)
            }
            let app = try await desk.application()
            let session = try await app.open()
            try await app.session(session, "SetCategory", #""record""#, "[]", #""""#)
            try await app.session(session, "Activate", "[]")
            let recorder = try await app.start(try invocation("recorder"))
            func wait(for state: ServerStream.State...) async throws {
                try await desk.desktop.waitForStream("the recording to be \(state)") {
                    $0.processID.map { Int($0) } == recorder && state.contains($0.state)
                }
            }
            try await wait(for: .running)
            try await desk.log.wait(forLineContaining: "route: Headphones")
            for pulls in [true, false] {
                if pulls { try await card.unplug("headphones") } else { try await card.plug("headphones") }
                try await app.hear(#"InterruptionBegan "route-disconnected""#)
                try await app.hear("InterruptionEnded false")
                try await wait(for: .idle, .suspended)
                #expect(try await app.get(session, "Active").bool == false)
                try await app.session(session, "Activate", "[]")
                try await wait(for: .running)
            }
        }
    }

    @Test("N7 R26 muting the microphone interrupts a recording until it is unmuted; a call goes on, and can tell")
    func mutes() async throws {
        try await Desk.run { desk in
            _ = try await FixtureCard.start(.laptop, on: desk.desktop)
            try await desk.log.wait(forLineContaining: "from Internal Microphone")
            let app = try await desk.application()
            let session = try await app.open()
            let recorder = try await app.start(
                try Client.invocation(
                    .pwRecord, file: desk.desktop.sandbox.path("tmp/memo.wav"), as: ApplicationIdentity("recorder"),
                    role: nil, on: desk.desktop))
            func wait(for state: ServerStream.State...) async throws {
                try await desk.desktop.waitForStream("the recording to be \(state)") {
                    $0.processID.map { Int($0) } == recorder && state.contains($0.state)
                }
            }
            func mute(_ isMuted: Bool) async throws {
                try await desk.desktop.sandbox.run(
                    Invocation("pactl", ["set-source-mute", "@DEFAULT_SOURCE@", isMuted ? "1" : "0"]))
                _ = try await waitUntil("InputMuted", evidence: { desk.desktop.sandbox.logTails() }) {
                    try await app.get(session, "InputMuted").bool == isMuted ? true : nil
                }
            }
            try await app.session(session, "SetCategory", #""play-and-record""#, "[]", #""""#)
            try await app.session(session, "Activate", "[]")
            try await wait(for: .running)
            try await mute(true)
            try await desk.capture.record(.milliseconds(500))
            #expect(try await app.get(session, "Active").bool == true)
            try await wait(for: .running)
            try await mute(false)
            #expect(!app.signals.contains { $0.hasPrefix("Interruption") })

            try await app.session(session, "SetCategory", #""record""#, "[]", #""""#)
            try await mute(true)
            try await app.hear(#"InterruptionBegan "device-muted" "Built-in Audio"#)
            try await wait(for: .idle, .suspended)
            #expect(try await app.get(session, "Active").bool == false)
            #expect(!app.signals.contains { $0.hasPrefix("InterruptionEnded") })
            try await mute(false)
            try await app.hear("InterruptionEnded true")
            try await app.session(session, "Activate", "[]")
            try await wait(for: .running)

            // Muted already: its application can tell.
            try await app.session(session, "Deactivate", "[]")
            try await wait(for: .idle, .suspended)
            try await mute(true)
            try await app.session(session, "Activate", "[]")
            try await wait(for: .running)
            #expect(app.signals.count { $0.hasPrefix("InterruptionBegan") } == 1)
            #expect(try await app.get(session, "Active").bool == true)
        }
    }

    @Test("R64 on a desktop a recording goes on, whatever is plugged in or pulled out")
    func plugsLeaveRecordings() async throws {
        try await Desk.run { desk in
            let card = try await FixtureCard.start(.laptop, on: desk.desktop)
            let recorder = try Client(
                .pwRecord, file: desk.desktop.sandbox.path("tmp/memo.wav"), as: ApplicationIdentity("recorder"),
                role: nil, on: desk.desktop)
            try await recorder.waitForStream(in: [.running])
            try await desk.log.wait(forLineContaining: "route: Headphones")
            try await card.unplug("headphones")
            try await desk.log.wait(forLineContaining: "old-device-unavailable")
            try await desk.capture.record(.milliseconds(500))
            #expect(try await recorder.stream()?.state == .running)
        }
    }
}
