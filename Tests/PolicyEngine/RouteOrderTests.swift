import PolicyEngine
import RandomEvents
import Testing

/// Why, when and how often the owner of a session is told of its route (R41, R57, R58, R64).
@Suite struct RouteOrderTests {
    private static let session = SessionID(1)
    private static let application = ApplicationID(portal: nil, binary: "caller", displayName: nil, fallback: "")

    /// A laptop with headphones in it, and a session of a category.
    private static func desk(
        _ category: PolicyEngine.Category, _ options: CategoryOptions = [], _ mode: Mode? = nil,
        _ laptop: Laptop = Laptop(headphones: .yes, output: "headphones")
    ) -> RouteEngineDesk {
        var desk = RouteEngineDesk()
        desk.send([laptop.device, .node(Laptop.sink), .node(Laptop.source)])
        desk.send([.defaultNode(.output, name: "sink.laptop"), .defaultNode(.input, name: "source.laptop")])
        desk.wait(5_000)
        desk.send(.sessionOpened(session, application: application, .application))
        desk.send(.sessionConfigured(session, .category(category, options, mode)))
        desk.send(.sessionRequested(session, .activate(mayWait: false)))
        desk.wait(5_000)
        _ = desk.news()
        return desk
    }

    /// A machine without a device, for which the server has made a dummy output, and an active session of a category.
    private static func deskWithoutDevice(_ category: PolicyEngine.Category) -> RouteEngineDesk {
        var desk = RouteEngineDesk()
        desk.send([
            .node(RouteNode(id: 5, name: "auto_null", direction: .output, kind: .dummy)),
            .defaultNode(.output, name: "auto_null"),
        ])
        desk.wait(5_000)
        desk.send(.sessionOpened(session, application: application, .application))
        desk.send(.sessionConfigured(session, .category(category, [], nil)))
        desk.send(.sessionRequested(session, .activate(mayWait: false)))
        return desk
    }

    /// A laptop with a USB headset on which a session plays, which is pulled out.
    private static func pulled() -> RouteEngineDesk {
        var desk = RouteEngineDesk.laptopAndHeadset()
        desk.send([.defaultNode(.output, name: Plug.usb.sink.name)])
        desk.open(1)
        desk.put(1, of: 1, on: Plug.usb.sink.id)
        desk.wait(5_000)
        _ = desk.news()
        for event in Plug.usb.goes(to: "sink.laptop") { desk.send([event]) }
        return desk
    }

    /// What was told of a session, without all the rest.
    private static func told(_ desk: inout RouteEngineDesk) -> [String] {
        desk.news().filter { $0.hasPrefix("session") || $0.hasPrefix("began") || $0.hasPrefix("ended") }
    }

    @Test("R57 another category is told with 3 and once, also if the route stays as it is")
    func category() {
        var desk = Self.desk(.playback)
        desk.send(.sessionConfigured(Self.session, .category(.soloAmbient, [], nil)))
        #expect(Self.told(&desk) == ["session 1: 3 laptop/headphones > laptop/headphones"])
        desk.wait(5_000)
        #expect(Self.told(&desk) == [])
        // The same one again, or another mode or option, is no other category.
        desk.send(.sessionConfigured(Self.session, .category(.soloAmbient, [], nil)))
        desk.send(.sessionConfigured(Self.session, .category(.playback, [], nil)))
        desk.send(.sessionConfigured(Self.session, .category(.playback, .mixWithOthers, nil)))
        desk.wait(5_000)
        #expect(Self.told(&desk) == ["session 1: 3 laptop/headphones > laptop/headphones"])
    }

    @Test("R57 who is not active is told of another category if that changes what it uses")
    func inactive() {
        var desk = Self.desk(.playback)
        desk.send(.sessionRequested(Self.session, .deactivate(notifyOthers: true)))
        desk.send(.sessionConfigured(Self.session, .category(.ambient, [], nil)))
        desk.wait(5_000)
        #expect(Self.told(&desk) == [])
        desk.send(.sessionConfigured(Self.session, .category(.record, [], nil)))
        desk.wait(5_000)
        #expect(Self.told(&desk) == ["session 1: 3 laptop/headphones > "])
    }

    @Test("R57 a category that was set before the activation is no change, also while the session manager starts")
    func beforeActivation() {
        var desk = RouteEngineDesk()
        desk.send([Laptop().device, .node(Laptop.sink), .node(Laptop.source), .managerChanged])
        desk.send([.defaultNode(.output, name: "sink.laptop"), .defaultNode(.input, name: "source.laptop")])
        desk.wait(400)
        desk.send(.sessionOpened(Self.session, application: Self.application, .application))
        desk.send(.sessionConfigured(Self.session, .category(.playback, [], nil)))
        desk.send(.sessionRequested(Self.session, .activate(mayWait: false)))
        desk.wait(5_000)
        #expect(Self.told(&desk) == [])
    }

    @Test("R57 another category whose port takes its time: told once, when that port is in use")
    func slowPort() {
        var desk = Self.desk(.playback)
        desk.send(
            .sessionConfigured(Self.session, .category(.playAndRecord, [], nil)),
            .sessionConfigured(Self.session, .outputOverride(.speaker)))
        desk.wait(400)
        #expect(Self.told(&desk) == [])
        desk.send([Laptop(headphones: .yes, output: "speaker").device])
        desk.wait(5_000)
        #expect(Self.told(&desk) == ["session 1: 3 laptop/headphones > laptop/speaker"])
    }

