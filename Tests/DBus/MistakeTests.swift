import BusInterface
import DBus
import TestKit
import Testing

/// What a caller can do wrong, and what it is told.
@Suite struct MistakeTests {
    private struct Mistake: Sendable, CustomTestStringConvertible {
        var path = Bus.path
        var interface = Bus.interface
        var member: String
        var arguments: [WireValue] = []
        var error: String
        var message: String
        var testDescription: String { "\(interface).\(member)" }
    }

    private static func get(_ property: String, _ interface: String = Bus.interface) -> [WireValue] {
        [.string(interface), .string(property)]
    }
    private static let properties = WireInterface.properties.name

    private static let mistakes = [
        Mistake(
            member: "Add", arguments: [.int32(1)], error: WireErrorName.invalidArguments,
            message: "Add takes ii (first: i, second: i), and got i"),
        Mistake(
            member: "Add", arguments: [.string("1"), .string("2")], error: WireErrorName.invalidArguments,
            message: "Add takes ii (first: i, second: i), and got ss"),
        Mistake(
            member: "Later", arguments: [.byte(1)], error: WireErrorName.invalidArguments,
            message: "Later takes no arguments, and got y"),
        Mistake(member: "Add", error: WireErrorName.invalidArguments, message: "and got none"),
        Mistake(
            member: "Ad", error: WireErrorName.unknownMethod,
            message:
                "there is no method \"Ad\" at /org/test/Echo; there is Echo, Add, Later, Drop, Fail, Wrong, Take, Descriptor"
        ),
        Mistake(
            interface: "org.test.Other", member: "Add", error: WireErrorName.unknownInterface,
            message: "there is org.test.Echo, org.freedesktop.DBus.Introspectable, org.freedesktop.DBus.Properties"),
        Mistake(
            path: "/org/test/None", member: "Add", error: WireErrorName.unknownObject,
            message: "there is no object \"/org/test/None\""),
        Mistake(path: "/org", member: "Add", error: WireErrorName.unknownInterface, message: "org.test.Echo"),
        Mistake(
            interface: WireInterface.objectManager.name, member: "GetManagedObjects",
            error: WireErrorName.unknownInterface, message: "ObjectManager"),
        Mistake(
            interface: WireInterface.peer.name, member: "Pong", error: WireErrorName.unknownMethod, message: "Pong"),
        Mistake(
            interface: properties, member: "Get", arguments: get("Loudness"), error: WireErrorName.unknownProperty,
            message: "there is no property \"Loudness\" at /org/test/Echo; there is Volume, Name, Count, Absent"),
        Mistake(
            interface: properties, member: "Get", arguments: get("Volume", "org.test.Other"),
            error: WireErrorName.unknownInterface, message: "there is org.test.Echo"),
        Mistake(
            interface: properties, member: "Get", arguments: get("Absent"), error: WireErrorName.failed,
            message: "Absent has no value now"),
        Mistake(
            interface: properties, member: "Set", arguments: get("Name") + [.variant(.string("x"))],
            error: WireErrorName.propertyReadOnly, message: "Name can only be read"),
        Mistake(
            interface: properties, member: "Set", arguments: get("Volume") + [.variant(.string("x"))],
            error: WireErrorName.invalidArguments, message: "Volume has the type d, not s"),
        Mistake(
            interface: properties, member: "Set", arguments: get("Volume") + [.variant(.double(2))],
            error: WireErrorName.invalidArguments, message: "Volume is between 0 and 1"),
        Mistake(
            interface: properties, member: "Set", arguments: get("Volume"), error: WireErrorName.invalidArguments,
            message: "Set takes ssv"),
        Mistake(member: "Drop", error: WireErrorName.failed, message: "Drop was given up"),
        Mistake(member: "Wrong", error: WireErrorName.failed, message: "Wrong answers u, and has s"),
    ]

