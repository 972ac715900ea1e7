import PolicyEngine
import Testing

/// One physical event, one change, with its reason; and what is lost, at once.
@Suite struct RouteTrackerTests {
    // MARK: - Jacks

    @Test("R56 R58 R64 headphones pulled out: lost at once, and one change", arguments: [0, 5, 100, 240, 600, 900])
    func jackPulled(delay: Int64) throws {
        var laptop = Laptop(headphones: .yes, output: "headphones")
        var desk = Laptop.desk(laptop)
        laptop.headphones = .no
        desk.send(laptop.device)
        #expect(desk.outputs == ["lost laptop/headphones"])
        desk.wait(delay)
        laptop.output = "speaker"
        desk.send(laptop.device)
        desk.wait(3_000)
        #expect(desk.outputs == ["lost laptop/headphones"])
        #expect(desk.summary == ["2 laptop/headphones > laptop/speaker"])
        #expect(desk.tracker.route.inputs.map(\.id) == ["laptop/mic"])
        #expect(desk.tracker.deadline == nil)
        let speaker = try #require(desk.tracker.route.outputs.first)
        #expect(speaker.name == "Speakers" && speaker.nodeName == "sink.laptop" && speaker.nodeID == 20)
        #expect(speaker.deviceName == "laptop" && speaker.deviceID == 10 && speaker.serverType == "speaker")
    }

    @Test("R64 headphones pulled out, and the server tells of both in one step")
    func jackPulledAtOnce() {
        var laptop = Laptop(headphones: .yes, output: "headphones")
        var desk = Laptop.desk(laptop)
        laptop.headphones = .no
        laptop.output = "speaker"
        desk.send(laptop.device)
        #expect(desk.outputs == ["lost laptop/headphones"])
        desk.wait(3_000)
        #expect(desk.summary == ["2 laptop/headphones > laptop/speaker"])
    }

