import PolicyEngine
import RandomEvents
import Testing

/// Routes as they are told and done, with streams on paper (R41–R48, R56–R66).
struct RouteEngineDesk {
    var engine = Engine(policy: .phone)
    var places = PlacedStreams()
    private(set) var time: Int64 = 0
    private var wake: Instant?
    private var effects: [Effect] = []

    mutating func send(_ events: Event...) {
        for event in events { handle(event) }
        handle(.route(.turnEnded))
    }

    mutating func send(_ events: [RouteEvent]) {
        for event in events { handle(.route(event)) }
        handle(.route(.turnEnded))
    }

    private mutating func handle(_ event: Event) {
        let new = engine.handle(event, among: places, at: Instant(nanoseconds: time * 1_000_000))
        for case .wake(let moment) in new { wake = moment }
        effects += new
    }

    /// Lets time pass, with the clock as it is wanted.
    mutating func wait(_ milliseconds: Int64) {
        let end = time + milliseconds
        var turns = 0
        while let due = wake, due.nanoseconds <= end * 1_000_000, turns < 1_000 {
            time = max(time, (due.nanoseconds + 999_999) / 1_000_000)
            wake = nil
            send(.clockReached)
            turns += 1
        }
        #expect(turns < 1_000, "the clock never rests")
        time = end
    }

    /// Puts a stream of a session, which plays beside all others, on a sink; the sinks on which it is heard, if that is
    /// another one.
    mutating func put(_ id: UInt32, of session: UInt32?, on node: UInt32, heardOn ends: [UInt32]? = nil) {
        let stream = StreamID(id)
        places.put(stream, on: node, heardOn: ends ?? [node])
        if engine.treatment(of: stream) == nil {
            let application = ApplicationID(portal: nil, binary: "app\(id)", displayName: nil, fallback: "")
            let music = SessionDescription(name: "music", category: .playback, options: .mixWithOthers)
            send(.streamAppeared(stream, application: application, description: music, direction: .playback))
            if let session { send(.streamMoved(stream, to: .opened(SessionID(session)))) }
            send(.streamWanted(stream, true), .streamRunning(stream, true))
        }
        send(.route(.linked(to: node)))
    }

    /// Opens a session that plays beside all others, and activates it.
    mutating func open(_ id: UInt32, isActive: Bool = true) {
        let session = SessionID(id)
        if engine.state(of: session) == nil {
            let application = ApplicationID(portal: nil, binary: "session\(id)", displayName: nil, fallback: "")
            send(.sessionOpened(session, application: application, .application))
            send(.sessionConfigured(session, .category(.playback, .mixWithOthers, nil)))
        }
        if isActive { send(.sessionRequested(session, .activate(mayWait: false))) }
    }

    /// What ``news(of:)`` says beside what is done and told of routes.
    enum Also { case interruptions }

    /// What has followed since this was asked last, as words; outputs only.
    mutating func news(of also: Set<Also> = []) -> [String] {
        func list(_ route: Route) -> String { route.outputs.map(\.id).joined(separator: "+") }
        defer { effects = [] }
        return effects.compactMap { effect in
            switch effect {
            case .outputLost(let port, let streams, _):
                "lost \(port.id): \(streams.map { "\($0.rawValue)" }.joined(separator: "+"))"
            case .outputSwitched(let port): "switched \(port.id)"
            case .treat(let stream, let treatment, _, _):
                "\(stream.rawValue) \(treatment.silence == .none ? "plays" : "is silent")"
            case .command(let command): "\(command)"
            case .routeChanged(let change):
                "\(change.reason.rawValue) \(list(change.previous)) > \(list(change.current))"
            case .sessionRouteChanged(let session, let change):
                "session \(session.rawValue): \(change.reason.rawValue) \(list(change.previous)) > \(list(change.current))"
            case .interruptionBegan(let session, _):
                also.contains(.interruptions) ? "began \(session.id?.rawValue ?? 0)" : nil
            case .availablePortsChanged, .routeBegun, .wake, .sessionActivated, .sessionDeactivated,
                .interruptionEnded, .answered, .activationGranted, .sessionChanged, .streamRefused:
                nil
            }
        }
    }

    /// The laptop's speaker as the default, and a USB headset.
    static func laptopAndHeadset() -> RouteEngineDesk {
        var desk = RouteEngineDesk()
        desk.send([Laptop().device, .node(Laptop.sink), .node(Laptop.source)])
        desk.send([.device(Plug.usb.device), .node(Plug.usb.sink), .defaultNode(.output, name: "sink.laptop")])
        desk.send([.defaultNode(.input, name: "source.laptop")])
        desk.wait(5_000)
        _ = desk.news()
        return desk
    }
}

