import PolicyEngine
import Testing

/// What a policy says of pairs, beyond what their categories say.
@Suite struct PairTests {
    private static let music = SessionDescription(name: "music", category: .playback, options: .mixWithOthers)
    private static let game = SessionDescription(name: "game", category: .ambient)
    private static let call = SessionDescription(name: "call", category: .playAndRecord, priority: .phone)
    private static let siren = SessionDescription(
        name: "siren", category: .playback, options: .mixWithOthers, priority: .alarm)
    private static let beep = SessionDescription(name: "beep", category: .uiSound)

    private typealias Rules = [InterplayRules.Pair: InterplayRules.Rule]

    private static func pair(
        _ actor: String?, _ other: String?, _ playing: Interplay.Kind?, newcomer: Interplay.Kind? = nil
    ) -> Rules {
        func party(_ name: String?) -> InterplayRules.Party { name.map { .named($0) } ?? .any }
        return [
            InterplayRules.Pair(party(actor), party(other)): InterplayRules.Rule(
                playing: playing.map { Interplay($0) }, newcomer: newcomer.map { Interplay($0) })
        ]
    }

    private static func policy(_ rules: Rules...) -> Policy {
        let descriptions = [music, game, call, siren, beep]
        return Policy(name: "test", roles: descriptions).with {
            $0.interplay = InterplayRules(rules.reduce(into: [:]) { $0.merge($1) { $1 } })
        }
    }

    struct Case: Sendable, CustomTestStringConvertible {
        var kind: Interplay.Kind
        var whenItCame: Heard
        var whenItWasThere: Heard
        var testDescription: String { kind.rawValue }
    }

    @Test(
        "R28 every kind of interplay, with the music there before the siren and after it",
        arguments: [
            // An alarm corks.
            Case(kind: .usual, whenItCame: .corked, whenItWasThere: .corked),
            Case(kind: .mix, whenItCame: .free, whenItWasThere: .free),
            Case(kind: .duck, whenItCame: .ducked(-14), whenItWasThere: .ducked(-14)),
            Case(kind: .mute, whenItCame: .muted, whenItWasThere: .muted),
            Case(kind: .cork, whenItCame: .corked, whenItWasThere: .corked),
            Case(kind: .pausePlayer, whenItCame: .corked, whenItWasThere: .corked),
            // What plays already is the affair of the categories: an alarm corks.
            Case(kind: .reject, whenItCame: .rejected, whenItWasThere: .corked),
        ])
    func kinds(expected: Case) {
        let policy = Self.policy(Self.pair("siren", "music", expected.kind))
        var s = Scenario(policy: policy)
        s.play("music")
        s.play("siren", for: .seconds(1))
        #expect(s["music"] == expected.whenItWasThere)
        s.pause("siren", for: .seconds(2))
        #expect(s["music"] == .free)
        #expect(s.isRunning("music"))
        s = Scenario(policy: policy)
        s.play("siren", for: .seconds(1))
        s.play("music", for: .seconds(1))
        #expect(s["music"] == expected.whenItCame)
        #expect(s.asksPlayer(of: "music") == (expected.kind == .pausePlayer))
        #expect(s["siren"] == .free)
    }

    @Test("R8 what is not let begin stays silent until its application asks again")
    func rejected() {
        var s = Scenario(policy: Self.policy(Self.pair("call", "music", nil, newcomer: .reject)))
        s.play("call")
        s.skip(.seconds(1))
        s.play("music")
        #expect(s["music"] == .rejected)
        #expect(!s.isRunning("music"))
        // It was never heard, so nobody interrupted it.
        #expect(!s.news().contains { $0.hasPrefix("began") || $0.hasPrefix("active") })
        s.pause("music")
        s.want("music")
        #expect(s["music"] == .rejected)
        s.pause("call", for: .seconds(5))
        #expect(s["music"] == .rejected)
        s.pause("music")
        s.want("music")
        #expect(s["music"] == .free)
        #expect(s.isRunning("music"))
    }

    @Test("R8 music that does not let other music begin goes on, and may pause and come back itself")
    func holderKeeps() {
        var s = Scenario(policy: Self.policy(Self.pair("music", "music", nil, newcomer: .reject)))
        s.play("first", role: "music", for: .seconds(1))
        s.play("second", role: "music")
        #expect(s["first"] == .free)
        #expect(s["second"] == .rejected)
        s.pause("first", for: .milliseconds(100))
        s.want("first")
        #expect(s["first"] == .free)
        s.advance(.seconds(1))
        s.pause("first", for: .seconds(1))
        s.pause("second")
        s.want("second")
        #expect(s["second"] == .free)
    }

    @Test("R28 what comes later may be treated otherwise than what was there")
    func newcomer() {
        let policy = Self.policy(Self.pair("siren", "music", .cork, newcomer: .mix))
        var s = Scenario(policy: policy)
        s.play("first", role: "music")
        s.play("siren", for: .seconds(1))
        s.play("second", role: "music", for: .seconds(1))
        #expect(s["first"] == .corked)
        #expect(s["second"] == .free)
        s.pause("siren", for: .seconds(2))
        #expect(s["first"] == .free)
        #expect(s["second"] == .free)
    }

    @Test("R28 what was there is muted and what comes later corked, or the other way round", arguments: [true, false])
    func mixedSilence(mutesFirst: Bool) {
        let kinds: [Interplay.Kind] = mutesFirst ? [.mute, .cork] : [.cork, .mute]
        var s = Scenario(policy: Self.policy(Self.pair("siren", "music", kinds[0], newcomer: kinds[1])))
        s.play("first", role: "music")
        s.play("siren", for: .seconds(1))
        s.play("second", role: "music", for: .seconds(1))
        #expect(s["first"] == (mutesFirst ? .muted : .corked))
        #expect(s["second"] == (mutesFirst ? .corked : .muted))
    }