    @Test("R56 R64 headphones pulled out and plugged in again a hundred times: one change each")
    func jackOften() {
        var laptop = Laptop(headphones: .yes, output: "headphones")
        var desk = Laptop.desk(laptop)
        for _ in 0..<100 {
            laptop.headphones = .no
            desk.send(laptop.device)
            desk.wait(3)
            laptop.output = "speaker"
            desk.send(laptop.device)
            desk.wait(500)
            laptop.headphones = .yes
            desk.send(laptop.device)
            desk.wait(3)
            laptop.output = "headphones"
            desk.send(laptop.device)
            desk.wait(500)
        }
        #expect(desk.changes.map(\.reason.rawValue) == (0..<100).flatMap { _ in [2, 1] as [UInt32] })
        #expect(
            desk.outputs == (0..<100).flatMap { _ in ["lost laptop/headphones", "returned laptop/headphones"] })
    }

    @Test(
        "R56 R63 R64 headphones plugged in: nothing is lost although the speaker is unavailable",
        arguments: [0, 5, 200, 900])
    func jackPlugged(delay: Int64) {
        var laptop = Laptop()
        var desk = Laptop.desk(laptop)
        laptop.headphones = .yes
        desk.send(laptop.device)
        desk.wait(delay)
        laptop.output = "headphones"
        desk.send(laptop.device)
        desk.wait(3_000)
        #expect(desk.outputs == [])
        #expect(desk.summary == ["1 laptop/speaker > laptop/headphones"])
    }

    @Test("R56 R78 a headset changes output and input: one change; the inputs there are, are told")
    func headset() {
        var laptop = Laptop()
        var desk = Laptop.desk(laptop)
        #expect(desk.tracker.availableInputs.map(\.id) == ["laptop/mic"])
        laptop.headphones = .yes
        laptop.headset = .yes
        desk.send(laptop.device)
        desk.wait(10)
        laptop.output = "headphones"
        desk.send(laptop.device)
        desk.wait(10)
        laptop.input = "headset"
        desk.send(laptop.device)
        desk.wait(1_000)
        #expect(desk.summary == ["1 laptop/speaker > laptop/headphones"])
        #expect(desk.changes.first?.current.inputs.map(\.type) == [.headsetMic])
        #expect(desk.log.contains { $0.effect == .availableChanged })
        #expect(desk.tracker.availableInputs.map(\.id) == ["laptop/mic", "laptop/headset"])
        #expect(desk.tracker.availableOutputs.map(\.id) == ["laptop/speaker", "laptop/headphones"])
        laptop.headset = .no
        laptop.input = "mic"
        desk.forget()
        desk.send(laptop.device)
        desk.wait(1_000)
        #expect(desk.changes.map(\.reason) == [.oldDeviceUnavailable])
        #expect(desk.outputs == [])
    }

    @Test("R60 a port that is used although it is not available is reported as it is")
    func forced() {
        var laptop = Laptop()
        var desk = Laptop.desk(laptop)
        laptop.output = "headphones"
        desk.send(laptop.device)
        desk.wait(1_000)
        #expect(desk.summary == ["8 laptop/speaker > laptop/headphones"])
        #expect(desk.tracker.route.outputs.first?.availability == .no)
        #expect(desk.outputs == [])
    }

    @Test("R56 R64 a laptop with UCM: the sink of the headphones goes, another comes")
    func useCases() {
        func device(_ headphones: PortAvailability, speakerIsActive: Bool) -> RouteEvent {
            .device(
                RouteDevice(
                    id: 10, name: "sof",
                    ports: [
                        DevicePort(
                            name: "[Out] Speaker", direction: .output, type: .builtInSpeaker, profileDevices: [1],
                            activeOn: speakerIsActive ? 1 : nil),
                        DevicePort(
                            name: "[Out] Headphones", direction: .output, type: .headphones,
                            availability: headphones, profileDevices: [2], activeOn: speakerIsActive ? nil : 2),
                    ]))
        }
        func sink(_ id: UInt32, _ name: String, _ profileDevice: UInt32) -> RouteEvent {
            .node(RouteNode(id: id, name: name, direction: .output, deviceID: 10, profileDevice: profileDevice))
        }
        var desk = RouteDesk()
        desk.send(
            device(.yes, speakerIsActive: false), sink(20, "headphones", 2), .defaultNode(.output, name: "headphones"))
        desk.wait(1_000)
        desk.forget()
        desk.send(device(.no, speakerIsActive: false))
        #expect(desk.outputs == ["lost sof/[Out] Headphones"])
        desk.wait(20)
        desk.send(.nodeGone(20))
        desk.wait(30)
        desk.send(device(.no, speakerIsActive: true), sink(21, "speaker", 1))
        desk.wait(20)
        desk.send(.defaultNode(.output, name: "speaker"))
        desk.wait(3_000)
        #expect(desk.summary == ["2 sof/[Out] Headphones > sof/[Out] Speaker"])
        desk.forget()
        // Plugged in again: the speaker's sink goes, and nothing is lost with it (R64).
        desk.send(device(.yes, speakerIsActive: true))
        desk.wait(20)
        desk.send(.nodeGone(21))
        desk.wait(20)
        desk.send(device(.yes, speakerIsActive: false), sink(22, "headphones", 2))
        desk.send(.defaultNode(.output, name: "headphones"))
        desk.wait(3_000)
        #expect(desk.summary == ["1 sof/[Out] Speaker > sof/[Out] Headphones"])
        #expect(desk.outputs == ["returned sof/[Out] Headphones"])
    }

    // MARK: - Devices that come and go

    static let orders = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]]

    @Test(
        "R56 R63 R64 a USB or Bluetooth device comes and goes, its steps in any order", arguments: orders, [0, 40, 200])
    func devices(order: [Int], pause: Int64) {
        for plug in [Plug.usb, Plug.bluetooth] {
            var desk = Laptop.desk(Laptop())
            for index in order {
                desk.send(plug.comes[index])
                desk.wait(pause)
            }
            desk.wait(3_000)
            #expect(desk.summary == ["1 laptop/speaker > \(plug.port)"])
            #expect(desk.outputs == [])
            desk.forget()
            for index in order {
                desk.send(plug.goes(to: "sink.laptop")[index])
                desk.wait(pause)
            }
            desk.wait(3_000)
            #expect(desk.summary == ["2 \(plug.port) > laptop/speaker"])
            #expect(desk.outputs.first == "lost \(plug.port)" && desk.outputs.count == 1, "\(desk.outputs)")
            desk.forget()
            // The same one again, under other numbers.
            var again = plug
            again.device.id = 80
            again.sink.id = 81
            again.sink.deviceID = 80
            for event in again.comes { desk.send(event) }
            desk.wait(3_000)
            #expect(desk.outputs == ["returned \(plug.port)"])
            #expect(desk.summary == ["1 laptop/speaker > \(plug.port)"])
        }
    }

    @Test("R56 R64 two devices at once: each output is lost, one change")
    func twoAtOnce() {
        var desk = Laptop.desk(Laptop())
        for event in Plug.usb.comes + Plug.bluetooth.comes { desk.send(event) }
        desk.wait(1_000)
        #expect(desk.summary == ["1 laptop/speaker > bluetooth/out"])
        desk.forget()
        for event in Plug.bluetooth.goes(to: "sink.usb") + Plug.usb.goes(to: "sink.laptop") { desk.send(event) }
        desk.wait(3_000)
        #expect(desk.outputs == ["lost bluetooth/out", "lost usb/out"])
        #expect(desk.summary == ["2 bluetooth/out > laptop/speaker"])
    }

    @Test("R64 an output that is not the default is lost too; a program's sink never is")
    func otherSinks() {
        var desk = Laptop.desk(Laptop())
        desk.send(.device(Plug.usb.device), .node(Plug.usb.sink))
        desk.send(.node(RouteNode(id: 90, name: "effects", direction: .output)))
        desk.wait(1_000)
        #expect(desk.changes == [])
        desk.send(.nodeGone(90), .nodeGone(Plug.usb.sink.id), .deviceGone(Plug.usb.device.id))
        desk.wait(3_000)
        #expect(desk.outputs == ["lost usb/out"])
        #expect(desk.changes == [])
    }

    @Test("R62 R64 AirPlay has no device")
    func airPlay() {
        var desk = Laptop.desk(Laptop())
        desk.send(
            .node(
                RouteNode(id: 90, name: "raop_sink.Kitchen", description: "Kitchen", direction: .output, type: .airPlay)
            ))
        desk.send(.defaultNode(.output, name: "raop_sink.Kitchen"))
        desk.wait(1_000)
        #expect(desk.summary == ["1 laptop/speaker > raop_sink.Kitchen"])
        #expect(desk.tracker.route.outputs.map(\.name) == ["Kitchen"])
        desk.forget()
        desk.send(.nodeGone(90))
        #expect(desk.outputs == ["lost raop_sink.Kitchen"])
        desk.send(.defaultNode(.output, name: "sink.laptop"))
        desk.wait(1_000)
        #expect(desk.summary == ["2 raop_sink.Kitchen > laptop/speaker"])
    }

    /// A laptop whose USB card was in use, and is pulled.
    private static func deskWithoutItsUSBCard() -> RouteDesk {
        var desk = Laptop.desk(Laptop())
        for event in Plug.usb.comes { desk.send(event) }
        desk.wait(1_000)
        for event in Plug.usb.goes(to: "sink.laptop") { desk.send(event) }
        desk.wait(1_000)
        desk.forget()
        return desk
    }

    @Test("R64 a card that is plugged in again is back when its sink has its port, however late that is")
    func portComesLast() {
        var desk = Self.deskWithoutItsUSBCard()
        // A slow session manager: the card and its sink are there, and no port is in use yet.
        var card = Plug.usb
        card.device.ports[0].activeOn = nil
        for event in card.comes { desk.send(event) }
        desk.wait(5_000)
        #expect(desk.outputs == [])
        desk.send(.device(Plug.usb.device))
        desk.wait(1_000)
        #expect(desk.outputs == ["returned usb/out"])
    }

    @Test("R64 a card that comes back with a profile without ports is used otherwise now")
    func profileWithoutPorts() {
        var desk = Self.deskWithoutItsUSBCard()
        var card = Plug.usb
        card.device.ports[0].activeOn = nil
        card.sink.profileDevice = 7
        for event in card.comes { desk.send(event) }
        desk.wait(5_000)
        #expect(desk.outputs == ["switched usb/out"])
    }

    // MARK: - Bluetooth profiles

    @Test("R56 R57 a headset for a call: the profile changes, one change for its category", arguments: [true, false])
    func profile(hasPortsForCalls: Bool) {
        func device(forCalls: Bool) -> RouteEvent {
            let isOther = hasPortsForCalls && forCalls
            return .device(
                RouteDevice(
                    id: 40, name: "headset",
                    ports: [
                        DevicePort(
                            name: "headset-output", direction: .output,
                            type: forCalls && !hasPortsForCalls ? .bluetoothHFP : .bluetoothA2DP, availability: .yes,
                            profileDevices: [1], activeOn: isOther ? nil : 1),
                        DevicePort(
                            name: "headset-hf-output", direction: .output, type: .bluetoothHFP, availability: .yes,
                            profileDevices: [1], activeOn: isOther ? 1 : nil),
                    ]))
        }
        func sink(_ id: UInt32) -> RouteEvent {
            .node(RouteNode(id: id, name: "bluez_output", direction: .output, deviceID: 40, profileDevice: 1))
        }
        var desk = Laptop.desk(Laptop())
        desk.send(device(forCalls: false), sink(41), .defaultNode(.output, name: "bluez_output"))
        desk.wait(1_000)
        desk.forget()
        desk.send(.category(.playAndRecord), .asked(.categoryChange))
        desk.wait(50)
        desk.send(.nodeGone(41))
        desk.wait(20)
        desk.send(.defaultNode(.output, name: "sink.laptop"))
        desk.wait(600)
        desk.send(device(forCalls: true), sink(42), .defaultNode(.output, name: "bluez_output"))
        desk.wait(3_000)
        #expect(desk.changes.map(\.reason) == [.categoryChange])
        #expect(desk.changes.first?.current.outputs.map(\.type) == [.bluetoothHFP])
        let way = hasPortsForCalls ? "switched" : "returned"
        #expect(desk.outputs == ["lost headset/headset-output", "\(way) headset/headset-output"])
    }

    @Test("R56 R64 a card vanishes in the middle of a profile switch")
    func vanishingInSwitch() {
        var desk = Laptop.desk(Laptop())
        for event in Plug.bluetooth.comes { desk.send(event) }
        desk.wait(1_000)
        desk.forget()
        var next = Plug.bluetooth
        next.sink.id = 45
        desk.send(.nodeGone(Plug.bluetooth.sink.id), .node(next.sink))
        desk.wait(10)
        desk.send(.deviceGone(next.device.id))
        desk.wait(10)
        desk.send(.nodeGone(45), .defaultNode(.output, name: "sink.laptop"))
        desk.wait(3_000)
        // Its second sink was in use for a moment.
        #expect(desk.outputs == ["lost bluetooth/out", "lost bluetooth/out"])
        #expect(desk.tracker.lostOutputs.map(\.id) == ["bluetooth/out"])
        #expect(desk.summary == ["2 bluetooth/out > laptop/speaker"])
    }

    // MARK: - Reasons

    @Test("R56 R41 an override is told, and counts once")
    func override() {
        var laptop = Laptop(headphones: .yes, output: "headphones")
        var desk = Laptop.desk(laptop)
        desk.send(.asked(.override))
        desk.wait(100)
        laptop.output = "speaker"
        desk.send(laptop.device)
        desk.wait(1_000)
        #expect(desk.summary == ["4 laptop/headphones > laptop/speaker"])
        #expect(desk.outputs == [])
        laptop.output = "headphones"
        desk.send(laptop.device)
        desk.wait(1_000)
        #expect(desk.summary.last == "8 laptop/speaker > laptop/headphones")
    }

    @Test("R56 a plug that is pulled after an override is a plug that was pulled")
    func overrideAndPlug() {
        var laptop = Laptop(headphones: .yes, output: "headphones")
        var desk = Laptop.desk(laptop)
        desk.send(.asked(.override))
        laptop.headphones = .no
        laptop.output = "speaker"
        desk.send(laptop.device)
        desk.wait(1_000)
        #expect(desk.changes.map(\.reason) == [.oldDeviceUnavailable])
    }

    @Test("R56 R57 a category is forgotten when nothing follows from it")
    func lateCategory() {
        var laptop = Laptop(headphones: .yes, output: "headphones")
        var desk = Laptop.desk(laptop)
        desk.send(.category(.playback), .asked(.categoryChange))
        desk.wait(4_000)
        laptop.output = "speaker"
        desk.send(laptop.device)
        desk.wait(1_000)
        #expect(desk.changes.map(\.reason) == [.routeConfigurationChange])
    }

    @Test("R56 R57 a card that takes its time to follow a category")
    func slowCard() {
        var laptop = Laptop(headphones: .yes, output: "headphones")
        var desk = Laptop.desk(laptop)
        desk.send(.category(.playAndRecord), .asked(.categoryChange))
        desk.wait(2_500)
        laptop.output = "speaker"
        desk.send(laptop.device)
        desk.wait(1_000)
        #expect(desk.changes.map(\.reason) == [.categoryChange])
    }

    @Test("R56 after sleep the devices come back: 6; but what was pulled out meanwhile: 2")
    func wake() {
        var desk = Laptop.desk(Laptop())
        desk.send(.woke)
        desk.wait(2_000)
        for event in Plug.usb.comes { desk.send(event) }
        desk.wait(1_000)
        #expect(desk.changes.map(\.reason) == [.wakeFromSleep])
        desk.forget()
        desk.send(.woke)
        for event in Plug.usb.goes(to: "sink.laptop") { desk.send(event) }
        desk.wait(1_000)
        #expect(desk.changes.map(\.reason) == [.oldDeviceUnavailable])
    }

    @Test("R56 after sleep a session's category changes before the devices are back: still 6, and only once")
    func wakeIsKept() {
        var desk = Laptop.desk(Laptop())
        desk.send(.woke, .category(.playback), .asked(.override))
        desk.wait(1_000)
        for event in Plug.usb.comes { desk.send(event) }
        desk.wait(1_000)
        #expect(desk.changes.map(\.reason) == [.wakeFromSleep])
        desk.forget()
        for event in Plug.bluetooth.comes { desk.send(event) }
        desk.wait(1_000)
        #expect(desk.changes.map(\.reason) == [.newDeviceAvailable])
    }

    @Test(
        "R56 R15-R20 a category without what it needs: 7",
        arguments: [
            (Category.record, true), (.playAndRecord, true), (.playback, false), (.ambient, false),
            (.audioProcessing, false),
        ])
    func noInput(category: PolicyEngine.Category, lacks: Bool) {
        var desk = RouteDesk()
        for event in Plug.usb.comes { desk.send(event) }
        desk.wait(1_000)
        desk.send(.category(category))
        desk.wait(1_000)
        #expect(desk.changes.map(\.reason) == (lacks ? [.noSuitableRouteForCategory] : []))
        desk.send(.category(nil))
        desk.wait(1_000)
        #expect(desk.changes.count == (lacks ? 1 : 0))
    }

    @Test("R56 R64 the last output goes: lost, and 2, whether a category needs one or not", arguments: [true, false])
    func lastOutput(isNeeded: Bool) {
        var desk = RouteDesk()
        for event in Plug.usb.comes { desk.send(event) }
        if isNeeded { desk.send(.category(.playback)) }
        desk.wait(1_000)
        desk.send(.nodeGone(Plug.usb.sink.id), .deviceGone(Plug.usb.device.id))
        desk.wait(3_000)
        #expect(desk.outputs == ["lost usb/out"])
        #expect(desk.summary == ["2 usb/out > "])
        #expect(desk.tracker.route.isEmpty)
    }

    @Test("R56 somebody chooses another output: 8; the server knows none for a while: 0")
    func chosen() {
        var desk = Laptop.desk(Laptop())
        desk.send(.device(Plug.usb.device), .node(Plug.usb.sink))
        desk.wait(5_000)
        desk.send(.defaultNode(.output, name: "sink.usb"))
        desk.wait(1_000)
        #expect(desk.summary == ["8 laptop/speaker > usb/out"])
        desk.forget()
        desk.send(.defaultNode(.output, name: nil), .defaultNode(.input, name: nil))
        desk.wait(5_000)
        #expect(desk.summary == ["0 usb/out > "])
        #expect(desk.outputs == [])
    }

    @Test("R58 the first route is no change, and nothing is none either")
    func first() {
        var desk = RouteDesk()
        desk.send(.category(.playback), .woke, .asked(.override), .clock, .nodeGone(1), .deviceGone(1))
        desk.wait(1_000)
        #expect(desk.tracker.route.isEmpty)
        desk.send(Laptop().device, .node(Laptop.sink), .defaultNode(.output, name: "sink.laptop"))
        desk.wait(1_000)
        #expect(desk.changes == [])
        #expect(desk.tracker.route.outputs.map(\.id) == ["laptop/speaker"])
    }

    @Test("R61 R64 a port of an unknown type is a port like others")
    func odd() {
        let odd = Plug(50, "odd", .unknown)
        var desk = Laptop.desk(Laptop())
        for event in odd.comes { desk.send(event) }
        desk.wait(1_000)
        #expect(desk.tracker.route.outputs.map(\.type) == [.unknown])
        for event in odd.goes(to: "sink.laptop") { desk.send(event) }
        desk.wait(1_000)
        #expect(desk.summary == ["1 laptop/speaker > odd/out", "2 odd/out > laptop/speaker"])
        #expect(desk.outputs == ["lost odd/out"])
    }

    // MARK: - Too much

    @Test("R56 R58 a device that flaps 50 times a second: few changes, the right end", arguments: [true, false])
    func flapping(endsPluggedIn: Bool) {
        var laptop = Laptop(headphones: .yes, output: "headphones")
        var desk = Laptop.desk(laptop)
        for _ in 0..<200 {
            laptop.headphones = .no
            desk.send(laptop.device)
            desk.wait(4)
            laptop.output = "speaker"
            desk.send(laptop.device)
            desk.wait(6)
            laptop.headphones = .yes
            desk.send(laptop.device)
            desk.wait(4)
            laptop.output = "headphones"
            desk.send(laptop.device)
            desk.wait(6)
        }
        #expect(desk.changes.count <= 3)
        if !endsPluggedIn {
            laptop.headphones = .no
            laptop.output = "speaker"
            desk.send(laptop.device)
        }
        desk.wait(1_000)
        #expect(desk.changes.count <= 4)
        #expect(desk.tracker.route.outputs.map(\.id) == ["laptop/\(endsPluggedIn ? "headphones" : "speaker")"])
        let lost = Array(repeating: "lost laptop/headphones", count: endsPluggedIn ? 200 : 201)
        #expect(desk.outputs == lost + (endsPluggedIn ? ["returned laptop/headphones"] : []))
        #expect(desk.tracker.lostOutputs.count == (endsPluggedIn ? 0 : 1))
    }

    @Test("R56 R63 while a plug has a bad contact, what else comes is told within two seconds")
    func badContact() {
        var laptop = Laptop(headphones: .yes, output: "headphones")
        var desk = Laptop.desk(laptop)
        for turn in 0..<300 {
            if turn == 50 { for event in Plug.usb.comes { desk.send(event) } }
            laptop.headphones = laptop.headphones == .yes ? .no : .yes
            desk.send(laptop.device)
            desk.wait(10)
        }
        // It has not come to rest.
        #expect(desk.tracker.deadline.map { $0.nanoseconds > desk.time * 1_000_000 } == true)
        #expect(desk.summary == ["1 laptop/headphones > \(Plug.usb.port)"])
        #expect(desk.log.first { if case .changed = $0.effect { true } else { false } }?.time == Int64(3_000))
    }

    @Test("R60 more devices, ports and letters than there can be")
    func bounds() {
        let long = String(repeating: "é", count: 600)
        let ports = (0..<80).map {
            DevicePort(
                name: "port\($0)" + long, description: long, direction: .output, type: .lineOut,
                profileDevices: Array(0..<1_000), activeOn: UInt32($0), serverType: long)
        }
        var desk = RouteDesk()
        for id in 0..<270 as Range<UInt32> {
            desk.send(
                .device(RouteDevice(id: id, name: "d\(id)" + long, ports: ports)),
                .node(RouteNode(id: id, name: "n\(id)" + long, direction: .output, deviceID: id, profileDevice: 3)))
        }
        desk.send(.defaultNode(.output, name: "n7" + long))
        desk.wait(3_000)
        #expect(desk.tracker.route.outputs.count == 1)
        #expect(desk.tracker.availableOutputs.count == 128)
        #expect(desk.tracker.availableOutputs.allSatisfy { $0.id.utf8.count < 2_100 && $0.name.utf8.count <= 1_024 })
        for id in 0..<270 as Range<UInt32> { desk.send(.nodeGone(id)) }
        #expect(desk.tracker.lostOutputs.count == 64)
        desk.wait(3_000)
        #expect(desk.tracker.route.isEmpty)
    }

    @Test("R58 moments that go back, and the ends of time")
    func strangeTimes() {
        var tracker = RouteTracker()
        let moments: [Int64] = [.max, .min, 0, -1, .max, 5_000_000_000]
        for (index, moment) in moments.enumerated() {
            _ = tracker.handle(Plug.usb.comes[index % 3], at: Instant(nanoseconds: moment))
            _ = tracker.handle(.nodeGone(31), at: Instant(nanoseconds: moment))
            _ = tracker.handle(.clock, at: Instant(nanoseconds: moment))
        }
        #expect(tracker.route.isEmpty)
    }
}
