import BusInterface
@testable import DBus
import Testing

/// A client loses no signal, however slow it is.
@Suite struct ReadAheadTests {
    @Test func aClientLosesNothing() async throws {
        try await withBus { bus in
            let slow = ManualLoop(over: bus.client.loop)
            let client = BusConnection(.custom(bus.sandbox.busAddress), loop: slow, readsAhead: false)
            client.open()
            defer { client.close() }
            try #require(bus.client.wait { client.isConnected })
            var numbers: [Int64] = []
            let subscription = client.subscribe(MatchRule(interface: Bus.interface, member: "Said")) { signal in
                numbers.append(signal.arguments.last?.integer ?? -1)
                slow.advance(by: .milliseconds(5))
            }
            var isListening = false
            client.askBus("GetId", []) { _ in isListening = true }
            try #require(bus.client.wait { isListening })
            for number in 0..<1_000 {
                bus.server.emit(
                    "Said", interface: Bus.interface, at: Bus.path, [.string(""), .uint32(UInt32(number))])
            }
            #expect(bus.client.wait { numbers.count == 1_000 }, "\(numbers.count) signals")
            #expect(numbers.elementsEqual(0..<1_000) == true)
            subscription.cancel()
        }
    }
}
