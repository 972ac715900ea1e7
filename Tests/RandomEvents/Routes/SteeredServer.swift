import PolicyEngine

/// A server that does what it is told, with a second copy of itself to which no session ever did anything.
///
/// Both know what its user chooses, and what comes and goes.
struct SteeredServer {
    struct Port {
        var name: String
        var type: PortType
        var direction: PortDirection
        var availability: PortAvailability
    }

    /// A value in the server, and what it would be without sessions.
    struct Pair<Value: Equatable>: Equatable {
        var real: Value
        var untouched: Value

        init(_ value: Value) {
            real = value
            untouched = value
        }
    }

    struct Card {
        var name: String
        var ports: [Port]
        /// `nil` while it is not there.
        var id: UInt32?
        var active: [PortDirection: Pair<String>] = [:]
        /// Where the port in use, with or without sessions, was pulled out while they differed.
        var strays: Set<PortDirection> = []
        /// Whether anybody but a session has chosen a port.
        var isTouched: Set<PortDirection> = []
        /// What was asked for last.
        var asked: [PortDirection: String] = [:]

        func nodeID(_ direction: PortDirection) -> UInt32? { id.map { $0 + (direction == .output ? 1 : 2) } }

        func nodeName(_ direction: PortDirection) -> String { (direction == .output ? "sink." : "source.") + name }

        func offered(_ direction: PortDirection) -> [String] {
            ports.filter { $0.direction == direction && ($0.availability != .no || $0.type.isBuiltIn) }.map(\.name)
        }
    }

    struct Stream {
        var session: SessionID?
        var direction: StreamDirection
        /// The node that it was put on by somebody.
        var pin: Pair<UInt32?>
        /// The node that it was sent to for a session.
        var sent: UInt32?
    }

    private(set) var cards: [Card] = [
        Card(
            name: "phone",
            ports: [
                Port(name: "speaker", type: .builtInSpeaker, direction: .output, availability: .unknown),
                Port(name: "receiver", type: .builtInReceiver, direction: .output, availability: .unknown),
                Port(name: "headphones", type: .headphones, direction: .output, availability: .no),
                Port(name: "mic", type: .builtInMic, direction: .input, availability: .unknown),
                Port(name: "headset", type: .headsetMic, direction: .input, availability: .no),
            ]),
        Card(
            name: "usb",
            ports: [
                Port(name: "out", type: .usbAudio, direction: .output, availability: .yes),
                Port(name: "in", type: .usbAudio, direction: .input, availability: .unknown),
            ]),
        Card(
            name: "bluetooth",
            ports: [
                Port(name: "out", type: .bluetoothHFP, direction: .output, availability: .unknown),
                Port(name: "in", type: .bluetoothHFP, direction: .input, availability: .yes),
            ]),
        Card(
            name: "dock",
            ports: [
                Port(name: "line", type: .lineOut, direction: .output, availability: .unknown),
                Port(name: "display", type: .hdmi, direction: .output, availability: .no),
                Port(name: "line-in", type: .lineIn, direction: .input, availability: .yes),
                Port(name: "jack", type: .headsetMic, direction: .input, availability: .unknown),
            ]),
    ]
    private(set) var streams: [StreamID: Stream] = [:]
    /// What is under way to it.
    private(set) var queue: [RouteCommand] = []
    /// The ports that it was told to use within the last second.
    private(set) var recent: [RouteCommand] = []
    private(set) var tracker = RouteTracker()
    private(set) var failure: String?
    private var defaults: [PortDirection: String] = [:]
    private var nextNumber: UInt32 = 10
    private var time: Int64 = 0

    // MARK: - What comes and goes

    mutating func plug(_ card: Int) {
        guard cards.indices.contains(card), cards[card].id == nil else { return }
        cards[card].id = nextNumber
        nextNumber += 10
        cards[card].strays = []
        cards[card].isTouched = []
        cards[card].asked = [:]
        for direction in PortDirection.allCases {
            guard let first = cards[card].offered(direction).first else { continue }
            cards[card].active[direction] = Pair(first)
        }
        publish(card)
        for direction in PortDirection.allCases {
            guard let id = cards[card].nodeID(direction) else { continue }
            tell(
                .node(
                    RouteNode(
                        id: id, name: cards[card].nodeName(direction), direction: direction, deviceID: cards[card].id,
                        profileDevice: direction == .output ? 0 : 1)))
        }
        publishDefaults()
    }

