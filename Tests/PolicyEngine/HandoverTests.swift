import PolicyEngine
import Testing

/// An interrupter that waits until the others are silent.
@Suite struct HandoverTests {
    @Test("R37 ringing and alarm wait for the music to be silent", arguments: Shipped.allCases, ["ringtone", "alarm"])
    func hold(preset: Shipped, role: String) {
        var s = Scenario(preset)
        s.play("music")
        s.skip(.seconds(1))
        s.play(role)
        #expect(s[role] == .held)
        #expect(!s.isRunning(role))
        #expect(s["music"] == .corked)
        #expect(s.news() == ["active \(role)", "hold \(role) in 0", "cork music in 80"])
        s.advance(.milliseconds(79))
        #expect(s[role] == .held)
        s.advance(.milliseconds(1))
        #expect(s[role] == .free)
        #expect(s.isRunning(role))
        #expect(s.news() == ["free \(role) in 0", "inactive music", "began music by \(role)"])
        s.vanish(role, for: .milliseconds(300))
        #expect(s["music"] == .free)
        #expect(s.isRunning("music"))
    }

    @Test("R37 with nobody to wait for there is no wait", arguments: ["silence", "paused", "idle", "already silent"])
    func noWait(situation: String) {
        var s = Scenario(.desktop)
        switch situation {
        case "paused":
            s.play("music")
            s.pause("music")
        case "idle": s.appear("music", role: "music")
        case "already silent":
            s.play("music")
            s.play("phone")
        default: break
        }
        s.skip(.seconds(1))
        s.play("ringtone")
        #expect(s["ringtone"] == .free)
        #expect(s.isRunning("ringtone"))
        #expect(!s.news().contains { $0.hasPrefix("hold") })
    }

    @Test("R37 a victim that never settles holds the ringing up for so long and no longer", arguments: Shipped.allCases)
    func limit(preset: Shipped) {
        var s = Scenario(preset)
        s.play("music", vice: .neverSettles)
        s.play("ringtone", for: .milliseconds(80) + Engine.handoverLimit - .nanoseconds(1))
        #expect(s["ringtone"] == .held)
        s.advance(.nanoseconds(1))
        #expect(s["ringtone"] == .free)
        #expect(s.isRunning("ringtone"))
    }

    @Test("R37 ringing that never starts gives the floor back", arguments: Shipped.allCases)
    func neverRuns(preset: Shipped) {
        var s = Scenario(preset)
        s.play("music")
        s.play("ringtone", vice: .neverRuns, for: .milliseconds(80) + Engine.startLimit - .nanoseconds(1))
        #expect(s["music"] == .corked)
        s.advance(.nanoseconds(1))
        #expect(s["music"] == .free)
        #expect(s.isRunning("music"))
        s.advance(.seconds(60))
        #expect(s["music"] == .free)
    }

    @Test("R37 what is called off while it waits is never heard", arguments: [true, false])
    func calledOff(vanishes: Bool) {
        var s = Scenario(.desktop)
        s.play("music")
        s.play("ringtone", for: .milliseconds(50))
        if vanishes { s.vanish("ringtone") } else { s.pause("ringtone") }
        #expect(s["music"] == .free)
        s.advance(.seconds(1))
        #expect(s.isRunning("music"))
    }

    @Test("R37 a victim that vanishes is not waited for")
    func victimVanishes() {
        var s = Scenario(.desktop)
        s.play("music", vice: .neverSettles)
        s.play("ringtone", for: .milliseconds(50))
        #expect(s["ringtone"] == .held)
        s.vanish("music")
        #expect(s["ringtone"] == .free)
    }

    @Test("R19 R37 a call never waits", arguments: Shipped.allCases)
    func callNeverHolds(preset: Shipped) {
        var s = Scenario(preset)
        s.play("music", vice: .neverSettles)
        s.play("phone")
        #expect(s["phone"] == .free)
        #expect(s.isRunning("phone"))
    }

    @Test("R19 not even where a policy asks for it")
    func playAndRecordNeverHolds() {
        var s = Scenario(
            policy: .of(
                SessionDescription(name: "music", category: .playback),
                SessionDescription(name: "call", category: .playAndRecord, priority: .phone, handover: .hold)))
        s.play("music")
        s.play("call")
        #expect(s["call"] == .free)
    }

    @Test("R36 an alarm that waits is interrupted by a call, and rings after it")
    func interruptedWhileHeld() {
        var s = Scenario(.desktop)
        s.play("music")
        s.play("alarm", for: .milliseconds(50))
        s.play("phone")
        #expect(s["alarm"] == .corked)
        s.advance(.seconds(3))
        s.pause("phone", for: .milliseconds(300))
        #expect(s["alarm"] == .free)
        #expect(s["music"] == .corked)
        #expect(s.isRunning("alarm"))
        s.pause("alarm", for: .milliseconds(300))
        #expect(s["music"] == .free)
    }

    @Test("R30 ringing, then the call: the music hears of one interruption", arguments: Shipped.allCases)
    func ringThenCall(preset: Shipped) {
        var s = Scenario(preset)
        s.play("music")
        s.skip(.seconds(1))
        s.play("ringtone", app: "telephone", for: .seconds(4))
        s.vanish("ringtone", for: .milliseconds(200))
        s.play("phone", app: "telephone", for: .seconds(60))
        #expect(s["music"] == .corked)
        s.vanish("phone", for: .seconds(1))
        let told = s.news().filter { $0.hasPrefix("began") || $0.hasPrefix("ended") }
        #expect(told == ["began music by telephone", "ended music resume"])
    }

    @Test("R13 R37 a recording that waits for a sound of the interface to be silent")
    func muted() {
        var s = Scenario(
            policy: .of(
                SessionDescription(name: "ui", category: .uiSound),
                SessionDescription(name: "record", category: .record, fade: .milliseconds(50), handover: .hold)))
        s.play("ui")
        s.play("record", capture: true)
        #expect(s["record"] == .held)
        #expect(s["ui"] == .muted)
        s.advance(.milliseconds(50))
        #expect(s["record"] == .free)
        #expect(s.isRunning("ui"))
    }
}
