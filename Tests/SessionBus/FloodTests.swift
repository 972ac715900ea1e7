import Glibc
import SessionBus
import SessionTestKit
import SessionWire
import Testing

/// Peers that send too much.
@Suite struct FloodTests {
    private struct Flood: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var value: WireValue
    }

    private static let large = [
        Flood(
            testDescription: "a text of 10 MB",
            value: .record([("display-name", .string(String(repeating: "x", count: 10_000_000)))])),
        Flood(
            testDescription: "100,000 names",
            value: .record([("names", .strings((0..<100_000).map { "\($0)" }))])),
        Flood(
            testDescription: "100,000 entries", value: .record((0..<100_000).map { ("\($0)", .byte(1)) })),
        Flood(
            testDescription: "10 MB of bytes",
            value: .record([("data", .array(of: "y", Array(repeating: .byte(0), count: 10_000_000)))])),
    ]

    /// What is too large is refused before it is made into values, and others are answered as before.
    @Test(arguments: large) private func aLargeMessageIsRefused(_ flood: Flood) async throws {
        try await withBus { bus in
            let error = try #require(throws: WireError.self) {
                try bus.call("Take", [.strings([String]()), flood.value])
            }
            #expect(error.name == WireErrorName.limitsExceeded)
            #expect(error.message.contains("at most 65536 values and 1048576 bytes are read"), "\(error.message)")
            #expect(bus.echo.count == 0)
            // Of the wrong type it is not read at all.
            let wrong = try #require(throws: WireError.self) { try bus.call("Later", [flood.value]) }
            #expect(wrong.name == WireErrorName.invalidArguments)
            try #expect(bus.call("Add", [.int32(1), .int32(1)]) == [.int64(2)])
            #expect(bus.states.count == 1)
        }
    }

    /// A client of ours does not read what is too large either.
    @Test func aLargeAnswerIsAnError() async throws {
        try await withBus { bus in
            let error = try #require(throws: WireError.self) {
                _ = try bus.call("Echo", [.variant(.strings((0..<65_530).map { "\($0)" }))])
                return try bus.call("Echo", [.variant(.strings((0..<65_540).map { "\($0)" }))])
            }
            #expect(error.name == WireErrorName.limitsExceeded)
        }
    }

    @Test func tenThousandCallsOfOneLeaveRoomForOthers() async throws {
        try await withBus { bus in
            let flooder = BusConnection(.custom(bus.sandbox.busAddress), loop: bus.client.loop)
            flooder.open()
            #expect(bus.client.wait { flooder.isConnected })

            // What else is on the loop comes between: of a timer that is always due, how many calls were taken from one
            // time to the next.
            var most: UInt32 = 0
            var last = bus.echo.count
            var ticks = 0
            var tick: (any LoopTimer)?
            tick = bus.client.loop.timer {
                most = max(most, bus.echo.count - last)
                last = bus.echo.count
                ticks += 1
                tick?.arm(at: 0)
            }
            tick?.arm(at: 0)
            defer { tick?.cancel() }

            var answers = 0
            var failures = 0
            for number in 0..<10_000 {
                flooder.call(
                    Bus.name, path: Bus.path, interface: Bus.interface, "Add", [.int32(Int32(number)), .int32(1)]
                ) { result in
                    answers += 1
                    if result != .success([.int64(Int64(number) + 1)]) { failures += 1 }
                }
            }
            for number in 0..<100 {
                let answer = try bus.client.call(
                    Bus.name, path: Bus.path, interface: Bus.interface, "Add", [.int32(Int32(number)), .int32(0)],
                    timeout: .seconds(20))
                #expect(answer == [.int64(Int64(number))])
            }
            #expect(bus.client.wait(within: .seconds(60)) { answers == 10_000 })
            #expect(failures == 0)
            #expect(bus.echo.count == 10_100)
            #expect(most <= 64, "\(most) calls in one turn of the loop")
            #expect(ticks > 10_000 / 64)
            flooder.close()
        }
    }

    /// Whoever sends and never reads loses the connection, not the memory of the other end.
    @Test func aBusThatDoesNotReadIsGivenUp() async throws {
        try await withBus { bus in
            bus.daemon.signal(SIGSTOP)
            var isLost = false
            bus.service.stateChanged = { if $0 == .lost { isLost = true } }
            let text = WireValue.string(String(repeating: "x", count: 100))
            for _ in 0..<200_000 {
                bus.server.emit("Said", interface: Bus.interface, at: Bus.path, [text, .uint32(0)])
            }
            #expect(bus.client.wait { isLost })
            bus.daemon.signal(SIGCONT)
            #expect(bus.client.wait { bus.ownsName })
        }
    }
}
