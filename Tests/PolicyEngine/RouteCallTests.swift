import PolicyEngine
import Testing

/// Whose sound goes on elsewhere when its output goes (R64): that of a call.
@Suite struct RouteCallTests {
    private let headphones = PortID("card/headphones")

    @Test(
        "R64 the headphones go under play-and-record: a call goes on, a memo or karaoke stops",
        arguments: [
            (Mode.default, false), (.voiceChat, true), (.videoChat, true), (.gameChat, true), (.videoRecording, false),
            (.measurement, false),
        ])
    func opened(mode: Mode, goesOn: Bool) {
        var scenario = Scenario(.desktop)
        scenario.open("app", .playAndRecord, [], mode)
        scenario.activate("app")
        scenario.play("voice", role: "music", app: "app")
        scenario.move("voice", to: "app")
        scenario.skip(.seconds(1))
        scenario.unplug(headphones, "voice")
        #expect(scenario.news().contains { $0.hasPrefix("cork voice") } == !goesOn)
    }

    @Test(
        "R64 the headphones go, and a program without a mode records: with a voice it is a call, with music karaoke",
        arguments: [(String?.none, true, true), ("phone", true, true), ("music", true, false), (nil, false, false)])
    func unsaid(role: String?, records: Bool, goesOn: Bool) {
        var policy = Policy.desktop
        policy.untaggedCapture = SessionDescription(name: Policy.untaggedCaptureName, category: .record)
        var scenario = Scenario(policy: policy)
        scenario.open("app", .playAndRecord, [])
        scenario.activate("app")
        scenario.play("untold", role: role, app: "app")
        scenario.move("untold", to: "app")
        if records {
            scenario.play("microphone", app: "app", capture: true)
            scenario.move("microphone", to: "app")
        }
        scenario.skip(.seconds(1))
        scenario.unplug(headphones, "untold")
        #expect(scenario.news().contains { $0.hasPrefix("cork untold") } == !goesOn)
    }

    @Test("R64 the headphones go under a role of play-and-record: its mode or its priority says that it is a call")
    func role() {
        for (mode, priority, goesOn) in [
            (Mode.default, Priority.normal, false), (.voiceChat, .normal, true), (.gameChat, .normal, true),
            (.default, .phone, true),
        ] {
            let role = SessionDescription(name: "talk", category: .playAndRecord, mode: mode, priority: priority)
            var scenario = Scenario(policy: .of(role))
            scenario.play("voice", role: "talk")
            scenario.skip(.seconds(1))
            scenario.unplug(headphones, "voice")
            #expect(scenario.news().contains { $0.hasPrefix("cork voice") } == !goesOn, "\(mode), \(priority)")
        }
    }
}
