import BusInterface
@testable import DBus
import TestKit
import Testing

/// Which signals reach whom.
@Suite struct SignalTests {
    private struct Rule: Sendable {
        var rule: MatchRule
        var text: String
        var fits: Bool
    }

    /// Rules against the signal Said of org.test.Echo at /org/test/Echo with the arguments "org.test.a" and 7.
    private static let rules = [
        Rule(rule: MatchRule(), text: "type='signal'", fits: true),
        Rule(rule: MatchRule(member: "Said"), text: "type='signal',member='Said'", fits: true),
        Rule(rule: MatchRule(member: "Sai"), text: "type='signal',member='Sai'", fits: false),
        Rule(
            rule: MatchRule(path: "/org/test/Echo", interface: "org.test.Echo"),
            text: "type='signal',path='/org/test/Echo',interface='org.test.Echo'", fits: true),
        Rule(rule: MatchRule(path: "/org/test"), text: "type='signal',path='/org/test'", fits: false),
        Rule(rule: MatchRule(pathNamespace: "/"), text: "type='signal',path_namespace='/'", fits: true),
        Rule(rule: MatchRule(pathNamespace: "/org/test"), text: "type='signal',path_namespace='/org/test'", fits: true),
        Rule(rule: MatchRule(pathNamespace: "/org/te"), text: "type='signal',path_namespace='/org/te'", fits: false),
        Rule(rule: MatchRule(argument0: "org.test.a"), text: "type='signal',arg0='org.test.a'", fits: true),
        Rule(rule: MatchRule(argument0: "it's"), text: "type='signal',arg0='it'\\''s'", fits: false),
        Rule(
            rule: MatchRule(argument0Namespace: "org.test"), text: "type='signal',arg0namespace='org.test'", fits: true),
        Rule(rule: MatchRule(argument0Namespace: "org.te"), text: "type='signal',arg0namespace='org.te'", fits: false),
    ]

    @Test func aRuleMeansWhatTheBusTakesItFor() async throws {
        try await withBus { bus in
            // Each on a connection of its own, so that the bus judges too.
            let clients = try Self.rules.map { rule in
                #expect(rule.rule.text == rule.text)
                let client = try BusClient(.custom(bus.sandbox.busAddress))
                client.listen(to: rule.rule)
                return client
            }
            bus.server.emit("Said", interface: Bus.interface, at: Bus.path, [.string("org.test.a"), .uint32(7)])
            bus.server.emit("Said", interface: Bus.interface, at: Bus.path, [.uint32(7)])
            try #expect(bus.call("Add", [.int32(1), .int32(2)]) == [.int64(3)])
            for (rule, client) in zip(Self.rules, clients) {
                var heard = false
                // What was sent before the answer to this is here with it.
                _ = try client.call(
                    BusConnection.busName, path: "/org/freedesktop/DBus", interface: BusConnection.busName, "GetId")
                while let signal = client.collectedSignal() {
                    if signal.arguments.first?.text == "org.test.a" { heard = true }
                }
                #expect(heard == rule.fits, "\(rule.text)")
            }
        }
    }

    @Test func onlyTheOwnerOfANameSpeaksForIt() async throws {
        try await withBus { bus in
            bus.client.listen(to: MatchRule(sender: Bus.name, member: "Said"))
            let liar = BusConnection(.custom(bus.sandbox.busAddress), loop: bus.client.loop)
            liar.open()
            #expect(bus.client.wait { liar.isConnected })
            // To us alone, so that no match is needed for it to arrive.
            liar.emit(
                path: Bus.path, interface: Bus.interface, "Said", [.string("lie")],
                to: bus.client.connection.uniqueName)
            var isDone = false
            liar.call(Bus.name, path: Bus.path, interface: Bus.interface, "Add", [.int32(1), .int32(1)]) { _ in
                isDone = true
            }
            #expect(bus.client.wait { isDone })
            bus.server.emit("Said", interface: Bus.interface, at: Bus.path, [.string("truth")])
            #expect(bus.client.nextSignal()?.arguments == [.string("truth")])
            liar.close()
        }
    }

