import PolicyEngine
import Testing

/// Who interrupts whom, who is told what in which order, and who resumes.
@Suite struct InterruptionTests {
    @Test("R36 a call interrupts an alarm, an alarm never a call", arguments: Shipped.allCases)
    func phoneOverAlarm(preset: Shipped) {
        for phoneIsFirst in [true, false] {
            var s = Scenario(preset)
            s.play(phoneIsFirst ? "phone" : "alarm", for: .seconds(3))
            s.play(phoneIsFirst ? "alarm" : "phone", for: .seconds(3))
            #expect(s["phone"] == .free)
            #expect(s["alarm"] == .corked)
            s.pause("phone", for: .seconds(1))
            #expect(s["alarm"] == .free)
            #expect(s.isRunning("alarm"))
        }
    }

    @Test("R36 nothing lowers or stops the phone")
    func nothingTouchesPhone() {
        for description in CategoryTests.samples.values {
            for options in [CategoryOptions(), .mixWithOthers, .duckOthers] {
                var actor = description
                actor.options = options
                for priority in [Priority.normal, .alarm, .phone, Priority(rawValue: 255)] {
                    actor.priority = priority
                    let phone = SessionDescription(name: "call", category: .playAndRecord, priority: .phone)
                    #expect(Interplay.between(actor, and: phone) == .mix)
                }
            }
        }
    }

    @Test(
        "R36 accessibility is not interruptible", arguments: Shipped.allCases, ["phone", "alarm", "ringtone", "video"])
    func accessibility(preset: Shipped, role: String) {
        var s = Scenario(preset)
        s.play("accessibility", for: .seconds(1))
        s.play(role, for: .seconds(3))
        #expect(s["accessibility"] == .free)
        #expect(s.isRunning("accessibility"))
    }

    @Test("R26 R27 the order of an interruption", arguments: Shipped.allCases)
    func order(preset: Shipped) {
        var s = Scenario(preset)
        s.play("music")
        s.skip(.seconds(1))
        s.play("phone")
        #expect(s.news() == ["active phone", "cork music in 80"])
        s.advance(.milliseconds(79))
        #expect(s.news() == [])
        s.advance(.milliseconds(1))
        #expect(s.news() == ["inactive music", "began music by phone"])
        s.advance(.seconds(60))
        #expect(s.news() == [])
        s.pause("phone", for: .milliseconds(299))
        #expect(s.news() == [])
        s.advance(.milliseconds(1))
        #expect(s.news() == ["inactive phone", "free music in 80", "ended music resume", "active music"])
    }

    @Test("R26 began is not told before the sound is gone")
    func beganWaits() {
        var s = Scenario(.desktop, obedient: false)
        s.play("music")
        s.run("music")
        s.play("phone")
        s.run("phone")
        #expect(!s.news().contains { $0.hasPrefix("began") })
        s.advance(.seconds(10))
        #expect(!s.news().contains { $0.hasPrefix("began") })
        s.settle("music")
        #expect(s.news() == ["inactive music", "began music by phone"])
        s.settle("music")
        #expect(s.news() == [])
    }

    @Test("R26 an interruption that is over before it was heard is not told")
    func tooShort() {
        var s = Scenario(.desktop, obedient: false)
        s.play("music")
        s.run("music")
        s.play("phone")
        s.run("phone")
        s.want("phone", false)
        _ = s.news()
        s.advance(.milliseconds(300))
        #expect(s.news() == ["inactive phone", "free music in 80"])
        s.settle("music")
        #expect(s.news() == [])
        #expect(s["music"] == .free)
    }

    @Test("R30 two interrupters that overlap, in both orders of ending", arguments: Shipped.allCases)
    func overlapping(preset: Shipped) {
        for (one, two) in [("phone", "alarm"), ("ringtone", "phone"), ("alarm", "alarm2"), ("phone", "phone2")] {
            for firstEndsFirst in [true, false] {
                var s = Scenario(preset)
                s.play("music", for: .seconds(1))
                s.play(one, role: one, for: .seconds(1))
                s.play(two, role: two.filter { !$0.isNumber })
                s.skip(.seconds(1))
                s.pause(firstEndsFirst ? one : two, for: .seconds(5))
                #expect(s["music"] == .corked)
                #expect(!s.news().contains { $0.contains("music") && $0.hasPrefix("ended") })
                s.pause(firstEndsFirst ? two : one, for: .seconds(5))
                #expect(s["music"] == .free)
                #expect(s.isRunning("music"))
                #expect(s.news().filter { $0.hasPrefix("ended music") } == ["ended music resume"])
            }
        }
    }

