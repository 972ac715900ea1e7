import Foundation
import TestKit
import Testing

/// Where calls are heard: on a card with an earpiece, a loudspeaker and a jack, managed by the stock session manager.
extension LiveModule {
    @Test(
        "R41 R42 R46 R47 a call is heard in the earpiece, and from the speaker if it says so; all goes back when it ends"
    )
    func callInEarpiece() async throws {
        try await LiveDesktop.run(options: { $0.routeVolume = 1 }) { desk in
            let card = try await desk.card(.phone)
            let earpiece = try await card.record("phone-earpiece")
            let speaker = try await card.record("phone-speaker")
            try await card.wait(untilHeardFrom: "phone-speaker")
            let app = try await desk.application()
            let session = try await app.call()
            let call = try await app.start(
                desk.invocation(LiveDesktop.interrupter, with: .plain, as: "call", role: .phone))
            try await earpiece.wait(for: LiveDesktop.interrupter, at: LiveDesktop.full, lasting: .milliseconds(300))
            try await app.session(session, "OverrideOutput", #""speaker""#)
            try await speaker.wait(for: LiveDesktop.interrupter, at: LiveDesktop.full, lasting: .milliseconds(300))
            #expect(try await app.get(session, "OutputOverride").text == "speaker")
            try await app.session(session, "OverrideOutput", #""none""#)
            try await card.wait(untilHeardFrom: "phone-earpiece")
            try await app.session(session, "Deactivate", "[]")
            try await card.wait(untilHeardFrom: "phone-speaker")
            // R47: nothing else is connected, so the speaker it is, until a headset is.
            try await app.session(session, "SetCategory", #""play-and-record""#, #"["default-to-speaker"]"#, #""""#)
            try await earpiece.wait(for: LiveDesktop.interrupter, below: -90, lasting: .milliseconds(300))
            let silent = earpiece.frameCount
            try await app.session(session, "Activate", "[]")
            let active = speaker.frameCount
            try await speaker.wait(
                for: LiveDesktop.interrupter, at: LiveDesktop.full, lasting: .milliseconds(500), from: active)
            try await desk.expectSilence(of: earpiece, since: silent)
            try await app.stop(call)
        }
    }

    @Test("R41 R46 R47 a headset that is put in takes the call, whatever was said of the speaker before")
    func callInHeadset() async throws {
        try await LiveDesktop.run(options: { $0.routeVolume = 1 }) { desk in
            let card = try await desk.card(.phone)
            let app = try await desk.application()
            let session = try await app.call()
            // R76: before anything records.
            _ = try await waitUntil("a gain that can be changed") {
                try await app.get(session, "InputGainAvailable").bool == true ? true : nil
            }
            _ = try await app.start(desk.invocation(LiveDesktop.interrupter, with: .plain, as: "call", role: .phone))
            try await card.wait(untilHeardFrom: "phone-earpiece")
            try await app.session(session, "OverrideOutput", #""speaker""#)
            try await card.wait(untilHeardFrom: "phone-speaker")
            try await card.plug("phone-headphones")
            try await card.wait(untilHeardFrom: "phone-headphones")
            // R41: another route ends it.
            try await app.wait(for: session, "OutputOverride", "none")
            try await app.session(session, "OverrideOutput", #""speaker""#)
            try await card.wait(untilHeardFrom: "phone-speaker")
            try await app.session(session, "OverrideOutput", #""none""#)
            try await card.wait(untilHeardFrom: "phone-headphones")
            try await card.unplug("phone-headphones")
            try await card.wait(untilHeardFrom: "phone-earpiece")
            app.process.signal(SIGKILL)
            try await card.wait(untilHeardFrom: "phone-speaker")
        }
    }

    @Test(
        "R43 R48 R58 R61 a call that may use the Bluetooth headset's microphone is heard in that headset, any other is not"
    )
    func callWithBluetooth() async throws {
        try await LiveDesktop.run(options: { $0.routeVolume = 1 }) { desk in
            let card = try await desk.card(.phone)
            let headset = try await desk.card(.bluetooth)
            try await headset.setProfile("headset-head-unit")
            try await headset.waitUntilLinked()
            try await desk.log.wait(forLineContaining: "from Handsfree")
            let speaker = try await card.record("phone-speaker")
            let bluetooth = try await headset.record("handsfree-output")
            let app = try await desk.application()
            let session = try await app.call(#"["allow-bluetooth-input"]"#)
            _ = try await app.start(desk.invocation(LiveDesktop.interrupter, with: .plain, as: "call", role: .phone))
            let file = try await desk.startRecording("microphone", by: app)
            try await bluetooth.wait(for: LiveDesktop.interrupter, at: LiveDesktop.full, lasting: .milliseconds(300))
            try await desk.wait(for: Tone(910, on: .left), in: file)
            #expect(
                try await app.get(session, "CurrentRoute")["inputs"]?.elements.first?["type"]?.text == "BluetoothHFP")
            try await app.session(session, "SetCategory", #""play-and-record""#, "[]", #""""#)
            try await desk.wait(for: Tone(310, on: .left), in: file)
            // R57: an option that ends is no other category.
            try await app.hear("RouteChanged 8")
            #expect(try await app.get(session, "CurrentRoute")["inputs"]?.elements.first?["type"]?.text == "BuiltInMic")
            // What it prefers is where it is heard.
            let outputs = try await app.get(SessionApplication.manager, "AvailableOutputs").elements
            let id = try #require(outputs.first { $0["type"]?.text == "BuiltInSpeaker" }?["id"]?.text)
            try await app.session(session, "SetPreference", #""output""#, "\"\(id)\"")
            try await speaker.wait(for: LiveDesktop.interrupter, at: LiveDesktop.full, lasting: .milliseconds(300))
            try await app.hearRoute(8, times: 2)
        }
    }
}

extension SessionApplication {
    /// An active session of a call.
    func call(_ options: String = "[]") async throws -> String {
        let session = try await open(#"{"display-name": "Telephone"}"#)
        try await self.session(session, "SetCategory", #""play-and-record""#, options, #""video-chat""#)
        try await self.session(session, "Activate", "[]")
        return session
    }

    /// Waits until a property of a session says something.
    func wait(for session: String, _ property: String, _ value: String) async throws {
        _ = try await waitUntil("\(property) \(value)") {
            let text = try await get(session, property).text
            return text == value ? text : nil
        }
    }
}

extension LiveDesktop {
    /// Waits until a tone alone, of those of microphones, is in what is being recorded.
    fileprivate func wait(for tone: Tone, in file: String) async throws {
        _ = try await waitUntil("\(tone.frequency) Hz in \(file)") { () -> Bool? in
            guard let sound = latestSound(in: file) else { return nil }
            let levels = [310.0, 910].map { ToneEnvelope(of: sound.left, frequency: $0).levels.max() ?? -200 }
            return (levels[0] > -40) == (tone.frequency == 310) && (levels[1] > -40) == (tone.frequency == 910)
                ? true : nil
        }
    }
}
