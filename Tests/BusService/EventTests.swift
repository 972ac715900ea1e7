import Foundation
import ServiceFixture
import TestKit
import Testing

/// What subscribers are told of.
@Suite struct EventTests {
    @Test("R27 events of one turn are sent in the order in which they happened")
    func eventsOfOneTurnAreSentInOrder() async throws {
        let desk = try await ServiceFixture()
        let shell = try await SessionApplication("shell", in: desk.sandbox)
        let first = try await waitUntil("the service") { try? await shell.open() }
        let other = try await SessionApplication("other", in: desk.sandbox)
        let second = try await other.open()
        for (application, session) in [(shell, first), (other, second)] {
            try await application.session(session, "SetCategory", #""playback""#, "[]", #""""#)
        }
        try await shell.session(first, "Activate", "[]")
        try await shell.manager("Subscribe")
        try await other.session(second, "Activate", "[]")
        try await other.session(second, "Deactivate", #"["notify-others"]"#)
        try await shell.process.log.wait(forLineContaining: #""interruption-ended""#)
        // "Event TIME "KIND" {"id": NUMBER, …".
        let events = shell.signals.compactMap { $0.firstMatch(of: /^Event \d+ "([^"]+)" {"id": (\d)/) }
        #expect(
            events.map { "\($0.1) \($0.2)" } == [
                "session-changed 2", "session-changed 1", "interruption-began 1",
                "session-changed 2", "interruption-ended 1",
            ])
        await desk.stop()
    }

    @Test("a session that is opened, and one that is closed, are events, with what they are")
    func sessionsOpenAndClose() async throws {
        let desk = try await ServiceFixture()
        let shell = try await SessionApplication("shell", in: desk.sandbox)
        _ = try await waitUntil("the service") { try? await shell.open() }
        try await shell.manager("Subscribe")
        let other = try await SessionApplication("other", in: desk.sandbox)
        let session = try await other.open()
        try await other.session(session, "Close")
        try await shell.process.log.wait(forLineContaining: #""session-closed""#)
        let events = shell.signals.compactMap {
            $0.firstMatch(of: /^Event \d+ "([^"]+)" {"id": (\d), "path": "([^"]+)"/)
        }
        #expect(events.map { "\($0.1) \($0.3)" } == ["session-opened \(session)", "session-closed \(session)"])
        await desk.stop()
    }
}
