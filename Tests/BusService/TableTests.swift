import BusInterface
import PolicyEngine
import Foundation
import ServiceFixture
import TestKit
import Testing

@testable import BusService

/// The tables of the interface, which clients read too, and those of the service, which say how it is done.
@Suite struct TableTests {
    @Test("each property of a session has a reader, and each reader a property") func propertiesOfSession() {
        let rows =
            SessionObject.fixedProperties.map(\.name) + SessionObject.properties.map(\.name)
            + HardwareProperties.properties.map(\.name)
        compare(rows, with: WireInterface.session.properties.map(\.name))
    }

    @Test("each property of the manager has a reader, and each reader a property") func propertiesOfManager() {
        let rows =
            ManagerObject.fixedProperties.map(\.name) + ManagerObject.switches.map(\.row.name)
            + ManagerObject.Ports.properties.map(\.name)
        compare(rows, with: WireInterface.manager.properties.map(\.name))
    }

    @Test("each property has a value of the type that is said of it") func types() async throws {
        let desk = try await ServiceFixture()
        let app = try await SessionApplication(in: desk.sandbox)
        let path = try await waitUntil("the service") { try? await app.open() }
        for (path, interface) in [(path, WireInterface.session), (SessionApplication.manager, .manager)] {
            let words = ["--address=\(desk.sandbox.busAddress)", "--json=short", "call", "org.AudioSession1", path]
            let all = [WireInterface.properties.name, "GetAll", "s", interface.name]
            let answer = try await desk.sandbox.run(Invocation("busctl", words + all))
            let json = try JSONDecoder().decode(Answer.self, from: answer)
            let types = json.data.first?.mapValues { $0.type } ?? [:]
            for property in interface.properties {
                #expect(types[property.name] == property.signature, "\(property.name)")
            }
        }
        await desk.stop()
    }

    /// An answer to `GetAll`, as busctl prints it.
    private struct Answer: Decodable {
        struct Value: Decodable { var type: String }
        var data: [[String: Value]]
    }

    @Test("each property that can be set has who sets it") func setters() {
        let settable = WireInterface.manager.properties.filter(\.isWritable)
        compare(Switch.allCases.filter(\.canBeSet).map(\.property), with: settable.map(\.name))
        #expect(settable.allSatisfy { $0.signature == "b" })
        #expect(WireInterface.session.properties.allSatisfy { !$0.isWritable })
    }

    @Test("each method has a body, and each body a method") func methods() {
        compare(Array(SessionObject.methods.keys), with: WireInterface.session.methods.map(\.name))
        compare(Array(ManagerObject.methods.keys), with: WireInterface.manager.methods.map(\.name))
    }

    @Test("N20 a session obeys its owner only, and nobody owns the manager") func owners() {
        #expect(WireInterface.session.methods.allSatisfy { $0.access == .owner })
        #expect(WireInterface.manager.methods.allSatisfy { $0.access != .owner })
    }

    /// Names what only one of two tables has.
    private func compare(_ rows: [String], with described: [String]) {
        #expect(Set(rows).count == rows.count, "one of \(rows) is there twice")
        for name in described { #expect(rows.contains(name), "Sources/BusService has nothing for \(name)") }
        for name in rows { #expect(described.contains(name), "Sources/BusInterface does not describe \(name)") }
    }
}
