import Foundation
import TestKit
import Testing

/// The rules of sessions, over a real bus and heard in a real daemon.
extension LiveModule {
    @Test(
        "R7 R14 R20 R39 R41 R42 R43 R50 R51 R52 R53 R54 R55 N4 N5 what a session may be, and the errors of what it may not"
    )
    func sessionWords() async throws {
        try await LiveDesktop.run { desk in
            let app = try await desk.application()
            let session = try await app.open()
            // The phone's default (R2).
            #expect(try await app.get(session, "Category").text == "solo-ambient")
            func set(_ category: String, _ options: [String], _ mode: String = "") async -> String {
                await desk.error {
                    try await app.session(session, "SetCategory", #""\#(category)""#, "\(options)", #""\#(mode)""#)
                }
            }
            let cases: [(category: String, options: [String], mode: String, error: String)] = [
                ("", [], "", "NoCategory"), ("loud", [], "", "UnknownValue"), ("ui-sound", [], "", "UnknownValue"),
                ("playback", ["louder"], "", "UnknownValue"), ("playback", [], "shouting", "UnknownValue"),
                ("ambient", ["mix-with-others"], "", "IncompatibleCategory"),
                ("record", ["duck-others"], "", "IncompatibleCategory"),
                ("playback", ["default-to-speaker"], "", "IncompatibleCategory"),
                ("playback", ["allow-bluetooth-input"], "", "IncompatibleCategory"),
                ("record", ["allow-bluetooth-a2dp"], "", "IncompatibleCategory"),
                ("play-and-record", ["default-to-speaker", "allow-bluetooth-input", "allow-bluetooth-a2dp"], "", ""),
                ("record", ["allow-bluetooth-input"], "measurement", ""), ("record", [], "video-recording", ""),
                ("play-and-record", [], "video-chat", ""), ("play-and-record", [], "game-chat", ""),
                ("play-and-record", [], "voice-chat", ""), ("audio-processing", [], "", ""),
                ("playback", [], "movie-playback", ""), ("playback", [], "measurement", ""),
                ("playback", ["mix-with-others"], "default", ""),
                // R54: it mixes now, and would go on mixing.
                ("playback", ["mix-with-others"], "spoken-audio", "ModeNotChangeable"),
                ("playback", [], "spoken-audio", ""),
            ]
            for (category, options, mode, error) in cases {
                let before = try await app.get(session, "Category").text
                let found = await set(category, options, mode)
                #expect(
                    found == (error.isEmpty ? "" : "org.AudioSession1.Error.\(error)"), "\(category) \(options) \(mode)"
                )
                #expect(try await app.get(session, "Category").text == (error.isEmpty ? category : before))
            }
            // R51
            _ = await set("playback", [], "default")
            _ = await set("play-and-record", [], "voice-chat")
            #expect(try await app.get(session, "Options").elements.isEmpty)
            #expect(
                try await app.get(session, "EffectiveOptions").elements.compactMap(\.text) == ["allow-bluetooth-input"])
            // R41, R39
            try await app.session(session, "OverrideOutput", #""speaker""#)
            #expect(try await app.get(session, "OutputOverride").text == "speaker")
            _ = await set("playback", [])
            #expect(try await app.get(session, "OutputOverride").text == "none")
            #expect(
                await desk.error { try await app.session(session, "OverrideOutput", #""speaker""#) }
                    == "org.AudioSession1.Error.IncompatibleCategory")
            // R11, N9: flags of one method are an error of the other.
            for (method, flag) in [("Activate", "notify-others"), ("Deactivate", "delayed")] {
                #expect(
                    await desk.error { try await app.session(session, method, #"["\#(flag)"]"#) }
                        == "org.AudioSession1.Error.InvalidFlag")
            }
            // R54: not while it is active.
            try await app.session(session, "Activate", "[]")
            #expect(
                await desk.error { try await app.session(session, "SetMode", #""spoken-audio""#) }
                    == "org.AudioSession1.Error.ModeNotChangeable")
            // R14: the output's volume can be read, and nothing of a volume can be set.
            let offer = try await desk.busctl("introspect", session).split(separator: "\n").map(String.init)
            #expect(offer.contains { $0.contains(".Activate") })
            let ofVolume = offer.filter { $0.lowercased().contains("volume") }
            #expect(ofVolume.count == 1 && ofVolume[0].hasPrefix(".OutputVolume ") && !ofVolume[0].contains("writable"))
            #expect(
                await desk.error { try await app.session(session, "SetPreference", #""output-volume""#, "0.5") }
                    == "org.AudioSession1.Error.UnknownValue")
        }
    }

    @Test(
        "R21 R22 R38 recording and processing sessions: all playback falls silent, alerts too, and they are told of a call"
    )
    func sessionRecords() async throws {
        try await LiveDesktop.run(own: "takes the microphone away", options: { $0.addMicrophone() }) { desk in
            _ = try await desk.playMusic()
            let app = try await desk.application()
            let recorder = try await app.open()
            try await app.session(recorder, "Deactivate", "[]")
            try await app.session(recorder, "SetCategory", #""record""#, "[]", #""""#)
            let recording = try Recording("recorder", on: desk)
            let recordingProcess = try await app.start(recording.invocation)
            try await app.waitForStream(of: recorder)
            try await app.session(recorder, "Activate", "[]")
            try await recording.waitUntilItGoesOn()
            try await desk.hearNothing(of: LiveDesktop.music)
            let alert = try desk.play(LiveDesktop.secondInterrupter, with: .paplay, as: "alert", role: .event)
            #expect(try await desk.highestLevel(of: LiveDesktop.secondInterrupter, during: .seconds(1)) < -90)
            alert.terminate()
            try await app.session(recorder, "Deactivate", #"["notify-others"]"#)
            try await desk.hear(LiveDesktop.music)
            let converter = try await app.open()
            try await app.session(converter, "SetCategory", #""audio-processing""#, "[]", #""""#)
            try await app.session(converter, "Activate", "[]")
            let call = try desk.play(LiveDesktop.interrupter, with: .plain, as: "telephone", role: .phone)
            try await app.hear("InterruptionBegan")
            call.terminate()
            try await app.hear("InterruptionEnded true")

            // R84: without an input, what the output plays can be recorded.
            try await app.session(converter, "Close")
            try await app.stop(recordingProcess)
            switch desk.server.kind {
            case .pulseAudio: try await desk.pactl("unload-module", "module-null-source")
            case .pipeWire: try await desk.sandbox.run(Invocation("pw-cli", ["destroy", "no-microphone"]))
            }
            _ = try await waitUntil("no input") {
                try await app.get(SessionApplication.manager, "AvailableInputs").elements.isEmpty ? true : nil
            }
            try await app.session(recorder, "Activate", "[]")
            #expect(try await app.get(recorder, "Active").bool == true)
        }
    }

    @Test(
        "R23 a stream under audio-processing gets no device but an error", arguments: ClientProgram.interrupters)
    func sessionWithoutDevice(program: ClientProgram) async throws {
        try await LiveDesktop.run { desk in
            let app = try await desk.application()
            let session = try await app.open()
            try await app.session(session, "SetCategory", #""audio-processing""#, "[]", #""""#)
            let player = try await app.start(
                desk.invocation(LiveDesktop.music, with: program, as: "player", role: .music))
            try await app.hear("StreamRefused")
            #expect(try await desk.highestLevel(of: LiveDesktop.music, during: .seconds(1)) < -90)
            try await desk.waitForEnd(of: player)
        }
    }

    @Test("R1 R28 R44 R79 R80 one mixable side is enough; a player of its own interrupts, a shared one does not")
    func sessionsOfOneApplication() async throws {
        try await LiveDesktop.run(preset: "phone") { desk in
            let app = try await desk.application()
            let own = try await app.open()
            try await app.session(own, "SetCategory", #""playback""#, "[]", #""""#)
            try await app.session(own, "Activate", "[]")
            _ = try await app.start(desk.invocation(LiveDesktop.music, with: .plain, as: "own", role: .music))
            _ = try await app.start(
                desk.invocation(LiveDesktop.interrupter, with: .paplay, as: "embedded", role: .music))
            // R79, R1: two streams of one session.
            try await desk.hear(LiveDesktop.music)
            try await desk.hear(LiveDesktop.interrupter)
            // R80: a session of its own, for streams that name it.
            let other = try await app.open(#"{"streams": "tagged"}"#)
            try await app.session(other, "SetCategory", #""playback""#, #"["mix-with-others"]"#, #""""#)
            let number = try #require(other.split(separator: "/").last)
            let tagged = try desk.invocation(
                LiveDesktop.secondInterrupter, with: .plain, as: "tagged", role: .music,
                properties: ["audio-session.id": "\(number)"])
            try await app.session(other, "Activate", "[]")
            _ = try await app.start(tagged)
            try await desk.hear(LiveDesktop.secondInterrupter)
            try await desk.hear(LiveDesktop.music)
            try await app.session(other, "SetCategory", #""playback""#, "[]", #""""#)
            try await desk.hearNothing(of: LiveDesktop.music)
            try await desk.hear(LiveDesktop.secondInterrupter)
            try await app.hear("InterruptionBegan")
        }
    }

    @Test("R9 R31 R13 taken over by another player: not asked to resume; an alert is heard again")
    func sessionTakenOver() async throws {
        try await LiveDesktop.run(preset: "phone") { desk in
            let app = try await desk.application()
            let session = try await app.open()
            try await app.session(session, "SetCategory", #""playback""#, "[]", #""""#)
            try await app.session(session, "Activate", "[]")
            _ = try await app.start(desk.invocation(LiveDesktop.music, with: .paplay, as: "player", role: .music))
            try await desk.hear(LiveDesktop.music)
            let other = try desk.play(LiveDesktop.interrupter, with: .plain, as: "other-player", role: .music)
            try await app.hear("InterruptionBegan")
            other.terminate()
            try await app.hear("InterruptionEnded false")
            #expect(try await desk.highestLevel(of: LiveDesktop.music, during: .seconds(1)) < -90)
            // R13: an alert of the same application is no part of its session.
            let alert = try await app.start(
                desk.invocation(LiveDesktop.secondInterrupter, with: .paplay, as: "alert", role: .event))
            try await desk.hear(LiveDesktop.secondInterrupter)
            try await app.stop(alert)
            try await app.session(session, "Activate", "[]")
            try await desk.hear(LiveDesktop.music)
            // The next interruption is one of its own.
            let call = try desk.play(LiveDesktop.interrupter, with: .plain, as: "telephone", role: .phone)
            try await app.hear(#"InterruptionBegan "default" "telephone"#)
            call.terminate()
        }
    }

    @Test("N1 N2 N3 a podcast is stopped by a prompt where music would be lowered")
    func sessionSpeaks() async throws {
        try await LiveDesktop.run { desk in
            _ = try await desk.playMusic()
            let podcast = try await desk.application("podcast-application")
            let speech = try await podcast.open()
            try await podcast.session(speech, "SetCategory", #""playback""#, "[]", #""spoken-audio""#)
            // It mixes with the music, which does.
            try await podcast.session(speech, "Activate", "[]")
            _ = try await podcast.start(
                desk.invocation(LiveDesktop.interrupter, with: .plain, as: "podcast", role: .music))
            try await desk.hear(LiveDesktop.interrupter)
            let navigator = try await desk.application("navigator-application")
            let prompt = try await navigator.open()
            try await navigator.session(prompt, "SetCategory", #""playback""#, #"["duck-others"]"#, #""voice-prompt""#)
            try await navigator.session(prompt, "Activate", "[]")
            try await desk.hear(LiveDesktop.music, lowered: 20)
            try await desk.hearNothing(of: LiveDesktop.interrupter)
            try await podcast.hear("InterruptionBegan")
            try await navigator.session(prompt, "Deactivate", #"["notify-others"]"#)
            try await podcast.hear("InterruptionEnded true")
            // N2: the same without lowering the music.
            try await podcast.session(speech, "Activate", "[]")
            try await desk.hear(LiveDesktop.interrupter)
            try await navigator.session(
                prompt, "SetCategory", #""playback""#, #"["interrupt-spoken-audio"]"#, #""""#)
            try await navigator.session(prompt, "Activate", "[]")
            try await desk.hearNothing(of: LiveDesktop.interrupter)
            try await desk.hear(LiveDesktop.music)
        }
    }

    @Test("N8 R30 R36 ringing leaves a session alone that asked for it, the accepted call does not; one interruption")
    func sessionAvoidsAlerts() async throws {
        try await LiveDesktop.run { desk in
            let app = try await desk.application()
            let session = try await app.open()
            try await app.session(session, "SetPreference", #""no-interruptions-from-system-alerts""#, "true")
            try await app.session(session, "SetCategory", #""playback""#, "[]", #""""#)
            try await app.session(session, "Activate", "[]")
            _ = try await app.start(desk.invocation(LiveDesktop.music, with: .plain, as: "player", role: .music))
            try await desk.hear(LiveDesktop.music)
            let phone = try await desk.application("telephone-daemon")
            let ringing = try await phone.manager("BeginInterruption", #""ringtone""#, "{}").number ?? 0
            try await desk.log.wait(forLineContaining: "(ringtone) is active")
            try await desk.hear(LiveDesktop.music)
            let call =
                try await phone.manager("BeginInterruption", #""phone""#, #"{"display-name": "Ada"}"#).number ?? 0
            try await phone.manager("EndInterruption", "\(Int(ringing))")
            try await desk.hearNothing(of: LiveDesktop.music)
            try await app.hear(#"InterruptionBegan "default" "Ada (phone)""#)
            try await phone.manager("EndInterruption", "\(Int(call))")
            try await app.hear("InterruptionEnded true")
            #expect(app.signals.filter { $0.hasPrefix("Interruption") }.count == 2)
        }
    }

    @Test("R77 N6 N12 who else is heard, and why something is not")
    func sessionAsks() async throws {
        try await LiveDesktop.run(preset: "phone") { desk in
            let app = try await desk.application()
            let session = try await app.open()
            #expect(try await app.get(session, "OtherAudioPlaying").bool == false)
            let music = try await desk.playMusic(with: .mpvPulse)
            #expect(try await app.get(session, "OtherAudioPlaying").bool == true)
            #expect(try await app.get(session, "SecondaryAudioShouldBeSilenced").bool == true)
            try await app.hear("SecondaryAudioHint true")
            try await app.session(session, "SetCategory", #""playback""#, "[]", #""""#)
            try await app.session(session, "Activate", "[]")
            try await desk.hearNothing(of: LiveDesktop.music)
            try await app.hear("SecondaryAudioHint false")
            let texts = try await app.manager("Explain", #""music-player""#).elements.compactMap(\.text)
            #expect(texts.count == 1)
            #expect(texts.first?.contains("of music-player (music) is stopped") == true, "\(texts)")
            #expect(texts.first?.contains("(playback) is heard; neither of the two mixes") == true, "\(texts)")
            #expect(
                try await app.manager("Explain", #""pid:\#(music.process.processID)""#).elements.count == 1)
            let state = try JSONValue(parsing: Data(#require(try await app.manager("DumpState").text).utf8))
            #expect(state["schema"]?.number == 2)
            #expect(state["streams"]?.elements.first?["treatment"]?.text == "corked")
            #expect(state["sessions"]?.elements.contains { $0["path"]?.text == session } == true)
            #expect(
                await desk.error { try await app.manager("Explain", #""nobody""#) }
                    == "org.AudioSession1.Error.NotFound")
        }
    }
}

extension LiveDesktop {
    /// The name of the error that something fails with; empty when it succeeds.
    func error(_ body: () async throws -> Void) async -> String {
        do {
            try await body()
            return ""
        } catch let failure as SessionApplication.Failure {
            return failure.name
        } catch {
            return "\(error)"
        }
    }

    /// What `busctl` prints of the service.
    func busctl(_ verb: String, _ arguments: String...) async throws -> String {
        let address = sandbox.environment["DBUS_SESSION_BUS_ADDRESS"] ?? ""
        let output = try await sandbox.run(
            Invocation("busctl", ["--address=\(address)", verb, "org.AudioSession1"] + arguments))
        return String(decoding: output, as: UTF8.self)
    }

    /// Waits until a grandchild has ended by itself.
    func waitForEnd(of process: Int) async throws {
        _ = try await waitUntil("the end of process \(process)") {
            let status = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
            return status.map { $0.contains(") Z ") } ?? true ? true : nil
        }
    }
}

extension LiveModule {
    @Test("N11 a daemon may claim to be a phone where the policy lets it, and another one may not")
    func claimedInterruption() async throws {
        for (binary, isAllowed) in [("~python3.*", true), ("dialler", false)] {
            let claims = "claims = { phone = { allow = [ { application.process.binary = \(binary) } ] } }"
            try await LiveDesktop.run(policy: claims) { desk in
                let app = try await desk.application()
                let error = await desk.error { try await app.manager("BeginInterruption", #""phone""#, "{}") }
                #expect(error == (isAllowed ? "" : "org.AudioSession1.Error.NotClaimable"))
            }
        }
    }

    @Test("R12 another policy takes over: a session's owner is told of what it means for it")
    func policyChangesUnderSession() async throws {
        let path = ".config/audio-session/policy.conf"
        try await LiveDesktop.run(options: { $0.configurationFiles["audio-session/policy.conf"] = "preset = desktop\n" }
        ) {
            desk in
            _ = try await desk.playMusic()
            let app = try await desk.application()
            let session = try await app.open()
            try await app.session(session, "SetCategory", #""playback""#, "[]", #""""#)
            try await app.session(session, "Activate", "[]")
            try await desk.hear(LiveDesktop.music)
            #expect(try await app.get(session, "SecondaryAudioShouldBeSilenced").bool == false)
            // The music does not mix any more, and the session came later.
            try desk.sandbox.write("preset = phone\n", to: "home/" + path)
            try await desk.hearNothing(of: LiveDesktop.music)
            #expect(try await app.get(SessionApplication.manager, "Policy").text?.contains("policy.conf") == true)
            try await app.session(session, "Deactivate", #"["notify-others"]"#)
            try await desk.hear(LiveDesktop.music)
            try await app.hear("SecondaryAudioHint true")
        }
    }

    @Test("N26 an application that was refused during a call is recommended to go on when the call is over")
    func refusedDuringCall() async throws {
        try await LiveDesktop.run { desk in
            let app = try await desk.application()
            let session = try await app.open()
            try await app.session(session, "SetCategory", #""playback""#, "[]", #""""#)
            let phone = try await desk.application("phone")
            let cookie = try await phone.manager("BeginInterruption", #""phone""#, "{}").number ?? 0
            await #expect(throws: SessionApplication.Failure.self) {
                try await app.session(session, "Activate", "[]")
            }
            #expect(!app.signals.contains { $0.hasPrefix("ResumptionRecommended") })
            try await phone.manager("EndInterruption", "\(Int(cookie))")
            try await app.hear("ResumptionRecommended")
            try await app.session(session, "Activate", "[]")
            #expect(app.signals.count { $0.hasPrefix("ResumptionRecommended") } == 1)
        }
    }
}
