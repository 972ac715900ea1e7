import Foundation
import TestKit
import Testing

/// What applications and people are told of the route in a real server.
extension LiveModule {
    @Test(
        "R56 R58 R60 R66 R78 when the headphones go, listeners are told what was in use, what is, and why; each one once"
    )
    func routeIsTold() async throws {
        try await LiveDesktop.run(options: { $0.routeVolume = 1 }) { desk in
            let card = try await desk.card(.laptop)
            let app = try await desk.application()
            let session = try await app.open()
            try await app.session(session, "SetCategory", #""playback""#, "[]", #""""#)
            func outputs(_ path: String, _ property: String) async throws -> [String] {
                let value = try await app.get(path, property)
                return (value["outputs"] ?? value).elements.compactMap { $0["type"]?.text }
            }
            func expect(_ type: String, after count: Int) async throws {
                _ = try await waitUntil("the \(type) in use", evidence: { app.process.log.tail() }) {
                    try await outputs(session, "CurrentRoute") == [type]
                        && app.signals.count { $0.hasPrefix("RouteChanged") } >= count ? true : nil
                }
            }
            try await desk.log.wait(forLineContaining: "route: Headphones")
            try await expect("Headphones", after: 0)
            #expect(try await outputs(SessionApplication.manager, "AvailableOutputs").contains("Headphones"))
            #expect(
                try await app.get(SessionApplication.manager, "CurrentRoute")["inputs"]?.elements.count == 1)
            #expect(try await app.get(session, "CurrentRoute")["inputs"]?.elements.isEmpty == true)
            let before = app.signals.count
            try await card.unplug("headphones")
            try await expect("BuiltInSpeaker", after: 2)
            #expect(try await outputs(SessionApplication.manager, "AvailableOutputs").contains("Headphones") == false)
            // Time in which another one would come.
            try await desk.capture.record(.seconds(1))
            let pulled = app.signals.dropFirst(before).filter { $0.hasPrefix("RouteChanged") }
            #expect(pulled.count == 2 && pulled.allSatisfy { $0.hasPrefix("RouteChanged 2 ") }, "\(pulled)")
            let status = try await desk.command("status")
            #expect(status.contains("\nOutput "), "\(status)")
            let table = try await desk.command("route").split(separator: "\n")
            #expect(table.contains { $0.hasPrefix("*  output     BuiltInSpeaker") }, "\(table)")
            #expect(table.contains { $0.hasPrefix("*  input ") }, "\(table)")
            try await card.plug("headphones")
            try await expect("Headphones", after: 4)
            try await desk.capture.record(.seconds(1))
            let plugged = app.signals.dropFirst(before).filter { $0.hasPrefix("RouteChanged") }.suffix(2)
            #expect(plugged.count == 2 && plugged.allSatisfy { $0.hasPrefix("RouteChanged 1 ") }, "\(plugged)")
        }
    }
}
