import PolicyEngine
import Testing

@testable import PolicyFile

private typealias Party = InterplayRules.Party

/// A section and the one rule that it makes.
private struct PairCase: Sendable, CustomTestStringConvertible {
    var section: String
    var actor: InterplayRules.Party
    var other: InterplayRules.Party
    var rule: InterplayRules.Rule

    init(
        _ section: String, _ actor: InterplayRules.Party, _ other: InterplayRules.Party, playing: Interplay? = nil,
        newcomer: Interplay? = nil
    ) {
        self.section = section
        self.actor = actor
        self.other = other
        rule = InterplayRules.Rule(playing: playing, newcomer: newcomer)
    }

    var testDescription: String { section }
}

private func ducking(_ gain: Double, hold: Int = 300) -> Ducking {
    Ducking(gain: Decibels(gain), hold: .milliseconds(hold))
}

private let pairCases: [PairCase] =
    Interplay.Kind.allCases.map { kind in
        PairCase("music = { game = \(kind.rawValue) }", .named("music"), .named("game"), playing: Interplay(kind))
    } + [
        PairCase("music = { any = mix }", .named("music"), .any, playing: Interplay(.mix)),
        PairCase("any = { music = mix }", .any, .named("music"), playing: Interplay(.mix)),
        PairCase("any = { any = mix }", .any, .any, playing: Interplay(.mix)),
        PairCase("ANY = { Music = mix }", .any, .named("music"), playing: Interplay(.mix)),
        PairCase("untagged = { music = cork }", .named("untagged"), .named("music"), playing: Interplay(.cork)),
        PairCase("music = { music = { kind = mute } }", .named("music"), .named("music"), playing: Interplay(.mute)),
        PairCase(
            "music = { game = { newcomer = reject } }", .named("music"), .named("game"), newcomer: Interplay(.reject)),
        PairCase(
            "music = { game = { kind = duck newcomer = mute } }", .named("music"), .named("game"),
            playing: Interplay(.duck), newcomer: Interplay(.mute)),
        PairCase(
            "music = { game = { kind = cork fade = 50 } }", .named("music"), .named("game"),
            playing: Interplay(.cork, fade: .milliseconds(50))),
        PairCase(
            "music = { game = { kind = pause-player newcomer = mute fade = 50 } }", .named("music"), .named("game"),
            playing: Interplay(.pausePlayer, fade: .milliseconds(50)),
            newcomer: Interplay(.mute, fade: .milliseconds(50))),
        // What is not said of the ducking is the actor's own, or the default for any actor.
        PairCase(
            "music = { game = { kind = duck gain = -3 } }", .named("music"), .named("game"),
            playing: Interplay(.duck, ducking: ducking(-3))),
        PairCase(
            "prompt = { game = { kind = duck hold = 9 } }", .named("prompt"), .named("game"),
            playing: Interplay(.duck, ducking: ducking(-20, hold: 9))),
        PairCase(
            "any = { game = { kind = duck hold = 9 } }", .any, .named("game"),
            playing: Interplay(.duck, ducking: ducking(-14, hold: 9))),
        PairCase(
            "playback = { ambient = { kind = duck gain = -3 } }", .category(.playback), .category(.ambient),
            playing: Interplay(.duck, ducking: ducking(-3))),
        PairCase(
            "music = { game = { kind = mute newcomer = duck gain = -3 } }", .named("music"), .named("game"),
            playing: Interplay(.mute), newcomer: Interplay(.duck, ducking: ducking(-3))),
    ]

/// What a word in `interplay` means, after what the sources say of roles.
private let partyCases: [(roles: String, word: String, party: InterplayRules.Party)] =
    PolicyEngine.Category.allCases.map { ("", $0.rawValue, .category($0)) } + [
        ("", "Play-And-Record", .category(.playAndRecord)),
        ("playback = { category = ambient }", "playback", .named("playback")),
        ("playback = { category = ambient }", "ambient", .category(.ambient)),
        ("", "music", .named("music")), ("", "untagged", .named("untagged")), ("", "any", .any),
    ]

