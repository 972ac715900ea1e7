import Terms

extension AudioSession {
    /// What the session's sound is for; raw values are the service's words. Source: Audio Session Programming Guide,
    /// "Audio Session Categories".
    public enum Category: String, Sendable, Hashable, CaseIterable {
        /// Sound that the application can do without: mixes with others; the silent switch and the screen lock silence
        /// it.
        case ambient
        /// As ``ambient``, but does not mix. The default.
        case soloAmbient = "solo-ambient"
        /// Sound is what the application is for: music, films, speech.
        case playback
        /// Recording only; silences all playback but calls and alarms.
        case record
        /// Playback and recording, at the same time or not: telephone calls.
        case playAndRecord = "play-and-record"
        /// Conversion without a device.
        case audioProcessing = "audio-processing"
    }

    /// The kind of use, beside the category. A mode that does not fit the category behaves as ``default``. The raw
    /// value is the service's word. Source: Audio Session Programming Guide, "Audio Session Modes".
    public enum Mode: String, Sendable, Hashable, CaseIterable {
        /// For every category.
        case `default`
        /// A call, with ``Category/playAndRecord``. Also allows a Bluetooth headset's microphone.
        case voiceChat = "voice-chat"
        /// Recording with a camera.
        case videoRecording = "video-recording"
        /// Recording without processing. Changes nothing: the module processes no recording.
        case measurement
        /// Speech that pauses where other sound would be lowered: podcasts, audio books.
        case spokenAudio = "spoken-audio"
        /// Short spoken texts, such as directions.
        case voicePrompt = "voice-prompt"
        /// Films. Changes nothing.
        case moviePlayback = "movie-playback"
        /// A call with pictures.
        case videoChat = "video-chat"
        /// A call in a game. Unlike ``voiceChat``, it does not allow a Bluetooth headset's microphone.
        case gameChat = "game-chat"
    }

    /// How the session behaves beside others, and which ports it may use. Raw values are those of the phone.
    public struct CategoryOptions: OptionSet, Sendable, Hashable {
        /// One bit for each option.
        public let rawValue: UInt
        /// Makes a set of bits; unknown ones are ignored by the service.
        public init(rawValue: UInt) { self.rawValue = rawValue }

        /// Plays beside others, with ``Category/playback`` and ``Category/playAndRecord``. Unlike in the library for C,
        /// the option stays after an interruption.
        public static let mixWithOthers = CategoryOptions(rawValue: 0x1)
        /// Lowers others while this session is active, and mixes with them.
        public static let duckOthers = CategoryOptions(rawValue: 0x2)
        /// Allows a Bluetooth headset's microphone, with categories that record.
        public static let allowBluetooth = CategoryOptions(rawValue: 0x4)
        /// Sends output to the loudspeaker instead of the receiver while nothing else is connected, with
        /// ``Category/playAndRecord``.
        public static let defaultToSpeaker = CategoryOptions(rawValue: 0x8)
        /// Interrupts ``Mode/spokenAudio``, and mixes with all else. Contains ``mixWithOthers``.
        public static let interruptSpokenAudioAndMixWithOthers = CategoryOptions(rawValue: 0x11)
        /// Allows Bluetooth loudspeakers, with ``Category/playAndRecord``.
        public static let allowBluetoothA2DP = CategoryOptions(rawValue: 0x20)
        /// Allows AirPlay, with ``Category/playAndRecord``.
        public static let allowAirPlay = CategoryOptions(rawValue: 0x40)

        private static let named: [(CategoryOptions, CategoryOption)] = [
            (.mixWithOthers, .mixWithOthers), (.duckOthers, .duckOthers),
            (.interruptSpokenAudioAndMixWithOthers, .interruptSpokenAudio), (.defaultToSpeaker, .defaultToSpeaker),
            (.allowBluetooth, .allowBluetoothInput), (.allowBluetoothA2DP, .allowBluetoothA2DP),
            (.allowAirPlay, .allowAirPlay),
        ]

        /// In the service's words, mix-with-others follows from interrupt-spoken-audio.
        var words: [String] {
            let isInterrupting = contains(.interruptSpokenAudioAndMixWithOthers)
            return CategoryOptions.named.filter { option, term in
                contains(option) && !(isInterrupting && term == .mixWithOthers)
            }.map(\.1.rawValue)
        }

        /// Unknown words are left out.
        init(words: [String]) {
            self.init(CategoryOptions.named.filter { words.contains($0.1.rawValue) }.map(\.0))
        }
    }

    /// Where the output goes instead of where the category sends it. The raw value is the service's word.
    public enum PortOverride: String, Sendable, Hashable, CaseIterable {
        /// Where the category sends it.
        case none
        /// To the loudspeaker; input comes from the built-in microphone.
        case speaker
    }

    /// Options of ``setActive(_:options:)``.
    public struct SetActiveOptions: OptionSet, Sendable, Hashable {
        /// One bit for each option.
        public let rawValue: UInt
        /// Makes a set of bits.
        public init(rawValue: UInt) { self.rawValue = rawValue }

        /// For deactivation only: sessions that this one has interrupted are told to resume.
        public static let notifyOthersOnDeactivation = SetActiveOptions(rawValue: 1)
    }

    /// Options of ``activate(options:)``.
    public struct ActivationOptions: OptionSet, Sendable, Hashable {
        /// One bit for each option.
        public let rawValue: UInt
        /// Makes a set of bits.
        public init(rawValue: UInt) { self.rawValue = rawValue }

        /// Instead of failing while a stronger session is active, wait until activation is possible.
        public static let delayed = ActivationOptions(rawValue: 1)
    }
}
