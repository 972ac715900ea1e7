import BusInterface
@testable import DBus
import Testing

/// What is much is done bit by bit, and others on the loop and on the bus come between.
@Suite struct SpreadTests {
    /// An object that takes its time to say something of itself.
    private final class SlowObject: ServedObject {
        let interfaces = [EchoObject.interface]
        let handle: () -> Void
        init(handle: @escaping () -> Void) { self.handle = handle }
        func value(of property: String, interface: String) -> WireValue? {
            guard property == "Volume" else { return nil }
            handle()
            return .double(0.5)
        }
        func set(_ property: String, interface: String, to value: WireValue, call: BusCall) { call.answer() }
        func call(_ method: String, interface: String, _ call: BusCall) { call.answer() }
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

    @Test func manyChangesAreAnnouncedInManyTurns() async throws {
        try await withBusOnManualClock { bus, clock in
            let turns = Turns(clock)
            add(200, to: bus, clock, turns, taking: .microseconds(100))
            var announced: [String] = []
            let subscription = bus.client.connection.subscribe(
                MatchRule(interface: WireInterface.properties.name, member: "PropertiesChanged")
            ) { if $0.path != Bus.path { announced.append($0.path) } }
            defer { subscription.cancel() }
            try #expect(bus.call("Add", [.int32(1), .int32(1)]) == [.int64(2)])
            let (before, all) = (turns.each.count, turns.all)
            let last = "\(Bus.path)/n199"
            var isAnswered = false
            bus.client.connection.call(Bus.name, path: last, interface: Bus.interface, "Drop") { _ in
                // Who asks about an object hears of its changes before.
                #expect(announced.last == last)
                isAnswered = true
            }
            let other = try Peer(bus)
            var told: Int?
            bus.echo.heard = { _ in told = turns.all - all }
            try other.add(1)
            for number in 0..<200 {
                bus.server.changed(["Volume"], interface: Bus.interface, at: "\(Bus.path)/n\(number)")
            }
            #expect(turns.all == all)
            #expect(bus.client.wait { isAnswered && announced.count >= 200 })
            #expect(Set(announced).count == 200 && announced.count == 200)
            // Whoever asks meanwhile does not wait for all that.
            #expect(told.map { $0 < 100 } == true, "\(told ?? -1) were announced before another one was answered")
            let most = turns.each.dropFirst(before).max() ?? 0
            #expect(most <= 6, "\(most) of 200 were announced in one turn")
        }
    }

    @Test func manyObjectsAreToldInManyTurns() async throws {
        try await withBusOnManualClock { bus, clock in
            let turns = Turns(clock)
            add(200, to: bus, clock, turns, taking: .microseconds(100))
            let (before, all) = (turns.each.count, turns.all)
            var answers: [Int] = []
            // Many of one peer: one after the other, and each is whole.
            let one = try Peer(bus)
            for _ in 0..<3 {
                one.connection.call(
                    Bus.name, path: "/org/test", interface: WireInterface.objectManager.name, "GetManagedObjects"
                ) { result in answers.append((try? result.get())?.first?.entries?.count ?? -1) }
            }
            try one.deliver()
            // Another peer is served meanwhile.
            let other = try Peer(bus)
            var told: [Int] = []
            bus.echo.heard = { _ in told.append(turns.all - all) }
            try other.add(10)
            #expect(bus.wait(beside: one.loop) { answers.count == 3 })
            #expect(answers == [201, 201, 201])
            #expect(told.count == 10 && told.allSatisfy { $0 < 200 }, "told before each call of another: \(told)")
            let most = turns.each.dropFirst(before).max() ?? 0
            #expect(most <= 6, "\(most) of 200 were told in one turn")
        }
    }

    /// The calls of somebody of whom nothing is known yet are not all carried out in the turn in which it is.
    @Test func whatWasHeldIsHandledInManyTurns() async throws {
        try await withBusOnManualClock { bus, clock in
            let turns = Turns(clock)
            let one = try Peer(bus)
            let other = try Peer(bus)
            let unknown = try #require(one.connection.uniqueName)
            var heard: [String] = []
            bus.echo.heard = { call in
                heard.append(call.sender)
                if heard.count == 1 { bus.service.hold(unknown) }
                turns.count()
                clock.advance(by: .microseconds(100))
            }
            var answers: [Int64?] = []
            try one.add(300) { answers.append($0) }
            try other.add(20)
            #expect(bus.client.wait { heard.count == 21 })
            #expect(heard.first == unknown && heard.count { $0 == unknown } == 1)
            bus.service.release(unknown)
            #expect(bus.wait(beside: one.loop) { answers.count == 300 })
            #expect(answers == (1...300).map { $0 })
            let most = turns.each.max() ?? 0
            #expect(most <= 11, "\(most) calls in one turn")
        }
    }
}