@Suite struct RouteEngineTests {
    private static let equalizer = RouteNode(id: 60, name: "equalizer", direction: .output, kind: .filter)
    private static let laptop = Laptop.sink.id
    private static let usb = Plug.usb.sink.id

    // MARK: - Filters

    @Test("R60 R64 a default sink that is a filter stands for the hardware behind it, when that is lost too")
    func filter() {
        var desk = RouteEngineDesk.laptopAndHeadset()
        desk.send([
            .node(Self.equalizer), .passesOn(60, to: [Self.usb]), .defaultNode(.output, name: "equalizer"),
        ])
        desk.wait(5_000)
        #expect(desk.engine.route.outputs.map(\.id) == ["usb/out"])
        #expect(desk.news() == ["8 laptop/speaker > usb/out"])
        desk.open(1)
        desk.put(1, of: 1, on: 60, heardOn: [Self.usb])
        desk.wait(1_000)
        #expect(desk.news() == [])
        #expect(desk.engine.route(of: SessionID(1)).outputs.map(\.id) == ["usb/out"])
        // The server links the filter to the speaker, and the music must not follow.
        desk.send([.nodeGone(Self.usb)])
        #expect(desk.news() == ["lost usb/out: 1", "1 is silent"])
        desk.send([.passesOn(60, to: []), .deviceGone(Plug.usb.device.id), .passesOn(60, to: [Self.laptop])])
        desk.wait(5_000)
        #expect(desk.news() == ["2 usb/out > laptop/speaker", "session 1: 2 usb/out > laptop/speaker"])
        desk.send([.device(Plug.usb.device), .node(Plug.usb.sink), .passesOn(60, to: [Self.usb])])
        desk.wait(5_000)
        #expect(
            desk.news() == [
                "1 laptop/speaker > usb/out", "session 1: 1 laptop/speaker > usb/out", "1 plays",
            ])
    }

    @Test("R60 filters in a row, in a circle, without an end, and on a card: each comes to an end")
    func filters() {
        var desk = RouteEngineDesk.laptopAndHeadset()
        for id in 60..<70 as Range<UInt32> {
            desk.send([.node(RouteNode(id: id, name: "filter\(id)", direction: .output, kind: .filter))])
        }
        for id in 60..<69 as Range<UInt32> { desk.send([.passesOn(id, to: [id + 1])]) }
        desk.send([.passesOn(69, to: [Self.usb]), .defaultNode(.output, name: "filter60")])
        desk.wait(5_000)
        #expect(desk.engine.route.outputs.map(\.id) == ["usb/out"])
        desk.send([.passesOn(69, to: [60])])
        desk.wait(5_000)
        #expect(desk.engine.route.outputs.isEmpty)
        // A card's sink whose monitor is played elsewhere is heard where it is.
        desk.send([.passesOn(69, to: [Self.laptop]), .passesOn(Self.laptop, to: [Self.usb])])
        desk.wait(5_000)
        #expect(desk.engine.route.outputs.map(\.id) == ["laptop/speaker"])
        #expect(desk.engine.places.filter(\.isBehindDefault).map(\.nodeID) == [Self.laptop])
    }

    @Test("R60 a null sink stands for what its monitor is played on, and for itself when that has ended")
    func loopback() {
        var desk = RouteEngineDesk.laptopAndHeadset()
        desk.send([
            .node(RouteNode(id: 61, name: "null", direction: .output)), .passesOn(61, to: [Self.usb]),
            .defaultNode(.output, name: "null"),
        ])
        desk.wait(5_000)
        desk.send([.passesOn(61, to: [])])
        desk.wait(5_000)
        #expect(desk.news() == ["8 laptop/speaker > usb/out", "8 usb/out > null"])
    }

    @Test("R41 R66 a session that chooses what is behind the default filter is not taken past it")
    func choiceBehindFilter() {
        var desk = RouteEngineDesk.laptopAndHeadset()
        desk.send([
            .node(Self.equalizer), .passesOn(60, to: [Self.usb]), .defaultNode(.output, name: "equalizer"),
        ])
        desk.wait(5_000)
        desk.open(1)
        desk.put(1, of: 1, on: 60, heardOn: [Self.usb])
        _ = desk.news()
        desk.send(.route(.preferred(SessionID(1), output: "usb/out", input: nil)))
        desk.wait(5_000)
        #expect(desk.news() == [])
        desk.send(.route(.preferred(SessionID(1), output: "laptop/speaker", input: nil)))
        #expect(
            desk.news() == [
                "\(RouteCommand.send(StreamID(1), to: Self.laptop))", "session 1: 8 usb/out > laptop/speaker",
            ])
    }

    // MARK: - Several outputs

    @Test("R60 R64 a combined sink has several outputs: losing one is no loss, losing the last is")
    func combined() {
        var desk = RouteEngineDesk.laptopAndHeadset()
        desk.send([.device(Plug.bluetooth.device), .node(Plug.bluetooth.sink)])
        desk.send([
            .node(RouteNode(id: 62, name: "combined", direction: .output, kind: .filter)),
            .passesOn(62, to: [Self.usb, Plug.bluetooth.sink.id]), .defaultNode(.output, name: "combined"),
        ])
        desk.wait(5_000)
        #expect(desk.engine.route.outputs.map(\.id) == ["usb/out", "bluetooth/out"])
        desk.open(1)
        desk.put(1, of: 1, on: 62, heardOn: [Self.usb, Plug.bluetooth.sink.id])
        // One that plays on the headset alone.
        desk.put(2, of: nil, on: Self.usb)
        desk.wait(5_000)
        _ = desk.news()
        desk.send([.nodeGone(Self.usb), .deviceGone(Plug.usb.device.id)])
        desk.places.remove(node: Self.usb)
        desk.wait(5_000)
        #expect(
            desk.news() == [
                "lost usb/out: 2", "2 is silent", "8 usb/out+bluetooth/out > bluetooth/out",
                "session 1: 8 usb/out+bluetooth/out > bluetooth/out",
            ])
        desk.send([.nodeGone(Plug.bluetooth.sink.id), .deviceGone(Plug.bluetooth.device.id)])
        desk.wait(5_000)
        #expect(
            desk.news() == [
                "lost bluetooth/out: 1", "1 is silent", "2 bluetooth/out > ", "session 1: 2 bluetooth/out > ",
            ])
    }

    @Test("R64 both outputs of a combined sink go at once, with their card: lost")
    func combinedOnOneCard() {
        var desk = RouteEngineDesk.laptopAndHeadset()
        let ports = ["left", "right"].enumerated().map { index, name in
            DevicePort(
                name: name, direction: .output, type: .usbAudio, availability: .yes,
                profileDevices: [UInt32(index)], activeOn: UInt32(index))
        }
        let card = RouteDevice(id: 70, name: "card", ports: ports)
        desk.send([.device(card)])
        for index in 0..<2 as Range<UInt32> {
            desk.send([
                .node(
                    RouteNode(
                        id: 71 + index, name: "sink\(index)", direction: .output, deviceID: 70, profileDevice: index))
            ])
        }
        desk.send([
            .node(RouteNode(id: 62, name: "combined", direction: .output, kind: .filter)),
            .passesOn(62, to: [71, 72]), .defaultNode(.output, name: "combined"),
        ])
        desk.wait(5_000)
        desk.put(1, of: nil, on: 62, heardOn: [71, 72])
        _ = desk.news()
        desk.send([.deviceGone(70)])
        #expect(desk.news() == ["lost card/left: 1", "lost card/right: 1", "1 is silent"])
    }

    // MARK: - No card, and cards of others

    @Test("R56 R60 a machine without a card has an empty route, and a session that wants to play is told 7")
    func dummy() {
        var desk = RouteEngineDesk()
        desk.send([
            .node(RouteNode(id: 5, name: "auto_null", direction: .output, kind: .dummy)),
            .defaultNode(.output, name: "auto_null"),
        ])
        desk.wait(5_000)
        #expect(desk.engine.route.isEmpty)
        #expect(desk.engine.availableOutputs.isEmpty)
        desk.open(1, isActive: false)
        desk.wait(1_000)
        #expect(desk.news() == [])
        desk.open(1)
        desk.wait(1_000)
        #expect(desk.news() == ["7  > ", "session 1: 7  > "])
        desk.open(2)
        desk.wait(1_000)
        #expect(desk.news() == ["session 2: 7  > "])
        for event in Plug.usb.comes { desk.send([event]) }
        desk.wait(5_000)
        #expect(desk.news() == ["1  > usb/out", "session 1: 1  > usb/out", "session 2: 1  > usb/out"])
        desk.put(1, of: 1, on: Self.usb)
        for event in Plug.usb.goes(to: "auto_null") { desk.send([event]) }
        desk.wait(5_000)
        #expect(
            desk.news() == [
                "lost usb/out: 1", "1 is silent", "2 usb/out > ", "session 1: 2 usb/out > ", "session 2: 2 usb/out > ",
            ])
    }

    @Test(
        "R64 a sink in the network that vanishes is lost, one that a program has made is not", arguments: [true, false])
    func network(isNetwork: Bool) {
        var desk = RouteEngineDesk.laptopAndHeadset()
        desk.send([
            .node(RouteNode(id: 63, name: "tunnel", direction: .output, kind: isNetwork ? .network : .plain)),
            .defaultNode(.output, name: "tunnel"),
        ])
        desk.wait(5_000)
        desk.put(1, of: nil, on: 63)
        _ = desk.news()
        desk.send([.nodeGone(63), .defaultNode(.output, name: "sink.laptop")])
        desk.wait(5_000)
        let lost = isNetwork ? ["lost tunnel: 1", "1 is silent"] : []
        #expect(desk.news() == lost + ["2 tunnel > laptop/speaker"])
    }

    // MARK: - Streams that their user has moved

    @Test("R58 R64 a stream that its user has moved has a route of its own: it is lost with that, not with the default")
    func moved() {
        var desk = RouteEngineDesk.laptopAndHeadset()
        desk.send([.device(Plug.bluetooth.device), .node(Plug.bluetooth.sink)])
        desk.wait(5_000)
        desk.open(1)
        desk.open(2)
        desk.put(1, of: 1, on: Self.laptop)
        desk.put(2, of: 2, on: Self.laptop)
        desk.wait(5_000)
        _ = desk.news()
        desk.put(1, of: 1, on: Self.usb)
        desk.wait(1_000)
        #expect(desk.news() == ["session 1: 8 laptop/speaker > usb/out"])
        #expect(desk.engine.route(of: SessionID(1)).outputs.map(\.id) == ["usb/out"])
        #expect(desk.engine.route(of: SessionID(2)).outputs.map(\.id) == ["laptop/speaker"])
        // Another default is nothing to it.
        desk.put(2, of: 2, on: Plug.bluetooth.sink.id)
        desk.send([.defaultNode(.output, name: Plug.bluetooth.sink.name)])
        desk.wait(5_000)
        #expect(
            desk.news() == [
                "8 laptop/speaker > bluetooth/out", "session 2: 8 laptop/speaker > bluetooth/out",
            ])
        desk.send([.nodeGone(Plug.bluetooth.sink.id), .deviceGone(Plug.bluetooth.device.id)])
        desk.put(2, of: 2, on: Self.laptop)
        desk.send([.defaultNode(.output, name: "sink.laptop")])
        desk.wait(5_000)
        #expect(
            desk.news() == [
                "lost bluetooth/out: 2", "2 is silent", "2 bluetooth/out > laptop/speaker",
                "session 2: 2 bluetooth/out > laptop/speaker",
            ])
        desk.send([.nodeGone(Self.usb), .deviceGone(Plug.usb.device.id)])
        desk.put(1, of: 1, on: Self.laptop)
        desk.wait(5_000)
        #expect(desk.news() == ["lost usb/out: 1", "1 is silent", "session 1: 2 usb/out > laptop/speaker"])
    }

    @Test("R58 a session has a route of its own only if all of its streams were moved; on the way nothing is told")
    func movedInPart() {
        var desk = RouteEngineDesk.laptopAndHeadset()
        desk.open(1)
        desk.put(1, of: 1, on: Self.laptop)
        desk.put(2, of: 1, on: Self.laptop)
        desk.wait(1_000)
        desk.put(1, of: 1, on: Self.usb)
        desk.wait(1_000)
        #expect(desk.news() == [])
        desk.put(2, of: 1, on: Self.usb)
        desk.put(2, of: 1, on: Self.laptop)
        desk.wait(1_000)
        #expect(desk.news() == [])
        desk.put(2, of: 1, on: Self.usb)
        desk.wait(1_000)
        #expect(desk.news() == ["session 1: 8 laptop/speaker > usb/out"])
        // Linked to nothing for a while.
        for id in [1, 2] as [UInt32] { desk.places.unlink(StreamID(id)) }
        desk.send(.streamMoved(StreamID(1), to: .opened(SessionID(1))))
        desk.wait(1_000)
        #expect(desk.news() == [])
        desk.send(.streamVanished(StreamID(1)), .streamVanished(StreamID(2)))
        desk.wait(1_000)
        #expect(desk.news() == ["session 1: 8 usb/out > laptop/speaker"])
    }

    @Test("R66 a stream that was sent elsewhere for its session was not moved by its user")
    func sent() {
        var desk = RouteEngineDesk.laptopAndHeadset()
        desk.open(1)
        desk.put(1, of: 1, on: Self.laptop)
        desk.send(.route(.preferred(SessionID(1), output: "usb/out", input: nil)))
        desk.put(1, of: 1, on: Self.usb)
        desk.wait(5_000)
        #expect(
            desk.news() == [
                "\(RouteCommand.send(StreamID(1), to: Self.usb))", "session 1: 8 laptop/speaker > usb/out",
            ])
        desk.send(.route(.preferred(SessionID(1), output: nil, input: nil)))
        desk.put(1, of: 1, on: Self.laptop)
        desk.wait(5_000)
        #expect(
            desk.news() == [
                "\(RouteCommand.send(StreamID(1), to: nil))", "session 1: 8 usb/out > laptop/speaker",
            ])
    }
}
