/// What an application has said of its session: category, options, mode, and what it wishes for.
///
/// The rules for what goes with what, and for what goes back when, are here (R39–R43, R51, R54, R55).
public struct SessionConfiguration: Sendable, Hashable {
    /// Where the output of a call goes (R41).
    public enum OutputOverride: String, Sendable, Hashable, CaseIterable {
        /// Where the category sends it.
        case none
        /// To the loudspeaker, until the route changes or an interruption comes.
        case speaker
    }

    /// What cannot be.
    public enum Mistake: Error, Sendable, Hashable {
        /// The option does not go with the category (R39, R42, R43).
        case option(CategoryOptions, with: Category)
        /// The mode can change only while the session is inactive and does not mix (R54).
        case modeIsFixed
        /// Only play-and-record has an output to override (R41).
        case overrideNeedsCall(Category)
    }

    /// What its sound is for.
    public private(set) var category = Category.soloAmbient
    /// What fine-tunes the category.
    public private(set) var options: CategoryOptions = []
    /// What kind of use the category is put to, as it was set (R55: see ``effectiveMode``).
    public private(set) var mode = Mode.default
    /// Where the output goes instead of where the category sends it (R41).
    public private(set) var outputOverride = OutputOverride.none
    /// Ringing is not to interrupt (N8).
    public var avoidsAlerts = false
    /// Whether the session is interrupted when the output is lost on which it is heard (N25); `nil` is as the policy has it.
    public var interruptionOnRouteDisconnect: Bool?

    /// A session as it is opened: the phone's default, solo-ambient.
    public init() {}

    /// Sets category and options, and the mode if one is given. Nothing changes when it fails.
    ///
    /// The options replace all former ones, so what was not said again is gone (R39, R43).
    public mutating func set(
        _ category: Category, _ options: CategoryOptions, _ mode: Mode?, whileActive isActive: Bool
    ) throws(Mistake) {
        for (_, option) in CategoryOptions.named where options.contains(option) && !category.takes(option) {
            throw .option(option, with: category)
        }
        var new = self
        new.category = category
        new.options = options
        new.mode = mode ?? self.mode
        // R54: one call is what two are, the mode first or the category first; it need not mix in one of the two orders.
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

    /// Overrides the output, or ends that (R41).
    public mutating func set(_ override: OutputOverride) throws(Mistake) {
        if override != .none && category != .playAndRecord { throw .overrideNeedsCall(category) }
        outputOverride = override
    }

    /// R41: an interruption, like any change of route, ends the override.
    mutating func endOverride() { outputOverride = .none }

    /// The mode as it works (R55).
    public var effectiveMode: Mode { category.takes(mode) ? mode : .default }

    /// The options in effect: a voice chat may use a Bluetooth headset's microphone (R51), and who ducks others or stops
    /// speech mixes (R49, N2). Not all of them can be set: solo-ambient ducks and mixes, but does not take mix-with-others.
    public var effectiveOptions: CategoryOptions {
        var result = options
        if effectiveMode == .voiceChat { result.insert(.allowBluetoothInput) }
        if !options.isDisjoint(with: [.duckOthers, .interruptSpokenAudio]) && category != .ambient {
            result.insert(.mixWithOthers)
        }
        return result
    }

    /// Whether it leaves room for others; how it lowers them makes no difference to that.
    private var isMixable: Bool { description(ducking: Ducking()).isMixable }

    /// What others have to do with, and no more, so that sessions that behave alike are alike: no wishes for routes, no
    /// modes that only the session itself is concerned with. One of a call lets it go on when its output goes (R64).
    ///
    /// - Parameter ducking: How the policy has others lowered. A voice prompt lowers them far enough for speech all the same.
    public func description(ducking: Ducking) -> SessionDescription {
        let isOfConcern = effectiveMode == .spokenAudio || effectiveMode == .voicePrompt || effectiveMode.isChat
        let mode: Mode = isOfConcern ? effectiveMode : .default
        var ducking = ducking
        if mode == .voicePrompt, Preset.underSpeech.gain.value < ducking.gain.value {
            ducking.gain = Preset.underSpeech.gain
        }
        return SessionDescription(
            name: category.rawValue, category: category,
            options: options.intersection([.mixWithOthers, .duckOthers, .interruptSpokenAudio]), mode: mode,
            ducking: ducking, avoidsAlerts: avoidsAlerts)
    }
}
