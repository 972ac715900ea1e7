import PolicyEngine

/// Random sessions, cards and choices of a user: when all sessions are gone, the server is as if there had been none
/// (R41–R43, R46–R48, R66).
public struct SteeringPlay: RandomPlay {
    private var random: SplitMix64
    private var server = SteeredServer()
    private var steering = RouteSteering()
    /// The active sessions, the latest last.
    private var wishes: [(session: SessionID, wish: RouteRequirements)] = []
    private var nextStream: UInt32 = 1
    private var step = 0
    /// The first failure; `nil` for none.
    public private(set) var failure: String?

    /// What was preferred, there before, or chosen since is pulled out in these.
    public static let found: [UInt64] = [1244, 6648, 10219, 20888, 30906, 38366, 219_985]

    /// The play of a seed.
    public init(seed: UInt64) { random = SplitMix64(seed: seed) }

    /// Plays to the end, or to the first failure.
    public mutating func play() {
        server.plug(0)
        for number in 1...100 where failure == nil {
            step = number
            act()
            // The lists of what can be chosen follow when the devices are at rest.
            if !random.oneIn(4) { server.rest() }
            update()
            // Some of it is done at once.
            for _ in 0..<random.below(3) {
                server.work()
                update()
            }
            if server.queue.isEmpty { compare() }
        }
        finish()
        if let failure = server.failure { fail(failure) }
    }

    private mutating func fail(_ text: String) { failure = failure ?? "\(text), at step \(step)" }

    private var choices: [(session: SessionID, choice: RouteChoice)] {
        let inputs = server.tracker.availableInputs
        let outputs = server.tracker.availableOutputs
        let present = steering.untouched(server.tracker.present, inputs: inputs, outputs: outputs)
        return wishes.map {
            ($0.session, RouteChoice(for: $0.wish, inputs: inputs, outputs: outputs, present: present))
        }
    }

    private mutating func update() {
        let before = steering
        let choices = choices
        server.carryOut(steering.update(choices, streams: server.told, places: server.tracker.places))
        let again = steering.update(choices, streams: server.told, places: server.tracker.places)
        if !again.isEmpty { fail("\(again) once more, from \(before)") }
    }

    /// What the sessions want is so, where nobody else has chosen.
    private mutating func compare() {
        guard server.tracker.deadline == nil else { return }
        for direction in PortDirection.allCases {
            let ports = choices.compactMap { direction == .output ? $0.choice.output : $0.choice.input }
            for card in server.cards where card.id != nil && !card.isTouched.contains(direction) {
                guard let port = ports.last(where: { $0.nodeID == card.nodeID(direction) && $0.id != $0.nodeName }),
                    let active = card.active[direction]?.real, port.id != "\(card.name)/\(active)"
                else { continue }
                fail("\(card.name) is used with \(active) instead of \(port.id)")
            }
        }
    }

    /// What is under way is done, and what has had no effect is asked for again.
    private mutating func passSecond() {
        server.finish()
        update()
        server.finish()
        if !server.recent.isEmpty, random.oneIn(2) { server.answer(random.pick(server.recent)) }
        update()
        server.carryOut(steering.unanswered(server.tracker.places))
        server.finish()
        update()
        server.finish()
        steering.settle()
        server.passSecond()
    }

    private mutating func finish() {
        guard failure == nil else { return }
        passSecond()
        update()
        if random.oneIn(3) {
            server.carryOut(steering.undo())
            server.finish()
        } else {
            wishes = []
            update()
            passSecond()
            update()
        }
        if !server.queue.isEmpty { fail("\(server.queue) when all sessions are gone") }
        if !steering.isEmpty { fail("\(steering) is left") }
        if let difference = server.difference { fail(difference) }
    }

    private mutating func act() {
        let card = random.below(server.cards.count)
        let direction = random.pick(PortDirection.allCases)
        let kind = random.below(14)
        // What is under way is done before somebody else acts; streams come and go in between.
        if kind < 11 { passSecond() }
        switch kind {
        case 0, 1: wishes.append((SessionID(UInt32(step)), wish()))
        case 2: if !wishes.isEmpty { wishes.remove(at: random.below(wishes.count)) }
        case 3, 4:
            guard !wishes.isEmpty else { return }
            let place = random.below(wishes.count)
            wishes[place].wish = wish()
        case 5: server.plug(card)
        case 6: if random.oneIn(2) { server.unplug(card) }
        case 7: server.toggle(card, random.below(server.cards[card].ports.count), isUsed: random.oneIn(2))
        case 8:
            let ports = server.cards[card].ports.filter { $0.direction == direction }
            server.choosePort(card, direction, random.pick(ports).name)
        case 9: server.chooseDefault(direction, server.cards[card].nodeName(direction))
        case 10:
            guard let stream = server.told.isEmpty ? nil : random.pick(server.told),
                let node = server.cards[card].nodeID(stream.direction == .playback ? .output : .input)
            else { return }
            server.move(stream.id, to: node)
        case 11, 12:
            let session = wishes.isEmpty || random.oneIn(5) ? nil : random.pick(wishes).session
            server.start(StreamID(nextStream), session, random.pick([.playback, .capture]))
            nextStream += 1
        default:
            guard let stream = server.told.isEmpty ? nil : random.pick(server.told) else { return }
            if random.oneIn(4) { server.leaveSession(stream.id) } else { server.end(stream.id) }
        }
    }

    private mutating func wish() -> RouteRequirements {
        let names = ["phone/headphones", "phone/speaker", "dock/line", "usb/out", "sink.dock", "nothing"]
        let inputs = ["phone/mic", "bluetooth/in", "dock/jack", "dock/line-in", "source.usb", "nothing"]
        return RouteRequirements(
            category: random.oneIn(3) ? random.pick(PolicyEngine.Category.allCases) : .playAndRecord,
            options: CategoryOptions(rawValue: UInt16(random.below(4)) << 2),
            outputOverride: random.oneIn(4) ? .speaker : .none,
            preferredOutput: random.oneIn(3) ? random.pick(names) : nil,
            preferredInput: random.oneIn(3) ? random.pick(inputs) : nil)
    }
}
