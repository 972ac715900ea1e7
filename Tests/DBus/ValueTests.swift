import BusInterface
import DBus
import Foundation
import RandomEvents
import TestKit
import Testing

/// What goes into a message and comes out of one.
@Suite struct ValueTests {
    private static let everyType: [WireValue] = [
        .boolean(true), .boolean(false), .byte(255), .int16(.min), .uint16(.max), .int32(.min), .uint32(.max),
        .int64(.min), .uint64(.max), .double(-.infinity), .double(.leastNonzeroMagnitude), .string(""), .string("ä🎵"),
        .objectPath("/"), .objectPath("/org/a_1"), .signature(""), .signature("a{s(iv)}as"), .array(of: "s", []),
        .array(of: "a{sv}", [.record([]), .record([("a", .int32(1))])]), .strings(["a", ""]),
        .dictionary(key: "u", value: "(ss)", []),
        .dictionary(key: "y", value: "as", [.init(.byte(1), .strings(["x"])), .init(.byte(1), .strings([String]()))]),
        .structure([.int32(1), .structure([.string("a")])]), .variant(.variant(.array(of: "v", [.variant(.byte(1))]))),
    ]

    @Test func everyTypeComesBackAsItWent() async throws {
        try await withBus { bus in
            for value in Self.everyType {
                let answer = try bus.call("Echo", [.variant(value)])
                #expect(answer == [.variant(value)], "\(value.typeSignature)")
            }
        }
    }

    @Test func aThousandRandomValuesComeBackAsTheyWent() async throws {
        try await withBus { bus in
            var random = SplitMix64(seed: 1)
            var types: Set<String> = []
            var answers = 0
            var changed: [WireValue] = []
            for round in 0..<10 {
                for _ in 0..<100 {
                    let value = random.value()
                    types.insert(value.typeSignature)
                    bus.client.connection.call(
                        Bus.name, path: Bus.path, interface: Bus.interface, "Echo", [.variant(value)]
                    ) { result in
                        answers += 1
                        if result != .success([.variant(value)]) { changed.append(value) }
                    }
                }
                #expect(bus.client.wait { answers == (round + 1) * 100 })
            }
            #expect(answers == 1000)
            #expect(changed.isEmpty, "\(changed.first.map(\.json) ?? "")")
            #expect(types.count > 200)
        }
    }

    /// Values that are no message, each of which would cost the connection if it were sent.
    private static let impossible: [WireValue] = [
        .objectPath("no path"), .objectPath(""), .signature("a"), .signature("a{vs}"), .signature("()"),
        .array(of: "s", [.int32(1)]), .array(of: "", []), .array(of: "sq", []), .structure([]),
        .dictionary(key: "v", value: "s", []), .dictionary(key: "s", value: "s", [.init(.string("a"), .byte(1))]),
        .array(of: String(repeating: "a", count: 40) + "s", []),
        .structure(Array(repeating: .byte(1), count: 300)), .unixDescriptor(-1), nested(33),
    ]

    @Test func whatIsNoMessageFailsAndCostsNothing() async throws {
        try await withBus { bus in
            for value in Self.impossible {
                #expect(throws: WireError.self, "\(value)") { try bus.call("Echo", [.variant(value)]) }
            }
            #expect(throws: WireError.self) { try bus.call("Echo", Array(repeating: .byte(1), count: 256)) }
            #expect(bus.client.connection.isConnected && bus.service.isConnected)
            try #expect(bus.call("Add", [.int32(1), .int32(1)]) == [.int64(2)])
            #expect(bus.echo.count == 1)
        }
    }

    @Test func whatNoTextMayHaveIsReplaced() async throws {
        try await withBus { bus in
            var text = "a"
            for code in [0, 0x62, 0xFFFF, 0x1FFFE, 0xFDD0, 0x10FFFF] as [UInt32] {
                text.unicodeScalars.append(try #require(Unicode.Scalar(code)))
            }
            let answer = try bus.call("Echo", [.variant(.string(text))])
            #expect(answer == [.variant(.string("a\u{FFFD}b\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}"))])
        }
    }

    /// A text in so many variants.
    private static func nested(_ depth: Int) -> WireValue {
        depth == 0 ? .string("bottom") : .variant(nested(depth - 1))
    }

    @Test func valuesMayLieThirtyTwoDeep() async throws {
        try await withBus { bus in
            // The method's own variant is one.
            try #expect(bus.call("Echo", [Self.nested(32)]) == [Self.nested(32)])
            // Another implementation sends deeper ones, as far as the bus lets it.
            let deep = String(repeating: "<", count: 40) + "1" + String(repeating: ">", count: 40)
            let result = try bus.run(
                "gdbus", ["call", "--session", "-d", Bus.name, "-o", Bus.path, "-m", "\(Bus.interface).Echo", deep])
            #expect(result.status != .exited(0))
            #expect(result.errors.contains("LimitsExceeded"), "\(result.errors)")
            try #expect(bus.call("Add", [.int32(1), .int32(1)]) == [.int64(2)])
        }
    }

    @Test func aDescriptorArrivesWhereItIsTaken() async throws {
        try await withBus { bus in
            let error = thrown(WireError.self) { try bus.call("Descriptor") }
            #expect(error != nil)
            try #expect(bus.call("Add", [.int32(1), .int32(1)]) == [.int64(2)])
            #expect(bus.states.count == 1)
        }
        try await withBus(takesDescriptors: true) { bus in
            var ends: [Int32] = [-1, -1]
            #expect(pipe(&ends) == 0)
            bus.echo.descriptor = ends[0]
            var taken: Int32 = -1
            var isAnswered = false
            bus.client.connection.call(Bus.name, path: Bus.path, interface: Bus.interface, "Descriptor") { result in
                isAnswered = true
                guard case .success(let values) = result, case .unixDescriptor(let number)? = values.first else {
                    return
                }
                taken = dup(number)
            }
            #expect(bus.client.wait { isAnswered })
            close(ends[0])
            #expect(write(ends[1], "hello", 5) == 5)
            close(ends[1])
            var bytes = [UInt8](repeating: 0, count: 8)
            #expect(read(taken, &bytes, 8) == 5)
            #expect(bytes.prefix(5).elementsEqual("hello".utf8))
            close(taken)
        }
    }
}
