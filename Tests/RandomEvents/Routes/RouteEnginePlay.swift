import PolicyEngine

/// Random cards, filters, streams and sessions: everything that sessions are told fits together (R56–R58, R64).
public struct RouteEnginePlay: RandomPlay {
    private var random: SplitMix64
    private var engine = Engine(policy: .phone)
    private var places = PlacedStreams()
    private var time: Int64 = 0
    private var wake: Instant?
    /// What sessions were told last.
    private var told: [SessionID: Route] = [:]
    /// Those whose category has changed since they were told so.
    private var recategorized: Set<SessionID> = []
    /// Those that begin with what is in use at first.
    private var unsure: Set<SessionID> = []
    /// The first failure; `nil` for none.
    public private(set) var failure: String?

    /// The play of a seed.
    public init(seed: UInt64) { random = SplitMix64(seed: seed) }

    /// Plays to the end, or to the first failure.
    public mutating func play() {
        for _ in 0..<200 where failure == nil {
            for event in events() { send(event) }
            time += random.pick([0, 0, 1, 20, 300, 3_000])
            tick()
        }
        var rounds = 0
        // What waits for an output while somebody else silences it waits on.
        while let due = wake, !engine.routesAreAtRest, failure == nil {
            rounds += 1
            if rounds > 20 { return fail("does not come to rest") }
            time = max(time, (due.nanoseconds + 999_999) / 1_000_000)
            tick()
        }
        for (session, route) in told where !engine.route(of: session).isSame(as: route) {
            fail("session \(session.rawValue) was not told of its route at rest")
        }
        send(.shutdown)
        if engine.hasSessions { fail("sessions outlive the end") }
    }

    /// Told of another category twice: the session had become inactive before the first.
    public static var found: [UInt64] {
        [17_959_951_461_411, 17_959_951_461_708, 17_959_951_462_728, 17_959_951_463_236, 17_959_951_463_506]
    }

    private mutating func tick() {
        guard let due = wake, due.nanoseconds <= time * 1_000_000 else { return }
        wake = nil
        send(.clockReached)
    }

    private mutating func fail(_ text: String) { failure = failure ?? "\(text), at \(time) ms" }

    private mutating func send(_ event: Event) {
        for next in [event, .route(.turnEnded)] {
            let effects = engine.handle(next, among: places, at: Instant(nanoseconds: time * 1_000_000))
            for effect in effects { check(effect) }
            if let inconsistency = engine.inconsistency { fail(inconsistency) }
        }
    }

    private mutating func check(_ effect: Effect) {
        switch effect {
        case .wake(let moment): wake = moment
        case .outputLost(let port, let lost, _):
            let heard = port.nodeID.map { places.streams(heardOn: $0) } ?? []
            if lost.isEmpty || !lost.allSatisfy(heard.contains) { fail("\(port.id) is lost with \(lost)") }
        case .outputSwitched(let port):
            let isWaiting = engine.streamIDs.contains { stream in
                let treatment = engine.treatment(of: stream)
                return treatment?.cause == .output(PortID(port.id)) && treatment?.reason == .routeDisconnected
            }
            if isWaiting { fail("\(port.id) is waited for, though another one is used instead") }
        case .sessionRouteChanged(let session, let change):
            guard let last = told[session] else { return fail("session \(session.rawValue) is not open") }
            if unsure.remove(session) == nil, !change.previous.isSame(as: last) {
                fail("session \(session.rawValue) knows of another route")
            }
            switch change.reason {
            case .noSuitableRouteForCategory: break
            case .categoryChange:
                if recategorized.remove(session) == nil { fail("session \(session.rawValue) is told 3 for nothing") }
            default:
                if change.previous.isSame(as: change.current) { fail("a change of nothing: \(change.reason)") }
            }
            told[session] = change.current
        case .routeBegun:
            // What is in use at first is no change; a review of the same moment may follow.
            unsure = Set(told.keys)
            for session in told.keys { told[session] = engine.route(of: session) }
        default: break
        }
    }

