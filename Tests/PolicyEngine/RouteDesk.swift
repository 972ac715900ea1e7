import PolicyEngine

/// A tracker with its clock, and the devices that the tests plug into it.
struct RouteDesk {
    var tracker = RouteTracker()
    /// Milliseconds.
    private(set) var time: Int64 = 0
    private(set) var log: [(time: Int64, effect: RouteEffect)] = []

    /// Sends events, all at this moment.
    mutating func send(_ events: RouteEvent...) {
        for event in events { send(event) }
    }

    mutating func send(_ event: RouteEvent) {
        for effect in tracker.handle(event, at: Instant(nanoseconds: time * 1_000_000)) { log.append((time, effect)) }
    }

    /// Lets time pass, with the clock as the tracker wants it.
    mutating func wait(_ milliseconds: Int64) {
        let end = time + milliseconds
        while let deadline = tracker.deadline, deadline.nanoseconds <= end * 1_000_000 {
            time = max(time, (deadline.nanoseconds + 999_999) / 1_000_000)
            send(.clock)
        }
        time = end
    }

    /// Forgets what came before.
    mutating func forget() { log.removeAll() }

    var changes: [RouteChange] {
        log.compactMap { if case .changed(let change, _) = $0.effect { change } else { nil } }
    }

    /// What was said of outputs, as words: `lost card/out`, `returned …`, `switched …`.
    var outputs: [String] {
        log.compactMap {
            switch $0.effect {
            case .lostOutput(let port, _): "lost \(port.id)"
            case .returnedOutput(let port): "returned \(port.id)"
            case .switchedOutput(let port): "switched \(port.id)"
            default: nil
            }
        }
    }

    /// The changes, as words: `2 card/headphones > card/speaker`; outputs only.
    var summary: [String] {
        changes.map { change in
            func list(_ route: Route) -> String { route.outputs.map(\.id).joined(separator: "+") }
            return "\(change.reason.rawValue) \(list(change.previous)) > \(list(change.current))"
        }
    }
}

/// A laptop: one sink with speaker and headphones, one source with an internal and a headset's microphone.
struct Laptop {
    var headphones = PortAvailability.no
    var headset = PortAvailability.no
    var output = "speaker"
    var input = "mic"

    static let sink = RouteNode(
        id: 20, name: "sink.laptop", direction: .output, deviceID: 10, profileDevice: 0, type: .builtInSpeaker)
    static let source = RouteNode(
        id: 21, name: "source.laptop", direction: .input, deviceID: 10, profileDevice: 1, type: .builtInMic)

    var device: RouteEvent {
        .device(
            RouteDevice(
                id: 10, name: "laptop",
                ports: [
                    DevicePort(
                        name: "speaker", description: "Speakers", direction: .output, type: .builtInSpeaker,
                        // As alsa-card-profile has it: in the way of the headphones.
                        availability: headphones == .yes ? .no : .unknown, profileDevices: [0],
                        activeOn: output == "speaker" ? 0 : nil, serverType: "speaker"),
                    DevicePort(
                        name: "headphones", direction: .output, type: .headphones, availability: headphones,
                        profileDevices: [0], activeOn: output == "headphones" ? 0 : nil),
                    DevicePort(
                        name: "mic", direction: .input, type: .builtInMic, profileDevices: [1],
                        activeOn: input == "mic" ? 1 : nil),
                    DevicePort(
                        name: "headset", direction: .input, type: .headsetMic, availability: headset,
                        profileDevices: [1], activeOn: input == "headset" ? 1 : nil),
                ]))
    }

    /// All of it, with its sink and source as the defaults.
    static func desk(_ laptop: Laptop) -> RouteDesk {
        var desk = RouteDesk()
        desk.send(
            laptop.device, .node(sink), .node(source), .defaultNode(.output, name: "sink.laptop"),
            .defaultNode(.input, name: "source.laptop"))
        desk.wait(1_000)
        desk.forget()
        return desk
    }
}

/// A device with one port and one sink, which comes and goes as a whole.
struct Plug: Sendable {
    var device: RouteDevice
    var sink: RouteNode

    var name: String { device.name }
    var port: String { "\(device.name)/out" }

    init(_ id: UInt32, _ name: String, _ type: PortType) {
        device = RouteDevice(
            id: id, name: name,
            ports: [
                DevicePort(
                    name: "out", direction: .output, type: type, availability: .unknown, profileDevices: [0],
                    activeOn: 0)
            ])
        sink = RouteNode(
            id: id + 1, name: "sink.\(name)", direction: .output, deviceID: id, profileDevice: 0, type: type)
    }

    var comes: [RouteEvent] { [.device(device), .node(sink), .defaultNode(.output, name: sink.name)] }

    func goes(to name: String) -> [RouteEvent] {
        [.nodeGone(sink.id), .deviceGone(device.id), .defaultNode(.output, name: name)]
    }

    static let usb = Plug(30, "usb", .usbAudio)
    static let bluetooth = Plug(40, "bluetooth", .bluetoothA2DP)
}
