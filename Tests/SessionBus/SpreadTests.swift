@testable import SessionBus
import SessionWire
import Testing

/// What is much is done bit by bit, and others on the loop and on the bus come between.
@Suite struct SpreadTests {
    /// An object that takes its time to say something of itself.
    private final class SlowObject: ServedObject {
        let interfaces = [EchoObject.interface]
        let take: () -> Void
        init(take: @escaping () -> Void) { self.take = take }
        func value(of property: String, interface: String) -> WireValue? {
            guard property == "Volume" else { return nil }
            take()
            return .double(0.5)
        }
        func set(_ property: String, interface: String, to value: WireValue, call: BusCall) { call.answer() }
        func call(_ method: String, interface: String, _ call: BusCall) { call.answer() }
    }

    /// Another peer, on the same loop.
    private final class Peer {
        private let connection: BusConnection
        private let loop: PollLoop

        init(_ bus: Bus) throws {
            loop = bus.client.loop
            connection = BusConnection(.custom(bus.sandbox.busAddress), loop: loop)
            connection.open()
            try #require(loop.run(until: { connection.isConnected }, within: .seconds(25)))
        }

        deinit { connection.close() }

        func add(_ first: Int32, _ second: Int32) -> Int64? {
            var answer: Int64??
            connection.call(
                Bus.name, path: Bus.path, interface: Bus.interface, "Add", [.int32(first), .int32(second)]
            ) { answer = .some((try? $0.get())?.first?.integer) }
            _ = loop.run(until: { answer != nil }, within: .seconds(25))
            return answer ?? nil
        }
    }

    /// How much was done in each turn of a loop.
    private final class Turns {
        private(set) var each: [Int] = []
        private(set) var all = 0
        private var now = 0

        init(_ clock: ManualLoop) {
            clock.turns = { [unowned self] isBegin in
                if !isBegin, now > 0 { each.append(now) }
                now = 0
            }
        }

        func count() {
            now += 1
            all += 1
        }
    }

    /// Adds objects below the one of the bus, each of which takes so long to say something of itself.
    private func add(_ count: Int, to bus: Bus, _ clock: ManualLoop, _ turns: Turns, taking cost: Duration) {
        let object = SlowObject {
            turns.count()
            clock.advance(by: cost)
        }
        for number in 0..<count { bus.server.add(object, at: "\(Bus.path)/n\(number)") }
    }

    @Test func aThousandChangesAreAnnouncedInManyTurns() async throws {
        try await withBusOnManualClock { bus, clock in
            let turns = Turns(clock)
            add(1_000, to: bus, clock, turns, taking: .microseconds(100))
            var announced: [String] = []
            let subscription = bus.client.connection.subscribe(
                MatchRule(interface: WireInterface.properties.name, member: "PropertiesChanged")
            ) { announced.append($0.path) }
            defer { subscription.cancel() }
            try #expect(bus.call("Add", [.int32(1), .int32(1)]) == [.int64(2)])
            let before = (turns.each.count, turns.all)
            for number in 0..<1_000 {
                bus.server.changed(["Volume"], interface: Bus.interface, at: "\(Bus.path)/n\(number)")
            }
            #expect(turns.all == before.1)
            // Whoever asks meanwhile does not wait for all that, and hears of a change before the answer about it.
            try #expect(bus.call("Add", [.int32(1), .int32(1)]) == [.int64(2)])
            #expect(announced.count < 500)
            _ = try bus.client.call(
                Bus.name, path: "\(Bus.path)/n999", interface: Bus.interface, "Drop", [])
            #expect(announced.contains("\(Bus.path)/n999"))
            #expect(bus.client.wait { announced.count >= 1_000 })
            #expect(Set(announced).count == 1_000 && announced.count == 1_000)
            let most = turns.each.dropFirst(before.0).max() ?? 0
            #expect(most <= 6, "\(most) of 1,000 were announced in one turn")
        }
    }

    @Test func aThousandObjectsAreToldInManyTurns() async throws {
        try await withBusOnManualClock { bus, clock in
            let turns = Turns(clock)
            add(1_000, to: bus, clock, turns, taking: .microseconds(100))
            let before = turns.each.count
            var answers: [Int] = []
            // Many of one peer: one after the other, and each is whole.
            for _ in 0..<3 {
                bus.client.connection.call(
                    Bus.name, path: "/org/test", interface: WireInterface.objectManager.name, "GetManagedObjects"
                ) { result in answers.append((try? result.get())?.first?.entries?.count ?? -1) }
            }
            // Another peer is served meanwhile.
            let other = try Peer(bus)
            for number in 0..<10 { #expect(other.add(Int32(number), 1) == Int64(number) + 1) }
            #expect(answers.isEmpty)
            #expect(bus.client.wait(within: .seconds(60)) { answers.count == 3 })
            #expect(answers == [1_001, 1_001, 1_001])
            let most = turns.each.dropFirst(before).max() ?? 0
            #expect(most <= 6, "\(most) of 1,000 were told in one turn")
        }
    }

    /// The calls of somebody of whom nothing is known yet are not all carried out in the turn in which it is.
    @Test func whatWasHeldIsHandledInManyTurns() async throws {
        try await withBusOnManualClock { bus, clock in
            let turns = Turns(clock)
            var held: String?
            bus.echo.heard = { call in
                if held == nil {
                    held = call.sender
                    bus.service.hold(call.sender)
                }
                turns.count()
                clock.advance(by: .microseconds(100))
            }
            var answers: [Int64] = []
            for number in 0..<300 {
                bus.client.connection.call(
                    Bus.name, path: Bus.path, interface: Bus.interface, "Add", [.int32(Int32(number)), .int32(0)]
                ) { answers.append((try? $0.get())?.first?.integer ?? -1) }
            }
            // All that came before has been read when another one has an answer.
            let other = try Peer(bus)
            for _ in 0..<20 { #expect(other.add(1, 1) == 2) }
            #expect(answers == [0])
            bus.service.release(try #require(held))
            #expect(bus.client.wait { answers.count == 300 })
            #expect(answers == Array(0..<300))
            let most = turns.each.max() ?? 0
            #expect(most <= 11, "\(most) calls in one turn")
        }
    }
}
