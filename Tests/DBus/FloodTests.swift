import BusInterface
@testable import DBus
import Glibc
import TestKit
import Testing

/// Peers that send too much.
@Suite struct FloodTests {
    private struct Flood: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var value: WireValue
    }

    private static let large = [
        Flood(
            testDescription: "a text of more than a megabyte",
            value: .record([("display-name", .string(String(repeating: "x", count: 1_100_000)))])),
        Flood(
            testDescription: "100,000 names",
            value: .record([("names", .strings((0..<100_000).map { "\($0)" }))])),
        Flood(
            testDescription: "100,000 entries", value: .record((0..<100_000).map { ("\($0)", .byte(1)) })),
        Flood(
            testDescription: "more than a megabyte of bytes",
            value: .record([("data", .array(of: "y", Array(repeating: .byte(0), count: 1_100_000)))])),
    ]

    /// What is too large is refused before it is made into values, and others are answered as before.
    @Test(arguments: large) private func aLargeMessageIsRefused(_ flood: Flood) async throws {
        try await withBus { bus in
            let error = try #require(
                thrown(WireError.self) {
                    try bus.call("Take", [.strings([String]()), flood.value])
                })
            #expect(error.name == WireErrorName.limitsExceeded)
            #expect(error.message.contains("at most 65536 values and 1048576 bytes are read"), "\(error.message)")
            #expect(bus.echo.count == 0)
            // Of the wrong type it is not read at all.
            let wrong = try #require(thrown(WireError.self) { try bus.call("Later", [flood.value]) })
            #expect(wrong.name == WireErrorName.invalidArguments)
            try #expect(bus.call("Add", [.int32(1), .int32(1)]) == [.int64(2)])
            #expect(bus.states.count == 1)
        }
    }

    /// A client of ours does not read what is too large either.
    @Test func aLargeAnswerIsAnError() async throws {
        try await withBus { bus in
            let error = try #require(
                thrown(WireError.self) {
                    _ = try bus.call("Echo", [.variant(.strings((0..<65_530).map { "\($0)" }))])
                    return try bus.call("Echo", [.variant(.strings((0..<65_540).map { "\($0)" }))])
                })
            #expect(error.name == WireErrorName.limitsExceeded)
        }
    }

    /// What a turn takes of the loop is limited in time: it begins nothing new after a millisecond, and does one thing
    /// at least.
    @Test(arguments: [(Duration.microseconds(300), 4), (.milliseconds(5), 1), (.microseconds(20), 50)])
    func aTurnEndsWithItsTime(cost: Duration, most: Int) async throws {
        try await withBusOnManualClock { bus, clock in
            var inTurn: [Int] = []
            var count = 0
            bus.echo.heard = { _ in
                count += 1
                clock.advance(by: cost)
            }
            clock.turns = { isBegin in
                if !isBegin, count > 0 { inTurn.append(count) }
                count = 0
            }
            let peer = try Peer(bus)
            var answers = 0
            try peer.add(200) { if $0 == Int64(answers) + 1 { answers += 1 } }
            #expect(bus.wait(beside: peer.loop) { answers == 200 })
            #expect(inTurn.allSatisfy { $0 <= most }, "\(inTurn)")
            // Not less than there is time for, where all of it was there.
            #expect(inTurn.count <= 200 / most + 20, "\(inTurn)")
        }
    }

    /// The loop is told once in a turn what is waited for, not with each message.
    @Test func aMessageDoesNotArmATimer() async throws {
        try await withBusOnManualClock { bus, clock in
            let peer = try Peer(bus)
            var answers = 0
            try peer.add(200) { _ in answers += 1 }
            let before = clock.arms
            #expect(bus.wait(beside: peer.loop) { answers == 200 })
            #expect(clock.arms - before <= 60, "armed \(clock.arms - before) times for 200 calls")
            // Outside of a turn, too: what is changed is announced in the next one.
            let quiet = clock.arms
            bus.server.changed(["Volume"], interface: Bus.interface, at: Bus.path)
            for number in 0..<200 {
                clock.advance(by: .microseconds(1))
                bus.server.emit(
                    "Said", interface: Bus.interface, at: Bus.path, [.string("x"), .uint32(UInt32(number))])
            }
            #expect(clock.arms - quiet <= 2, "armed \(clock.arms - quiet) times for 200 signals")
        }
    }

    /// Who calls once waits for one call of each of the others, not for all that was sent before.
    @Test func whoFloodsWaitsBehindTheOthers() async throws {
        try await withBusOnManualClock { bus, clock in
            // Not more of it than a socket takes.
            let peers = try (0..<4).map { _ in try Peer(bus) }
            var callers: [String] = []
            var numbers: [String: [Int64]] = [:]
            bus.echo.heard = { call in
                callers.append(call.sender)
                numbers[call.sender, default: []].append(call.arguments.first?.integer ?? -1)
                clock.advance(by: .microseconds(300))
            }
            var answers = 0
            for (peer, count) in zip(peers, [60, 60, 60, 1] as [Int32]) { try peer.add(count) { _ in answers += 1 } }
            #expect(bus.client.wait { callers.count == 181 })
            #expect(
                bus.client.wait {
                    for peer in peers { peer.loop.runOnce(timeout: .zero) }
                    return answers == 181
                })
            let place = try #require(callers.firstIndex(of: peers[3].connection.uniqueName ?? ""))
            #expect(place <= 30, "\(place) calls of others came before")
            // Each sender's own stay in their order.
            for peer in peers.prefix(3) { #expect(numbers[peer.connection.uniqueName ?? ""] == Array(0..<60)) }
        }
    }

    /// Whoever has too many calls waiting gets an error for those that are too many, and others get their answers.
    @Test func whatIsTooMuchIsRefused() async throws {
        try await withBusOnManualClock { bus, clock in
            bus.echo.heard = { _ in clock.advance(by: .milliseconds(2)) }
            let flooder = BusConnection(.custom(bus.sandbox.busAddress), loop: bus.client.loop)
            flooder.open()
            defer { flooder.close() }
            try #require(bus.client.wait { flooder.isConnected })
            var results: [Result<[WireValue], WireError>] = []
            for number in 0..<3_000 {
                flooder.call(
                    Bus.name, path: Bus.path, interface: Bus.interface, "Add", [.int32(Int32(number)), .int32(0)]
                ) { results.append($0) }
            }
            for number in 0..<5 {
                let answer = try bus.client.call(
                    Bus.name, path: Bus.path, interface: Bus.interface, "Add", [.int32(Int32(number)), .int32(0)])
                #expect(answer == [.int64(Int64(number))])
            }
            #expect(bus.client.wait { results.count == 3_000 })
            var sums: [Int64] = []
            for result in results {
                switch result {
                case .success(let values): sums.append(values.first?.integer ?? -1)
                case .failure(let error): #expect(error.name == WireErrorName.limitsExceeded)
                }
            }
            // What was not refused was carried out, once and in order.
            #expect(sums == sums.sorted() && Set(sums).count == sums.count)
            // A megabyte of them may wait: a thousand, of some that are handled meanwhile.
            #expect((500..<3_000).contains(sums.count), "\(sums.count) were answered")
            #expect(bus.echo.count == UInt32(sums.count) + 5)
        }
    }

    @Test func twoThousandCallsOfOneLeaveRoomForOthers() async throws {
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
            var failures: [String] = []
            // Five hundred are under way at any time, one for each that is answered: so many may wait, should the service
            // not come to any of them before it has read all.
            var sent = 0
            func send() {
                guard sent < 2_000 else { return }
                let number = sent
                sent += 1
                flooder.call(
                    Bus.name, path: Bus.path, interface: Bus.interface, "Add", [.int32(Int32(number)), .int32(1)]
                ) { result in
                    answers += 1
                    if result != .success([.int64(Int64(number) + 1)]) { failures.append("\(result)") }
                    send()
                }
            }
            for _ in 0..<500 { send() }
            for number in 0..<20 {
                let answer = try bus.client.call(
                    Bus.name, path: Bus.path, interface: Bus.interface, "Add", [.int32(Int32(number)), .int32(0)])
                #expect(answer == [.int64(Int64(number))])
            }
            #expect(bus.client.wait { answers == 2_000 })
            #expect(failures.isEmpty, "\(failures.count) of them, the first: \(failures.first ?? "")")
            #expect(bus.echo.count == 2_020)
            // There is time for so many at most.
            #expect(most <= 256, "\(most) calls in one turn of the loop")
            #expect(ticks > 2_000 / 256)
            flooder.close()
        }
    }

    /// What waits for it is counted in bytes, however large its messages are.
    @Test func aBusThatDoesNotReadLargeMessagesIsGivenUp() async throws {
        try await withBus { bus in
            bus.daemon.signal(SIGSTOP)
            var isLost = false
            bus.service.stateChanged = { if $0 == .lost { isLost = true } }
            let text = WireValue.string(String(repeating: "x", count: 1 << 20))
            func say(_ count: Int) {
                for _ in 0..<count {
                    bus.server.emit("Said", interface: Bus.interface, at: Bus.path, [text, .uint32(0)])
                }
            }
            // As much as may wait, and then more than the kernel's 16 MiB and ours.
            say(MessageGate.mostOutgoing >> 20 - 1)
            var turns = 0
            #expect(
                bus.client.wait {
                    turns += 1; return turns > 10
                })
            #expect(!isLost)
            say(MessageGate.mostOutgoing >> 18)
            #expect(bus.client.wait { isLost })
            bus.daemon.signal(SIGCONT)
            #expect(bus.client.wait { bus.ownsName })
        }
    }

    /// Whoever sends and never reads loses the connection, not the memory of the other end.
    @Test func aBusThatDoesNotReadIsGivenUp() async throws {
        try await withBus { bus in
            bus.daemon.signal(SIGSTOP)
            var isLost = false
            bus.service.stateChanged = { if $0 == .lost { isLost = true } }
            let text = WireValue.string(String(repeating: "x", count: 100))
            for _ in 0..<120_000 {
                bus.server.emit("Said", interface: Bus.interface, at: Bus.path, [text, .uint32(0)])
            }
            #expect(bus.client.wait { isLost })
            bus.daemon.signal(SIGCONT)
            #expect(bus.client.wait { bus.ownsName })
        }
    }
}

/// Runs a body with a bus of its own and a service whose clock only the test moves.
func withBusOnManualClock(_ body: (Bus, ManualLoop) async throws -> Void) async throws {
    var clock: ManualLoop?
    try await withBus({ inner in
        let loop = ManualLoop(over: inner)
        clock = loop
        return loop
    }) { bus in try await body(bus, try #require(clock)) }
}
