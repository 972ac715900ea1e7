import PolicyEngine
import RandomEvents

/// Random events of cards, sinks, streams and sessions.
func fuzzRoutes(_ bytes: [UInt8]) {
    var play = RoutePlay(bytes)
    play.run()
}

private struct RoutePlay {
    private var input: Input
    private var engine = Engine(policy: .phone)
    private var places = PlacedStreams()
    private var now: Int64 = 0
    private var wake: Instant?

    init(_ bytes: [UInt8]) { input = Input(bytes) }

    mutating func run() {
        for _ in 0..<256 {
            if input.isEmpty { break }
            for event in events() { send(event) }
            if input.oneIn(2) { send(.route(.turnEnded)) }
            now = now &+ input.pick([0, 0, 1, 20, 300, 3_000]) * 1_000_000
            if let wake, wake.nanoseconds <= now { send(.clockReached) }
        }
        send(.route(.turnEnded))
        for _ in 0..<32 {
            guard let wake, !engine.routesAreAtRest else { break }
            now = max(now, wake.nanoseconds)
            send(.clockReached)
            send(.route(.turnEnded))
        }
        found("does not come to rest", !engine.routesAreAtRest)
        send(.shutdown)
        send(.route(.turnEnded))
        found("sessions outlive the end", engine.hasSessions)
    }

    private mutating func send(_ event: Event) {
        if event == .clockReached { wake = nil }
        let effects = engine.handle(event, among: places, at: Instant(nanoseconds: now))
        found("\(effects.count) effects", effects.count > 256)
        for effect in effects {
            switch effect {
            case .wake(let moment): wake = moment
            case .outputLost(let port, let streams, _):
                let heard = port.nodeID.map { places.streams(heardOn: $0) } ?? []
                found("\(port.id) is lost with \(streams)", streams.isEmpty || !streams.allSatisfy(heard.contains))
            default: break
            }
        }
    }

    private mutating func id() -> UInt32 { UInt32(input.below(6)) }

    private mutating func events() -> [Event] {
        switch input.below(16) {
        case 0, 1: return [.route(.device(device()))]
        case 2: return [.route(.deviceGone(id()))]
        case 3, 4:
            let id = id()
            let node = RouteNode(
                id: id, name: "n\(id)", direction: direction(), deviceID: input.oneIn(2) ? nil : self.id(),
                profileDevice: input.oneIn(2) ? nil : self.id(), type: input.pick(types),
                isAtCamera: input.oneIn(8), kind: input.pick([.plain, .filter, .network, .dummy]))
            return [.route(.node(node))]
        case 5: return [.route(.nodeGone(id()))]
        case 6: return [.route(.passesOn(id(), to: (0..<input.below(4)).map { _ in id() }))]
        case 7: return [.route(.defaultNode(direction(), name: input.oneIn(6) ? nil : "n\(id())"))]
        case 8:
            let category = input.pick(PolicyEngine.Category.allCases)
            return [.route(input.pick([.woke, .asked(.override), .clock, .category(nil), .category(category)]))]
        case 9, 10: return session(SessionID(id()))
        case 11:
            let ports = [nil, "", "n\(id())", "d\(id())/p0", "d\(id())/p1"]
            return [.route(.preferred(SessionID(id()), output: input.pick(ports), input: input.pick(ports)))]
        case 12, 13, 14: return stream(StreamID(id()))
        default:
            return [
                input.pick([
                    .route(.managerChanged), .clockReached, .route(.turnEnded), .route(.linked(to: id())), .shutdown,
                ])
            ]
        }
    }

    private mutating func session(_ id: SessionID) -> [Event] {
        if input.oneIn(4) { return [.sessionClosed(id)] }
        let category = ConfigurationChange.category(
            input.pick(PolicyEngine.Category.allCases), CategoryOptions(rawValue: UInt16(input.byte())),
            input.oneIn(2) ? input.pick(Mode.allCases) : nil)
        return [
            .sessionOpened(id, application: Self.application, .application), .sessionConfigured(id, category),
            input.oneIn(2) ? .sessionConfigured(id, .outputOverride(.speaker)) : .route(.confined(id)),
            .sessionRequested(id, input.oneIn(2) ? .activate(mayWait: false) : .deactivate(notifyOthers: true)),
        ]
    }

    private mutating func stream(_ id: StreamID) -> [Event] {
        places.remove(id)
        if input.oneIn(6) { return [.streamVanished(id)] }
        let node = input.oneIn(5) ? nil : self.id()
        places.put(id, on: node, heardOn: [self.id()])
        let music = SessionDescription(name: "music", category: .playback)
        return [
            .streamAppeared(
                id, application: Self.application, description: music, direction: input.oneIn(3) ? .capture : .playback),
            .streamMoved(id, to: input.oneIn(3) ? .application(Self.application) : .opened(SessionID(self.id()))),
            .streamWanted(id, !input.oneIn(4)), .route(node.map { .linked(to: $0) } ?? .turnEnded),
        ]
    }

    private static let application = ApplicationID(portal: nil, binary: "app", displayName: nil, fallback: "")

    private mutating func direction() -> PortDirection { input.oneIn(3) ? .input : .output }

    private let types: [PortType] = [.unknown, .headphones, .builtInSpeaker, .builtInMic, .usbAudio, .bluetoothA2DP]

    private mutating func device() -> RouteDevice {
        let id = id()
        let ports = (0..<input.below(5)).map { index in
            DevicePort(
                name: "p\(index)", direction: direction(), type: input.pick(types),
                availability: input.pick(PortAvailability.allCases),
                profileDevices: (0..<input.below(3)).map { _ in self.id() },
                activeOn: input.oneIn(2) ? self.id() : nil)
        }
        return RouteDevice(id: id, name: "d\(id)", ports: ports, isCamera: input.oneIn(8))
    }
}
