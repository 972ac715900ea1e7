/// What an application has set on its session; enforces which values fit together and when values are reset (R39–R43,
/// R51, R54, R55).
public struct SessionConfiguration: Sendable, Hashable {
    /// A configuration that is not allowed.
    public enum Mistake: Error, Sendable, Hashable {
        /// The option does not fit the category (R39, R42, R43).
        case option(CategoryOption, with: Category)
        /// The mode can change only while the session is inactive and does not mix (R54).
        case modeIsFixed
        /// Only play-and-record has an output to override (R41).
        case overrideNeedsCall(Category)
    }

    /// The level of others under a voice prompt, at most: 20 dB above the background, speech is easy to follow.
    private static let gainUnderSpeech = Decibels(-20)

    /// The category.
    public private(set) var category = Category.soloAmbient
    /// The options, as they were set.
    public private(set) var options: CategoryOptions = []
    /// The mode, as it was set (R55: see ``effectiveMode``).
    public private(set) var mode = Mode.default
    /// The override of the category's output (R41).
    public private(set) var outputOverride = OutputOverride.none
    /// Whether ringing should not interrupt the session (N8).
    public var avoidsAlerts = false
    /// Whether losing its output interrupts the session (N25); `nil` leaves that to the policy.
    public var interruptionOnRouteDisconnect: Bool?

    /// Creates the configuration of a new session: the phone's default, solo-ambient.
    public init() {}

    /// Sets category and options, and the mode if one is given; an error changes nothing. Replaces all options (R39,
    /// R43).
    public mutating func set(
        _ category: Category, _ options: CategoryOptions, _ mode: Mode?, whileActive isActive: Bool
    ) throws(Mistake) {
        if let option = options.options.first(where: { !category.takes($0) }) { throw .option(option, with: category) }
        var new = self
        new.category = category
        new.options = options
        new.mode = mode ?? self.mode
        // R54: one call counts as two, in whichever order is allowed. In one of the two, the session must not mix.
        if new.mode != self.mode, isActive || isMixable && new.isMixable { throw .modeIsFixed }
        if category != self.category { new.outputOverride = .none }
        self = new
    }

    /// Sets the mode alone (R54).
    public mutating func set(_ mode: Mode, whileActive isActive: Bool) throws(Mistake) {
        guard mode != self.mode else { return }
        if isActive || isMixable { throw .modeIsFixed }
        self.mode = mode
    }

    /// Sets or ends the override of the output (R41).
    public mutating func set(_ override: OutputOverride) throws(Mistake) {
        if override != .none && category != .playAndRecord { throw .overrideNeedsCall(category) }
        outputOverride = override
    }

    /// R41: an interruption, like any change of route, ends the override.
    mutating func endOverride() { outputOverride = .none }

    /// The mode in effect: the default if the category does not take the mode (R55).
    public var effectiveMode: Mode { category.takes(mode) ? mode : .default }

    /// The options in effect: a voice chat may use a Bluetooth headset's microphone (R51); a session that ducks others
    /// or stops speech mixes (R49, N2), even solo-ambient, which does not take mix-with-others.
    public var effectiveOptions: CategoryOptions {
        var result = options
        if effectiveMode == .voiceChat { result.insert(.allowBluetoothInput) }
        if !options.isDisjoint(with: .mixing) && category != .ambient {
            result.insert(.mixWithOthers)
        }
        return result
    }

    /// The policy's ducking does not matter here.
    private var isMixable: Bool { description(ducking: Ducking()).isMixable }

    /// What affects other sessions, so that sessions which behave alike share one description: no route preferences, no
    /// modes of the session's own concern. A call's mode stays: calls survive their output (R64).
    ///
    /// - Parameter ducking: The policy's ducking. A voice prompt ducks at least far enough for speech.
    public func description(ducking: Ducking) -> SessionDescription {
        let isOfConcern = effectiveMode == .spokenAudio || effectiveMode == .voicePrompt || effectiveMode.isChat
        let mode: Mode = isOfConcern ? effectiveMode : .default
        var ducking = ducking
        if mode == .voicePrompt {
            ducking.gain = Decibels(min(ducking.gain.value, SessionConfiguration.gainUnderSpeech.value))
        }
        return SessionDescription(
            name: category.rawValue, category: category,
            options: options.intersection(.mixing), mode: mode,
            ducking: ducking, avoidsAlerts: avoidsAlerts)
    }
}
