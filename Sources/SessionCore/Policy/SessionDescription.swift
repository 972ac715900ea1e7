/// How strongly a session claims the right to be heard. A higher one interrupts a lower one, whatever mixes (R36).
public struct Priority: RawRepresentable, Sendable, Hashable, Comparable {
    /// 0…255; the three that the rules name are 0, 100 and 200.
    public let rawValue: UInt8

    /// Makes a priority, 0…255.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Applications in general.
    public static let normal = Priority(rawValue: 0)
    /// Alarm clocks and timers: over everything but the phone (R36).
    public static let alarm = Priority(rawValue: 100)
    /// Calls and their ringing: over everything, never lowered (R36).
    public static let phone = Priority(rawValue: 200)

    /// The priorities that have a name in policy files.
    public static let named: [(name: String, priority: Priority)] = [
        ("normal", .normal), ("alarm", .alarm), ("phone", .phone),
    ]

    /// Whether the left one gives way to the right one (R36).
    public static func < (left: Priority, right: Priority) -> Bool { left.rawValue < right.rawValue }

    /// Whether sessions of this priority interrupt mixable ones too, as the system's own sounds do (R36).
    public var overridesMixing: Bool { self >= .alarm }
}

/// How others are lowered while a session with ``CategoryOptions/duckOthers`` plays (R40).
public struct Ducking: Sendable, Hashable {
    /// How far, relative to the others' own volume.
    public var gain: Decibels
    /// How long the way down takes.
    public var attack: Duration
    /// How long they stay lowered after the last sound of the one that lowers them. Runs along with its release delay, so
    /// only what is longer matters.
    public var hold: Duration
    /// How long the way back takes.
    public var release: Duration

    /// Makes a way of lowering others: by 14 dB, a quarter of a second down, somewhat slower back, unless told otherwise.
    public init(
        gain: Decibels = Decibels(-14), attack: Duration = .milliseconds(250), hold: Duration = .milliseconds(300),
        release: Duration = .milliseconds(700)
    ) {
        self.gain = gain
        self.attack = attack
        self.hold = hold
        self.release = release
    }
}

/// When an interrupter's sound starts, seen from those that it silences.
public enum Handover: String, Sendable, Hashable, CaseIterable {
    /// At once; the others fade out beneath it.
    case overlap
    /// When the others are silent; its first buffers wait, none is lost.
    case hold
}

/// Whether those whom a session interrupted go on by themselves when it ends (R31).
public enum Resumption: String, Sendable, Hashable, CaseIterable {
    /// Always.
    case always
    /// When the interruption was a passing one: a higher priority, or the voice-prompt mode.
    case transient
    /// Never; only their own application starts them again.
    case never
}

/// What a session is: the category with its options and mode, and how the policy treats it. Streams get theirs from the
/// policy, by role.
public struct SessionDescription: Sendable, Hashable {
    /// The name in the policy that this came from (a role, "untagged"), for explanations.
    public var name: String
    /// What its sound is for (R15–R20).
    public var category: Category
    /// What fine-tunes the category (R39–R43).
    public var options: CategoryOptions
    /// What kind of use the category is put to (R50–R53).
    public var mode: Mode
    /// How strongly it claims the right to be heard (R36).
    public var priority: Priority
    /// How others are ducked, where the options say that they are.
    public var ducking: Ducking
    /// How long others take to fade out before, and in after, an interruption by this session. No shorter than 10 ms.
    public var fade: Duration
    /// When its sound starts, seen from those that it silences. A call never waits (R19).
    public var handover: Handover
    /// Whether those whom it interrupted go on by themselves when it ends (R31).
    public var resumption: Resumption
    /// How long the session outlives its last stream, so that a short gap does not let the others flap.
    public var releaseDelay: Duration
    /// `false` for what must go on through every interruption, such as a screen reader in a call.
    public var isInterruptible: Bool
    /// Ringing does not interrupt the session, an accepted call does (N8).
    public var avoidsAlerts: Bool

    /// Calls and alarms ask its player to pause, so that its own display shows it, and cork it only where there is none (N15).
    public var pausesPlayer: Bool

    /// It is a call whatever its category: nothing that announces one (N8).
    public var isCall = false

    /// It is the machine's own, such as its sleep: what a policy says of pairs does not concern it.
    public var isOutsidePolicy = false

    /// Makes a description. What is not given is that of an application in general: no options, normal priority, half a
    /// second of fade, no waiting, 300 ms of release delay.
    public init(
        name: String, category: Category, options: CategoryOptions = [], mode: Mode = .default,
        priority: Priority = .normal,
        ducking: Ducking = Ducking(), fade: Duration = .milliseconds(500), handover: Handover = .overlap,
        resumption: Resumption = .transient, releaseDelay: Duration = .milliseconds(300), isInterruptible: Bool = true,
        avoidsAlerts: Bool = false, pausesPlayer: Bool = false
    ) {
        self.name = name
        self.category = category
        self.options = options
        self.mode = mode
        self.priority = priority
        self.ducking = ducking
        self.fade = fade
        self.handover = handover
        self.resumption = resumption
        self.releaseDelay = releaseDelay
        self.isInterruptible = isInterruptible
        self.avoidsAlerts = avoidsAlerts
        self.pausesPlayer = pausesPlayer
    }

    /// Whether the session ducks others (R40); it is mixable then (R49).
    public var ducksOthers: Bool {
        options.contains(.duckOthers) && category != .record && category != .audioProcessing
    }

    /// Whether the session leaves room for others (R15, R17, R19, R28, R49).
    public var isMixable: Bool {
        switch category {
        case .ambient, .uiSound: true
        case .playback, .playAndRecord:
            !options.isDisjoint(with: [.mixWithOthers, .duckOthers, .interruptSpokenAudio])
        case .soloAmbient: options.contains(.duckOthers)
        case .record, .audioProcessing: false
        }
    }

    /// Whether the session stops speech that it would otherwise play over (N1, N2).
    public var interruptsSpokenAudio: Bool {
        ducksOthers || options.contains(.interruptSpokenAudio) && category.playsSound
    }

    /// Whether what was heard on an output that has gone goes on elsewhere: calls, alarms, a screen reader, the sounds of
    /// the interface (R64). Play-and-record alone makes no call: a memo and karaoke have it too.
    var goesOnElsewhere: Bool {
        priority.overridesMixing || !isInterruptible || category == .uiSound
            || category == .playAndRecord && mode.isChat
    }

    /// Whether it announces something that the user may decline, as ringing does (N8).
    public var isAlert: Bool { priority >= .phone && category != .playAndRecord && !isCall }

    /// Whether the session comes before equals however late they start: a recording silences all playback (R21).
    public var precedesEquals: Bool { category == .record }

    /// Whether the session waits until those that it interrupts are silent; a call never does (R19).
    var holdsOnHandover: Bool { handover == .hold && category != .playAndRecord }

    /// Whether those whom this session interrupted may go on by themselves afterwards (R31).
    public var letsOthersResume: Bool {
        switch resumption {
        case .always: true
        case .never: false
        case .transient:
            priority.overridesMixing || mode == .voicePrompt || category == .record || category == .playAndRecord
                || interruptsSpokenAudio
        }
    }
}
