import PolicyEngine

/// A telephone with an earpiece, a loudspeaker and a jack, in an active call, and a server that does what is asked.
struct Handset {
    static let session = SessionID(1)
    private static let device: UInt32 = 10
    private static let sink = RouteNode(id: 20, name: "sink.phone", direction: .output, deviceID: 10, profileDevice: 0)

    var output = "speaker"
    var headphones = PortAvailability.no
    private(set) var engine = Engine(policy: .phone)
    /// Milliseconds.
    private var time: Int64 = 0
    private var wake: Int64?
    private var planned: [(time: Int64, change: (inout Handset) -> Void)] = []

    init() {
        send([.route(deviceEvent), .route(.node(Self.sink)), .route(.defaultNode(.output, name: Self.sink.name))])
        let application = ApplicationID(portal: nil, binary: "caller", displayName: nil, fallback: "")
        send([
            .sessionOpened(Self.session, application: application, .application),
            .sessionConfigured(Self.session, .category(.playAndRecord, [], .voiceChat)),
            .sessionRequested(Self.session, .activate(mayWait: false)),
        ])
    }

    mutating func send(_ events: [Event]) {
        for event in events + [.route(.turnEnded)] {
            for effect in engine.handle(event, at: Instant(nanoseconds: time * 1_000_000)) {
                switch effect {
                case .wake(let moment): wake = (moment.nanoseconds + 999_999) / 1_000_000
                case .command(.usePort(let id, _, _, _)):
                    later(time + 10) { $0.output = String(id.dropFirst("phone/".count)) }
                default: break
                }
            }
        }
    }

    /// Something happens to the card at a time.
    mutating func later(_ time: Int64, _ change: @escaping (inout Handset) -> Void) { planned.append((time, change)) }

    /// Lets time pass, in milliseconds from the beginning.
    mutating func run(until end: Int64) {
        while time < end {
            time += 1
            if let due = wake, due <= time {
                wake = nil
                send([.clockReached])
            }
            let changes = planned.filter { $0.time <= time }
            planned.removeAll { $0.time <= time }
            for entry in changes {
                entry.change(&self)
                send([.route(deviceEvent)])
            }
        }
    }

    private var deviceEvent: RouteEvent {
        let ports: [(String, PortType, PortAvailability)] = [
            ("receiver", .builtInReceiver, .unknown), ("speaker", .builtInSpeaker, .unknown),
            ("headphones", .headphones, headphones),
        ]
        return .device(
            RouteDevice(
                id: Self.device, name: "phone",
                ports: ports.map { name, type, availability in
                    DevicePort(
                        name: name, direction: .output, type: type, availability: availability, profileDevices: [0],
                        activeOn: output == name ? 0 : nil)
                }))
    }
}