    @Test("R31 another playback that took over: no resumption", arguments: ["video", "untagged"])
    func superseded(role: String) {
        var s = Scenario(.phone)
        s.play("music", for: .seconds(1))
        s.appear("other", role: role == "untagged" ? nil : role)
        s.want("other")
        s.advance(.seconds(5))
        #expect(s["music"] == .corked)
        _ = s.news()
        s.vanish("other", for: .seconds(60))
        #expect(s["music"] == .superseded)
        #expect(!s.isRunning("music"))
        #expect(s.news() == ["inactive other", "keep music in 0", "ended music stay"])
        s.pause("music")
        #expect(s["music"] == .free)
        s.want("music")
        s.advance(.seconds(1))
        #expect(s["music"] == .free)
        #expect(s.isRunning("music"))
    }

    @Test("R31 resume = always lets the other go on, never keeps it silent", arguments: Resumption.allCases)
    func resumption(resumption: Resumption) {
        for mode in [Mode.default, .voicePrompt] {
            var s = Scenario(
                policy: .of(
                    SessionDescription(name: "music", category: .playback),
                    SessionDescription(name: "video", category: .playback, mode: mode, resumption: resumption)))
            s.play("music")
            s.play("video", for: .seconds(5))
            s.pause("video", for: .seconds(5))
            let resumes = resumption == .always || resumption == .transient && mode == .voicePrompt
            #expect(s["music"] == (resumes ? .free : .superseded))
            #expect(s.isRunning("music") == resumes)
        }
    }

    @Test("R31 a call over superseded music does not bring it back")
    func callOverSuperseded() {
        var s = Scenario(.phone)
        s.play("music")
        s.play("video", for: .seconds(5))
        s.play("phone", for: .seconds(5))
        #expect(s["video"] == .corked)
        s.pause("phone", for: .seconds(5))
        #expect(s["video"] == .free)
        #expect(s["music"] == .corked)
        s.pause("video")
        s.skip(.seconds(5))
        s.play("alarm", for: .seconds(5))
        s.pause("alarm", for: .seconds(5))
        #expect(s["music"] == .superseded)
        #expect(!s.news().contains { $0.hasSuffix("resume") || $0.hasPrefix("began") })
    }

    @Test("R27 R31 began is told before ended even when the other leaves during the fade")
    func supersededDuringFade() {
        var s = Scenario(.phone, obedient: false)
        s.play("music")
        s.run("music")
        s.play("video")
        s.run("video")
        s.want("video", false)
        s.skip(.milliseconds(300))
        s.settle("music")
        s.run("music", false)
        let told = s.news().filter { $0.hasPrefix("began") || $0.hasPrefix("ended") }
        #expect(told.count == 2)
        #expect(told.first?.hasPrefix("began music") == true)
        #expect(told.last == "ended music stay")
    }

    @Test(
        "R34 music starting during a call is silent, and plays from its beginning after it", arguments: Shipped.allCases
    )
    func startsDuringCall(preset: Shipped) {
        var s = Scenario(preset)
        s.play("phone")
        s.skip(.seconds(1))
        s.play("music")
        #expect(s.news() == ["cork music in 0"])
        s.advance(.seconds(10))
        #expect(s["music"] == .corked)
        #expect(!s.isRunning("music"))
        s.pause("phone", for: .milliseconds(300))
        #expect(s["music"] == .free)
        #expect(s.isRunning("music"))
        #expect(s.news().contains("free music in 0"))
    }

    @Test("R31 R34 of what played before a call and what was started during it, the later one has the floor after it")
    func startsDuringCallOverOther() {
        var s = Scenario(.phone)
        s.play("music", for: .seconds(1))
        s.play("phone", for: .seconds(1))
        s.play("video")
        s.skip(.seconds(1))
        s.pause("phone", for: .seconds(5))
        #expect(s["video"] == .free)
        #expect(s["music"] == .corked)
        #expect(!s.news().contains { $0.hasPrefix("free music") || $0 == "ended music resume" })
        s.pause("video", for: .seconds(5))
        #expect(s["music"] == .superseded)
        #expect(s.news().contains("ended music stay"))
    }

