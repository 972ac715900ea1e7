import PolicyEngine
import Testing

/// What an application may say of its session, and what it reads afterwards.
@Suite struct ConfigurationTests {
    /// What a call asks for.
    struct Request: Sendable, CustomTestStringConvertible {
        var category: PolicyEngine.Category
        var options: CategoryOptions
        var mode: Mode?

        init(_ category: PolicyEngine.Category, _ options: CategoryOptions = [], _ mode: Mode? = nil) {
            self.category = category
            self.options = options
            self.mode = mode
        }

        var testDescription: String { "\(category.rawValue) \(options.rawValue) \(mode?.rawValue ?? "-")" }
    }

    /// A call on a session that is something already.
    struct ModeCase: Sendable, CustomTestStringConvertible {
        var before: Request
        var asked: Request
        var isActive = false
        var isAccepted: Bool

        init(_ before: Request, _ asked: Request, isActive: Bool = false, _ isAccepted: Bool) {
            self.before = before
            self.asked = asked
            self.isActive = isActive
            self.isAccepted = isAccepted
        }

        var testDescription: String { "\(before.testDescription) → \(asked.testDescription), \(isActive)" }
    }

    /// R54 a call that sets everything is what two calls are in the order that allows it: the mode changes while the session
    /// does not mix, before the new category or after it.
    static let modeCases: [ModeCase] = [
        // It mixes before, and not as it is asked to be.
        ModeCase(Request(.ambient), Request(.playAndRecord, [], .voiceChat), true),
        ModeCase(Request(.ambient), Request(.playback, [], .spokenAudio), true),
        ModeCase(Request(.playback, .mixWithOthers), Request(.playback, [], .spokenAudio), true),
        ModeCase(Request(.playback, .duckOthers, .voicePrompt), Request(.playback, [], .default), true),
        ModeCase(Request(.soloAmbient, .duckOthers), Request(.record, [], .measurement), true),
        // It mixes as it is asked to be, and not before.
        ModeCase(Request(.soloAmbient), Request(.playback, .duckOthers, .voicePrompt), true),
        ModeCase(Request(.playback), Request(.playback, .mixWithOthers, .spokenAudio), true),
        ModeCase(Request(.playback), Request(.ambient, [], .moviePlayback), true),
        ModeCase(Request(.soloAmbient), Request(.soloAmbient, .duckOthers, .voicePrompt), true),
        // It never mixes.
        ModeCase(Request(.soloAmbient), Request(.playAndRecord, [], .voiceChat), true),
        // It mixes before and after.
        ModeCase(Request(.ambient), Request(.playback, .mixWithOthers, .spokenAudio), false),
        ModeCase(Request(.playback, .mixWithOthers), Request(.playback, .mixWithOthers, .spokenAudio), false),
        ModeCase(Request(.playback, .mixWithOthers), Request(.playback, .interruptSpokenAudio, .voicePrompt), false),
        ModeCase(Request(.soloAmbient, .duckOthers), Request(.ambient, [], .spokenAudio), false),
        // The mode stays what it is, or is not spoken of.
        ModeCase(
            Request(.playback, .mixWithOthers, .spokenAudio), Request(.playback, .duckOthers, .spokenAudio), true),
        ModeCase(Request(.playback, .mixWithOthers), Request(.ambient), true),
        ModeCase(Request(.playback, [], .spokenAudio), Request(.playback, .mixWithOthers), isActive: true, true),
        ModeCase(
            Request(.playback, [], .spokenAudio), Request(.ambient, [], .spokenAudio), isActive: true, true),
        // Never while the session is active.
        ModeCase(Request(.ambient), Request(.playAndRecord, [], .voiceChat), isActive: true, false),
        ModeCase(Request(.soloAmbient), Request(.playback, [], .spokenAudio), isActive: true, false),
    ]

    @Test("R54 in one call, what counts for the mode is also what is asked for", arguments: modeCases)
    func modes(example: ModeCase) throws {
        var configuration = SessionConfiguration()
        try configuration.set(example.before.category, example.before.options, example.before.mode, whileActive: false)
        let before = configuration
        if example.isAccepted {
            try configuration.set(
                example.asked.category, example.asked.options, example.asked.mode, whileActive: example.isActive)
            #expect(configuration.category == example.asked.category)
            #expect(configuration.options == example.asked.options)
            #expect(configuration.mode == example.asked.mode ?? before.mode)
        } else {
            #expect(throws: SessionConfiguration.Mistake.modeIsFixed) {
                try configuration.set(
                    example.asked.category, example.asked.options, example.asked.mode, whileActive: example.isActive)
            }
            #expect(configuration == before)
        }
    }

    /// Category, options and mode of every configuration that can be reached by calls on a session that is not active.
    static func everything() -> [SessionConfiguration] {
        var result: [SessionConfiguration] = []
        for category in PolicyEngine.Category.allCases {
            for bits in 0..<1 << CategoryOption.allCases.count {
                for mode in Mode.allCases {
                    var configuration = SessionConfiguration()
                    // The mode first, while nothing mixes; then it may stay.
                    guard (try? configuration.set(mode, whileActive: false)) != nil,
                        (try? configuration.set(
                            category, CategoryOptions(rawValue: UInt16(bits)), nil, whileActive: false)) != nil
                    else { continue }
                    result.append(configuration)
                }
            }
        }
        return result
    }

    @Test("R39 R43 R54 what can be read of a session can be set: on itself, active or not, and on another one")
    func readAndSet() throws {
        let all = Self.everything()
        #expect(all.count > 500)
        for configuration in all {
            for isActive in [false, true] {
                var same = configuration
                try same.set(
                    configuration.category, configuration.options, configuration.mode, whileActive: isActive)
                #expect(same == configuration)
            }
            var other = SessionConfiguration()
            try other.set(configuration.category, configuration.options, configuration.mode, whileActive: false)
            #expect(other == configuration)
            // In effect is all that was set, and more.
            #expect(configuration.effectiveOptions.isSuperset(of: configuration.options))
        }
    }

    @Test("R40 an opened session lowers others as the policy says, a voice prompt far enough for speech")
    func ducking() throws {
        let policy = Ducking(gain: Decibels(-9), attack: .milliseconds(50), hold: .seconds(1), release: .seconds(2))
        var deep = policy
        deep.gain = Decibels(-30)
        var speech = policy
        speech.gain = Decibels(-20)
        for (mode, given, expected) in [
            (Mode.default, policy, policy), (.spokenAudio, policy, policy), (.voicePrompt, policy, speech),
            (.default, deep, deep), (.voicePrompt, deep, deep), (.default, Ducking(), Ducking()),
            (.voicePrompt, Ducking(), Ducking(gain: Decibels(-20))),
        ] {
            var configuration = SessionConfiguration()
            try configuration.set(.playback, .duckOthers, mode, whileActive: false)
            #expect(configuration.description(ducking: given).ducking == expected, "\(mode)")
        }
    }
}
