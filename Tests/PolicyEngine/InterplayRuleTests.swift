import PolicyEngine
import Testing

private typealias Party = InterplayRules.Party

/// Which rule of a policy counts for a pair of sessions.
@Suite struct InterplayRuleTests {
    /// From the rule that counts before all others to the one that counts after them.
    private static let order: [(actor: Party, other: Party)] = [
        (.named("music"), .named("game")), (.named("music"), .category(.ambient)), (.named("music"), .any),
        (.category(.playback), .named("game")), (.category(.playback), .category(.ambient)),
        (.category(.playback), .any),
        (.any, .named("game")), (.any, .category(.ambient)), (.any, .any),
    ]
    private static let music = SessionDescription(name: "music", category: .playback)
    private static let game = SessionDescription(name: "game", category: .ambient)

    @Test("a role comes before a category and that before any, the actor's side first")
    func roleComesBeforeCategoryAndThatBeforeAny() {
        // Told apart by their fades.
        var rules: [InterplayRules.Pair: InterplayRules.Rule] = [:]
        for (place, parties) in Self.order.enumerated().reversed() {
            let own = Interplay(.cork, fade: .milliseconds(place))
            rules[InterplayRules.Pair(parties.actor, parties.other)] = .init(playing: own)
            let found = InterplayRules.rule(among: InterplayRules(rules).rules(of: Self.music), for: Self.game)
            #expect(found == .init(playing: own, newcomer: own), "\(parties)")
        }
        for (actor, other) in [
            (Party.named("playback"), Party.any), (.category(.ambient), .any), (.any, .category(.playback)),
            (.any, .named("ambient")),
        ] {
            let rules = InterplayRules([InterplayRules.Pair(actor, other): .init(playing: Interplay(.mix))])
            #expect(InterplayRules.rule(among: rules.rules(of: Self.music), for: Self.game) == nil)
        }
    }

    @Test("what the closer rule does not say is what the next one says")
    func whatCloserRuleDoesNotSayIsWhatNextOneSays() {
        let rules = InterplayRules([
            .init(.named("music"), .any): .init(newcomer: Interplay(.reject)),
            .init(.category(.playback), .category(.ambient)): .init(playing: Interplay(.mute)),
        ])
        #expect(
            InterplayRules.rule(among: rules.rules(of: Self.music), for: Self.game)
                == .init(playing: Interplay(.mute), newcomer: Interplay(.reject)))
    }

    @Test("R31 N1 speech that a rule has lowered resumes, if the rule says so of those that begin later")
    func newcomerThatIsLowered() {
        let guide = SessionDescription(
            name: "guide", category: .playback, priority: Priority(rawValue: 50), releaseDelay: .zero)
        let talk = SessionDescription(name: "talk", category: .playback, mode: .spokenAudio, releaseDelay: .zero)
        let pair = InterplayRules.Pair(.named("guide"), .named("talk"))
        let policy = Policy.of(guide, talk).with {
            $0.interplay = InterplayRules([pair: .init(playing: Interplay(.cork), newcomer: Interplay(.duck))])
        }
        for names in [["guide", "talk"], ["talk", "guide"]] {
            var scenario = Scenario(policy: policy)
            for name in names { scenario.play(name, for: .seconds(1)) }
            #expect(scenario["talk"] == .corked)
            scenario.pause("guide", for: .seconds(1))
            #expect(scenario["talk"] == (names[0] == "guide" ? .free : .superseded))
        }
    }

    @Test("a category means opened sessions and those of roles alike") func categoryMeansOpenedSessionsAndThoseOfRoles()
    {
        let pair = InterplayRules.Pair(.category(.playAndRecord), .category(.playback))
        let policy = Policy.phone.with { $0.interplay = InterplayRules([pair: .init(playing: Interplay(.mute))]) }
        for isCallerOpened in [false, true] {
            for isPlayerOpened in [false, true] {
                var scenario = Scenario(policy: policy)
                if isPlayerOpened {
                    scenario.play("track", in: "player")
                } else {
                    scenario.play("track", role: "music")
                }
                if isCallerOpened {
                    scenario.play("voice", role: "phone", in: "caller", as: .playAndRecord)
                } else {
                    scenario.play("voice", role: "phone")
                }
                scenario.advance(.seconds(2))
                #expect(scenario["track"] == .muted, "\(isCallerOpened) \(isPlayerOpened)")
            }
        }
    }
}