    private mutating func events() -> [Event] {
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
            return [.route(.device(device))]
        case 2: return [.route(.deviceGone(id))]
        case 3, 4:
            let node = RouteNode(
                id: id, name: "n\(id)", direction: .output, deviceID: random.oneIn(2) ? nil : id,
                profileDevice: UInt32(random.below(3)), kind: random.pick([.plain, .filter, .network, .dummy]))
            return [.route(.node(node))]
        case 5: return [.route(.nodeGone(id))]
        case 6: return [.route(.passesOn(id, to: (0..<random.below(3)).map { _ in UInt32(random.below(6)) }))]
        case 7: return [.route(.defaultNode(.output, name: random.oneIn(6) ? nil : "n\(id)"))]
        case 8: return [.route(random.pick([.woke, .asked(.override)]))]
        case 9, 10: return session(SessionID(id % 3))
        case 11:
            let node = UInt32(random.below(6))
            let output = random.oneIn(2) ? nil : random.pick(["n\(node)", "d\(node)/p0"])
            return [.route(.preferred(SessionID(id % 3), output: output, input: nil))]
        case 12, 13, 14: return stream(StreamID(id))
        default: return [random.oneIn(4) ? .route(.managerChanged) : .clockReached]
        }
    }

    /// A stream comes, is put somewhere, starts, stops, or goes.
    private mutating func stream(_ id: StreamID) -> [Event] {
        places.remove(id)
        if random.oneIn(6) { return [.streamVanished(id)] }
        let node = random.oneIn(5) ? nil : UInt32(random.below(6))
        // Where it is heard depends on filters; any sink will do here.
        places.put(id, on: node, heardOn: [UInt32(random.below(6))])
        var events: [Event] = []
        let music = Policy.phone.description(of: Role("music"), direction: .playback)
        if engine.treatment(of: id) == nil, let description = music {
            let application = ApplicationID(portal: nil, binary: "app\(id.rawValue)", displayName: nil, fallback: "")
            events.append(
                .streamAppeared(id, application: application, description: description, direction: .playback))
        }
        if random.oneIn(2) { events.append(.streamMoved(id, to: .opened(SessionID(UInt32(random.below(3)))))) }
        events.append(.streamWanted(id, !random.oneIn(4)))
        return events + (node.map { [.route(.linked(to: $0))] } ?? [])
    }

    private mutating func session(_ id: SessionID) -> [Event] {
        if random.oneIn(4) {
            told[id] = nil
            return [.sessionClosed(id)]
        }
        var events: [Event] = []
        if told[id] == nil {
            let application = ApplicationID(portal: nil, binary: "session", displayName: nil, fallback: "")
            events.append(.sessionOpened(id, application: application, .application))
            // What it is at first is what it knows.
            told[id] = engine.route.part(for: SessionConfiguration().category)
        }
        let category = random.pick([.playback, .ambient, .record, .playAndRecord, .audioProcessing] as [Category])
        let options: CategoryOptions = category == .playback || category == .playAndRecord ? .mixWithOthers : []
        events.append(.sessionConfigured(id, .category(category, options, nil)))
        if engine.state(of: id)?.configuration.category != category { recategorized.insert(id) }
        if random.oneIn(4) { events.append(.sessionConfigured(id, .outputOverride(random.pick([.none, .speaker])))) }
        if random.oneIn(8) { events.append(.route(.confined(id))) }
        let request: SessionRequest = random.oneIn(2) ? .activate(mayWait: false) : .deactivate(notifyOthers: true)
        return events + [.sessionRequested(id, request)]
    }
}

/// Where streams are, on paper.
public struct PlacedStreams: StreamPlaces {
    private var nodes: [StreamID: UInt32] = [:]
    /// By the number of the sink: the streams that are heard there, through whatever effects.
    private var heard: [UInt32: [StreamID]] = [:]

    /// No streams.
    public init() {}

    /// The sink to which a stream is linked.
    public func node(of stream: StreamID) -> UInt32? { nodes[stream] }
    /// The streams that are heard on a sink.
    public func streams(heardOn node: UInt32) -> [StreamID] { heard[node] ?? [] }

    /// All that is heard on an output.
    public func lost(_ heard: [StreamID], with port: RoutePort) -> (streams: [StreamID], stopped: [StreamID]) {
        (heard, [])
    }

    /// Puts a stream on a sink, and says on which it is heard.
    public mutating func put(_ stream: StreamID, on node: UInt32?, heardOn ends: [UInt32]) {
        remove(stream)
        nodes[stream] = node
        for end in ends { heard[end, default: []].append(stream) }
    }

    /// Unlinks a stream.
    public mutating func unlink(_ stream: StreamID) { nodes[stream] = nil }

    /// Forgets a sink.
    public mutating func remove(node: UInt32) { heard[node] = nil }

    /// Forgets a stream.
    public mutating func remove(_ stream: StreamID) {
        nodes[stream] = nil
        for node in heard.keys { heard[node]?.removeAll { $0 == stream } }
    }
}
