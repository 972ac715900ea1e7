/// How strongly a session claims the right to be heard. A higher one interrupts a lower one, whatever mixes (R36).
public struct Priority: RawRepresentable, Sendable, Hashable, Comparable {
    /// The value, 0…255. The three named priorities are 0, 100 and 200.
    public let rawValue: UInt8

    /// Creates a priority, 0…255.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The priority of most applications.
    public static let normal = Priority(rawValue: 0)
    /// Alarm clocks and timers: above everything but the phone (R36).
    public static let alarm = Priority(rawValue: 100)
    /// Calls and their ringing: above everything, never ducked (R36).
    public static let phone = Priority(rawValue: 200)

    /// The priorities that have a name in policy files.
    public static let named: [(name: String, priority: Priority)] = [
        ("normal", .normal), ("alarm", .alarm), ("phone", .phone),
    ]

    /// Whether the left priority is lower (R36).
    public static func < (left: Priority, right: Priority) -> Bool { left.rawValue < right.rawValue }

    /// Whether sessions of this priority interrupt mixable ones too, as the system's own sounds do (R36).
    public var overridesMixing: Bool { self >= .alarm }
}

/// How others are lowered while a session with ``CategoryOptions/duckOthers`` plays (R40).
public struct Ducking: Sendable, Hashable {
    /// The level of the others, relative to their own volume.
    public var gain: Decibels
    /// The time of the fade down.
    public var attack: Duration
    /// How long others stay ducked after the ducker's last sound. The ducker's release delay runs in parallel.
    public var hold: Duration
    /// The time of the fade back.
    public var release: Duration

    /// Creates a ducking. By default, others are lowered by 14 dB within 250 ms, and restored within 700 ms.
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

/// When an interrupting session's sound starts, relative to the sessions that the session silences.
public enum Handover: String, Sendable, Hashable, CaseIterable {
    /// At once; the others fade out beneath it.
    case overlap
    /// When the others are silent; its first buffers wait, none is lost.
    case hold
}

extension Category {
    /// Whether sessions of the category may begin so. A call with `hold` would lose words (R19).
    public func takes(_ handover: Handover) -> Bool { handover == .overlap || self != .playAndRecord }

    /// Why the category keeps a direction silent for good (R15–R19, R23); `nil` if the category does not.
    func lack(_ direction: StreamDirection) -> Reason? {
        if self == .audioProcessing { return .noDevice }
        switch direction {
        case .playback: return playsSound ? nil : .noOutput
        case .capture: return recordsSound ? nil : .noInput
        }
    }
}

/// Whether the sessions that a session interrupted resume by themselves when it ends (R31).
public enum Resumption: String, Sendable, Hashable, CaseIterable {
    case always
    /// After short-lived sessions, such as a call or a prompt (``SessionDescription/letsOthersResume``).
    case transient
    /// Never: others wait for their own applications.
    case never
}

/// The properties that decide how a stream or session affects others. Streams get theirs from the policy, by role.
public struct SessionDescription: Sendable, Hashable {
    /// The name in the policy that this came from (a role, "untagged"), for explanations.
    public var name: String
    /// The category (R15–R20).
    public var category: Category
    /// The options (R39–R43).
    public var options: CategoryOptions
    /// The mode (R50–R53).
    public var mode: Mode
    /// How strongly it claims the right to be heard (R36).
    public var priority: Priority
    /// How the session ducks others, if it has the option for that.
    public var ducking: Ducking
    /// How long others take to fade out before, and in after, an interruption by this session. No shorter than 10 ms.
    public var fade: Duration
    /// When the session's sound starts, relative to the sessions that it silences. A call never waits (R19).
    public var handover: Handover
    /// Whether the sessions that it interrupted resume by themselves when it ends (R31).
    public var resumption: Resumption
    /// How long the session outlives its last stream, so that others do not flap during a short gap.
    public var releaseDelay: Duration
    /// Whether it can be interrupted; `false` for a session such as a screen reader, which must continue during a call.
    public var isInterruptible: Bool
    /// Whether ringing leaves the session alone; an accepted call still interrupts it (N8).
    public var avoidsAlerts: Bool

    /// Whether calls, alarms and a lost output pause its player, so that the player shows Paused (N15). A stream
    /// without a player is corked.
    public var pausesPlayer: Bool

    /// The level of its streams, relative to the volume that their user has set (N23): 0 dB or less.
    public var level = Decibels(0)

    /// Where its streams are heard, if such an output is there and in use (N23); `nil` leaves that to the server.
    public var output: OutputPattern?

    /// Whether it affects others only while it sounds, by its streams' measured level (N13), or as long as streams run.
    public var actsWhileSounding = false

    /// Whether its application is in a call while it plays and records streams for which the policy says so (N14).
    public var isPaired = false

    /// Whether the session is a call whatever its category, and not the ringing for one (N8).
    public var isCall = false

    /// The reason told to its victims if the machine interrupts, such as for sleep; `nil` for programs. The policy's
    /// rules for pairs do not apply to the machine.
    public var machineReason: InterruptionReason?

    /// Creates a description. The defaults suit most applications.
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

    /// Whether the session mixes with others (R15, R17, R19, R28, R49).
    public var isMixable: Bool {
        switch category {
        case .ambient, .uiSound: true
        case .playback, .playAndRecord:
            !options.isDisjoint(with: .mixing)
        case .soloAmbient: options.contains(.duckOthers)
        case .record, .audioProcessing: false
        }
    }

    /// Whether the session stops speech that it would otherwise play over (N1, N2).
    public var interruptsSpokenAudio: Bool {
        ducksOthers || options.contains(.interruptSpokenAudio) && category.playsSound
    }

    /// Whether it continues elsewhere when its output is lost (R64). Play-and-record alone makes no call: voice memos
    /// and singing games use that, too.
    var goesOnElsewhere: Bool {
        priority.overridesMixing || !isInterruptible || category == .uiSound
            || category == .playAndRecord && mode.isChat
    }

    /// Whether it announces an offer that the user may decline, such as a call by ringing (N8).
    public var isAlert: Bool { priority >= .phone && category != .playAndRecord && !isCall }

    /// Whether it precedes earlier sessions of equal priority: a recording silences all playback (R21).
    public var precedesEquals: Bool { category == .record }

    /// A call never waits (R19).
    var holdsOnHandover: Bool { handover == .hold && category.takes(handover) }

    /// Whether the sessions that it interrupted may resume by themselves afterwards (R31).
    public var letsOthersResume: Bool {
        switch resumption {
        case .always: true
        case .never: false
        case .transient:
            priority.overridesMixing || mode == .voicePrompt || category == .record || category == .playAndRecord
                || category == .uiSound || interruptsSpokenAudio
        }
    }
}
