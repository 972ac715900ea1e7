import PolicyEngine
import Testing

/// What is lost, how often, and what is not although its device goes (R64).
@Suite struct RouteLossTests {
    /// A sink that does not tell by itself what it is, as most.
    private static let sink = RouteNode(
        id: 20, name: "sink.laptop", direction: .output, deviceID: 10, profileDevice: 0)

    private func desk(_ laptop: Laptop) -> RouteDesk {
        var desk = RouteDesk()
        desk.send(laptop.device, .node(Self.sink), .defaultNode(.output, name: "sink.laptop"))
        desk.wait(1_000)
        desk.forget()
        return desk
    }

    /// The session manager is back: the same card and sink under other numbers.
    private func comeBack(_ laptop: Laptop, _ desk: inout RouteDesk) {
        guard case .device(var device) = laptop.device else { return }
        device.id = 80
        var sink = Self.sink
        sink.id = 81
        sink.deviceID = 80
        desk.send(.device(device), .node(sink), .defaultNode(.output, name: "sink.laptop"))
        desk.wait(3_000)
    }

    @Test("R64 the session manager dies, devices first: the loudspeaker is not lost", arguments: [0, 40, 1_500])
    func loudspeaker(pause: Int64) {
        var desk = desk(Laptop())
        desk.send(.deviceGone(10))
        desk.wait(pause)
        #expect(desk.tracker.present.outputs.map(\.id) == ["laptop/speaker"])
        #expect(desk.tracker.present.outputs.map(\.type) == [.builtInSpeaker])
        desk.send(.nodeGone(20))
        desk.wait(pause)
        #expect(desk.tracker.present.outputs.isEmpty)
        comeBack(Laptop(), &desk)
        #expect(desk.outputs == [])
        #expect(desk.tracker.route.outputs.map(\.id) == ["laptop/speaker"])
    }

    @Test(
        "R64 the session manager dies, devices first: headphones are lost once, and return", arguments: [0, 40, 1_500])
    func headphones(pause: Int64) {
        let laptop = Laptop(headphones: .yes, output: "headphones")
        var desk = desk(laptop)
        desk.send(.deviceGone(10))
        #expect(desk.outputs == ["lost laptop/headphones"])
        desk.wait(pause)
        desk.send(.nodeGone(20))
        desk.wait(pause)
        #expect(desk.outputs == ["lost laptop/headphones"])
        comeBack(laptop, &desk)
        #expect(desk.outputs == ["lost laptop/headphones", "returned laptop/headphones"])
        #expect(desk.tracker.lostOutputs.isEmpty)
    }

    @Test("R64 pulled out, and then the device goes before its sink: one loss")
    func pulledBefore() {
        var laptop = Laptop(headphones: .yes, output: "headphones")
        var desk = desk(laptop)
        laptop.headphones = .no
        desk.send(laptop.device, .deviceGone(10))
        desk.wait(500)
        desk.send(.nodeGone(20))
        desk.wait(3_000)
        #expect(desk.outputs == ["lost laptop/headphones"])
    }

    @Test("R64 a sink for which its device has no port stays what it is until it goes too", arguments: [true, false])
    func withoutPorts(isOther: Bool) {
        var desk = RouteDesk()
        let bare = RouteNode(id: 51, name: "sink.bare", direction: .output, deviceID: 50, type: .usbAudio)
        desk.send(
            .device(RouteDevice(id: 50, name: "bare", ports: [])), .node(bare),
            .defaultNode(.output, name: "sink.bare"))
        desk.wait(1_000)
        desk.send(.deviceGone(50))
        if isOther {
            // What is said of it now counts.
            var other = bare
            other.deviceID = nil
            other.type = .airPlay
            desk.send(.node(other))
        }
        desk.wait(1_000)
        #expect(desk.outputs == [])
        #expect(desk.tracker.route.outputs.map(\.type) == [isOther ? .airPlay : .usbAudio])
        desk.send(.nodeGone(51))
        #expect(desk.outputs == ["lost sink.bare"])
    }

    @Test("R64 a second pull before all is at rest is told too: what was begun in between must stop")
    func secondPull() {
        var laptop = Laptop(headphones: .yes, output: "headphones")
        var desk = desk(laptop)
        for _ in 0..<2 {
            laptop.headphones = .no
            desk.send(laptop.device)
            desk.wait(100)
            laptop.headphones = .yes
            desk.send(laptop.device)
            desk.wait(100)
        }
        #expect(desk.outputs == ["lost laptop/headphones", "lost laptop/headphones"])
        #expect(desk.tracker.lostOutputs.map(\.id) == ["laptop/headphones"])
        desk.wait(1_000)
        #expect(desk.outputs == ["lost laptop/headphones", "lost laptop/headphones", "returned laptop/headphones"])
        #expect(desk.tracker.lostOutputs.isEmpty)
    }

    @Test("R66 programs make more sinks than are taken note of: what is plugged in is seen, and is listed first")
    func manyPrograms() {
        var desk = RouteDesk()
        for id in 1_000..<1_300 as Range<UInt32> {
            desk.send(.node(RouteNode(id: id, name: "program\(id)", direction: .output)))
        }
        desk.send(.defaultNode(.output, name: "program1255"))
        for event in Plug.usb.comes { desk.send(event) }
        desk.wait(3_000)
        #expect(desk.tracker.route.outputs.map(\.id) == ["usb/out"])
        #expect(desk.tracker.places.count == 256)
        #expect(desk.tracker.availableOutputs.count == 128)
        #expect(desk.tracker.availableOutputs.first?.id == "usb/out")
        #expect(desk.outputs == [])
        // The default is not pushed out, be it a program's.
        #expect(desk.tracker.places.contains { $0.nodeName == "program1255" })
        #expect(!desk.tracker.places.contains { $0.nodeName == "program1254" })
    }

    @Test("R66 inputs and outputs that one may choose are few enough, of however many cards")
    func manyPorts() {
        var desk = RouteDesk()
        for id in 0..<10 as Range<UInt32> {
            let ports = (0..<64).map {
                DevicePort(name: "p\($0)", direction: $0 < 32 ? .output : .input, type: .lineOut)
            }
            desk.send(.device(RouteDevice(id: id, name: "d\(id)", ports: ports)))
            desk.send(.node(RouteNode(id: 100 + id, name: "n\(id)", direction: .input)))
        }
        desk.wait(1_000)
        #expect(desk.tracker.availableInputs.count + desk.tracker.availableOutputs.count == 256)
        #expect(desk.tracker.availableInputs.allSatisfy { $0.deviceName != nil })
    }
}
