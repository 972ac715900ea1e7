import PolicyEngine
import Testing

/// When a session begins and ends, and what belongs to it.
@Suite struct LifecycleTests {
    @Test("R1 streams of one application never touch each other", arguments: Shipped.allCases)
    func oneApplication(preset: Shipped) {
        var s = Scenario(preset)
        for role in ["music", "phone", "alarm", "navigation", "notification", "video"] {
            s.play(role, app: "one", for: .seconds(1))
        }
        s.appear("microphone", app: "one", capture: true)
        s.want("microphone")
        s.advance(.seconds(1))
        for name in ["music", "phone", "alarm", "navigation", "notification", "video"] {
            #expect(s[name] == .free, "\(name)")
            #expect(s.isRunning(name), "\(name)")
        }
    }

    @Test("R1 the strongest wanted stream speaks for its application", arguments: Shipped.allCases)
    func strongest(preset: Shipped) {
        var s = Scenario(preset)
        s.play("music")
        s.play("game", app: "suite")
        s.play("phone", app: "suite", for: .seconds(1))
        #expect(s["music"] == .corked)
        #expect(s["game"] == .free)
        s.pause("phone", for: .seconds(1))
        #expect(s["game"] == .free)
        #expect(s["music"] == (preset == .desktop ? .free : .superseded) || preset == .phone)
    }

    @Test("R2 a session begins when its first stream runs and ends after its last one", arguments: Shipped.allCases)
    func implicit(preset: Shipped) {
        var s = Scenario(preset, obedient: false)
        s.appear("a", role: "music", app: "player")
        s.appear("b", role: "music", app: "player")
        s.want("a")
        #expect(s.news() == [])
        s.run("a")
        #expect(s.news() == ["active player"])
        s.want("b")
        s.run("b")
        s.want("a", false)
        s.run("a", false)
        s.advance(.seconds(5))
        #expect(s.news() == [])
        s.want("b", false)
        s.run("b", false)
        s.advance(.milliseconds(299))
        #expect(s.news() == [])
        s.advance(.milliseconds(1))
        #expect(s.news() == ["inactive player"])
    }

    @Test("R2 what is due comes before the next event, however late the clock is", arguments: [true, false])
    func lateClock(isKnown: Bool) {
        var s = Scenario(.desktop, obedient: false)
        s.play("a", role: "music")
        s.run("a")
        #expect(s.news() == ["active a"])
        s.want("a", false)
        s.run("a", false)
        #expect(s.news() == [])
        // Its session was to end after 300 ms.
        s.standStill(.seconds(3))
        if isKnown { s.want("a") } else { s.send(.streamVanished(StreamID(99))) }
        #expect(s.news() == ["inactive a"])
        s.advance(.zero)
        #expect(s.news() == [])
    }

