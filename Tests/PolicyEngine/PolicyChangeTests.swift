import PolicyEngine
import Testing

/// Another policy takes over while streams play.
@Suite struct PolicyChangeTests {
    private static func desktop(_ edit: (inout Policy) -> Void) -> Policy {
        var preset = Policy.desktop
        edit(&preset)
        return preset
    }

    @Test("R12 the same policy again changes nothing", arguments: Shipped.allCases)
    func same(preset: Shipped) {
        var s = Scenario(preset)
        for name in ["music", "game", "navigation", "phone"] {
            s.play(name, for: .seconds(1))
        }
        let before = ["music", "game", "navigation", "phone"].map { s[$0] }
        _ = s.news()
        s.change(to: preset.policy)
        #expect(s.news().filter { !$0.hasPrefix("wake") } == [])
        #expect(["music", "game", "navigation", "phone"].map { s[$0] } == before)
        s.pause("phone", for: .seconds(2))
        #expect(s["game"] == .ducked(-20))
    }

    @Test("R40 what is ducked goes to the new gain on the way that the new policy says")
    func gain() {
        var s = Scenario(.desktop)
        s.play("music")
        s.play("navigation", for: .seconds(1))
        #expect(s["music"] == .ducked(-20))
        _ = s.news()
        s.change(
            to: Self.desktop {
                $0.roles["navigation"]?.ducking = Ducking(gain: Decibels(-6), release: .milliseconds(400))
            })
        #expect(s["music"] == .ducked(-6))
        // Upwards, as the one that ducked it let go.
        #expect(s.news().contains { $0.hasPrefix("duck music in") && !$0.hasSuffix(" in 0") })
    }

    @Test("R12 what was corked and now only ducks comes back, and is told so")
    func corkToDuck() {
        var s = Scenario(.desktop)
        s.play("music", for: .seconds(1))
        s.play("alarm", for: .seconds(1))
        #expect(s["music"] == .corked)
        _ = s.news()
        s.change(
            to: Self.desktop {
                $0.interplay.rules[InterplayRules.Pair(.named("alarm"), .named("music"))] =
                    InterplayRules.Rule(playing: Interplay(.duck))
            })
        #expect(s["music"] == .ducked(-14))
        #expect(s.isRunning("music"))
        #expect(s.news().contains("ended music resume"))
        s.pause("alarm", for: .seconds(2))
        #expect(s["music"] == .free)
    }

    @Test("R12 what mixed and is now silenced fades out, and is told so")
    func mixToCork() {
        var s = Scenario(.desktop)
        s.play("music")
        s.play("video", for: .seconds(1))
        #expect(s["music"] == .free)
        _ = s.news()
        s.change(to: Shipped.phone.policy)
        #expect(s["music"] == .corked)
        #expect(s["video"] == .free)
        s.advance(.seconds(1))
        #expect(s.news().contains("began music by video"))
    }

    @Test("N17 what was told to stay silent waits for its user, whatever the policy becomes")
    func superseded() {
        var s = Scenario(.phone)
        s.play("music", for: .seconds(1))
        s.play("video", for: .seconds(1))
        s.pause("video", for: .seconds(5))
        #expect(s["music"] == .superseded)
        s.change(to: Shipped.desktop.policy)
        s.advance(.seconds(1))
        #expect(s["music"] == .superseded && !s.isRunning("music"))
        s.pause("music")
        s.want("music")
        #expect(s["music"] == .free && s.isRunning("music"))
    }

    @Test("R12 a role that is left alone from now on is given back, and known again later")
    func leftAlone() {
        var s = Scenario(.desktop)
        s.play("music", for: .seconds(1))
        s.play("phone", for: .seconds(1))
        #expect(s["music"] == .corked)
        s.change(
            to: Self.desktop {
                $0.roles["music"] = nil
                $0.unmanaged.insert("music")
            })
        #expect(s["music"] == .unmanaged)
        #expect(s.isRunning("music"))
        s.change(to: Shipped.desktop.policy)
        s.advance(.seconds(1))
        #expect(s["music"] == .corked)
        s.pause("phone", for: .seconds(1))
        #expect(s["music"] == .free)
    }

    @Test("R12 an interrupter that is left alone from now on gives the others back")
    func interrupterLeftAlone() {
        var s = Scenario(.desktop)
        s.play("music")
        s.play("phone", for: .seconds(1))
        #expect(s["music"] == .corked)
        s.change(
            to: Self.desktop {
                $0.roles["phone"] = nil
                $0.unmanaged.insert("phone")
            })
        #expect(s["music"] == .free)
        s.advance(.seconds(1))
        #expect(s["music"] == .free)
    }

    /// The phone without videos: they are left alone.
    private static let withoutVideos = Policy.phone.with {
        $0.roles["video"] = nil
        $0.untagged = nil
    }

    @Test("R12 N17 what is left alone from now on lets those go on that it has silenced", arguments: [true, false])
    func leftAlone(isByPolicy: Bool) {
        var s = Scenario(.phone)
        s.play("music")
        s.play("video", for: .seconds(1))
        #expect(s["music"] == .corked)
        _ = s.news()
        if isByPolicy { s.change(to: Self.withoutVideos) } else { s.leaveAlone("video") }
        #expect(s.news().contains("ended music resume"))
        #expect(s["music"] == .free && s.isRunning("music"))
    }

    @Test("R12 N17 so it does where a paused stream of the same application is not left alone")
    func leftAloneBesideAnother() {
        var s = Scenario(.phone)
        s.appear("song", role: "music", app: "video")
        s.play("music")
        s.play("video")
        s.skip(.seconds(1))
        s.change(to: Self.withoutVideos)
        #expect(s.news().contains("ended music resume"))
        #expect(s["music"] == .free && s.isRunning("music"))
    }

    @Test("R30 an interrupter that waits for silence is not forgotten")
    func holding() {
        var s = Scenario(.desktop)
        s.play("music", for: .seconds(1))
        s.play("alarm")
        #expect(s["alarm"] == .held)
        s.change(to: Self.desktop { $0.roles["alarm"]?.fade = .milliseconds(200) })
        s.advance(.seconds(1))
        #expect(s["alarm"] == .free)
        #expect(s.isRunning("alarm"))
        #expect(s["music"] == .corked)
    }
}
