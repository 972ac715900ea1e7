import BusInterface
import DBus
import TestKit
import Testing

/// Calls, answers, signals and properties between two connections on a real bus.
@Suite struct CallTests {
    @Test func aCallIsAnswered() async throws {
        try await withBus { bus in
            try #expect(bus.call("Add", [.int32(40), .int32(2)]) == [.int64(42)])
            try #expect(bus.call("Echo", [.variant(.string("ä"))]) == [.variant(.string("ä"))])
        }
    }

    @Test func aPropertyIsReadSetAndAnnounced() async throws {
        try await withBus { bus in
            bus.client.listen(to: MatchRule(sender: Bus.name, member: "PropertiesChanged"))
            try bus.client.setProperty("Volume", interface: Bus.interface, of: Bus.name, path: Bus.path, to: .double(1))
            let value = try bus.client.property("Volume", interface: Bus.interface, of: Bus.name, path: Bus.path)
            #expect(value == .double(1))
            let signal = try #require(bus.client.nextSignal())
            #expect(
                signal.arguments == [.string(Bus.interface), .record([("Volume", .double(1))]), .strings([String]())])
        }
    }

    @Test func aSignalArrives() async throws {
        try await withBus { bus in
            bus.client.listen(to: MatchRule(sender: Bus.name, interface: Bus.interface))
            bus.server.emit("Said", interface: Bus.interface, at: Bus.path, [.string("hello"), .uint32(7)])
            let signal = try #require(bus.client.nextSignal())
            #expect(signal.member == "Said" && signal.path == Bus.path)
            #expect(signal.arguments == [.string("hello"), .uint32(7)])
        }
    }
}