@Suite struct InterplayTests {
    @Test("a word is a role, else a category", arguments: partyCases) fileprivate func wordIsRoleElseCategory(
        example: (roles: String, word: String, party: InterplayRules.Party)
    ) throws {
        for (section, pair) in [
            ("\(example.word) = { alarm = mix }", InterplayRules.Pair(example.party, .named("alarm"))),
            ("alarm = { \(example.word) = mix }", InterplayRules.Pair(.named("alarm"), example.party)),
        ] {
            // The order of the sections does not matter.
            for text in [
                "roles = { \(example.roles) } interplay = { \(section) }",
                "interplay = { \(section) } roles = { \(example.roles) }",
            ] {
                let file = PolicyFile(text: text, named: "t")
                #expect(file.diagnostics == [])
                #expect(try #require(file.policy).interplay.rules.keys.elementsEqual([pair]))
            }
        }
    }

    @Test("a role that a later layer adds takes a category's word over")
    func roleThatLaterLayerAddsTakesCategorysWordOver() throws {
        let folders = PolicyFolders()
        try folders.write("interplay = { any = { playback = mix } }", to: "etc/audio-session/policy.conf")
        func others(_ arguments: String?) -> [InterplayRules.Party] {
            folders.load(arguments).policy.interplay.rules.keys.map(\.other)
        }
        #expect(others(nil) == [.category(.playback)])
        #expect(others("roles = { playback = { category = ambient } }") == [.named("playback")])
    }

    @Test("a pair is what its section says", arguments: pairCases) fileprivate func pairIsWhatItsSectionSays(
        example: PairCase
    ) throws {
        let file = PolicyFile(text: "interplay = { \(example.section) }", named: "t")
        #expect(file.diagnostics == [])
        let rules = try #require(file.policy).interplay.rules
        #expect(rules == [InterplayRules.Pair(example.actor, example.other): example.rule])
    }

    @Test("a pair is laid over key by key, a single word replaces it") func pairIsLaidOverKeyByKeySingleWordReplacesIt()
        throws
    {
        let folders = PolicyFolders()
        try folders.write(
            "interplay = { music = { game = { kind = duck gain = -3 newcomer = mute } } }",
            to: "etc/audio-session/policy.conf")
        func rule(_ arguments: String?) -> InterplayRules.Rule? {
            let loaded = folders.load(arguments)
            #expect(loaded.diagnostics == [])
            return loaded.policy.interplay.rules[InterplayRules.Pair(.named("music"), .named("game"))]
        }
        let special = Interplay(.duck, ducking: ducking(-3))
        #expect(rule(nil) == .init(playing: special, newcomer: Interplay(.mute)))
        #expect(
            rule("interplay = { music = { game = { newcomer = cork } } }")
                == .init(playing: special, newcomer: Interplay(.cork)))
        // The gain of a kind that is no more is nobody's mistake.
        #expect(
            rule("interplay = { music = { game = { kind = cork } } }")
                == .init(playing: Interplay(.cork), newcomer: Interplay(.mute)))
        #expect(rule("interplay = { music = { game = mix } }") == .init(playing: Interplay(.mix)))
        #expect(rule("interplay = { game = { music = mix } }") == .init(playing: special, newcomer: Interplay(.mute)))
    }

    @Test("a role that lowers others by its pairs may say how") func roleThatLowersOthersByItsPairsMaySayHow() {
        #expect(
            PolicyFile(
                text: "roles = { music = { duck = { gain = -3 } } } interplay = { music = { game = duck } }", named: "t"
            ).diagnostics == [])
        #expect(
            PolicyFile(
                text: "roles = { music = { duck = { gain = -3 } } } interplay = { playback = { game = duck } }",
                named: "t"
            ).diagnostics == [])
    }

    @Test(
        "N14 capture pairing names the role of who plays and records",
        arguments: [
            ("false", nil), ("true", "phone"), ("phone", "phone"), ("communication", "phone"), ("GAME", "game"),
        ] as [(String, String?)])
    func capturePairingNamesRoleOfWhoPlaysAndRecords(value: String, role: String?) throws {
        let file = PolicyFile(text: "capture-pairing = \(value)", named: "t")
        #expect(file.diagnostics == [])
        #expect(file.policy?.pairing == role)
        // Who listens is known then, even where nothing is done about it.
        let capture = file.classifier?.classify(direction: .capture) { _ in nil }
        #expect((capture?.description == nil) == (role == nil))
    }

    @Test("N14 a later layer can switch capture pairing off") func laterLayerCanSwitchCapturePairingOff() throws {
        let folders = PolicyFolders()
        try folders.write("capture-pairing = true", to: "etc/audio-session/policy.conf")
        #expect(folders.load().policy.pairing == "phone")
        #expect(folders.load("capture-pairing = false").policy.pairing == nil)
    }
}