    @Test("R31 who was let go but never heard has not taken over", arguments: [false, true])
    func neverHeard(isReplaced: Bool) {
        var s = Scenario(.phone)
        s.play("music", for: .seconds(1))
        s.play("phone", for: .seconds(1))
        s.play("dead", role: "music", vice: .neverRuns)
        s.pause("phone", for: .milliseconds(500))
        #expect(s["music"] == .corked)
        #expect(s["dead"] == .free)
        if isReplaced {
            s.play("heard", role: "music", for: .milliseconds(500))
            s.vanish("heard")
        }
        s.advance(.seconds(5))
        #expect(s["music"] == (isReplaced ? .superseded : .free))
        #expect(s.isRunning("music") == !isReplaced)
    }

    @Test("R35 music paused by its user during a call stays paused", arguments: Shipped.allCases)
    func pausedDuringCall(preset: Shipped) {
        var s = Scenario(preset)
        s.play("music", for: .seconds(1))
        s.play("phone", for: .seconds(1))
        s.pause("music")
        s.skip(.seconds(1))
        s.pause("phone", for: .seconds(5))
        #expect(s["music"] == .free)
        #expect(!s.isRunning("music"))
        #expect(s.news() == ["inactive phone", "free music in 0", "ended music stay"])
    }

    @Test("R35 R36 pausing and un-pausing during a call is put back and resumes after it", arguments: Shipped.allCases)
    func unpausedDuringCall(preset: Shipped) {
        var s = Scenario(preset)
        s.play("music")
        s.play("phone", for: .seconds(1))
        for _ in 0..<5 {
            s.pause("music")
            s.want("music")
            #expect(s["music"] == .corked)
        }
        // A server that let it run for a moment all the same.
        s.run("music")
        #expect(s["music"] == .corked)
        s.run("music", false)
        s.pause("phone", for: .seconds(1))
        #expect(s["music"] == .free)
        #expect(s.isRunning("music"))
    }

    @Test("R35 music closed during a call leaves nothing behind", arguments: Shipped.allCases)
    func closedDuringCall(preset: Shipped) {
        var s = Scenario(preset)
        s.play("music")
        s.play("phone")
        s.skip(.seconds(1))
        s.vanish("music", for: .seconds(1))
        s.pause("phone", for: .seconds(1))
        #expect(s.news() == ["inactive phone"])
        #expect(s["music"] == .unmanaged)
    }

    @Test("R11 an interrupter that is killed lets the others go on", arguments: Shipped.allCases)
    func killed(preset: Shipped) {
        for role in ["phone", "alarm", "ringtone"] {
            var s = Scenario(preset)
            s.play("music", for: .seconds(1))
            s.play(role, for: .seconds(1))
            #expect(s["music"] == .corked)
            s.vanish(role, for: .milliseconds(300))
            #expect(s["music"] == .free)
        }
    }

    @Test("R37 fades are the interrupter's, and none is made of what cannot be heard")
    func fadeLength() {
        var s = Scenario(
            policy: .of(
                SessionDescription(name: "music", category: .playback),
                SessionDescription(name: "call", category: .playAndRecord, priority: .phone, fade: .milliseconds(321))))
        s.play("music")
        s.play("idle", role: "music", app: "music")
        s.pause("idle")
        s.appear("new", role: "music", app: "music")
        s.skip(.seconds(1))
        s.play("call")
        #expect(
            Set(s.news()) == ["active call", "cork music in 321", "cork idle in 0", "cork new in 0"])
        s.advance(.seconds(1))
        s.pause("call", for: .seconds(1))
        #expect(
            Set(s.news()).isSuperset(of: ["free music in 321", "free idle in 0", "free new in 0"]))
    }

    @Test("R9 a device that is gone for long costs the claim, not the stream", arguments: Shipped.allCases)
    func deviceGone(preset: Shipped) {
        var s = Scenario(preset, obedient: false)
        s.appear("phone", role: "phone")
        s.appear("music", role: "music")
        s.want("phone")
        s.run("phone")
        #expect(s["music"] == .corked)
        s.run("phone", false)
        s.advance(Engine.startLimit - .nanoseconds(1))
        #expect(s["music"] == .corked)
        s.advance(.nanoseconds(1))
        #expect(s["music"] == .free)
        s.run("phone")
        #expect(s["music"] == .corked)
    }

    @Test("R26 R30 whose last stream goes while it fades is notified of no interruption")
    func goneWhileItFades() {
        var s = Scenario(.desktop)
        s.play("music", for: .seconds(1))
        s.appear("phone", role: "phone")
        s.want("phone")
        _ = s.news()
        s.vanish("music")
        let news = s.news()
        #expect(!news.contains { $0.hasPrefix("began music") }, "\(news)")
        #expect(news.contains { $0.hasPrefix("inactive music") }, "\(news)")
    }
}
