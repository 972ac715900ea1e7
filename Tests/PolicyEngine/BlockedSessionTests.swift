import PolicyEngine
import Testing

/// Sessions that may not begin, found by random sequences.
@Suite struct BlockedSessionTests {
    @Test("R8 R12 who was opened under another policy is refused like anybody")
    func refusedAfterAnotherPolicy() {
        var s = Scenario(.desktop)
        s.open("player")
        s.change(to: Shipped.phone.policy)
        s.play("alarm")
        s.skip(.seconds(1))
        s.activate("player")
        #expect(s.news() == ["player: refused by alarm"])
    }

    private static let prompt = SessionDescription(name: "prompt", category: .playback, options: .duckOthers)
    private static let talk = SessionDescription(
        name: "talk", category: .playback, options: .mixWithOthers, mode: .spokenAudio)

    @Test("N1 R26 speech that comes while somebody speaks is not told that it is active")
    func speechDuringPrompt() {
        var s = Scenario(policy: .of(Self.prompt, Self.talk))
        s.play("prompt")
        s.skip(.seconds(1))
        s.play("talk")
        #expect(s["talk"] == .corked)
        #expect(!s.news().contains("active talk"))
        s.pause("prompt", for: .seconds(1))
        #expect(s["talk"] == .free)
        #expect(s.news().contains("active talk"))
    }

    @Test("R8 N12 who is refused again may ask who it was, of each of its streams")
    func refusedAgain() {
        let song = SessionDescription(name: "song", category: .soloAmbient, releaseDelay: .zero)
        let calls = ["first", "second"].map { name in
            SessionDescription(
                name: name, category: .playback, options: .mixWithOthers, priority: .alarm, releaseDelay: .zero)
        }
        let rule = InterplayRules.Rule(playing: Interplay(.mix), newcomer: Interplay(.reject))
        let pairs = calls.map { InterplayRules.Pair(.named($0.name), .named("song")) }
        var s = Scenario(
            policy: Policy.of(song, calls[0], calls[1]).with {
                $0.interplay = InterplayRules(Dictionary(uniqueKeysWithValues: pairs.map { ($0, rule) }))
            })
        s.play("first")
        s.play("song", app: "player")
        #expect(s["song"] == .rejected && s.actor(on: "song") == "first")
        s.play("second")
        s.pause("first")
        s.play("other song", role: "song", app: "player")
        #expect(s["other song"] == .rejected && s.actor(on: "other song") == "second")
        #expect(s.actor(on: "song") == "second")
    }

    @Test("R13 N17 a sound of the interface that goes on has not left those whom it silences")
    func clickAfterClick() {
        let song = SessionDescription(name: "song", category: .soloAmbient, releaseDelay: .zero)
        let click = SessionDescription(name: "click", category: .uiSound, releaseDelay: .zero)
        let gong = SessionDescription(name: "gong", category: .uiSound, resumption: .never, releaseDelay: .zero)
        let rule = InterplayRules.Rule(playing: Interplay(.mute), newcomer: Interplay(.mute))
        let pairs = [("click", "song"), ("gong", "click")].map { InterplayRules.Pair(.named($0), .named($1)) }
        var s = Scenario(
            policy: Policy.of(song, click, gong).with {
                $0.interplay = InterplayRules(Dictionary(uniqueKeysWithValues: pairs.map { ($0, rule) }))
            })
        s.play("song")
        s.play("click", for: .seconds(1))
        s.play("gong", for: .seconds(1))
        s.pause("song")
        _ = s.news()
        s.pause("gong")
        #expect(s["click"] == .free && s["song"] == .muted)
        #expect(!s.news().contains { $0.hasPrefix("ended song") })
        s.pause("click")
        #expect(s.news().contains("ended song stay"))
    }

    @Test("R8 N1 speech is not activated while somebody speaks")
    func speechRefused() {
        var s = Scenario(policy: .of(Self.prompt, Self.talk))
        s.play("prompt", for: .seconds(1))
        s.open("talk", .playback, .mixWithOthers, .spokenAudio)
        _ = s.news()
        s.activate("talk")
        #expect(s.news() == ["talk: refused by prompt"])
    }

    @Test("N9 R30 who gave up and is granted its activation stays interrupted if another one is granted one too")
    func grantedTwice() {
        var s = Scenario(.desktop)
        s.open("first")
        s.open("second")
        s.appear("song", role: "music", app: "first")
        s.move("song", to: "first")
        s.want("song")
        s.advance(.seconds(1))
        s.play("call", role: "phone", for: .seconds(1))
        #expect(s.state("first").isInterrupted)
        s.vanish("song")
        s.request("first", .activate(mayWait: true))
        s.request("second", .activate(mayWait: true))
        _ = s.news()
        s.pause("call", for: .seconds(1))
        let news = s.news()
        #expect(news.contains("first: granted") && news.contains("second: granted"))
        #expect(!news.contains("ended first resume") && !news.contains("active first"))
        #expect(s.state("first").isInterrupted && !s.state("first").isActive)
        s.deactivate("second")
        #expect(s.news().contains("ended first resume"))
        #expect(s.state("first").isActive)
    }
}
