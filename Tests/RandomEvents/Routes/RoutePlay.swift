import PolicyEngine

/// Random devices, nodes and defaults, and a second opinion on the route (R56, R58, R64).
public struct RoutePlay: RandomPlay {
    private var random: SplitMix64
    private var tracker = RouteTracker()
    private var time: Int64 = 0
    private var devices: [UInt32: RouteDevice] = [:]
    private var nodes: [UInt32: RouteNode] = [:]
    private var defaults: [PortDirection: String] = [:]
    private var category: PolicyEngine.Category?
    private var lastChange: (time: Int64, route: Route)?
    private var lost: Set<String> = []
    /// The first failure; `nil` for none.
    public private(set) var failure: String?

    /// The play of a seed.
    public init(seed: UInt64) { random = SplitMix64(seed: seed) }

    /// Plays to the end, or to the first failure.
    public mutating func play() {
        for _ in 0..<200 where failure == nil {
            send(event())
            // Mostly within a burst, at times in the past, now and then much later.
            time += random.pick([0, 0, 1, 5, 20, 100, 300, 3_000])
            if random.oneIn(3), let deadline = tracker.deadline, deadline.nanoseconds <= time * 1_000_000 {
                send(.clock)
            }
        }
        var rounds = 0
        while let deadline = tracker.deadline, failure == nil {
            rounds += 1
            if rounds > 3 { return fail("does not come to rest") }
            time = max(time, (deadline.nanoseconds + 999_999) / 1_000_000)
            send(.clock)
        }
        guard failure == nil else { return }
        if !tracker.route.isSame(as: tracker.present) { fail("at rest, but not what is there") }
        for direction in PortDirection.allCases { compare(direction) }
    }

    private mutating func fail(_ text: String) { failure = failure ?? "\(text), at \(time) ms" }

    private mutating func send(_ event: RouteEvent) {
        let moment = event != .clock && random.oneIn(10) ? time - 50 : time
        let used = tracker.present.outputs
        var losses: Set<RoutePort> = []
        for effect in tracker.handle(event, at: Instant(nanoseconds: moment * 1_000_000)) {
            check(effect)
            guard case .lostOutput(let port, _) = effect else { continue }
            if !losses.insert(port).inserted { fail("\(port.id) is lost twice") }
        }
        for port in used where isTaken(port, by: event) && !lost.contains(port.id) && !lost.contains(port.nodeName) {
            fail("\(port.id) is gone with \(event), and not lost")
        }
        if tracker.lostOutputs.count != lost.count {
            fail("lost outputs: \(tracker.lostOutputs.map(\.id)), told: \(lost)")
        }
    }

    /// Whether an output that is not built in cannot be in use after this.
    private func isTaken(_ port: RoutePort, by event: RouteEvent) -> Bool {
        guard !port.type.isBuiltIn, port.deviceName != nil else { return false }
        // Of two devices with one name, each has this port.
        if devices.values.contains(where: { $0.name == port.deviceName && $0.id != port.deviceID }) { return false }
        switch event {
        // Another sink of the device may have the same port.
        case .nodeGone(let id): return id == port.nodeID && !nodes.values.contains { $0.deviceID == port.deviceID }
        case .deviceGone(let id): return id == port.deviceID && port.id != port.nodeName
        case .device(let device):
            guard device.id == port.deviceID, device.name == port.deviceName, port.availability != .no else {
                return false
            }
            // What is plugged in at the same time takes its place.
            let isPlugIn = device.ports.contains { $0.direction == .output && $0.availability == .yes }
            return !isPlugIn
                && device.ports.contains {
                    $0.direction == .output && $0.availability == .no && !$0.type.isBuiltIn
                        && port.id == "\(device.name)/\($0.name)"
                }
        default: return false
        }
    }

    private mutating func check(_ effect: RouteEffect) {
        switch effect {
        case .lostOutput(let port, _):
            lost.insert(port.id)
            if port.type.isBuiltIn { fail("\(port.id) is built in, and lost") }
        case .returnedOutput(let port), .switchedOutput(let port):
            if lost.remove(port.id) == nil { fail("\(port.id) is back, but was not lost") }
        case .changed(let change, _):
            if let last = lastChange {
                if time - last.time < 200 { fail("changes at \(last.time) and \(time)") }
                if !last.route.isSame(as: change.previous) { fail("the previous route is not the one that was told") }
            }
            if change.reason != .noSuitableRouteForCategory && change.previous.isSame(as: change.current) {
                fail("a change of nothing")
            }
            if change.reason == .noSuitableRouteForCategory && category == nil && tracker.deadline == nil {
                fail("no category, but no route for it")
            }
            lastChange = (time, change.current)
        case .availableChanged, .newOutputUsed: break
        }
    }

    /// The route is the active port of the default's node, unless that is unavailable.
    private mutating func compare(_ direction: PortDirection) {
        let found = direction == .output ? tracker.route.outputs : tracker.route.inputs
        let node = nodes.values.filter { $0.name == defaults[direction] && $0.direction == direction }.min {
            $0.id < $1.id
        }
        guard let node else {
            if !found.isEmpty { fail("\(found.map(\.id)) without a default") }
            return
        }
        let device = node.deviceID.flatMap { devices[$0] }
        let port = device?.ports.first {
            $0.direction == direction && $0.activeOn != nil && $0.activeOn == node.profileDevice
        }
        guard let device, let port else {
            // What is left when the device has gone first: what was built in, or nothing.
            if device == nil, node.deviceID != nil, found.allSatisfy(\.type.isBuiltIn) { return }
            if found.map(\.id) != [node.name] { fail("\(found.map(\.id)) instead of \(node.name)") }
            return
        }
        let id = "\(device.name)/\(port.name)"
        if found.map(\.id) != [id] && !(found.isEmpty && port.availability == .no) {
            fail("\(found.map(\.id)) instead of \(id), which is \(port.availability)")
        }
    }

    private mutating func event() -> RouteEvent {
        let id = UInt32(random.below(4))
        switch random.below(12) {
        case 0...3:
            let device = RouteDevice(
                id: id, name: "d\(random.oneIn(20) ? 9 : id)", ports: (0..<random.below(5)).map { port($0) })
            devices[id] = device
            return .device(device)
        case 4:
            devices[id] = nil
            return .deviceGone(id)
        case 5, 6:
            // A name for each, so that the default is one of them.
            let node = RouteNode(
                id: id, name: "n\(id)", direction: id < 3 ? .output : .input,
                deviceID: random.oneIn(5) ? nil : UInt32(random.below(5)), profileDevice: UInt32(random.below(3)),
                type: random.pick(PortType.allCases))
            nodes[id] = node
            return .node(node)
        case 7:
            nodes[id] = nil
            return .nodeGone(id)
        case 8, 9:
            let direction = random.pick(PortDirection.allCases)
            defaults[direction] = random.oneIn(6) ? nil : "n\(random.below(5))"
            return .defaultNode(direction, name: defaults[direction])
        case 10:
            category = random.oneIn(4) ? nil : random.pick(PolicyEngine.Category.allCases)
            return .category(category)
        default: return random.pick([.asked(.override), .asked(.categoryChange), .woke, .clock])
        }
    }

    private mutating func port(_ index: Int) -> DevicePort {
        DevicePort(
            name: "p\(index)", direction: index < 3 ? .output : .input,
            type: random.oneIn(4) ? random.pick(PortType.allCases) : .headphones,
            availability: random.pick(PortAvailability.allCases), profileDevices: [UInt32(random.below(3))],
            activeOn: random.oneIn(2) ? UInt32(random.below(3)) : nil)
    }
}