    mutating func unplug(_ card: Int) {
        guard cards.indices.contains(card), let id = cards[card].id else { return }
        for direction in PortDirection.allCases {
            cards[card].nodeID(direction).map { tell(.nodeGone($0)) }
        }
        cards[card].id = nil
        tell(.deviceGone(id))
        publishDefaults()
    }

    /// Something is put into a socket or pulled out; the server may use it at once, and leaves what is pulled out.
    mutating func toggle(_ card: Int, _ port: Int, isUsed: Bool) {
        guard cards.indices.contains(card), cards[card].ports.indices.contains(port) else { return }
        let direction = cards[card].ports[port].direction
        let name = cards[card].ports[port].name
        guard !cards[card].ports[port].type.isBuiltIn else { return }
        let isIn = cards[card].ports[port].availability == .no
        cards[card].ports[port].availability = isIn ? .yes : .no
        guard cards[card].id != nil, var active = cards[card].active[direction] else { return }
        if isIn {
            if isUsed, active.real != name { choose(card, direction, name) }
        } else {
            // Without any port at all, it stays as it is.
            let next = cards[card].offered(direction).first ?? name
            if active.real == name || active.untouched == name {
                if active.real == name { active.real = next }
                if active.untouched == name { active.untouched = next }
                cards[card].active[direction] = active
                cards[card].isTouched.insert(direction)
                if active.real != active.untouched { cards[card].strays.insert(direction) }
            }
        }
        publish(card)
    }

    mutating func start(_ id: StreamID, _ session: SessionID?, _ direction: StreamDirection) {
        streams[id] = Stream(session: session, direction: direction, pin: Pair(nil))
    }

    mutating func end(_ id: StreamID) { streams[id] = nil }

    mutating func leaveSession(_ id: StreamID) { streams[id]?.session = nil }

    // MARK: - What the user chooses

    /// Chooses a port. Not the one that is used, which nobody sees, nor what a session has asked for.
    mutating func choosePort(_ card: Int, _ direction: PortDirection, _ name: String) {
        guard cards.indices.contains(card), cards[card].id != nil, cards[card].active[direction]?.real != name,
            cards[card].asked[direction] != name, cards[card].offered(direction).contains(name)
        else { return }
        choose(card, direction, name)
        publish(card)
    }

    private mutating func choose(_ card: Int, _ direction: PortDirection, _ name: String) {
        cards[card].active[direction] = Pair(name)
        cards[card].strays.remove(direction)
        cards[card].isTouched.insert(direction)
    }

    mutating func chooseDefault(_ direction: PortDirection, _ name: String) {
        defaults[direction] = name
        publishDefaults()
    }

    /// Puts a stream on a node that it is not on, and was not sent to.
    mutating func move(_ id: StreamID, to node: UInt32) {
        guard let stream = streams[id], stream.sent != node, place(of: stream) != node else { return }
        streams[id]?.pin = Pair(node)
        streams[id]?.sent = nil
    }

    // MARK: - What it is told

    mutating func carryOut(_ commands: [RouteCommand]) {
        if Set(commands).count != commands.count { fail("twice the same in \(commands)") }
        for command in commands {
            switch command {
            case .send(let stream, let node):
                // It ignores what lets one go that is not there.
                if node != nil, streams[stream] == nil { fail("\(stream) is sent, and is not there") }
                if let node, !isNode(node) { fail("\(stream) is sent to \(node), which is not there") }
            case .usePort(let id, let direction, let device, let node):
                let card = cards.first { $0.nodeID(direction) == node }
                guard let card, card.id == device,
                    card.offered(direction).contains(where: { "\(card.name)/\($0)" == id })
                else { return fail("\(command) is of no use") }
                if let place = cards.firstIndex(where: { $0.nodeID(direction) == node }) {
                    cards[place].asked[direction] = String(id.dropFirst(card.name.count + 1))
                }
            }
        }
        queue += commands
        recent += commands
    }

