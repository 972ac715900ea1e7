import PolicyEngine
import Testing

/// What happens to recordings when inputs and outputs come and go (R64).
@Suite struct RecordingStopTests {
    /// The phone, with another rule for recordings.
    private func phone(_ stop: RecordingStop) -> Policy {
        var preset = Policy.phone
        preset.routes.stopsRecording = stop
        return preset
    }

    private func recording(_ names: String..., under policy: Policy = .phone) -> Scenario {
        var scenario = Scenario(policy: policy)
        for name in names {
            scenario.play(name, capture: true, for: .seconds(1))
        }
        _ = scenario.news()
        return scenario
    }

    @Test(
        "R64 N7 R31 either stops a recording at once, and only its application goes on",
        arguments: [RouteChangeReason.newDeviceAvailable, .oldDeviceUnavailable])
    func either(reason: RouteChangeReason) {
        var scenario = recording("memo")
        scenario.change(route: reason)
        #expect(
            scenario.news() == ["inactive memo", "cork memo in 0", "began memo by the route", "ended memo stay"])
        #expect(scenario.reason(of: "memo") == .routeDisconnected)
        #expect(!scenario.isRunning("memo"))
        scenario.advance(.seconds(100))
        scenario.change(route: reason)
        #expect(scenario.news() == [] && !scenario.isRunning("memo"))
        scenario.pause("memo")
        scenario.want("memo")
        #expect(scenario["memo"] == .free && scenario.isRunning("memo"))
    }

    @Test("R64 the policy says which changes stop a recording, and other changes never do")
    func policies() {
        let stopping: [RecordingStop: Set<RouteChangeReason>] = [
            .never: [], .disconnect: [.oldDeviceUnavailable, .noSuitableRouteForCategory],
            .anyChange: [.oldDeviceUnavailable, .newDeviceAvailable, .noSuitableRouteForCategory],
        ]
        for stop in RecordingStop.allCases {
            for reason in RouteChangeReason.allCases {
                var scenario = recording("memo", under: phone(stop))
                scenario.change(route: reason)
                #expect(scenario.isRunning("memo") != stopping[stop]?.contains(reason), "\(stop) \(reason)")
            }
        }
        #expect(Policy.desktop.routes.stopsRecording == .never)
        #expect(Policy.phone.routes.stopsRecording == .anyChange)
    }

    @Test("R64 R56 the only input is pulled: that is a disconnect too, though there is no route to go on with")
    func onlyInput() {
        var desk = Laptop.desk(Laptop())
        desk.send(.category(.record))
        desk.wait(1_000)
        var scenario = recording("memo", under: phone(.disconnect))
        desk.send(.nodeGone(Laptop.source.id), .defaultNode(.input, name: nil))
        desk.wait(3_000)
        #expect(desk.changes.map(\.reason) == [.noSuitableRouteForCategory])
        for change in desk.changes { scenario.change(route: change.reason) }
        #expect(!scenario.isRunning("memo"))
    }

    @Test("R64 calls go on, and so does playback")
    func goesOn() {
        var scenario = Scenario(.phone)
        scenario.play("voice", role: "phone", app: "chat")
        scenario.play("microphone", role: "phone", app: "chat", capture: true, for: .seconds(1))
        scenario.change(route: .oldDeviceUnavailable)
        #expect(scenario.isRunning("voice") && scenario.isRunning("microphone"))
        for name in ["voice", "microphone"] { scenario.vanish(name) }
        scenario.play("music", role: "music", for: .seconds(1))
        scenario.change(route: .newDeviceAvailable)
        #expect(scenario.isRunning("music"))
    }

    @Test("R64 R21 what a recording has silenced goes on when that is stopped, but no other recording in its place")
    func inItsPlace() {
        var scenario = recording("memo")
        scenario.play("music", role: "music")
        scenario.play("dictation", role: "none", capture: true, for: .seconds(1))
        #expect(!scenario.isRunning("memo") && !scenario.isRunning("music") && scenario.isRunning("dictation"))
        _ = scenario.news()
        scenario.change(route: .newDeviceAvailable)
        scenario.advance(.seconds(1))
        #expect(!scenario.isRunning("memo") && !scenario.isRunning("dictation") && scenario.isRunning("music"))
        let news = scenario.news()
        #expect(news.contains("ended memo stay") && news.contains("ended dictation stay"))
        #expect(!news.contains("began memo by the route"))
    }

    /// Two recordings, of which the second one says of its end that others stay silent; an alarm and music.
    private var mixedPolicy: Policy {
        let all = [
            SessionDescription(name: "memo", category: .record),
            SessionDescription(name: "dictation", category: .record, resumption: .never),
            SessionDescription(name: "music", category: .playback),
            SessionDescription(name: "alarm", category: .playback, priority: .alarm),
        ]
        return Policy(name: "test", roles: all).with { $0.routes.stopsRecording = .anyChange }
    }

    @Test("R64 R31 what a recording has silenced goes on whatever another one says that is stopped with it")
    func stoppedTogether() {
        var scenario = Scenario(policy: mixedPolicy)
        for name in ["music", "memo", "dictation"] { scenario.play(name) }
        scenario.advance(.seconds(1))
        scenario.change(route: .newDeviceAvailable)
        scenario.advance(.seconds(1))
        #expect(scenario.isRunning("music") && !scenario.isRunning("memo") && !scenario.isRunning("dictation"))
    }

    @Test("R64 N17 whoever has interrupted a recording that is stopped gets those that it has silenced")
    func passedOn() {
        var scenario = Scenario(policy: mixedPolicy)
        for name in ["music", "memo", "dictation", "alarm"] { scenario.play(name) }
        scenario.advance(.seconds(1))
        #expect(scenario.actor(on: "music") == "memo")
        // The alarm keeps the dictation silent, so that one goes on after it.
        scenario.change(route: .newDeviceAvailable)
        #expect(scenario.actor(on: "music") == "dictation")
    }

    @Test("R64 R31 what a call keeps silent does not record, and goes on after it")
    func duringACall() {
        var scenario = recording("memo")
        scenario.play("call", role: "phone", for: .seconds(1))
        scenario.change(route: .newDeviceAvailable)
        scenario.vanish("call", for: .seconds(1))
        #expect(scenario.isRunning("memo"))
    }

    @Test("R64 N7 R34 an opened session is told, and activates itself again")
    func opened() {
        for hasStream in [false, true] {
            var scenario = Scenario(.phone)
            scenario.open("recorder", .record)
            scenario.activate("recorder")
            if hasStream {
                scenario.appear("memo", capture: true)
                scenario.move("memo", to: "recorder")
                scenario.want("memo")
            }
            _ = scenario.news()
            scenario.change(route: .oldDeviceUnavailable)
            let news = scenario.news().filter { $0.hasSuffix("recorder") || $0.contains("recorder ") }
            #expect(news == ["inactive recorder", "began recorder by the route", "ended recorder stay"])
            #expect(!scenario.state("recorder").isActive && !scenario.state("recorder").isInterrupted)
            #expect(!scenario.isRunning("memo"))
            scenario.activate("recorder")
            #expect(scenario.state("recorder").isActive && scenario.isRunning("memo") == hasStream)
        }
    }

    @Test("R64 R36 what another policy makes a call of goes on")
    func becomesACall() {
        var scenario = recording("memo")
        scenario.change(route: .oldDeviceUnavailable)
        var preset = Policy.phone
        preset.untaggedCapture = preset.roles["phone"]
        scenario.change(to: preset)
        scenario.advance(.seconds(1))
        #expect(scenario.isRunning("memo"))
    }

    @Test("R64 what is stopped stays so under another policy, and a suspended one stops nothing")
    func otherPolicies() {
        var scenario = recording("memo")
        scenario.change(route: .oldDeviceUnavailable)
        scenario.change(to: phone(.never))
        #expect(!scenario.isRunning("memo"))
        scenario.pause("memo")
        scenario.want("memo")
        scenario.change(to: .phone)
        var switches = Switches()
        switches.pausedUntil = Switches.never
        scenario.send(.switched(switches))
        scenario.change(route: .oldDeviceUnavailable)
        scenario.send(.switched(Switches()))
        scenario.advance(.seconds(1))
        #expect(scenario.isRunning("memo"))
    }
}

extension Scenario {
    /// Another route is in use.
    mutating func change(route reason: RouteChangeReason) {
        send(.routeChanged(reason))
        // A fade of no time is over at once.
        advance(.zero)
    }

    /// Why a stream is treated as it is.
    func reason(of name: String) -> Reason? { id(of: name).flatMap { engine.treatment(of: $0) }?.reason }
}
