import Foundation
import TestKit
import Testing

/// Why routes change (R56), and who chooses them.
extension LiveModule {
    @Test("R56 R57 R58 the category, the override and the user's choice change the route, and listeners are told so")
    func routeReasons() async throws {
        try await LiveDesktop.run(options: { $0.routeVolume = 1 }) { desk in
            let card = try await desk.card(.phone)
            try await desk.log.wait(forLineContaining: "route: Internal Speaker")
            let app = try await desk.application()
            let session = try await app.open()
            try await app.session(session, "SetCategory", #""play-and-record""#, "[]", #""""#)
            // R57: its own part of the route has an input from now on. The system's has not changed.
            try await app.hearRoute(3, times: 1)
            try await app.session(session, "Activate", "[]")
            try await card.wait(untilHeardFrom: "phone-earpiece")
            // To begin to be active is no change of the category: for the system and for the session.
            try await app.hearRoute(8, times: 2)
            try await app.session(session, "OverrideOutput", #""speaker""#)
            try await card.wait(untilHeardFrom: "phone-speaker")
            try await app.hearRoute(4)
            #expect(try await app.get(session, "OutputOverride").text == "speaker")
            try await app.session(session, "Deactivate", "[]")
            try await card.plug("phone-headphones")
            try await card.wait(untilHeardFrom: "phone-headphones")
            try await app.hearRoute(1)
            let said = app.process.log.lineCount
            try await desk.command("route", "set", "BuiltInSpeaker")
            try await card.wait(untilHeardFrom: "phone-speaker")
            try await app.process.log.wait(forLineContaining: "signal RouteChanged 8", after: said)
        }
    }

    @Test("R56 a machine that wakes up has its devices anew; a recording without an input has no suitable route")
    func wakesWithoutInput() async throws {
        try await LiveDesktop.run(options: {
            $0.routeVolume = 1
            $0.runsSystemBus = true
            $0.hasSource = false
        }) { desk in
            let mocks = DesktopMocks(desk.sandbox)
            _ = try await mocks.startLogind()
            _ = try await waitUntil("a lock against sleep") {
                try await mocks.sleepInhibitors.contains("Audio sessions") ? true : nil
            }
            let card = try await desk.card(.usb)
            try await desk.log.wait(forLineContaining: "route: Headphones")
            let app = try await desk.application()
            let session = try await app.open()
            try await app.session(session, "SetCategory", #""playback""#, "[]", #""""#)
            try await mocks.sleep()
            _ = try await waitUntil("the machine to sleep") { try await mocks.isAsleep ? true : nil }
            try await card.vanish()
            try await app.hearRoute(2)
            try await mocks.wake()
            try await card.appear()
            try await app.hearRoute(6)
            try await card.vanish()
            try await app.hearRoute(2, times: 4)
            // It is active already: without an input, a recording could not become so.
            try await app.session(session, "Activate", "[]")
            try await app.session(session, "SetCategory", #""record""#, "[]", #""""#)
            try await app.hearRoute(7)
        }
    }

    @Test(
        "R66 R74 a session is heard where it prefers to be, all others where they were; only what is listed can be set")
    func preferredOutput() async throws {
        try await LiveDesktop.run(options: { $0.routeVolume = 1 }) { desk in
            let laptop = try await desk.card(.laptop)
            let television = try await desk.card(.hdmi)
            let screen = try await television.record("hdmi-output")
            let headphones = try await laptop.record("headphones")
            _ = try desk.play(LiveDesktop.music, with: .paplay, as: "music-player", role: .music)
            _ = try await waitUntil("headphones that can be chosen") {
                try await desk.command("route").contains("Headphones") ? true : nil
            }
            try await desk.command("route", "set", "Headphones")
            try await headphones.wait(for: LiveDesktop.music, at: LiveDesktop.full, lasting: .milliseconds(300))
            let app = try await desk.application()
            let session = try await app.open()
            try await app.session(session, "SetCategory", #""playback""#, #"["mix-with-others"]"#, #""""#)
            try await app.session(session, "Activate", "[]")
            _ = try await app.start(desk.invocation(LiveDesktop.interrupter, with: .plain, as: "film", role: nil))
            try await headphones.wait(for: LiveDesktop.interrupter, at: LiveDesktop.full, lasting: .milliseconds(300))
            await #expect(throws: SessionApplication.Failure.self) {
                try await app.session(session, "SetPreference", #""output""#, #""nowhere""#)
            }
            let outputs = try await app.get(SessionApplication.manager, "AvailableOutputs").elements
            let id = try #require(outputs.first { $0["type"]?.text == "HDMI" }?["id"]?.text)
            try await app.session(session, "SetPreference", #""output""#, "\"\(id)\"")
            try await screen.wait(for: LiveDesktop.interrupter, at: LiveDesktop.full, lasting: .milliseconds(300))
            try await headphones.wait(for: LiveDesktop.interrupter, below: -90, lasting: .milliseconds(300))
            try await headphones.wait(for: LiveDesktop.music, at: LiveDesktop.full, lasting: .milliseconds(300))
            try await screen.wait(for: LiveDesktop.music, below: -90, lasting: .milliseconds(300))
            try await app.session(session, "SetPreference", #""output""#, #""""#)
            try await headphones.wait(for: LiveDesktop.interrupter, at: LiveDesktop.full, lasting: .milliseconds(300))
            // Once more, and the end of the session puts it back as well.
            try await app.session(session, "SetPreference", #""output""#, "\"\(id)\"")
            try await screen.wait(for: LiveDesktop.interrupter, at: LiveDesktop.full, lasting: .milliseconds(300))
            try await app.session(session, "Close")
            try await headphones.wait(for: LiveDesktop.interrupter, at: LiveDesktop.full, lasting: .milliseconds(300))
        }
    }

    @Test("R66 its user chooses an output that its card has with another profile only, while another card is in use")
    func otherProfileChosen() async throws {
        try await LiveDesktop.run(options: { $0.routeVolume = 1 }) { desk in
            let laptop = try await desk.card(.ucm)
            let speaker = try await laptop.record("ucm-speaker")
            let headset = try await desk.card(.usb).record("usb-output")
            _ = try desk.play(LiveDesktop.music, with: .paplay, as: "music-player", role: .music)
            let app = try await desk.application()
            func choose(_ part: String, heardOn plug: Capture) async throws {
                let id = try await waitUntil("an output with \(part) in its id") {
                    try await app.get(SessionApplication.manager, "AvailableOutputs").elements
                        .compactMap { $0["id"]?.text }.first { $0.contains(part) }
                }
                let start = plug.frameCount
                try await desk.command("route", "set", id)
                try await plug.wait(
                    for: LiveDesktop.music, at: LiveDesktop.full, lasting: .milliseconds(300), from: start)
            }
            try await choose("Headset", heardOn: headset)
            try await choose("Speaker", heardOn: speaker)
            try await choose("Headset", heardOn: headset)
        }
    }

    @Test("R60 R62 a port of a type that nobody has heard of is reported as it is")
    func unknownPort() async throws {
        try await LiveDesktop.run(options: { $0.routeVolume = 1 }) { desk in
            _ = try await desk.card(.odd)
            try await desk.log.wait(forLineContaining: "route: Plasma Tweeter")
            let route = try JSONValue(parsing: Data(try await desk.command("route", "--json").utf8))
            let outputs = route["route"]?["outputs"]
            #expect(outputs?.elements.first?["type"]?.text == "Unknown", "\(route)")
            // A port of PulseAudio has a number for its type, and one for those that have none.
            let type = desk.server.kind == .pipeWire ? "plasma" : nil
            #expect(outputs?.elements.first?["server-type"]?.text == type, "\(route)")
        }
    }
}

extension SessionApplication {
    /// Waits until it has heard of so many changes of the route for a reason, and no more: of the system's, and of its
    /// session's own.
    func hearRoute(_ reason: Int, times: Int = 2) async throws {
        func count() -> Int { signals.count { $0.hasPrefix("RouteChanged \(reason) ") } }
        _ = try await waitUntil("\(times) changes of the route for \(reason)", evidence: { process.log.tail() }) {
            count() >= times ? true : nil
        }
        #expect(count() == times, "\(process.log.tail())")
    }
}
