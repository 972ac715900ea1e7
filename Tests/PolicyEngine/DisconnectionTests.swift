import PolicyEngine
import Testing

/// What happens when an output goes, and when it comes back (R63, R64).
@Suite struct DisconnectionTests {
    private let headphones = PortID("card/headphones")

    private func playing(_ names: [(String, String)], _ preset: Shipped = .desktop) -> Scenario {
        var scenario = Scenario(preset)
        for (name, role) in names { scenario.play(name, role: role) }
        scenario.skip(.seconds(1))
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

    @Test("R64 how long the headphones are waited for is said, until they are back or too late")
    func remainingWait() throws {
        for isBack in [false, true] {
            var scenario = playing([("music", "music")])
            func end(_ scenario: Scenario) throws -> Instant? {
                try #require(scenario.engine.snapshot.sessions.first).ends
            }
            #expect(try end(scenario) == nil)
            scenario.unplug(headphones, "music")
            let first = try #require(try end(scenario))
            #expect(scenario.now.duration(to: first) == .seconds(60))
            scenario.advance(.seconds(20))
            #expect(try end(scenario) == first)
            if isBack { scenario.plug(headphones, "music") }
            scenario.advance(.seconds(70))
            #expect(try end(scenario) == nil)
        }
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

    @Test("R64 R31 they are not back in time: whom the system has interrupted with that sound hears what its role says")
    func tooLateForTheSystem() {
        for resumption in [Resumption.never, .always] {
            var scenario = Scenario(.desktop)
            scenario.open("player", .playback)
            scenario.activate("player")
            scenario.open(
                "radio", system: SessionDescription(name: "radio", category: .playback, resumption: resumption))
            scenario.activate("radio")
            scenario.appear("song", role: "music", app: "radio")
            scenario.move("song", to: "radio")
            scenario.want("song")
            scenario.advance(.seconds(1))
            #expect(scenario.state("player").isInterrupted)
            scenario.unplug(headphones, "song")
            scenario.advance(.seconds(50))
            #expect(scenario.state("player").isInterrupted)
            _ = scenario.news()
            scenario.advance(.seconds(11))
            #expect(scenario.news().contains("ended player \(resumption == .always ? "resume" : "stay")"))
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
        #expect(scenario["music"] == .superseded && !scenario.isRunning("music"))
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

    @Test("R13 R64 who loses only a sound of the interface goes on, be it music elsewhere or a recording")
    func losesInterfaceSound() {
        var scenario = Scenario(.desktop)
        for name in ["player", "recorder"] {
            scenario.open(name)
            scenario.configure(name, name == "player" ? .playback : .record)
            scenario.appear("\(name) click", role: "notification")
            scenario.appear("\(name) sound", role: "music", capture: name == "recorder")
            scenario.move("\(name) click", "\(name) sound", to: name)
            scenario.activate(name)
            scenario.want("\(name) click")
            scenario.want("\(name) sound")
            scenario.skip(.seconds(1))
            scenario.unplug(headphones, "\(name) click")
            #expect(scenario["\(name) sound"] == .free && scenario.state(name).isActive)
            scenario.close(name)
        }
    }

    @Test("R64 R30 a call in between: one interruption, and the music still waits for its output")
    func callInBetween() {
        var scenario = playing([("music", "music")])
        scenario.unplug(headphones, "music")
        _ = scenario.news()
        scenario.play("call", role: "phone", for: .seconds(1))
        scenario.vanish("call", for: .seconds(1))
        #expect(scenario.news().allSatisfy { !$0.contains("ended music") && !$0.contains("began music") })
        #expect(!scenario.isRunning("music"))
        scenario.plug(headphones, "music")
        #expect(scenario["music"] == .free)
    }

    @Test("R64 R30 a long call on the headset, which takes the output of the music away for as long")
    func longCall() {
        var scenario = playing([("music", "music")])
        scenario.play("call", role: "phone", for: .seconds(1))
        scenario.unplug(headphones, "music")
        scenario.advance(.seconds(600))
        scenario.vanish("call", for: .seconds(5))
        #expect(!scenario.isRunning("music"))
        scenario.plug(headphones, "music")
        #expect(scenario["music"] == .free && scenario.isRunning("music"))
        // But not for ever.
        scenario.play("call", role: "phone")
        scenario.unplug(headphones, "music")
        scenario.advance(.seconds(600))
        scenario.vanish("call", for: .seconds(130))
        scenario.plug(headphones, "music")
        #expect(!scenario.isRunning("music"))
    }

    @Test("R64 N7 an opened session is told, and activates itself again")
    func opened() {
        var scenario = Scenario(.desktop)
        scenario.play("track", in: "player")
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
        let lax = Policy.desktop.with { $0.routes.pausesPlayback = false }
        scenario.change(to: lax)
        scenario.unplug(headphones, "music")
        #expect(scenario["music"] == .free)
    }

    @Test("R13 R64 a click beside it lets no music out of the loudspeaker when its session is closed")
    func closedWithClick() {
        var scenario = playing([("music", "music")])
        scenario.unplug(headphones, "music")
        scenario.open("session", app: "music")
        scenario.move("music", to: "session")
        scenario.appear("click", role: "notification", app: "music")
        scenario.move("click", to: "session")
        scenario.want("click")
        scenario.close("session")
        scenario.advance(.seconds(1))
        #expect(scenario["music"] == .corked && !scenario.isRunning("music"))
        scenario.plug(headphones, "music")
        #expect(scenario["music"] == .free)
    }

    @Test("R31 R64 what another playback has taken over from does not wait for its output")
    func supersededWithoutOutput() {
        var scenario = playing([("music", "music"), ("video", "video")], .phone)
        scenario.unplug(headphones, "music")
        #expect(scenario.news() == [])
        scenario.pause("video", for: .seconds(1))
        #expect(scenario["music"] == .superseded)
        #expect(scenario.news().filter { $0.contains("music") && !$0.hasPrefix("keep") } == ["ended music stay"])
        scenario.plug(headphones, "music")
        #expect(scenario["music"] == .superseded && !scenario.isRunning("music"))
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