    /// Does the first thing that is under way.
    mutating func work() {
        guard !queue.isEmpty else { return }
        switch queue.removeFirst() {
        case .send(let id, let node): streams[id]?.sent = node
        case .usePort(let id, let direction, _, let node):
            guard let card = cards.firstIndex(where: { $0.nodeID(direction) == node }) else { return }
            let name = String(id.dropFirst(cards[card].name.count + 1))
            cards[card].active[direction]?.real = name
            publish(card)
        }
    }

    /// The session manager answers a port that it sees in use by asking for it, with its volume. If another one was
    /// asked for meanwhile, the answer is the later of the two.
    mutating func answer(_ command: RouteCommand) {
        guard case .usePort(let id, let direction, _, let node) = command,
            let card = cards.first(where: { $0.nodeID(direction) == node }),
            card.offered(direction).contains(where: { "\(card.name)/\($0)" == id })
        else { return }
        queue.append(command)
        work()
    }

    /// A second has passed since the last command.
    mutating func passSecond() { recent = [] }

    mutating func finish() { while !queue.isEmpty { work() } }

    // MARK: - What shows

    /// The streams as a host tells of them, by number.
    var told: [RouteStream] {
        streams.sorted { $0.key.rawValue < $1.key.rawValue }.map { id, stream in
            RouteStream(id, of: stream.session, stream.direction, on: place(of: stream))
        }
    }

    /// Lets the tracker come to rest.
    mutating func rest() {
        while let deadline = tracker.deadline {
            time = max(time, (deadline.nanoseconds + 999_999) / 1_000_000)
            tell(.clock)
        }
    }

    /// What is not as it would be without sessions; `nil` if all is.
    var difference: String? {
        for card in cards where card.id != nil {
            for (direction, active) in card.active where active.real != active.untouched {
                // What a server without a loudspeaker or microphone would have used instead cannot be known.
                let isKnown = !card.strays.contains(direction) && card.offered(direction).contains(active.untouched)
                guard isKnown || card.name == "phone" else { continue }
                return "\(card.name) is used with \(active.real) instead of \(active.untouched)"
            }
        }
        for (id, stream) in streams where stream.sent != nil || stream.pin.real != stream.pin.untouched {
            return "\(id) is on \(stream.sent.map { "\($0)" } ?? "its pin")"
        }
        return nil
    }

    private mutating func fail(_ text: String) { failure = failure ?? text }

    private func isNode(_ id: UInt32) -> Bool {
        cards.contains { card in PortDirection.allCases.contains { card.nodeID($0) == id } }
    }

    private func place(of stream: Stream) -> UInt32? {
        if let sent = stream.sent, isNode(sent) { return sent }
        if let pin = stream.pin.real, isNode(pin) { return pin }
        let direction: PortDirection = stream.direction == .playback ? .output : .input
        let name = defaultName(direction)
        return cards.first { $0.id != nil && $0.nodeName(direction) == name }?.nodeID(direction)
    }

    /// What its user has chosen, else what there is.
    private func defaultName(_ direction: PortDirection) -> String? {
        let there = cards.filter { $0.id != nil }.map { $0.nodeName(direction) }
        return there.first { $0 == defaults[direction] } ?? there.first
    }

    private mutating func publishDefaults() {
        for direction in PortDirection.allCases { tell(.defaultNode(direction, name: defaultName(direction))) }
    }

    private mutating func publish(_ place: Int) {
        let card = cards[place]
        guard let id = card.id else { return }
        let ports = card.ports.map { port in
            let node: UInt32 = port.direction == .output ? 0 : 1
            return DevicePort(
                name: port.name, direction: port.direction, type: port.type, availability: port.availability,
                profileDevices: [node], activeOn: card.active[port.direction]?.real == port.name ? node : nil)
        }
        tell(.device(RouteDevice(id: id, name: card.name, ports: ports)))
    }

    private mutating func tell(_ event: RouteEvent) {
        _ = tracker.handle(event, at: Instant(nanoseconds: time * 1_000_000))
        time += 1
    }
}
