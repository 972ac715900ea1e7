/// What a session's sound is for. A category fixes what the session may do to others and what may be done to it.
///
/// The first six are the phone's (R15–R20); `uiSound` stands for the sounds of the interface, which are outside the
/// sessions (R13).
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

    /// Why the category keeps the sound of a direction silent for good (R15–R19, R23); `nil` if it does not.
    func lack(_ direction: StreamDirection) -> Reason? {
        if self == .audioProcessing { return .noDevice }
        switch direction {
        case .playback: return playsSound ? nil : .noOutput
        case .capture: return recordsSound ? nil : .noInput
        }
    }
}

/// Options that modify a category (R39–R43, N2, N5).
public struct CategoryOptions: OptionSet, Sendable, Hashable {
    /// One bit for each option.
    public let rawValue: UInt16

    /// Creates a set from its bits. Unknown bits are kept.
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// The session plays along with others (R39).
    public static let mixWithOthers = CategoryOptions(rawValue: 1 << 0)
    /// Others are lowered while the session plays; sets ``mixWithOthers`` too (R40, R49).
    public static let duckOthers = CategoryOptions(rawValue: 1 << 1)
    /// Output goes to the speaker although the category prefers the receiver (R42).
    public static let defaultToSpeaker = CategoryOptions(rawValue: 1 << 2)
    /// A Bluetooth headset's microphone may be used (R43).
    public static let allowBluetoothInput = CategoryOptions(rawValue: 1 << 3)

    /// Spoken audio stops for this session, everything else plays along; sets ``mixWithOthers`` too (N2).
    public static let interruptSpokenAudio = CategoryOptions(rawValue: 1 << 4)
    /// Output may go to Bluetooth headphones (N5).
    public static let allowBluetoothA2DP = CategoryOptions(rawValue: 1 << 5)
    /// Output may go to AirPlay (N5).
    public static let allowAirPlay = CategoryOptions(rawValue: 1 << 6)

    /// The options that concern other sessions. Each of them makes a session mix (R39, R49, N2).
    static let mixing: CategoryOptions = [.mixWithOthers, .duckOthers, .interruptSpokenAudio]

    /// Every option with its name in policy files and on D-Bus.
    public static let named: [(name: String, option: CategoryOptions)] = [
        ("mix-with-others", .mixWithOthers),
        ("duck-others", .duckOthers),
        ("default-to-speaker", .defaultToSpeaker),
        ("allow-bluetooth-input", .allowBluetoothInput),
        ("interrupt-spoken-audio", .interruptSpokenAudio),
        ("allow-bluetooth-a2dp", .allowBluetoothA2DP),
        ("allow-airplay", .allowAirPlay),
    ]

    /// The names of the options, in that order.
    public var names: [String] { CategoryOptions.named.filter { contains($0.option) }.map(\.name) }
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

    /// Whether people talk to each other: under play-and-record, that makes a call.
    public var isChat: Bool { self == .voiceChat || self == .videoChat || self == .gameChat }
}

extension Category {
    /// Whether an option fits the category (R39, R40, R42, R43, N2, N5).
    public func takes(_ option: CategoryOptions) -> Bool {
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
        // An option has to be named here to fit anything.
        default: false
        }
    }

    /// Whether sessions of the category may begin so: a call that had to wait would lose words (R19).
    public func takes(_ handover: Handover) -> Bool { handover == .overlap || self != .playAndRecord }

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