    @Test("R41 R56 an override is told with 4 when it begins and when it ends", arguments: ["none", "interruption"])
    func override(end: String) {
        var desk = Self.desk(.playAndRecord, [], .voiceChat)
        desk.send(.sessionConfigured(Self.session, .outputOverride(.speaker)))
        desk.wait(100)
        desk.send([Laptop(headphones: .yes, output: "speaker").device])
        desk.wait(5_000)
        #expect(Self.told(&desk) == ["session 1: 4 laptop/headphones > laptop/speaker"])
        if end == "none" {
            desk.send(.sessionConfigured(Self.session, .outputOverride(.none)))
        } else {
            let call = Policy.phone.description(of: Role("phone"), direction: .playback)
            desk.send(
                .sessionOpened(
                    SessionID(2), application: Self.application,
                    .system(call ?? SessionDescription(name: "phone", category: .playAndRecord), by: nil)))
            desk.send(.sessionRequested(SessionID(2), .activate(mayWait: true)))
        }
        desk.wait(100)
        desk.send([Laptop(headphones: .yes, output: "headphones").device])
        desk.wait(5_000)
        #expect(Self.told(&desk) == ["session 1: 4 laptop/speaker > laptop/headphones"])
    }

    @Test("R57 to begin or end to be active is no change of the category: 8", arguments: [true, false])
    func activation(isDetour: Bool) {
        var desk = Self.desk(.playback)
        desk.send([.device(Plug.usb.device), .node(Plug.usb.sink)])
        desk.wait(5_000)
        _ = desk.news()
        desk.send(.route(.preferred(Self.session, output: "usb/out", input: nil)))
        desk.wait(5_000)
        #expect(Self.told(&desk) == ["session 1: 8 laptop/headphones > usb/out"])
        desk.send(.sessionRequested(Self.session, .deactivate(notifyOthers: true)))
        desk.wait(5_000)
        #expect(Self.told(&desk) == ["session 1: 8 usb/out > laptop/headphones"])
        desk.send(.sessionRequested(Self.session, .activate(mayWait: false)))
        desk.wait(5_000)
        #expect(Self.told(&desk) == ["session 1: 8 laptop/headphones > usb/out"])
    }

    @Test("R56 R57 the first output comes after the category: it is told as a new one")
    func firstOutput() {
        var desk = Self.deskWithoutDevice(.playback)
        desk.wait(100)
        _ = desk.news()
        desk.send([Laptop(headphones: .yes, output: "headphones").device, .node(Laptop.sink)])
        desk.send([.defaultNode(.output, name: "sink.laptop")])
        desk.wait(5_000)
        #expect(Self.told(&desk) == ["session 1: 1  > laptop/headphones"])
    }

    @Test("R64 R58 headphones that are pulled out: their owner is told where it is heard now, then of the interruption")
    func loss() {
        var desk = Self.pulled()
        // It is silent at once.
        #expect(desk.news().contains("1 is silent"))
        desk.send(.streamSettled(StreamID(1)))
        desk.wait(200)
        #expect(desk.news(of: [.interruptions]) == [])
        desk.wait(5_000)
        #expect(
            desk.news(of: [.interruptions]) == [
                "2 usb/out > laptop/speaker", "session 1: 2 usb/out > laptop/speaker", "began 1",
            ])
    }

    @Test("R64 R58 an output that is back before anything is told was not lost for its owner")
    func shortLoss() {
        var desk = Self.pulled()
        desk.send(.streamSettled(StreamID(1)))
        desk.wait(50)
        for event in Plug.usb.comes { desk.send([event]) }
        desk.put(1, of: 1, on: Plug.usb.sink.id)
        desk.wait(5_000)
        let news = desk.news(of: [.interruptions])
        #expect(
            news.last == "1 plays" && !news.contains { $0.hasPrefix("began") || $0.hasPrefix("session") }, "\(news)")
    }

    @Test("R64 that there is no suitable port stops no recording, as nothing has changed")
    func lack() {
        var desk = Self.deskWithoutDevice(.record)
        let recording = SessionDescription(name: "untagged-capture", category: .record)
        desk.send(
            .streamAppeared(
                StreamID(1), application: Self.application, description: recording, direction: .capture))
        desk.send(.streamMoved(StreamID(1), to: .opened(Self.session)))
        desk.send(.streamWanted(StreamID(1), true), .streamRunning(StreamID(1), true))
        desk.wait(5_000)
        #expect(desk.news().filter { $0.hasPrefix("session") || $0.hasPrefix("1 is") } == ["session 1: 7  > "])
    }

    @Test("R41 R47 headphones that are put in end an override, whatever the server is doing at that moment")
    func headphonesEndOverride() {
        for answer in [Int64?.none, 30, 120, 240, 400, 900] {
            for plug in stride(from: Int64(0), through: 1_200, by: 30) {
                var handset = Handset()
                handset.run(until: 5_000)
                handset.send([.sessionConfigured(Handset.session, .outputOverride(.speaker))])
                // The session manager asks again for a port that it has seen in use.
                if let answer { handset.later(5_000 + answer) { $0.output = "receiver" } }
                handset.later(5_000 + plug) { $0.headphones = .yes }
                handset.later(5_000 + plug + 20) { $0.output = "headphones" }
                handset.run(until: 15_000)
                let state = handset.engine.state(of: Handset.session)
                #expect(
                    state?.configuration.outputOverride == OutputOverride.none && handset.output == "headphones",
                    "asked again after \(answer ?? -1) ms, put in after \(plug) ms: \(handset.output)")
            }
        }
    }
}
