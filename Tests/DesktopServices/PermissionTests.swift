import BusInterface
import DBus
import Testing

@testable import DesktopServices
@testable import PolicyRuntime

/// The portal's permission store, as far as it is asked.
private final class PermissionStore: ServedObject {
    static let name = "org.freedesktop.impl.portal.PermissionStore"
    static let path = "/org/freedesktop/impl/portal/PermissionStore"

    /// The words that are kept for each application.
    var microphone: [String: [String]] = [:]
    private let server: ObjectServer

    init(_ bus: BusConnection) {
        server = ObjectServer(connection: bus, root: "/")
        server.add(self, at: Self.path)
        bus.requestName(Self.name) { _ in }
    }

    let interfaces = [
        WireInterface(
            PermissionStore.name, "What users allow applications.",
            methods: [
                .init(
                    "Lookup", [.init("table", "s"), .init("id", "s")],
                    returns: [.init("permissions", "a{sas}"), .init("data", "v")], "What is kept.")
            ],
            signals: [
                .init(
                    "Changed",
                    [
                        .init("table", "s"), .init("id", "s"), .init("deleted", "b"), .init("data", "v"),
                        .init("permissions", "a{sas}"),
                    ], "Something else is kept.")
            ])
    ]
    func value(of property: String, interface: String) -> WireValue? { nil }
    func set(_ property: String, interface: String, to value: WireValue, call: BusCall) { call.answer() }
    func catchUp() {}

    private var permissions: WireValue {
        .dictionary(
            key: "s", value: "as",
            microphone.sorted { $0.key < $1.key }.map { .init(.string($0.key), .strings($0.value)) })
    }

    func call(_ method: String, interface: String, _ call: BusCall) {
        guard call.arguments == [.string("devices"), .string("microphone")] else {
            return call.fail(WireError("org.freedesktop.portal.Error.NotFound", "nothing is kept of that"))
        }
        call.answer([permissions, .variant(.byte(0))])
    }

    func change(to microphone: [String: [String]]) {
        self.microphone = microphone
        server.emit(
            "Changed", interface: Self.name, at: Self.path,
            [.string("devices"), .string("microphone"), .boolean(false), .variant(.byte(0)), permissions])
    }
}

extension Services {
    @Suite struct PermissionTests {
        private let yes = AppSandbox("org.test.Yes", mayRecord: false)
        private let no = AppSandbox("org.test.No", mayRecord: true)

        /// Which of a few applications may record.
        private func recorders(_ permissions: RecordingPermissions) -> [Bool] {
            [yes, no].map { permissions.mayRecord($0) }
        }

        @Test("N11 what its user has said of the microphone counts, else what the sandbox has")
        func said() async throws {
            try await Buses.run { buses in
                let other = BusConnection(.custom(buses.sandbox.busAddress), loop: buses.loop)
                other.open()
                defer { other.close() }
                try await buses.turn(until: "the bus") { other.isConnected }
                let changes = Record<Void>()
                let permissions = RecordingPermissions(session: buses.session) { changes.add(()) }
                // As long as there is no store.
                #expect(recorders(permissions) == [false, true])
                let store = PermissionStore(other)
                store.microphone = ["org.test.Yes": ["yes"], "org.test.No": ["no"], "org.test.Asked": ["ask"]]
                try await buses.turn(until: "the first answer") { changes.values.count == 1 }
                #expect(recorders(permissions) == [true, false])
                #expect(permissions.mayRecord(AppSandbox("org.test.Asked", mayRecord: true)))
                #expect(!permissions.mayRecord(AppSandbox("org.test.Asked", mayRecord: false)))

                store.change(to: ["org.test.No": ["yes"]])
                try await buses.turn(until: "the change") { changes.values.count == 2 }
                #expect(recorders(permissions) == [false, true])
                // What says the same as before is no change.
                store.change(to: ["org.test.No": ["yes"], "org.test.Asked": ["ask"]])
                try await buses.settle(buses.session, with: PermissionStore.name)
                #expect(changes.values.count == 2)
                permissions.stop()
            }
        }
    }
}
