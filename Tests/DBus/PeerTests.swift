import BusInterface
import DBus
import TestKit
import Testing

/// The programs that people call a service with.
@Suite struct PeerTests {
    private struct Call: Sendable, CustomTestStringConvertible {
        var program: String
        var arguments: [String]
        var answer: String
        var testDescription: String { program }
    }

    private static let calls = [
        Call(
            program: "busctl",
            arguments: ["--user", "call", Bus.name, Bus.path, Bus.interface, "Add", "ii", "40", "2"], answer: "x 42"),
        Call(
            program: "gdbus",
            arguments: [
                "call", "--session", "-d", Bus.name, "-o", Bus.path, "-m", "\(Bus.interface).Add", "40", "2",
            ],
            answer: "(int64 42,)"),
        Call(
            program: "dbus-send",
            arguments: [
                "--session", "--print-reply", "--dest=\(Bus.name)", Bus.path, "\(Bus.interface).Add", "int32:40",
                "int32:2",
            ],
            answer: "int64 42"),
        Call(
            program: "busctl",
            arguments: ["--user", "get-property", Bus.name, Bus.path, Bus.interface, "Volume"], answer: "d 0.5"),
        Call(
            program: "busctl",
            arguments: ["--user", "call", Bus.name, Bus.path, "org.freedesktop.DBus.Peer", "Ping"], answer: ""),
        Call(
            program: "gdbus",
            arguments: [
                "call", "--session", "-d", Bus.name, "-o", Bus.path, "-m", "org.freedesktop.DBus.Peer.GetMachineId",
            ],
            answer: "('"),
        Call(
            program: "gdbus",
            arguments: [
                "call", "--session", "-d", Bus.name, "-o", "/org/test", "-m",
                "org.freedesktop.DBus.ObjectManager.GetManagedObjects",
            ],
            answer:
                "({objectpath '/org/test/Echo': {'org.test.Echo': {'Volume': <0.5>, 'Name': <'echo'>, 'Count': <uint32 0>}}},)"
        ),
    ]

    @Test(arguments: calls) private func isAnswered(_ call: Call) async throws {
        try await withBus { bus in
            let result = try bus.run(call.program, call.arguments)
            #expect(result.status == .exited(0), "\(result.errors)")
            #expect(
                call.answer.isEmpty ? result.output.isEmpty : result.output.contains(call.answer), "\(result.output)")
        }
    }

    /// One line of `busctl introspect`: what is there, of which kind and types, with which flags.
    private static func lines(of interface: WireInterface) -> Set<[String]> {
        func dash(_ text: String) -> String { text.isEmpty ? "-" : text }
        var lines: Set<[String]> = [[interface.name, "interface", "-", ""]]
        for method in interface.methods {
            lines.insert([".\(method.name)", "method", dash(method.inputSignature), dash(method.outputSignature)])
        }
        for signal in interface.signals {
            let signature = signal.arguments.map(\.signature).joined()
            lines.insert([".\(signal.name)", "signal", dash(signature), ""])
        }
        for property in interface.properties {
            let flags = (property.isConstant ? "const" : "emits-change") + (property.isWritable ? " writable" : "")
            lines.insert([".\(property.name)", "property", property.signature, flags])
        }
        return lines
    }

    private static let tables = [EchoObject.interface, .manager, .session]

    @Test(arguments: tables.map(\.name))
    private func busctlReadsWhatTheTableSays(_ name: String) async throws {
        try await withBus { bus in
            let interface = try #require(Self.tables.first { $0.name == name })
            let path = "/org/test/Table"
            bus.server.add(TableObject(interface), at: path)
            let result = try bus.run("busctl", ["--user", "introspect", Bus.name, path])
            #expect(result.status == .exited(0), "\(result.errors)")
            var lines: Set<[String]> = []
            for line in result.output.split(separator: "\n").dropFirst() {
                let words = line.split(separator: " ").map(String.init)
                guard words.count > 3 else { continue }
                let flags = words.filter { ["const", "emits-change", "writable"].contains($0) }.joined(separator: " ")
                lines.insert([words[0], words[1], words[2], words[1] == "method" ? words[3] : flags])
            }
            var expected: Set<[String]> = []
            for table in [interface, .introspectable, .properties, .peer] { expected.formUnion(Self.lines(of: table)) }
            #expect(lines == expected, "\(lines.symmetricDifference(expected))")
        }
    }

    @Test func gdbusReadsTheDocumentation() async throws {
        try await withBus { bus in
            let result = try bus.run("gdbus", ["introspect", "--session", "--xml", "-d", Bus.name, "-o", Bus.path])
            #expect(result.status == .exited(0), "\(result.errors)")
            #expect(result.output.contains("The sum of &lt;two&gt; &amp; &quot;more&quot;."), "\(result.output)")
        }
    }

    /// Above every object there is a way to it.
    @Test(arguments: [("/", "org"), ("/org", "test"), ("/org/test", "Echo"), ("/org/test", "a")])
    func objectsAreFoundFromAbove(_ path: String, _ child: String) async throws {
        try await withBus { bus in
            bus.server.add(TableObject(EchoObject.interface), at: "/org/test/a/b")
            let values = try bus.client.call(
                Bus.name, path: path, interface: WireInterface.introspectable.name, "Introspect")
            #expect(values.first?.text?.contains("<node name=\"\(child)\"/>") == true)
            let tree = try bus.run("busctl", ["--user", "tree", "--list", Bus.name])
            #expect(tree.output.contains("/org/test/a/b\n"), "\(tree.output)")
        }
    }
}

/// An object of an interface, with some value for every property.
final class TableObject: ServedObject {
    let interfaces: [WireInterface]

    init(_ interface: WireInterface) { interfaces = [interface] }

    func value(of property: String, interface: String) -> WireValue? {
        switch interfaces[0].property(property)?.signature {
        case "s": .string("")
        case "b": .boolean(false)
        case "u": .uint32(0)
        case "t": .uint64(0)
        case "d": .double(0)
        case "as": .strings([String]())
        case "a{sv}": .record([])
        default: nil
        }
    }

    func set(_ property: String, interface: String, to value: WireValue, call: BusCall) { call.answer() }
    func call(_ method: String, interface: String, _ call: BusCall) { call.answer() }
}