    @Test func aSignalCanBeForOneAlone() async throws {
        try await withBus { bus in
            let other = try BusClient(.custom(bus.sandbox.busAddress))
            for client in [bus.client, other] { client.listen(to: MatchRule(member: "Said")) }
            bus.server.emit(
                "Said", interface: Bus.interface, at: Bus.path, [.string("secret")], to: other.connection.uniqueName)
            bus.server.emit("Said", interface: Bus.interface, at: Bus.path, [.string("public")])
            #expect(bus.client.nextSignal()?.arguments == [.string("public")])
            #expect(other.nextSignal()?.arguments == [.string("secret")])
        }
    }

    @Test func aSubscriptionEndsWhenItIsReleased() async throws {
        try await withBus { bus in
            var heard: [String] = []
            var first: Subscription? = bus.client.connection.subscribe(MatchRule(member: "Said")) { _ in
                heard.append("first")
            }
            let second = bus.client.connection.subscribe(MatchRule(member: "Said")) { _ in heard.append("second") }
            try #expect(bus.call("Add", [.int32(1), .int32(2)]) == [.int64(3)])
            bus.server.emit("Said", interface: Bus.interface, at: Bus.path)
            #expect(bus.client.wait { heard.count == 2 })
            #expect(first != nil)
            first = nil
            bus.server.emit("Said", interface: Bus.interface, at: Bus.path)
            #expect(bus.client.wait { heard.count == 3 })
            #expect(heard == ["first", "second", "second"])
            second.cancel()
            second.cancel()
            #expect(bus.client.connection.matches.isEmpty && bus.client.connection.subscriptions.isEmpty)
        }
    }

    /// Changes are told before anything else that the object sends, once for all that happened until then.
    @Test func changesComeBeforeSignalsAndAnswers() async throws {
        try await withBus { bus in
            bus.client.listen(to: MatchRule(sender: Bus.name, path: Bus.path))
            for volume in [0.1, 0.2, 0.3] {
                bus.echo.volume = volume
                bus.server.changed(["Volume"], interface: Bus.interface, at: Bus.path)
            }
            bus.server.changed(["Absent", "Volume"], interface: Bus.interface, at: Bus.path)
            bus.server.emit("Said", interface: Bus.interface, at: Bus.path)
            var signals: [BusSignal] = []
            while signals.count < 2, let signal = bus.client.nextSignal() { signals.append(signal) }
            #expect(signals.map(\.member) == ["PropertiesChanged", "Said"])
            #expect(
                signals.first?.arguments == [
                    .string(Bus.interface), .record([("Volume", .double(0.3))]), .strings(["Absent"]),
                ])
            // The method changes Count and answers; the change is here first.
            try #expect(bus.call("Add", [.int32(1), .int32(2)]) == [.int64(3)])
            #expect(bus.client.collectedSignal()?.arguments[1]["Count"] == .uint32(1))
            #expect(bus.client.collectedSignal() == nil)
        }
    }

    @Test func objectsAreAnnounced() async throws {
        try await withBus { bus in
            bus.client.listen(to: MatchRule(sender: Bus.name, interface: WireInterface.objectManager.name))
            let path = "/org/test/second"
            bus.server.add(EchoObject("second", at: path), at: path)
            let added = try #require(bus.client.nextSignal())
            #expect(added.member == "InterfacesAdded" && added.path == "/org/test")
            #expect(added.arguments.first == .objectPath(path))
            #expect(added.arguments.last?[Bus.interface]?["Name"] == .string("second"))
            let objects = try bus.client.call(
                Bus.name, path: "/org/test", interface: WireInterface.objectManager.name, "GetManagedObjects")
            #expect(objects.first?.entries?.map(\.key) == [.objectPath(Bus.path), .objectPath(path)])
            bus.server.remove(path)
            bus.server.remove(path)
            let removed = try #require(bus.client.nextSignal())
            #expect(removed.member == "InterfacesRemoved")
            #expect(removed.arguments == [.objectPath(path), .strings([Bus.interface])])
            #expect(throws: WireError.self) {
                try bus.client.call(Bus.name, path: path, interface: Bus.interface, "Later")
            }
            #expect(bus.client.collectedSignal() == nil)
        }
    }
}
