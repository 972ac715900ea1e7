import PolicyEngine
import Testing

/// What users do to hear what the policy keeps silent, and what they mute.
@Suite struct UserActionTests {
    @Test(
        "N19 what its user wants to hear is heard beside the call until that is over, and stopped by the next one",
        arguments: UserAction.allCases)
    func besideTheCall(action: UserAction) {
        var s = Scenario(.desktop)
        s.play("music")
        s.play("phone", for: .seconds(3))
        #expect(s["music"] == .corked)
        s.free("music", by: action)
        s.advance(.seconds(1))
        #expect(s["music"] == .free)
        #expect(s.isRunning("music"))
        #expect(s["phone"] == .free)
        s.play("second", role: "phone", for: .seconds(1))
        #expect(s["music"] == .corked)
        s.vanish("second", for: .seconds(1))
        #expect(s["music"] == .free)
        s.vanish("phone", for: .seconds(1))
        #expect(s["music"] == .free)
        s.play("third", role: "phone", for: .seconds(1))
        #expect(s["music"] == .corked)
    }

    @Test("N19 whoever does the same without its user stays silent")
    func onlyTheOne() {
        var s = Scenario(.desktop)
        s.play("music")
        s.play("video")
        s.play("phone", for: .seconds(3))
        s.free("music", by: .play)
        s.advance(.seconds(1))
        #expect(s["music"] == .free)
        #expect(s["video"] == .corked)
    }

    @Test("N19 the policy may have it wait; only free is heard then", arguments: UserAction.allCases)
    func waits(action: UserAction) {
        var s = Scenario(.phone)
        s.play("music")
        s.play("phone", for: .seconds(3))
        s.free("music", by: action)
        s.advance(.seconds(1))
        #expect(s["music"] == (action == .free ? .free : .corked))
    }

    @Test("N19 an application that is freed twice, or from nobody, is not touched")
    func freedFromNobody() {
        var s = Scenario(.desktop)
        s.play("music")
        s.free("music")
        #expect(s["music"] == .free)
        s.play("phone", for: .seconds(3))
        #expect(s["music"] == .corked)
        s.free("music")
        s.free("music")
        s.advance(.seconds(1))
        #expect(s["music"] == .free)
    }

    @Test("N19 free lifts what is lowered, play and the slider do not", arguments: UserAction.allCases)
    func lowered(action: UserAction) {
        var s = Scenario(.desktop)
        s.play("music")
        s.play("navigation", for: .seconds(1))
        #expect(s["music"] == .ducked(-20))
        s.free("music", by: action)
        s.advance(.seconds(1))
        #expect(s["music"] == (action == .free ? .free : .ducked(-20)))
        s.vanish("navigation", for: .seconds(2))
        s.play("navigation", for: .seconds(1))
        #expect(s["music"] == .ducked(-20))
    }

    @Test("N19 free opens the silent switch until a switch changes")
    func switches() {
        var s = Scenario(.desktop)
        s.play("game")
        s.send(.switched(silent(true)))
        #expect(s["game"] == .muted)
        s.free("game", by: .play)
        #expect(s["game"] == .muted)
        s.free("game")
        #expect(s["game"] == .free)
        var paused = silent(true)
        paused.pausedUntil = Switches.never
        s.send(.switched(paused))
        s.send(.switched(silent(true)))
        #expect(s["game"] == .free)
        s.send(.switched(silent(false)))
        s.send(.switched(silent(true)))
        #expect(s["game"] == .muted)
    }

    @Test("N19 freedom from a switch goes with what moves to another session, and what stays is silent again")
    func switchesAfterMove() {
        var s = Scenario(.desktop)
        s.play("first", role: "game", app: "arcade")
        s.play("second", role: "game", app: "arcade")
        s.send(.switched(silent(true)))
        s.free("first")
        #expect(s["first"] == .free)
        #expect(s["second"] == .free)
        s.pause("first")
        s.open("session", app: "arcade")
        s.move("second", to: "session")
        #expect(s["first"] == .muted)
        #expect(s["second"] == .free)
    }

    private func silent(_ isOn: Bool) -> Switches {
        var switches = Switches()
        switches[.silent] = isOn
        return switches
    }

