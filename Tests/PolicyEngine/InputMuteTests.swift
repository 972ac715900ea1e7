import PolicyEngine
import Testing

/// What happens to recordings when their user mutes what they record from (N7).
@Suite struct InputMuteTests {
    /// A session with a recording, which its application has activated or leaves to its stream.
    private func recording(
        _ category: PolicyEngine.Category = .record, driven: Bool = true, _ preset: Shipped = .desktop
    ) -> Scenario {
        var scenario = Scenario(preset)
        scenario.open("recorder")
        scenario.configure("recorder", category)
        scenario.appear("memo", role: "music", capture: true)
        scenario.move("memo", to: "recorder")
        if driven { scenario.activate("recorder") }
        scenario.want("memo")
        scenario.skip(.seconds(1))
        return scenario
    }

    @Test("N7 R26 R27 R34 a session that records is interrupted at once, and told to resume when the input is unmuted")
    func driven() {
        for preset in Shipped.allCases {
            var scenario = recording(.record, driven: true, preset)
            scenario.mute("memo")
            #expect(scenario.news() == ["cork memo in 0", "inactive recorder", "began recorder by microphone"])
            #expect(scenario.reason(of: "memo") == .inputMuted && !scenario.isRunning("memo"))
            let state = scenario.state("recorder")
            #expect(!state.isActive && state.isInterrupted && state.isInputMuted)
            scenario.advance(.seconds(1000))
            #expect(scenario.news() == [])
            scenario.unmute("memo")
            #expect(scenario.news().contains("ended recorder resume"))
            #expect(scenario.state("recorder") == SessionState(of: .record))
            #expect(!scenario.isRunning("memo") && scenario.reason(of: "memo") == .inactive)
            scenario.activate("recorder")
            #expect(scenario.state("recorder").isActive && scenario.isRunning("memo"))
        }
    }

    @Test("N7 R2 a session that its stream drives goes on by itself")
    func byItself() {
        var scenario = recording(driven: false)
        scenario.mute("memo")
        #expect(scenario.news() == ["cork memo in 0", "inactive recorder", "began recorder by microphone"])
        scenario.unmute("memo")
        scenario.advance(.seconds(1))
        #expect(scenario.isRunning("memo") && scenario.state("recorder").isActive)
        #expect(scenario.news().contains("ended recorder resume"))
    }

    @Test("N7 a call goes on and can read that it is not heard", arguments: [true, false])
    func call(isDriven: Bool) {
        var scenario = recording(.playAndRecord, driven: isDriven)
        scenario.mute("memo")
        #expect(scenario.news() == [] && scenario.isRunning("memo"))
        #expect(scenario.state("recorder").isInputMuted && scenario.state("recorder").isActive)
        scenario.unmute("memo")
        #expect(scenario.news() == [] && !scenario.state("recorder").isInputMuted)
    }

    @Test("N7 what nobody has opened records on, muted or not")
    func unopened() {
        for preset in Shipped.allCases {
            var scenario = Scenario(preset)
            scenario.play("meter", capture: true)
            scenario.play("call", role: "phone", app: "chat")
            scenario.play("voice", role: "phone", app: "chat", capture: true, for: .seconds(1))
            let runs = scenario.isRunning("meter")
            _ = scenario.news()
            scenario.mute("meter", "voice", "call")
            #expect(scenario.news() == [] && scenario.isRunning("meter") == runs && scenario.isRunning("voice"))
        }
    }

    @Test("N7 what begins with a muted input is not interrupted; nor is what records from another one as well")
    func alreadyMuted() {
        var scenario = recording()
        scenario.pause("memo")
        scenario.mute("memo")
        #expect(scenario.state("recorder").isInputMuted && scenario.state("recorder").isActive)
        scenario.want("memo")
        #expect(scenario.isRunning("memo") && scenario.state("recorder").isActive)
        scenario.unmute("memo")
        scenario.appear("room", role: "music", capture: true)
        scenario.move("room", to: "recorder")
        scenario.want("room")
        scenario.mute("memo")
        #expect(scenario.isRunning("memo") && scenario.isRunning("room"))
        #expect(!scenario.state("recorder").isInputMuted)
        scenario.vanish("room")
        #expect(scenario.state("recorder").isInputMuted && scenario.state("recorder").isActive)
    }

    @Test("N7 R30 who activates the session again records what there is; who deactivates it is not told to resume")
    func meanwhile() {
        var scenario = recording()
        scenario.mute("memo")
        scenario.activate("recorder")
        #expect(scenario.state("recorder").isActive && scenario.isRunning("memo"))
        #expect(scenario.state("recorder").isInputMuted && !scenario.state("recorder").isInterrupted)
        scenario.unmute("memo")
        scenario.mute("memo")
        #expect(scenario.state("recorder").isInterrupted)
        _ = scenario.news()
        scenario.deactivate("recorder")
        #expect(scenario.news().contains("ended recorder stay"))
        scenario.unmute("memo")
        #expect(!scenario.news().contains { $0.hasPrefix("ended") } && !scenario.isRunning("memo"))
    }

