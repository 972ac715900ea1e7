import SessionCore

/// Random events of cards, sinks, streams and sessions.
func fuzzRoutes(_ bytes: [UInt8]) {
    var play = RoutePlay(bytes)
    play.run()
}

private struct RoutePlay {
    private struct Places: StreamPlaces {
        var streams: [RouteStream] = []
        var heard: [UInt32: [StreamID]] = [:]
        func routedStreams() -> [RouteStream] { streams }
        func streams(heardOn node: UInt32) -> [StreamID] { heard[node] ?? [] }
    }

    private var input: Input
    private var engine = RouteEngine()
    private var places = Places()
    private var now: Int64 = 0

    init(_ bytes: [UInt8]) { input = Input(bytes) }

    mutating func run() {
        for _ in 0..<256 {
            if input.isEmpty { break }
            send(event())
            if input.oneIn(2) { send(.turnEnded) }
            now = now &+ input.pick([0, 0, 1, 20, 300, 3_000]) * 1_000_000
            if let deadline = engine.deadline, deadline.nanoseconds <= now { send(.clock) }
        }
        send(.turnEnded)
        for _ in 0..<32 {
            guard let deadline = engine.deadline else { break }
            now = max(now, deadline.nanoseconds)
            send(.clock)
            send(.turnEnded)
        }
        found("does not come to rest", engine.deadline != nil)
        send(.shutdown)
        send(.turnEnded)
        found("sessions outlive the end", engine.hasSessions)
    }

    private mutating func send(_ event: RouteEngine.Event) {
        let effects = engine.handle(event, among: places, at: Instant(nanoseconds: now))
        found("\(effects.count) effects", effects.count > 256)
        for effect in effects {
            switch effect {
            case .lost(let port, let streams):
                let heard = port.nodeID.map { places.streams(heardOn: $0) } ?? []
                found("\(port.id) is lost with \(streams)", streams.isEmpty || !streams.allSatisfy(heard.contains))
            case .returned(let port, let streams), .switched(let port, let streams):
                found("\(port.id) is back with nothing", streams.isEmpty)
            default: break
            }
        }
    }

    private mutating func id() -> UInt32 { UInt32(input.below(6)) }

    private mutating func event() -> RouteEngine.Event {
        switch input.below(16) {
        case 0, 1: return .server(.device(device()))
        case 2: return .server(.deviceGone(id()))
        case 3, 4:
            let id = id()
            return .server(
                .node(
                    RouteNode(
                        id: id, name: "n\(id)", direction: direction(), deviceID: input.oneIn(2) ? nil : self.id(),
                        profileDevice: input.oneIn(2) ? nil : self.id(), type: input.pick(types),
                        isAtCamera: input.oneIn(8), kind: input.pick([.plain, .filter, .network, .dummy]))))
        case 5: return .server(.nodeGone(id()))
        case 6: return .server(.passesOn(id(), to: (0..<input.below(4)).map { _ in id() }))
        case 7: return .server(.defaultNode(direction(), name: input.oneIn(6) ? nil : "n\(id())"))
        case 8:
            return .server(
                input.pick([
                    .woke, .overridden, .clock, .category(nil), .category(input.pick(SessionCore.Category.allCases)),
                ]))
        case 9, 10:
            var configuration = SessionConfiguration()
            try? configuration.set(
                input.pick(SessionCore.Category.allCases), CategoryOptions(rawValue: input.byte()),
                input.oneIn(2) ? input.pick(Mode.allCases) : nil, whileActive: false)
            return .session(
                SessionID(id()), input.oneIn(4) ? nil : configuration, isActive: input.oneIn(2),
                followsRoute: input.oneIn(2))
        case 11:
            let ports = [nil, "", "n\(id())", "d\(id())/p0", "d\(id())/p1"]
            return .preference(SessionID(id()), output: input.pick(ports), input: input.pick(ports))
        case 12, 13, 14:
            let stream = RouteStream(
                StreamID(id()), of: input.oneIn(3) ? nil : SessionID(id()), input.oneIn(3) ? .capture : .playback,
                on: input.oneIn(5) ? nil : id())
            places.streams.removeAll { $0.id == stream.id }
            for node in places.heard.keys { places.heard[node]?.removeAll { $0 == stream.id } }
            if input.oneIn(6) { return .streamGone(stream.id) }
            places.streams.append(stream)
            places.heard[id(), default: []].append(stream.id)
            return stream.nodeID.map { .linked(to: $0) } ?? .streamsChanged
        default: return input.pick([.managerChanged, .clock, .turnEnded, .streamsChanged, .shutdown])
        }
    }

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