    @Test("N19 free lets in who was not let begin, and brings back who was told to stay silent")
    func blocked() {
        let reject = InterplayRules.Rule(playing: Interplay(.cork), newcomer: Interplay(.reject))
        var s = Scenario(
            policy: Policy.desktop.with {
                $0.interplay = InterplayRules([InterplayRules.Pair(.named("phone"), .any): reject])
            })
        s.play("phone", for: .seconds(1))
        s.play("music")
        #expect(s["music"] == .rejected)
        s.free("music", by: .play)
        #expect(s["music"] == .rejected)
        s.free("music")
        s.advance(.seconds(1))
        #expect(s["music"] == .free)

        s = Scenario(.phone)
        s.play("music")
        s.play("video", for: .seconds(3))
        s.vanish("video", for: .seconds(3))
        #expect(s["music"] == .superseded)
        s.free("music")
        s.advance(.seconds(1))
        #expect(s["music"] == .free)
    }

    @Test("N19 music freed from a sound is stopped by the alarm to which that sound moves and that begins later")
    func notFromTheLater() {
        func policy(_ category: Category) -> Policy {
            var preset = Policy.desktop
            preset.roles["voice"] = SessionDescription(name: "voice", category: category, options: .duckOthers)
            return preset
        }
        var s = Scenario(policy: policy(.uiSound))
        s.play("music")
        s.play("voice")
        #expect(s["music"] == .ducked(-14))
        s.free("music")
        s.advance(.seconds(1))
        #expect(s["music"] == .free)
        s.open("alarm", system: Policy.desktop.roles["alarm"])
        // A user interface sound does not begin an alarm.
        s.move("voice", to: "alarm")
        s.advance(.seconds(1))
        #expect(s["music"] == .free)
        s.change(to: policy(.playback))
        s.advance(.seconds(1))
        #expect(s["music"] == .corked)
    }

    @Test("N19 a paused stream is not freed in advance")
    func paused() {
        var s = Scenario(.desktop)
        s.play("music")
        s.play("phone", for: .seconds(3))
        s.pause("music")
        s.free("music")
        s.want("music")
        s.advance(.seconds(1))
        #expect(s["music"] == .corked)
    }

    @Test("N24 what is muted interrupts and lowers nobody until it is unmuted", arguments: ["phone", "navigation"])
    func mutedInterrupter(role: String) {
        var s = Scenario(.desktop)
        s.play("music")
        s.appear("muted", role: role)
        s.muteStream("muted")
        s.want("muted")
        s.advance(.seconds(1))
        #expect(s["music"] == .free)
        s.muteStream("muted", false)
        s.advance(.seconds(1))
        #expect(s["music"] == (role == "phone" ? .corked : .ducked(-20)))
        s.muteStream("muted")
        s.advance(.seconds(2))
        #expect(s["music"] == .free)
        s.muteStream("muted", false)
        s.advance(.seconds(1))
        #expect(s["music"] != .free)
        s.vanish("muted", for: .seconds(2))
        #expect(s["music"] == .free)
    }

    @Test("N24 what is muted is stopped all the same, and loses nothing")
    func mutedVictim() {
        var s = Scenario(.desktop)
        s.play("music")
        s.muteStream("music")
        s.play("phone", for: .seconds(1))
        #expect(s["music"] == .corked)
        s.vanish("phone", for: .seconds(1))
        #expect(s["music"] == .free)
        #expect(s.isRunning("music"))
    }

    @Test("N19 N24 whoever unmutes something during a call wants to hear it")
    func unmutedInCall() {
        var s = Scenario(.desktop)
        s.play("music")
        s.play("phone", for: .seconds(1))
        s.muteStream("music")
        s.muteStream("music", false)
        s.advance(.seconds(1))
        #expect(s["music"] == .free)
    }

    @Test("N24 a muted recording counts: its application still listens")
    func mutedRecording() {
        var s = Scenario(.desktop)
        s.play("music")
        s.play("microphone", role: "phone", capture: true)
        s.muteStream("microphone")
        s.advance(.seconds(1))
        #expect(s["music"] == .corked)
    }

    @Test("N24 where the policy says so, what is muted counts; a change of the policy counts at once")
    func counted() {
        var s = Scenario(.desktop)
        s.play("music")
        s.play("phone")
        s.muteStream("phone")
        s.advance(.seconds(1))
        #expect(s["music"] == .free)
        s.change(to: Policy.desktop.with { $0.muted = .count })
        s.advance(.seconds(1))
        #expect(s["music"] == .corked)
        s.change(to: .desktop)
        s.advance(.seconds(1))
        #expect(s["music"] == .free)
    }
}