    @Test("N7 R30 who has closed its stream meanwhile is told that the input is unmuted all the same")
    func withoutStream() {
        var scenario = recording()
        scenario.mute("memo")
        scenario.vanish("memo")
        #expect(!scenario.news().contains { $0.hasPrefix("ended") })
        #expect(scenario.state("recorder").isInterrupted && !scenario.state("recorder").isInputMuted)
        scenario.unmute("other", input: "headset")
        #expect(scenario.state("recorder").isInterrupted)
        scenario.unmute()
        #expect(scenario.news() == ["ended recorder resume"])
    }

    @Test("N7 R64 nothing records from another input by itself because the muted one has gone or was replaced")
    func replaced() {
        let changes: [(inout Scenario) -> Void] = [
            { $0.send(.inputGone(PortID("microphone"))) }, { $0.unmute("memo", input: "headset") },
        ]
        for change in changes {
            for isDriven in [true, false] {
                var scenario = recording(driven: isDriven)
                scenario.mute("memo")
                _ = scenario.news()
                change(&scenario)
                scenario.advance(.seconds(1))
                #expect(scenario.news().contains("ended recorder stay"))
                #expect(!scenario.isRunning("memo"))
                scenario.unmute("memo")
                #expect(!scenario.isRunning("memo") && scenario.news() == [])
                if isDriven {
                    scenario.activate("recorder")
                } else {
                    scenario.pause("memo")
                    scenario.want("memo")
                }
                #expect(scenario.isRunning("memo"))
            }
        }
        // Replaced by one that is muted as well: that is the one to wait for.
        var scenario = recording()
        scenario.mute("memo")
        scenario.mute("memo", input: "headset")
        _ = scenario.news()
        scenario.unmute()
        #expect(scenario.news() == [] && scenario.state("recorder").isInterrupted)
        scenario.unmute("memo", input: "headset")
        #expect(scenario.news().contains("ended recorder resume"))
    }

    @Test("N7 R12 a session that is closed leaves nothing behind")
    func closed() {
        var scenario = recording()
        scenario.mute("memo")
        _ = scenario.news()
        scenario.close("recorder")
        scenario.advance(.seconds(1))
        #expect(scenario.news().contains("ended recorder stay"))
        #expect(scenario["memo"] == .free && scenario.isRunning("memo"))
    }

    @Test("N7 N17 music waits for the end of a recording that is muted, and is heard when its user plays it")
    func music() {
        var scenario = recording()
        scenario.play("music", role: "music", for: .seconds(1))
        #expect(!scenario.isRunning("music"))
        scenario.mute("memo")
        scenario.advance(.seconds(5))
        #expect(!scenario.isRunning("music"))
        scenario.pause("music")
        scenario.want("music")
        #expect(scenario.isRunning("music"))
        scenario.unmute("memo")
        scenario.activate("recorder", for: .seconds(5))
        #expect(!scenario.isRunning("music") && scenario.isRunning("memo"))
        scenario.deactivate("recorder")
        #expect(scenario.isRunning("music"))
    }

    @Test("N7 N16 a suspended policy interrupts nothing, and another one changes nothing about who waits")
    func otherPolicies() {
        var scenario = recording()
        var switches = Switches()
        switches.pausedUntil = Switches.never
        scenario.send(.switched(switches))
        scenario.mute("memo")
        scenario.send(.switched(Switches()))
        #expect(scenario.isRunning("memo"))
        scenario.unmute("memo")
        scenario.mute("memo")
        scenario.change(to: .phone)
        #expect(!scenario.isRunning("memo") && scenario.state("recorder").isInterrupted)
        _ = scenario.news()
        scenario.unmute("memo")
        #expect(scenario.news().contains("ended recorder resume"))
    }
}

extension SessionState {
    /// One that is not active, of a category without options.
    fileprivate init(of category: PolicyEngine.Category) {
        self.init()
        try? configuration.set(category, [], nil, whileActive: false)
    }
}

extension Scenario {
    /// The user mutes an input from which streams record.
    fileprivate mutating func mute(_ names: String..., input: String = "microphone") {
        tell(true, names, input)
    }

    /// The user takes that back.
    fileprivate mutating func unmute(_ names: String..., input: String = "microphone") {
        tell(false, names, input)
    }

    private mutating func tell(_ isMuted: Bool, _ names: [String], _ input: String) {
        send(.inputMuted(PortID(input), isMuted, name: input, streams: names.compactMap { id(of: $0) }))
        // A fade of no time is over at once.
        advance(.zero)
    }
}