    @Test("N17 who activates too late is told so first, however late the clock is")
    func lateToResume() {
        var s = Scenario(.phone)
        s.play("music", for: .seconds(1))
        s.open("player", .playback)
        s.activate("player", for: .seconds(1))
        s.play("phone", for: .seconds(1))
        s.vanish("phone", for: .seconds(1))
        #expect(s.news().last == "ended player resume")
        // It had ten seconds, and the music waits for it.
        s.standStill(.seconds(10))
        s.activate("player")
        #expect(
            s.news() == [
                "free music in 500", "ended music resume", "active music", "active player", "cork music in 0",
                "inactive music", "began music by player", "player: done",
            ])
    }

    @Test("R2 an untagged stream is the preset's choice")
    func untagged() {
        for preset in Shipped.allCases {
            var s = Scenario(preset)
            s.appear("first")
            s.want("first")
            s.appear("second")
            s.want("second")
            s.advance(.seconds(1))
            #expect(s["first"] == (preset == .desktop ? .free : .corked))
            #expect(s["second"] == .free)
        }
    }

    @Test("R2 what the policy leaves alone touches nobody", arguments: ["production", "dsp", "test"])
    func unmanaged(role: String) {
        for preset in Shipped.allCases {
            var s = Scenario(preset)
            s.play("music")
            s.play(role)
            s.play("phone", for: .seconds(1))
            #expect(s[role] == .unmanaged)
            #expect(s["music"] == .corked)
            #expect(s.isRunning(role))
        }
    }

    @Test("R2 a short gap in the interrupter does not let the others flap", arguments: Shipped.allCases)
    func flapping(preset: Shipped) {
        var s = Scenario(preset)
        s.play("music")
        s.play("phone")
        s.skip(.seconds(1))
        for _ in 0..<20 {
            s.pause("phone", for: .milliseconds(290))
            s.want("phone")
            s.advance(.milliseconds(290))
        }
        #expect(s["music"] == .corked)
        #expect(s.news() == [])
    }

    @Test("R2 an interrupter that is wanted again within the delay but slow to run keeps its claim")
    func slowRestart() {
        var s = Scenario(.desktop, obedient: false)
        s.play("music")
        s.run("music")
        s.play("phone")
        s.run("phone")
        s.want("phone", false)
        s.run("phone", false)
        s.advance(.milliseconds(250))
        s.want("phone")
        s.advance(.milliseconds(200))
        #expect(s["music"] == .corked)
        s.run("phone")
        #expect(s["music"] == .corked)
        s.want("phone", false)
        s.run("phone", false)
        s.advance(.milliseconds(300))
        #expect(s["music"] == .free)
    }

    @Test("R2 release delay is the policy's", arguments: [0, 1, 300, 5_000])
    func releaseDelay(milliseconds: Int) {
        var s = Scenario(
            policy: .of(
                SessionDescription(name: "music", category: .playback),
                SessionDescription(
                    name: "call", category: .playAndRecord, priority: .phone,
                    releaseDelay: .milliseconds(milliseconds))))
        s.play("music")
        s.play("call", for: .seconds(1))
        s.pause("call", for: .milliseconds(milliseconds) - .nanoseconds(1))
        #expect(s["music"] == (milliseconds == 0 ? .free : .corked))
        s.advance(.nanoseconds(1))
        #expect(s["music"] == .free)
        #expect(s.isRunning("music"))
    }

    @Test("R8 what starts under a higher priority stays silent and changes nothing", arguments: ["phone", "alarm"])
    func activationFails(role: String) {
        var s = Scenario(.phone)
        s.play(role)
        s.skip(.seconds(3))
        s.play("music")
        s.play("video", for: .seconds(3))
        #expect(s.news().allSatisfy { $0.hasPrefix("cork ") })
        #expect(s[role] == .free)
        #expect(!s.isRunning("music"))
    }

    @Test("R9 the interrupted stays silent until its application un-pauses the stream itself")
    func askAgain() {
        var s = Scenario(.phone)
        s.play("music")
        s.play("video", for: .seconds(5))
        #expect(s["music"] == .corked)
        s.want("music", true)
        s.advance(.seconds(5))
        #expect(s["music"] == .corked)
        s.pause("music")
        s.want("music")
        s.advance(.seconds(1))
        #expect(s["music"] == .free)
        #expect(s["video"] == .corked)
        #expect(s.isRunning("music"))
    }

    @Test("R9 un-pausing against a lesser interrupter takes over; against a greater one it is put back")
    func greaterAndLesser() {
        for (role, state) in [("video", Heard.free), ("phone", .corked), ("alarm", .corked)] {
            var s = Scenario(.phone)
            s.play("music")
            s.play(role, for: .seconds(5))
            s.pause("music")
            s.want("music")
            s.advance(.seconds(5))
            #expect(s["music"] == state, "\(role)")
        }
    }

    @Test("R13 sounds of the interface neither interrupt nor are interrupted", arguments: Shipped.allCases)
    func interfaceSounds(preset: Shipped) {
        for role in ["music", "phone", "alarm", "video"] {
            var s = Scenario(preset)
            s.play(role, for: .seconds(3))
            s.play("notification", for: .seconds(1))
            #expect(s[role] == .free)
            #expect(s["notification"] == .free)
            #expect(s.isRunning("notification"))
        }
    }

    @Test("R13 a sound of the interface is muted with its interrupted application", arguments: Shipped.allCases)
    func interfaceSoundOfInterrupted(preset: Shipped) {
        var s = Scenario(preset)
        s.play("music", app: "player")
        s.appear("click", role: "notification", app: "player")
        s.play("phone", for: .seconds(1))
        #expect(s["music"] == .corked)
        #expect(s["click"] == .muted)
        s.pause("phone", for: .seconds(1))
        #expect(s["click"] == .free)
    }

    @Test("R13 a sound of the interface does not ask for its application's activation")
    func interfaceSoundClaimsNothing() {
        var s = Scenario(.phone)
        s.play("music", app: "player")
        s.play("video", app: "cinema", for: .seconds(5))
        s.play("click", role: "notification", app: "player", for: .seconds(1))
        #expect(s["music"] == .corked)
        #expect(s["video"] == .free)
        #expect(s["click"] == .muted)
    }

    @Test("R10 R13 who plays a sound of the interface and begins to play more asks to be heard then")
    func playsBesideInterfaceSound() {
        var s = Scenario(.phone)
        s.play("hum", role: "notification", app: "cinema", for: .seconds(1))
        s.play("music", app: "player", for: .seconds(1))
        s.play("video", app: "cinema", for: .seconds(1))
        #expect(s["video"] == .free)
        #expect(s["music"] == .corked)
    }

    @Test("R8 R13 who plays a sound of the interface may not begin to play more where nobody may")
    func rejectedBesideInterfaceSound() {
        let descriptions = [
            SessionDescription(name: "music", category: .playback),
            SessionDescription(name: "phone", category: .playAndRecord, priority: .phone),
            SessionDescription(name: "click", category: .uiSound),
        ]
        let pair = InterplayRules.Pair(.named("phone"), .named("music"))
        var s = Scenario(
            policy: Policy(name: "test", roles: descriptions).with {
                $0.interplay = InterplayRules([pair: .init(newcomer: Interplay(.reject))])
            })
        s.play("phone", for: .seconds(1))
        s.play("click", app: "player")
        s.play("music", app: "player", for: .seconds(1))
        #expect(s["music"] == .rejected)
        #expect(s["click"] == .free)
    }

    @Test("R13 a sound of the interface is heard again when the interruption is over, resumed or not")
    func interfaceSoundOfSuperseded() {
        var s = Scenario(.phone)
        s.play("music", app: "player")
        s.appear("click", role: "notification", app: "player")
        s.play("video", app: "cinema", for: .seconds(5))
        #expect(s["click"] == .muted)
        s.vanish("video", for: .seconds(5))
        #expect(s["music"] == .superseded)
        #expect(s["click"] == .free)
    }

    @Test("R13 R31 what another took over from does not silence the sounds that outlive it")
    func interfaceSoundOutlives() {
        var s = Scenario(.phone)
        s.play("music", app: "player")
        s.play("click", role: "notification", app: "player")
        s.appear("next", role: "music", app: "player")
        s.play("video", for: .seconds(5))
        s.vanish("music")
        s.vanish("video", for: .seconds(5))
        #expect(s["click"] == .free)
        #expect(s["next"] == .free)
    }

    @Test("R13 a policy may let sounds of the interface duck others")
    func duckingInterfaceSound() {
        var s = Scenario(
            policy: .of(
                SessionDescription(name: "music", category: .playback),
                SessionDescription(
                    name: "chime", category: .uiSound, options: .duckOthers, ducking: Ducking(gain: Decibels(-6)))))
        s.play("music")
        s.play("chime", for: .seconds(1))
        #expect(s["music"] == .ducked(-6))
        #expect(s["chime"] == .free)
        s.pause("chime", for: .seconds(1))
        #expect(s["music"] == .free)
    }
}