    @Test("R28 the more specific pair is the one that counts")
    func specificity() {
        let policy = Self.policy(
            Self.pair(nil, nil, .mix), Self.pair("siren", nil, .mute), Self.pair(nil, "game", .duck),
            Self.pair("siren", "music", .duck))
        var s = Scenario(policy: policy)
        s.play("music")
        s.play("game")
        #expect(s["game"] == .ducked(-14))
        s.play("siren", for: .seconds(1))
        #expect(s["music"] == .ducked(-14))
        #expect(s["game"] == .muted)
    }

    @Test("R28 what a wider pair says is taken back for a narrower one, in one order or in both")
    func usual() {
        func heard(_ narrow: Rules, newcomerFirst: Bool) -> Heard {
            var s = Scenario(policy: Self.policy(Self.pair(nil, nil, .mix), narrow))
            for role in newcomerFirst ? ["siren", "music"] : ["music", "siren"] {
                s.play(role, for: .seconds(1))
            }
            return s["music"]
        }
        for newcomerFirst in [false, true] {
            #expect(heard([:], newcomerFirst: newcomerFirst) == .free)
            #expect(heard(Self.pair("siren", "music", .usual), newcomerFirst: newcomerFirst) == .corked)
            #expect(heard(Self.pair("siren", nil, .usual), newcomerFirst: newcomerFirst) == .corked)
            #expect(
                heard(Self.pair("siren", "music", .mix, newcomer: .usual), newcomerFirst: newcomerFirst)
                    == (newcomerFirst ? .corked : .free))
            #expect(
                heard(Self.pair("siren", "music", .usual, newcomer: .mix), newcomerFirst: newcomerFirst)
                    == (newcomerFirst ? .free : .corked))
        }
    }

    @Test(
        "R13 a sound of the interface is muted where others are corked or rejected",
        arguments: [
            Interplay.Kind.cork, .reject,
        ])
    func interfaceSound(kind: Interplay.Kind) {
        var s = Scenario(policy: Self.policy(Self.pair("call", "beep", kind)))
        s.play("call", for: .seconds(1))
        s.play("beep")
        #expect(s["beep"] == .muted)
        s.pause("call", for: .seconds(1))
        #expect(s["beep"] == .free)
    }

    @Test("R36 R45 no rule touches a phone", arguments: Interplay.Kind.allCases)
    func phone(kind: Interplay.Kind) {
        var s = Scenario(policy: Self.policy(Self.pair(nil, "call", kind)))
        s.play("music")
        s.play("siren")
        s.play("call")
        s.play("other", role: "call", for: .seconds(1))
        #expect(s["call"] == .free)
        #expect(s["other"] == .free)
    }

    @Test("R36 nothing is silenced by what has a lower priority", arguments: [Interplay.Kind.cork, .mute, .reject])
    func upwards(kind: Interplay.Kind) {
        var s = Scenario(policy: Self.policy(Self.pair("music", "siren", kind)))
        s.play("music")
        s.play("siren", for: .seconds(1))
        #expect(s["siren"] == .free)
    }

    @Test("R40 N10 a pair has its own gain and times")
    func ownDucking() {
        let ducking = Ducking(
            gain: Decibels(-6), attack: .milliseconds(50), hold: .milliseconds(1300), release: .milliseconds(900))
        let rule = InterplayRules.Rule(playing: Interplay(.duck, ducking: ducking))
        var s = Scenario(policy: Self.policy([InterplayRules.Pair(.named("game"), .named("music")): rule]))
        s.play("music")
        s.skip(.seconds(1))
        s.play("game")
        #expect(s["music"] == .ducked(-6))
        #expect(s.news().contains("duck music in 50"))
        s.advance(.seconds(1))
        s.pause("game", for: .milliseconds(400))
        // The session has outlived its last sound by 300 ms already.
        #expect(s.news().contains("free music in 900 after 1000"))
    }

    @Test("R28 a pair has its own fade")
    func ownFade() {
        let rule = InterplayRules.Rule(playing: Interplay(.cork, fade: .milliseconds(1500)))
        var s = Scenario(policy: Self.policy([InterplayRules.Pair(.named("siren"), .named("music")): rule]))
        s.play("music")
        s.skip(.seconds(1))
        s.play("siren")
        #expect(s.news().contains("cork music in 1500"))
    }

    @Test("N14 an application that plays and records without a role is in a call, while it does both")
    func pairing() {
        let untagged = SessionDescription(name: "untagged", category: .ambient)
        let policy = Policy(name: "test", roles: [Self.music, Self.call]).with {
            $0.untagged = untagged
            $0.pairing = Self.call.name
        }
        var s = Scenario(policy: policy)
        s.play("music")
        s.play("voices", role: "", app: "browser", for: .seconds(1))
        #expect(s["music"] == .free)
        s.play("microphone", role: "", app: "browser", capture: true, for: .seconds(1))
        #expect(s["music"] == .corked)
        #expect(s["voices"] == .free)
        #expect(s["microphone"] == .free)
        s.pause("microphone", for: .seconds(1))
        #expect(s["music"] == .free)
        // Somebody else's microphone is no call.
        s.play("recorder", role: "", app: "recorder", capture: true, for: .seconds(1))
        #expect(s["music"] == .free)
    }
}