    @Test(arguments: mistakes) private func isToldWhatIsWrong(_ mistake: Mistake) async throws {
        try await withBus { bus in
            let error = try #require(
                thrown(WireError.self) {
                    try bus.client.call(
                        Bus.name, path: mistake.path, interface: mistake.interface, mistake.member, mistake.arguments)
                })
            #expect(error.name == mistake.error)
            #expect(error.message.contains(mistake.message), "\(error.message)")
            // And nothing is harmed.
            try #expect(bus.call("Add", [.int32(1), .int32(2)]) == [.int64(3)])
        }
    }

    /// Whatever an error says, it reaches the caller.
    @Test(arguments: [("org.test.Error.Own", "org.test.Error.Own"), ("no name", WireErrorName.failed)])
    func everyErrorArrives(_ name: String, _ answered: String) async throws {
        try await withBus { bus in
            bus.echo.odd = String(try #require(Unicode.Scalar(0xFFFE as UInt32))) + "\0"
            let error = try #require(
                thrown(WireError.self) {
                    try bus.call("Fail", [.string(name), .string("ä")])
                })
            #expect(error == WireError(answered, "\u{FFFD}\u{FFFD}ä"))
        }
    }

    /// A call may leave the interface out, and a property's too.
    @Test func theInterfaceMayBeLeftOut() async throws {
        try await withBus { bus in
            let call = try bus.run(
                "dbus-send",
                [
                    "--session", "--print-reply", "--dest=\(Bus.name)", Bus.path, "org.test.Echo.Add", "int32:1",
                    "int32:2",
                ])
            #expect(call.output.contains("int64 3"))
            let value = try bus.call("Get", Self.get("Volume", ""), interface: Self.properties)
            #expect(value == [.variant(.double(0.5))])
            let all = try bus.call("GetAll", [.string(WireInterface.peer.name)], interface: Self.properties)
            #expect(all == [.record([])])
        }
    }

    @Test func anAnswerMayComeLaterButOnlyOnce() async throws {
        try await withBus { bus in
            var answers: [Result<[WireValue], WireError>] = []
            bus.client.connection.call(Bus.name, path: Bus.path, interface: Bus.interface, "Later") {
                answers.append($0)
            }
            #expect(bus.client.wait { bus.echo.later.count == 1 })
            try #expect(bus.call("Add", [.int32(1), .int32(2)]) == [.int64(3)])
            #expect(answers.isEmpty)
            bus.echo.later[0].answer()
            bus.echo.later[0].answer()
            bus.echo.later[0].fail(WireError(WireErrorName.failed, "too late"))
            bus.echo.later = []
            #expect(bus.client.wait { !answers.isEmpty })
            try #expect(bus.call("Add", [.int32(1), .int32(2)]) == [.int64(3)])
            #expect(answers == [.success([])])
        }
    }

    @Test func anAnswerThatDoesNotComeIsAnError() async throws {
        try await withBus { bus in
            let error = try #require(
                thrown(WireError.self) {
                    try bus.client.call(
                        Bus.name, path: Bus.path, interface: Bus.interface, "Later", timeout: .milliseconds(50))
                })
            #expect(error.name == WireErrorName.noReply)
            #expect(error.message == "org.test.Service did not answer within 50 ms")
            // What comes now is nobody's answer.
            try #require(bus.client.wait { bus.echo.later.count == 1 })
            bus.echo.later[0].answer()
            try #expect(bus.call("Add", [.int32(1), .int32(2)]) == [.int64(3)])
        }
    }

    @Test func aCancelledCallIsNotAnswered() async throws {
        try await withBus { bus in
            var isAnswered = false
            let call = bus.client.connection.call(
                Bus.name, path: Bus.path, interface: Bus.interface, "Add", [.int32(1), .int32(2)]
            ) { _ in isAnswered = true }
            call.cancel()
            try #expect(bus.call("Add", [.int32(1), .int32(2)]) == [.int64(3)])
            #expect(bus.echo.count == 2 && !isAnswered)
        }
    }

    @Test func whoeverDoesNotWantAnAnswerGetsNone() async throws {
        try await withBus { bus in
            let result = try bus.run(
                "dbus-send",
                ["--session", "--type=method_call", "--dest=\(Bus.name)", Bus.path, "\(Bus.interface).Drop"])
            #expect(result.status == .exited(0))
            #expect(bus.client.wait { bus.echo.count == 1 })
            try #expect(bus.call("Add", [.int32(1), .int32(2)]) == [.int64(3)])
        }
    }

    @Test func nobodyAnswersWhereNobodyIs() async throws {
        try await withBus { bus in
            let error = try #require(
                thrown(WireError.self) {
                    try bus.client.call("org.test.Nobody", path: "/", interface: "org.test.X", "Y")
                })
            #expect(error.name == "org.freedesktop.DBus.Error.ServiceUnknown")
        }
    }

    private static let addresses = [
        "unix:path=/nonexistent/bus", "tcp:host=localhost,port=1", "", "unix:", "nonsense", "unix:path=%zz",
    ]

    @Test(arguments: addresses) func aBusThatIsNotThereIsAnError(_ address: String) {
        let error = thrown(WireError.self) { try BusClient(.custom(address)) }
        #expect(error?.name == WireErrorName.disconnected)
    }
}
