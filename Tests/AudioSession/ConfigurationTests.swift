import TestKit
import Testing

@testable import AudioSession

/// What an application says of its session, and what the real service makes of it.
@Suite(.timeLimit(.minutes(10))) struct ConfigurationTests {
    @Test("R15-R20 R50-R53 every category and mode is one of the service's")
    func words() async throws {
        try await withStage { stage in
            let session = try await stage.session()
            #expect(session.category == .soloAmbient)
            for category in AudioSession.Category.allCases {
                try session.setCategory(category)
                #expect(session.category == category)
                #expect(try session.property("Category", \.text) == category.rawValue)
            }
            try session.setCategory(.playAndRecord)
            for mode in AudioSession.Mode.allCases {
                try session.setMode(mode)
                #expect(session.mode == mode)
                #expect(try session.property("Mode", \.text) == mode.rawValue)
            }
            try session.setCategory(.playback, mode: .spokenAudio, options: .mixWithOthers)
            #expect(session.mode == .spokenAudio)
        }
    }

    @Test("R39-R43 R49 options are the service's, and fit their categories")
    func options() async throws {
        try await withStage { stage in
            let session = try await stage.session()
            let all: [(AudioSession.CategoryOptions, [String])] = [
                (.mixWithOthers, ["mix-with-others"]), (.duckOthers, ["duck-others"]),
                (.interruptSpokenAudioAndMixWithOthers, ["interrupt-spoken-audio"]),
                (.defaultToSpeaker, ["default-to-speaker"]), (.allowBluetooth, ["allow-bluetooth-input"]),
                (.allowBluetoothA2DP, ["allow-bluetooth-a2dp"]), (.allowAirPlay, ["allow-airplay"]), ([], []),
            ]
            for (options, words) in all {
                try session.setCategory(.playAndRecord, options: options)
                #expect(session.categoryOptions == options)
                #expect(try session.property("Options", \.elements)?.compactMap(\.text) == words)
            }
            try session.setCategory(.playback, options: .duckOthers)
            #expect(
                try session.property("EffectiveOptions", \.elements)?.compactMap(\.text).contains("mix-with-others")
                    == true)
            func expect(
                _ expected: AudioSessionError.Code, _ category: AudioSession.Category,
                _ options: AudioSession.CategoryOptions
            ) {
                let code = code { try session.setCategory(category, options: options) }
                #expect(code == expected)
            }
            expect(.incompatibleCategory, .record, .mixWithOthers)
            expect(.incompatibleCategory, .playback, .defaultToSpeaker)
            expect(.incompatibleCategory, .playback, .allowBluetooth)
            // What fails has changed nothing.
            #expect(session.category == .playback && session.categoryOptions == .duckOthers)
        }
    }

    @Test("R25 hardware codecs may be used by categories that do not mix, and not for recording alone")
    func hardwareCodecs() async throws {
        try await withStage { stage in
            let session = try await stage.session()
            #expect(session.mayUseHardwareCodecs)
            let all: [(AudioSession.Category, AudioSession.CategoryOptions, Bool)] = [
                (.ambient, [], false), (.soloAmbient, [], true), (.soloAmbient, .duckOthers, false),
                (.playback, [], true), (.playback, .mixWithOthers, false),
                (.playback, .interruptSpokenAudioAndMixWithOthers, false), (.record, [], false),
                (.playAndRecord, [.defaultToSpeaker, .allowBluetooth], true), (.playAndRecord, .duckOthers, false),
                (.audioProcessing, [], true),
            ]
            for (category, options, may) in all {
                try session.setCategory(category, options: options)
                #expect(session.mayUseHardwareCodecs == may, "\(category) \(options)")
            }
        }
    }

    @Test("R41 R54 the mode is fixed while active, and the output is overridden for calls only")
    func refusals() async throws {
        try await withStage { stage in
            let session = try await stage.session()
            try session.setCategory(.playback)
            #expect(
                code { try session.overrideOutputAudioPort(.speaker) }
                    == .incompatibleCategory)
            try session.setCategory(.playAndRecord)
            try session.overrideOutputAudioPort(.speaker)
            #expect(try session.property("OutputOverride", \.text) == "speaker")
            try session.setActive(true)
            #expect(code { try session.setMode(.voiceChat) } == .unsupportedProperty)
            #expect(session.mode == .default)
            try session.setActive(false)
            try session.setMode(.voiceChat)
        }
    }

    @Test("R74 R75 R76 N8 N25 preferences are taken, clamped or refused, and the values in use say what came of them")
    func preferences() async throws {
        try await withStage { stage in
            let session = try await stage.session()
            try session.setActive(false)
            stage.play(1)
            stage.play(2, isCapture: true)
            try session.setPreferredSampleRate(44100)
            try session.setPreferredIOBufferDuration(0.005)
            try session.setInputGain(7.5)
            try session.setInputGain(0.5)
            #expect(session.preferredSampleRate == 44100 && session.preferredIOBufferDuration == 0.005)
            try session.setActive(true)
            try await session.wait(for: 44100, of: "the rate") { try session.sampleRate }
            try await session.wait(for: 0.005, of: "the duration") { try session.ioBufferDuration }
            try await session.wait(for: 0.5, of: "the gain") { try session.inputGain }
            try await session.wait(for: true, of: "gain available") { try session.isInputGainSettable }
            #expect(try !session.isInputMuted)
            let wrong: [() throws -> Void] = [
                { try session.setPreferredSampleRate(0.5) },
                { try session.setPreferredIOBufferDuration(11) },
                { try session.setInputGain(.nan) },
            ]
            for call in wrong { #expect(code(call) == .unsupportedProperty) }
            #expect(session.preferredSampleRate == 44100)
            try session.setPreferredSampleRate(0)
            try await session.wait(for: 48000, of: "the rate") { try session.sampleRate }

            func preference(_ name: String) throws -> Bool? { try session.property("Preferences") { $0 }[name]?.truth }
            try session.setPrefersNoInterruptionsFromSystemAlerts(true)
            #expect(session.prefersNoInterruptionsFromSystemAlerts)
            #expect(try preference("no-interruptions-from-system-alerts") == true)
            try session.setPrefersInterruptionOnRouteDisconnect(false)
            #expect(try preference("interruption-on-route-disconnect") == false)
            try session.setPrefersInterruptionOnRouteDisconnect(nil)
            #expect(try preference("interruption-on-route-disconnect") == nil)
        }
    }

    @Test("R80 a tagged session has the streams that name it, and no others")
    func tagged() async throws {
        try await withStage { stage in
            let whole = try await stage.session()
            let player = try await stage.session(streams: .tagged)
            stage.play(1, tag: try player.streamProperty.value)
            try await player.wait(for: true, of: "isActive") { try player.isActive }
            #expect(try !whole.isActive)
            #expect(try player.streamProperty.key == "audio-session.id")
            stage.play(2)
            try await whole.wait(for: true, of: "isActive") { try whole.isActive }
        }
    }

    @Test("errors have the four characters of the texts")
    func codes() {
        let expected = ["!ini", "ini?", "pty?", "!act", "nohw", "?cat", "!cat", "what"]
        #expect(
            AudioSessionError.Code.allCases.map { "\(AudioSessionError($0, "x"))" } == expected.map { "'\($0)': x" })
    }

    @Test("what the service does not tell fails, and is not made up")
    func untold() async throws {
        try await withStage { stage in
            let session = try await stage.session()
            #expect(
                code { _ = try session.read("X") { $0.session["X"] } } == .unspecified)
        }
    }
}
