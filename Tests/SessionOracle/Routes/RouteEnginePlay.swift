import RandomEvents
import SessionCore

/// Random cards, filters, streams and sessions: everything that sessions are told fits together (R56–R58, R64).
public struct RouteEnginePlay: RandomPlay {
    private var random: SplitMix64
    private var engine = RouteEngine()
    private var streams = PlacedStreams()
    private var time: Int64 = 0
    /// What sessions were told last.
    private var told: [SessionID: Route] = [:]
    /// Those that begin with what is in use at first.
    private var unsure: Set<SessionID> = []
    /// The first failure; `nil` for none.
    public private(set) var failure: String?

    /// The play of a seed.
    public init(seed: UInt64) { random = SplitMix64(seed: seed) }

    /// Plays to the end, or to the first failure.
    public mutating func play() {
        for _ in 0..<200 where failure == nil {
            send(event())
            time += random.pick([0, 0, 1, 20, 300, 3_000])
            tick()
        }
        var rounds = 0
        while engine.deadline != nil, failure == nil {
            rounds += 1
            if rounds > 20 { return fail("does not come to rest") }
            time = max(time, ((engine.deadline?.nanoseconds ?? 0) + 999_999) / 1_000_000)
            tick()
        }
        for (session, route) in told where !engine.route(of: session).isSame(as: route) {
            fail("session \(session.rawValue) was not told of its route at rest")
        }
        send(.shutdown)
        send(.turnEnded)
        if engine.hasSessions { fail("sessions outlive the end") }
    }

    private mutating func tick() {
        if let deadline = engine.deadline, deadline.nanoseconds <= time * 1_000_000 { send(.clock) }
    }

    private mutating func fail(_ text: String) { failure = failure ?? "\(text), at \(time) ms" }

    private mutating func send(_ event: RouteEngine.Event) {
        for next in [event, .turnEnded] {
            for effect in engine.handle(next, among: streams, at: Instant(nanoseconds: time * 1_000_000)) {
                check(effect)
            }
        }
    }

    private mutating func check(_ effect: RouteEngine.Effect) {
        switch effect {
        case .lost(let port, let lost):
            let heard = port.nodeID.map { streams.streams(heardOn: $0) } ?? []
            if lost.isEmpty || !lost.allSatisfy(heard.contains) { fail("\(port.id) is lost with \(lost)") }
        case .returned(let port, let back), .switched(let port, let back):
            if back.isEmpty { fail("\(port.id) is back, and nothing on it") }
        case .sessionChanged(let session, let change):
            guard let last = told[session] else { return fail("session \(session.rawValue) is not open") }
            if unsure.remove(session) == nil, !change.previous.isSame(as: last) {
                fail("session \(session.rawValue) knows of another route")
            }
            let isLack = change.reason == .noSuitableRouteForCategory
            if !isLack, change.previous.isSame(as: change.current) { fail("a change of nothing: \(change.reason)") }
            told[session] = change.current
        case .begun:
            // What is in use at first is no change; a review of the same moment may follow.
            unsure = Set(told.keys)
            for session in told.keys { told[session] = engine.route(of: session) }
        default: break
        }
    }

    private mutating func event() -> RouteEngine.Event {
        let id = UInt32(random.below(6))
        switch random.below(16) {
        case 0, 1:
            let device = RouteDevice(
                id: id, name: "d\(id)",
                ports: (0..<random.below(4)).map { index in
                    DevicePort(
                        name: "p\(index)", direction: .output,
                        type: random.pick([.headphones, .builtInSpeaker, .usbAudio]),
                        availability: random.pick(PortAvailability.allCases), profileDevices: [UInt32(index)],
                        activeOn: random.oneIn(2) ? UInt32(index) : nil)
                })
            return .server(.device(device))
        case 2: return .server(.deviceGone(id))
        case 3, 4:
            return .server(
                .node(
                    RouteNode(
                        id: id, name: "n\(id)", direction: .output, deviceID: random.oneIn(2) ? nil : id,
                        profileDevice: UInt32(random.below(3)),
                        kind: random.pick([.plain, .filter, .network, .dummy]))))
        case 5: return .server(.nodeGone(id))
        case 6: return .server(.passesOn(id, to: (0..<random.below(3)).map { _ in UInt32(random.below(6)) }))
        case 7: return .server(.defaultNode(.output, name: random.oneIn(6) ? nil : "n\(id)"))
        case 8: return .server(random.pick([.woke, .overridden]))
        case 9, 10: return session(SessionID(id % 3))
        case 11:
            let node = UInt32(random.below(6))
            return .preference(
                SessionID(id % 3), output: random.oneIn(2) ? nil : random.pick(["n\(node)", "d\(node)/p0"]), input: nil)
        case 12, 13, 14:
            let stream = RouteStream(
                StreamID(id), of: random.oneIn(3) ? nil : SessionID(id % 3), .playback,
                on: random.oneIn(5) ? nil : UInt32(random.below(6)))
            streams.streams.removeAll { $0.id == stream.id }
            for node in streams.heard.keys { streams.heard[node]?.removeAll { $0 == stream.id } }
            if random.oneIn(6) { return .streamGone(stream.id) }
            streams.streams.append(stream)
            // Where it is heard depends on filters; any sink will do here.
            streams.heard[UInt32(random.below(6)), default: []].append(stream.id)
            return stream.nodeID.map { .linked(to: $0) } ?? .streamsChanged
        default: return random.oneIn(4) ? .managerChanged : .clock
        }
    }

    private mutating func session(_ id: SessionID) -> RouteEngine.Event {
        if random.oneIn(4) {
            told[id] = nil
            return .session(id, nil, isActive: false, followsRoute: false)
        }
        var configuration = SessionConfiguration()
        try? configuration.set(
            random.pick([.playback, .ambient, .record, .playAndRecord, .audioProcessing]), [], nil, whileActive: false)
        if told[id] == nil {
            // What it is at first is what it knows.
            told[id] = engine.route.part(for: SessionConfiguration().category)
        }
        return .session(id, configuration, isActive: random.oneIn(2), followsRoute: random.oneIn(2))
    }
}

/// Where streams are, on paper.
public struct PlacedStreams: StreamPlaces {
    /// All streams.
    public var streams: [RouteStream] = []
    /// By the number of the sink: the streams that are heard there, through whatever effects.
    public var heard: [UInt32: [StreamID]] = [:]

    /// No streams.
    public init() {}

    /// All streams.
    public func routedStreams() -> [RouteStream] { streams }
    /// The streams that are heard on a sink.
    public func streams(heardOn node: UInt32) -> [StreamID] { heard[node] ?? [] }
}
