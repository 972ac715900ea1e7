/// What a session's sound is for, and so what the session may do to others and others to the session: the phone's six
/// (R15–R20), and `uiSound` for the sounds of the interface, outside the sessions (R13).
public enum Category: String, Sendable, Hashable, CaseIterable {
    /// Decoration: mixes with other sessions, obeys the silent switch and the screen lock (R15).
    case ambient
    /// Like ambient, but does not mix: the phone's default (R16).
    case soloAmbient = "solo-ambient"
    /// Sound is the application's main purpose: music, films, speech (R17).
    case playback
    /// Recording only; silences all playback but phone and alarm (R18, R21).
    case record
    /// Playback and recording, not necessarily at the same time: calls (R19).
    case playAndRecord = "play-and-record"
    /// Conversion without a device (R20).
    case audioProcessing = "audio-processing"
    /// A short sound of the interface, outside the sessions (R13).
    case uiSound = "ui-sound"

    /// The categories for applications: the sounds of the interface are outside the sessions (R13).
    public static let ofApplications = allCases.filter { $0 != .uiSound }

    /// Whether the category lets a session be heard (R15–R20).
    public var playsSound: Bool {
        switch self {
        case .ambient, .soloAmbient, .playback, .playAndRecord, .uiSound: true
        case .record, .audioProcessing: false
        }
    }

    /// Whether the category lets a session record (R18, R19).
    public var recordsSound: Bool {
        switch self {
        case .record, .playAndRecord: true
        case .ambient, .soloAmbient, .playback, .audioProcessing, .uiSound: false
        }
    }
}

/// An option that modifies a category (R39–R43, N2, N5). The raw value is its name in policy files and on D-Bus.
public enum CategoryOption: String, Sendable, Hashable, CaseIterable {
    /// The session plays along with others (R39).
    case mixWithOthers = "mix-with-others"
    /// Others are lowered while the session plays; sets ``mixWithOthers`` too (R40, R49).
    case duckOthers = "duck-others"
    /// Output goes to the speaker although the category prefers the receiver (R42).
    case defaultToSpeaker = "default-to-speaker"
    /// A Bluetooth headset's microphone may be used (R43).
    case allowBluetoothInput = "allow-bluetooth-input"
    /// Spoken audio stops for this session, everything else plays along; sets ``mixWithOthers`` too (N2).
    case interruptSpokenAudio = "interrupt-spoken-audio"
    /// Output may go to Bluetooth headphones (N5).
    case allowBluetoothA2DP = "allow-bluetooth-a2dp"
    /// Output may go to AirPlay (N5).
    case allowAirPlay = "allow-airplay"

    /// Whether the option concerns other sessions, and makes its session mix with them (R39, R49, N2).
    public var isMixing: Bool {
        switch self {
        case .mixWithOthers, .duckOthers, .interruptSpokenAudio: true
        case .defaultToSpeaker, .allowBluetoothInput, .allowBluetoothA2DP, .allowAirPlay: false
        }
    }

    fileprivate var bit: UInt16 {
        switch self {
        case .mixWithOthers: 1 << 0
        case .duckOthers: 1 << 1
        case .defaultToSpeaker: 1 << 2
        case .allowBluetoothInput: 1 << 3
        case .interruptSpokenAudio: 1 << 4
        case .allowBluetoothA2DP: 1 << 5
        case .allowAirPlay: 1 << 6
        }
    }
}

/// The options of a category: a set of ``CategoryOption``.
public struct CategoryOptions: OptionSet, Sendable, Hashable {
    /// One bit for each option.
    public let rawValue: UInt16

    /// Creates a set from its bits. Unknown bits are kept.
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// The set of one option.
    public init(_ option: CategoryOption) { rawValue = option.bit }

    /// The set of some options.
    public init(_ options: some Sequence<CategoryOption>) { rawValue = options.reduce(0) { $0 | $1.bit } }

    /// ``CategoryOption/mixWithOthers``
    public static let mixWithOthers = CategoryOptions(.mixWithOthers)
    /// ``CategoryOption/duckOthers``
    public static let duckOthers = CategoryOptions(.duckOthers)
    /// ``CategoryOption/defaultToSpeaker``
    public static let defaultToSpeaker = CategoryOptions(.defaultToSpeaker)
    /// ``CategoryOption/allowBluetoothInput``
    public static let allowBluetoothInput = CategoryOptions(.allowBluetoothInput)
    /// ``CategoryOption/interruptSpokenAudio``
    public static let interruptSpokenAudio = CategoryOptions(.interruptSpokenAudio)
    /// ``CategoryOption/allowBluetoothA2DP``
    public static let allowBluetoothA2DP = CategoryOptions(.allowBluetoothA2DP)
    /// ``CategoryOption/allowAirPlay``
    public static let allowAirPlay = CategoryOptions(.allowAirPlay)

    /// The options that make a session mix (R39, R49, N2).
    public static let mixing = CategoryOptions(CategoryOption.allCases.filter(\.isMixing))

    /// The options in the set, in the order of their declaration.
    public var options: [CategoryOption] { CategoryOption.allCases.filter { rawValue & $0.bit != 0 } }

    /// The names of the options, in that order.
    public var names: [String] { options.map(\.rawValue) }
}

/// The kind of use within a category (R50–R53, N1, N3, N4).
public enum Mode: String, Sendable, Hashable, CaseIterable {
    /// No use in particular (R50).
    case `default`
    /// A call (R51). It also allows a Bluetooth input.
    case voiceChat = "voice-chat"
    /// Recording with a camera (R52).
    case videoRecording = "video-recording"
    /// Capture without processing (R53). A sound server processes nothing by itself, so this mode changes nothing.
    case measurement
    /// Speech to listen to, which stops rather than being lowered (N1).
    case spokenAudio = "spoken-audio"
    /// A short announcement (N3).
    case voicePrompt = "voice-prompt"
    /// The sound of a film (N4). It changes nothing.
    case moviePlayback = "movie-playback"
    /// A call with pictures (N4). It does not allow a Bluetooth input by itself.
    case videoChat = "video-chat"
    /// The chat of a game (N4). It does not allow a Bluetooth input by itself.
    case gameChat = "game-chat"

    /// Whether people talk to each other, which makes a call under play-and-record.
    public var isChat: Bool { self == .voiceChat || self == .videoChat || self == .gameChat }
}

extension Category {
    /// Whether an option fits the category (R39, R40, R42, R43, N2, N5).
    public func takes(_ option: CategoryOption) -> Bool {
        switch option {
        // R40, R49: every category that plays sound can duck.
        case .duckOthers: playsSound
        // R42
        case .defaultToSpeaker: self == .playAndRecord
        // R43
        case .allowBluetoothInput: recordsSound
        // R39: a category that always mixes does not need the option.
        case .mixWithOthers, .interruptSpokenAudio, .allowBluetoothA2DP, .allowAirPlay:
            self == .playback || self == .playAndRecord
        }
    }

    /// Whether a mode has an effect in the category (R50–R53, R55, N1, N3, N4).
    public func takes(_ mode: Mode) -> Bool {
        switch mode {
        case .default: true
        case .voiceChat, .videoChat, .gameChat: self == .playAndRecord
        case .videoRecording, .measurement: recordsSound
        case .spokenAudio, .voicePrompt, .moviePlayback: playsSound
        }
    }
}
