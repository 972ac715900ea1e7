import Foundation
import ServiceFixture
import TestKit
import Testing

/// What an application says of its session over the bus, and what it reads there.
@Suite struct ConfigurationTests {
    @Test("R39 R49 R51 Options are what was set, EffectiveOptions what is in effect; what is read can be set")
    func options() async throws {
        let desk = try await ServiceFixture()
        let app = try await SessionApplication(in: desk.sandbox)
        let session = try await waitUntil("the service") { try? await app.open() }
        func words(_ property: String) async throws -> [String] {
            try await app.get(session, property).elements.compactMap(\.text)
        }
        func set(_ category: String, _ options: [String], _ mode: String) async throws {
            let list = "[" + options.map { "\"\($0)\"" }.joined(separator: ", ") + "]"
            try await app.session(session, "SetCategory", "\"\(category)\"", list, "\"\(mode)\"")
        }
        for (category, options, mode, inEffect) in [
            ("solo-ambient", ["duck-others"], "default", ["mix-with-others", "duck-others"]),
            ("playback", ["interrupt-spoken-audio"], "", ["mix-with-others", "interrupt-spoken-audio"]),
            ("ambient", ["duck-others"], "", ["duck-others"]),
            ("play-and-record", [], "voice-chat", ["allow-bluetooth-input"]),
            ("playback", [], "", []),
        ] as [(String, [String], String, [String])] {
            try await set(category, options, mode)
            #expect(try await words("Options") == options, "\(category)")
            #expect(try await words("EffectiveOptions") == inEffect, "\(category)")
            let read = try await app.get(session, "Mode").text ?? ""
            try await set(category, try await words("Options"), read)
            #expect(try await words("Options") == options, "\(category)")
        }
        // A change of either is told.
        for change in [#"Options ["duck-others"]"#, #"EffectiveOptions ["allow-bluetooth-input"]"#] {
            try await app.process.log.wait(forLineContaining: "changed \(change)")
        }
        await desk.stop()
    }

    @Test(
        "N25 a session asks to be interrupted when its route is disconnected, or not to be, and leaves it to the policy"
    )
    func routeDisconnect() async throws {
        let desk = try await ServiceFixture()
        let app = try await SessionApplication(in: desk.sandbox)
        let session = try await waitUntil("the service") { try? await app.open() }
        let name = "interruption-on-route-disconnect"
        func prefer(_ value: String) async throws {
            try await app.session(session, "SetPreference", "\"\(name)\"", value)
        }
        func shown() async throws -> Bool? { try await app.get(session, "Preferences")[name]?.bool }
        #expect(try await shown() == nil)
        for (value, expected) in [("true", true), ("false", false), (#""""#, nil), ("false", false)]
            as [(String, Bool?)]
        {
            try await prefer(value)
            #expect(try await shown() == expected, "\(value)")
        }
        for value in ["1", "0.0", #""no""#] {
            await #expect(throws: SessionApplication.Failure.self) { try await prefer(value) }
        }
        #expect(try await shown() == false)
        try await app.process.log.wait(forLineContaining: #""interruption-on-route-disconnect": true"#)
        await desk.stop()
    }
}
