import PolicyEngine
import Testing

/// Speech and those that stop it although they were there before it (N1, N2), when both begin or end in the same moment.
@Suite struct SpeechTests {
    private static let call = SessionDescription(
        name: "call", category: .playAndRecord, mode: .voiceChat, priority: .phone, releaseDelay: .zero)
    private static let prompt = SessionDescription(
        name: "prompt", category: .playback, options: .duckOthers, mode: .voicePrompt,
        releaseDelay: .zero)
    private static let talk = SessionDescription(
        name: "talk", category: .playback, mode: .spokenAudio, releaseDelay: .zero)
    private static let music = SessionDescription(name: "music", category: .playback, releaseDelay: .zero)

    /// Music is interrupted by a call, during which talk is asked for; a prompt that the call has interrupted goes on after it.
    private func callOverPrompt(_ others: String...) -> Scenario {
        var s = Scenario(policy: .of(Self.call, Self.prompt, Self.talk, Self.music))
        for name in others { s.play(name) }
        s.play("prompt")
        s.play("call", for: .seconds(1))
        s.play("talk")
        s.skip(.seconds(1))
        s.pause("call")
        return s
    }

    @Test("N1 R26 speech that waits is told of no interruption when what stops it begins in the same moment")
    func neverBegan() {
        var s = callOverPrompt()
        s.advance(.seconds(1))
        #expect(s["prompt"] == .free && s["talk"] == .corked)
        #expect(!s.news().contains { $0.contains("active talk") || $0.hasPrefix("began talk") })
        s.pause("prompt", for: .seconds(1))
        #expect(s["talk"] == .free)
        #expect(s.news().contains("active talk"))
    }

    @Test("N1 N17 speech that does not begin after all silences nobody")
    func silencesNobody() {
        var s = callOverPrompt("music")
        s.advance(.seconds(1))
        #expect(s["talk"] == .corked)
        #expect(s["music"] == .ducked(-14))
        #expect(s.news().contains("ended music resume"))
        s.pause("prompt", for: .seconds(1))
        #expect(s["talk"] == .free && s["music"] == .corked)
    }

    @Test("N1 R28 speech silences music although somebody could stop it who wants to play and never does")
    func beforeSilentPrompt() {
        var s = Scenario(policy: .of(Self.prompt, Self.talk, Self.music))
        s.play("prompt", vice: .neverRuns, for: .seconds(5))
        s.play("music", for: .seconds(1))
        s.play("talk", for: .seconds(1))
        #expect(s["talk"] == .free && s["music"] == .corked)
    }

    @Test("N1 N17 speech whose interrupter ends goes to another one that stops it, and is told nothing")
    func passedOn() {
        let guide = SessionDescription(
            name: "guide", category: .playback, options: .duckOthers, resumption: .never, releaseDelay: .zero)
        var s = Scenario(policy: .of(guide, Self.prompt, Self.talk))
        s.play("prompt")
        s.play("guide")
        s.play("talk", for: .seconds(1))
        #expect(s.actor(on: "talk") == "guide")
        _ = s.news()
        s.pause("guide", for: .seconds(1))
        #expect(s["talk"] == .corked && s.actor(on: "talk") == "prompt")
        s.pause("prompt", for: .seconds(1))
        #expect(s["talk"] == .free)
    }

    @Test("N1 N16 speech that came while the policy was suspended goes to the strongest that stops it")
    func cameWhileSuspended() {
        var s = Scenario(policy: .of(Self.call, Self.prompt, Self.talk))
        var suspended = Switches()
        suspended.pausedUntil = Switches.never
        s.send(.switched(suspended))
        s.play("prompt")
        s.play("call")
        s.appear("talk", role: "talk")
        s.send(.switched(Switches()))
        #expect(s["talk"] == .corked && s.actor(on: "talk") == "call")
    }

    @Test("N1 R31 who begins to speak over the end of speech is not told to stay silent by that end")
    func speaksOverTheEnd() {
        let podcast = SessionDescription(
            name: "podcast", category: .playback, mode: .spokenAudio, resumption: .never, releaseDelay: .seconds(1))
        let reader = SessionDescription(
            name: "reader", category: .playback, options: .duckOthers, mode: .spokenAudio, resumption: .never)
        var s = Scenario(policy: .of(podcast, reader, Self.talk))
        s.play("talk", app: "library")
        s.play("reader", app: "library")
        s.play("podcast", for: .seconds(1))
        #expect(s["reader"] == .corked)
        s.pause("podcast")
        // The library is no talk any more, so the podcast does not silence it; and speech stops for a reader.
        s.pause("talk")
        #expect(s["reader"] == .free && s["podcast"] == .corked)
    }

    @Test("N1 N17 speech that waits goes to the strongest of those that stop it, also if that one begins only now")
    func strongestStopper() {
        var guide = Self.prompt
        guide.name = "guide"
        guide.isInterruptible = false
        var s = Scenario(policy: .of(Self.call, guide, Self.prompt, Self.talk))
        s.play("guide")
        s.play("prompt")
        s.play("call")
        s.play("talk", for: .seconds(1))
        #expect(s.actor(on: "talk") == "call")
        s.pause("call")
        #expect(s["prompt"] == .free && s.actor(on: "talk") == "prompt")
    }
}
