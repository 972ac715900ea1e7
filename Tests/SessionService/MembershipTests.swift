import Foundation
import SessionTestKit
import Testing

/// Which streams belong to whose session.
@Suite struct MembershipTests {
    @Test(
        "R1 R79 R80 R82 streams join the session of their process, of one above it, of their sandbox, or the one they name"
    )
    func joining() async throws {
        let desk = try await ServiceDesk()
        let app = try await SessionApplication(in: desk.sandbox)
        let owner = UInt32(app.process.processID)
        desk.tree.parents.withLock { $0 = [7001: 7000, 7000: owner, 8001: 8000] }
        desk.tree.sandboxes.withLock { $0 = [owner: "org.example.Player", 8000: "org.example.Player", 9000: "other"] }
        let whole = try await waitUntil("the service") { try? await app.open() }
        let tagged = try await app.open(#"{"streams": "tagged"}"#)
        let number = try #require(tagged.split(separator: "/").last)
        desk.play(1, process: owner)
        desk.play(2, process: 7001)
        desk.play(3, process: 8000)
        desk.play(4, process: 12345, portal: "org.example.Player")
        desk.play(5, process: 9000)
        desk.play(6, process: owner, tag: String(number))
        // The name alone is not enough: it has to be the application's own.
        desk.play(7, process: 9000, tag: String(number))
        let streams = try await waitUntil("the streams") {
            let streams = try await app.manager("ListStreams").elements
            return streams.count == 7 ? streams : nil
        }
        let sessions = try await app.manager("ListSessions").elements
        func path(ofStream id: Double) -> String? {
            let session = streams.first { $0["id"]?.number == id }?["session"]?.number
            return sessions.first { $0["id"]?.number == session }?["path"]?.text
        }
        #expect([1, 2, 3, 4].map { path(ofStream: $0) } == [whole, whole, whole, whole])
        #expect([5, 7].map { path(ofStream: $0) } == ["", ""])
        #expect(path(ofStream: 6) == tagged)
        // What is left of a closed session goes to another one of the same process, or back to its application.
        try await app.session(tagged, "Close")
        try await app.session(whole, "Close")
        let left = try await app.manager("ListSessions").elements
        #expect(left.count == 7 && left.allSatisfy { $0["kind"]?.text == "implicit" })
        await desk.stop()
    }
}
