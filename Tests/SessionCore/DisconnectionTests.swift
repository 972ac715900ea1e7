import SessionCore
import Testing

/// What happens when an output goes, and when it comes back (R63, R64).
@Suite struct DisconnectionTests {
    private let headphones = PortID("card/headphones")

    private func playing(_ names: [(String, String)], _ preset: Shipped = .desktop) -> Scenario {
        var scenario = Scenario(preset)
        for (name, role) in names { scenario.play(name, role: role) }
        scenario.advance(.seconds(1))
        _ = scenario.news()
        return scenario
    }

    @Test("R64 N7 the headphones go: music stops at once, and goes on when they are back in time")
    func backInTime() {
        var scenario = playing([("music", "music")])
        scenario.unplug(headphones, "music")
        #expect(scenario.news() == ["cork music in 0", "inactive music", "began music by Headphones"])
        #expect(!scenario.isRunning("music"))
        scenario.advance(.seconds(50))
        #expect(scenario.news() == [])
        scenario.plug(PortID("another"), "music")
        #expect(scenario.news() == [])
        scenario.plug(headphones, "music")
        #expect(scenario.news().contains("ended music resume"))
        #expect(scenario["music"] == .free)
    }

    @Test("R64 what waits for its output waits in another session too, and under another policy")
    func joinsWhileAwaited() {
        for isReloaded in [false, true] {
            var scenario = playing([("music", "music")])
            scenario.unplug(headphones, "music")
            if isReloaded {
                scenario.change(to: .phone)
            } else {
                scenario.open("session", app: "music")
                scenario.move("music", to: "session")
            }
            scenario.advance(.seconds(1))
            #expect(scenario["music"] == .corked && !scenario.isRunning("music"))
            scenario.plug(headphones, "music")
            scenario.advance(.seconds(1))
            #expect(scenario["music"] == .free && scenario.isRunning("music"))
        }
    }

    @Test("R64 they are not back in time: only the application goes on, wherever that is")
    func tooLate() {
        var scenario = playing([("music", "music")])
        scenario.unplug(headphones, "music")
        _ = scenario.news()
        scenario.advance(.seconds(61))
        #expect(scenario.news().contains("ended music stay"))
        scenario.plug(headphones, "music")
        #expect(scenario["music"] == .corked && !scenario.isRunning("music"))
        scenario.pause("music")
        scenario.want("music")
        #expect(scenario["music"] == .free && scenario.isRunning("music"))
    }

    @Test("R64 R35 its user plays it on the loudspeaker, or pauses it: both count")
    func user() {
        var scenario = playing([("music", "music"), ("film", "video")])
        scenario.unplug(headphones, "music", "film")
        scenario.pause("music")
        scenario.want("music")
        #expect(scenario["music"] == .free)
        scenario.pause("film")
        scenario.plug(headphones, "film")
        scenario.advance(.seconds(2))
        #expect(!scenario.isRunning("film"))
    }

    @Test(
        "R64 calls, alarms, a screen reader and the sounds of the interface go on everywhere, and what plays elsewhere")
    func goesOn() {
        for role in ["phone", "ringtone", "alarm", "accessibility", "notification"] {
            var scenario = playing([("sound", role), ("elsewhere", "music")])
            let before = scenario["elsewhere"]
            scenario.unplug(headphones, "sound")
            #expect(scenario["sound"] == .free, "\(role)")
            #expect(scenario["elsewhere"] == before)
        }
    }

    @Test("R64 R30 a call in between: one interruption, and the music still waits for its output")
    func callInBetween() {
        var scenario = playing([("music", "music")])
        scenario.unplug(headphones, "music")
        _ = scenario.news()
        scenario.play("call", role: "phone")
        scenario.advance(.seconds(1))
        scenario.vanish("call")
        scenario.advance(.seconds(1))
        #expect(scenario.news().allSatisfy { !$0.contains("ended music") && !$0.contains("began music") })
        #expect(!scenario.isRunning("music"))
        scenario.plug(headphones, "music")
        #expect(scenario["music"] == .free)
    }

    @Test("R64 R30 a long call on the headset, which takes the output of the music away for as long")
    func longCall() {
        var scenario = playing([("music", "music")])
        scenario.play("call", role: "phone")
        scenario.advance(.seconds(1))
        scenario.unplug(headphones, "music")
        scenario.advance(.seconds(600))
        scenario.vanish("call")
        scenario.advance(.seconds(5))
        #expect(!scenario.isRunning("music"))
        scenario.plug(headphones, "music")
        #expect(scenario["music"] == .free && scenario.isRunning("music"))
        // But not for ever.
        scenario.play("call", role: "phone")
        scenario.unplug(headphones, "music")
        scenario.advance(.seconds(600))
        scenario.vanish("call")
        scenario.advance(.seconds(130))
        scenario.plug(headphones, "music")
        #expect(!scenario.isRunning("music"))
    }

    @Test("R64 N7 an opened session is told, and activates itself again")
    func opened() {
        var scenario = Scenario(.desktop)
        scenario.open("player")
        scenario.configure("player", .playback)
        scenario.activate("player")
        scenario.appear("track", role: "music")
        scenario.move("track", to: "player")
        scenario.want("track")
        _ = scenario.news()
        scenario.unplug(headphones, "track")
        #expect(scenario.news() == ["cork track in 0", "inactive player", "began player by Headphones"])
        #expect(!scenario.state("player").isActive && scenario.state("player").isInterrupted)
        scenario.plug(headphones, "track")
        #expect(scenario.news().contains("ended player resume"))
        scenario.activate("player")
        #expect(scenario["track"] == .free)
    }

    @Test("R64 while the policy is suspended nothing is stopped, then or later")
    func suspended() {
        var scenario = playing([("music", "music")])
        var switches = Switches()
        switches.pausedUntil = Switches.never
        scenario.send(.switched(switches))
        scenario.unplug(headphones, "music")
        #expect(scenario["music"] == .free && scenario.isRunning("music"))
        scenario.send(.switched(Switches()))
        scenario.advance(.seconds(61))
        #expect(scenario["music"] == .free && scenario.isRunning("music"))
    }

    @Test("R64 another policy in between changes nothing; one that does not pause does not")
    func policies() {
        var scenario = playing([("music", "music")])
        scenario.unplug(headphones, "music")
        scenario.change(to: .phone)
        #expect(!scenario.isRunning("music"))
        scenario.plug(headphones, "music")
        #expect(scenario["music"] == .free)
        let lax = Policy(name: "lax", roles: Policy.desktop.roles, routes: RouteRules(pausesPlayback: false))
        scenario.change(to: lax)
        scenario.unplug(headphones, "music")
        #expect(scenario["music"] == .free)
    }
}

extension Scenario {
    /// An output goes on which some streams are heard.
    mutating func unplug(_ port: PortID, _ names: String...) {
        send(.outputLost(port, name: "Headphones", streams: names.compactMap { id(of: $0) }))
        // A fade of no time is over at once.
        advance(.zero)
    }

    /// It is back, and some streams would be heard on it.
    mutating func plug(_ port: PortID, _ names: String...) {
        send(.outputReturned(port, streams: names.compactMap { id(of: $0) }))
    }
}
