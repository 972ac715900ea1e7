import PolicyEngine
import Testing

/// Lowering instead of silencing.
@Suite struct DuckingTests {
    private static let spoken = ["navigation", "prompt", "accessibility"]

    @Test("R40 a prompt lowers others while it plays", arguments: spoken, Shipped.allCases)
    func prompts(prompt: String, preset: Shipped) {
        var s = Scenario(preset)
        s.play("music")
        s.skip(.seconds(1))
        s.play(prompt)
        #expect(s.news() == ["active \(prompt)", "duck music in 250"])
        s.advance(.seconds(1))
        #expect(s["music"] == .ducked(-20))
        #expect(s[prompt] == .free)
        s.pause(prompt, for: .milliseconds(300))
        #expect(s.news() == ["inactive \(prompt)", "free music in 700"])
    }

    @Test("R45 all other audio is lowered except the phone", arguments: Shipped.allCases)
    func allOthers(preset: Shipped) {
        for (role, state) in [
            ("music", Heard.ducked(-20)), ("video", .ducked(-20)), ("game", .ducked(-20)),
            ("notification", .ducked(-20)), ("alarm", .ducked(-20)), ("phone", .free), ("ringtone", .free),
        ] {
            for promptIsFirst in [true, false] {
                var s = Scenario(preset)
                if promptIsFirst { s.play("accessibility") }
                s.advance(.seconds(3))
                s.play(role, for: .seconds(3))
                if !promptIsFirst { s.play("accessibility") }
                s.advance(.seconds(3))
                #expect(s[role] == state, "\(role)")
                #expect(s.isRunning(role))
            }
        }
    }

    @Test("R45 capture is not lowered")
    func capture() {
        var s = Scenario(.phone)
        s.play("memo", role: "music", capture: true)
        s.play("navigation", for: .seconds(1))
        #expect(s["memo"] == .free)
    }

    @Test("R49 a ducker is mixable: neither it nor what it lowers is interrupted", arguments: Shipped.allCases)
    func duckerMixes(preset: Shipped) {
        var s = Scenario(preset)
        s.play("navigation")
        s.play("music")
        s.play("video", app: "player", for: .seconds(1))
        #expect(s["navigation"] == .free)
        s.play("navigation2", role: "navigation", for: .seconds(1))
        #expect(s["video"] == .ducked(-20))
    }

    @Test("N10 two duckers do not add up; the deepest one counts", arguments: [true, false])
    func deepest(deepFirst: Bool) {
        func ducker(_ name: String, _ gain: Double) -> SessionDescription {
            SessionDescription(
                name: name, category: .playback, options: .duckOthers, ducking: Ducking(gain: Decibels(gain)))
        }
        var s = Scenario(
            policy: .of(
                SessionDescription(name: "music", category: .playback), ducker("deep", -20), ducker("shallow", -6)))
        s.play("music")
        let (first, second) = deepFirst ? ("deep", "shallow") : ("shallow", "deep")
        s.play(first, for: .seconds(1))
        #expect(s["music"] == .ducked(deepFirst ? -20 : -6))
        s.play(second, for: .seconds(1))
        #expect(s["music"] == .ducked(-20))
        #expect(s.actor(on: "music") == "deep")
        s.pause(deepFirst ? "deep" : "shallow", for: .seconds(1))
        #expect(s["music"] == .ducked(deepFirst ? -6 : -20))
        s.pause(deepFirst ? "shallow" : "deep", for: .seconds(1))
        #expect(s["music"] == .free)
    }

    @Test("N10 of two prompts at once only the earlier one is lowered")
    func twoPrompts() {
        var s = Scenario(.desktop)
        s.play("navigation", for: .seconds(1))
        s.play("prompt", for: .seconds(1))
        #expect(s["navigation"] == .ducked(-20))
        #expect(s["prompt"] == .free)
    }

    @Test("N10 what starts while ducked starts at the ducked level at once", arguments: Shipped.allCases)
    func startsDucked(preset: Shipped) {
        var s = Scenario(preset, obedient: false)
        s.play("prompt")
        s.run("prompt")
        _ = s.news()
        s.appear("music", role: "music")
        #expect(s.news() == ["duck music in 0"])
        s.want("music")
        s.run("music")
        #expect(s["music"] == .ducked(-20))
        #expect(s.news() == ["active music"])
    }

    @Test("N10 what is paused is lowered at once and wakes up at the ducked level")
    func pausedWhileDucked() {
        var s = Scenario(.desktop)
        s.play("music")
        s.pause("music")
        s.skip(.seconds(1))
        s.play("prompt")
        #expect(s.news() == ["active prompt", "duck music in 0"])
    }

    @Test("R40 lasts while the session is active, release delay included")
    func lasts() {
        var s = Scenario(.desktop)
        s.play("music")
        s.play("prompt", for: .seconds(1))
        s.pause("prompt", for: .milliseconds(299))
        #expect(s["music"] == .ducked(-20))
        s.advance(.milliseconds(1))
        #expect(s["music"] == .free)
    }

    @Test("R36 R40 a call silences the prompt, and the music is corked, not ducked")
    func duckThenCork() {
        var s = Scenario(.desktop)
        s.play("music")
        s.play("navigation", for: .seconds(1))
        s.play("phone", for: .seconds(1))
        #expect(s["music"] == .corked)
        #expect(s["navigation"] == .corked)
        _ = s.news()
        s.pause("phone", for: .seconds(1))
        #expect(s["music"] == .ducked(-20))
        #expect(s["navigation"] == .free)
        s.pause("navigation", for: .seconds(1))
        #expect(s["music"] == .free)
    }
}
