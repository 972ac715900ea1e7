import Foundation
import ServiceFixture
import TestKit
import Testing

/// Which streams belong to whose session.
@Suite struct MembershipTests {
    @Test(
        "R1 R79 R80 R82 streams join the session of their process, of one above it, of their sandbox, or the one they name"
    )
    func joining() async throws {
        let desk = try await ServiceFixture()
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
        // Who is in a sandbox sees only what is its own (N20).
        let shell = try await SessionApplication("shell", in: desk.sandbox)
        let streams = try await waitUntil("the streams") {
            let streams = try await shell.manager("ListStreams").elements
            return streams.count == 7 ? streams : nil
        }
        let sessions = try await shell.manager("ListSessions").elements
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
        let left = try await shell.manager("ListSessions").elements
        // The sandbox, the process outside of it, and the other sandbox.
        #expect(left.count == 3 && left.allSatisfy { $0["kind"]?.text == "implicit" })
        await desk.stop()
    }

    @Test("N12 a stream that the policy leaves alone is explained, with the line of the policy that says so")
    func leftAloneIsExplained() async throws {
        let desk = try await ServiceFixture()
        let app = try await SessionApplication(in: desk.sandbox)
        _ = try await waitUntil("the service") { try? await app.open() }
        try desk.change(to: "roles = {\n    music = none\n}\n")
        desk.play(7, process: UInt32(app.process.processID), role: "music")
        let text = try await waitUntil("the stream") {
            try? await app.manager("Explain", #""7""#).elements.first?.text
        }
        #expect(
            text.hasPrefix("stream 7 of ") && text.contains(" is left alone; its media.role is music: "), "\(text)"
        )
        #expect(text.contains(".conf:2:"), "\(text)")
        let streams = try await app.manager("ListStreams").elements
        #expect(!streams.contains { $0["id"]?.number == 7 })
        let record = try #require(try await app.manager("ListLeftAlone").elements.first)
        #expect(record["id"]?.number == 7)
        let why = record["left-alone"]?.text ?? ""
        #expect(why.hasPrefix("its media.role is music: it is left alone (") && why.contains(".conf:2:"), "\(why)")
        #expect(record["known-by"]?.elements.first?.text?.hasPrefix("application.process.binary=") == true)
        await desk.stop()
    }

    @Test(
        "R26 R66 R76 R79 what is left alone for want of a role joins its application's session, and is left alone after it"
    )
    func leftAlone() async throws {
        let desk = try await ServiceFixture()
        let app = try await SessionApplication(in: desk.sandbox)
        let owner = UInt32(app.process.processID)
        desk.play(1, process: owner, isCapture: true, role: nil)
        desk.play(2, process: 9000, isCapture: true, role: nil)
        desk.play(3, process: owner, isCapture: true, role: "production")
        desk.play(4, process: owner)
        _ = try await waitUntil("the service") { try? await app.manager("ListStreams") }
        try await app.wait(forStreams: [4])

        // It was there before the session.
        let session = try await app.open()
        try await app.wait(forStreams: [1, 4])
        let recording = try #require(try await app.manager("ListStreams").elements.first)
        #expect(recording["description"]?.text == "untagged-capture")
        #expect(recording["wanted"]?.bool == true && recording["running"]?.bool == true)
        let explanation = try await app.manager("Explain", #""1""#).elements.first?.text ?? ""
        #expect(explanation.hasSuffix("as untagged-capture is; but it is part of its application's session"))
        try await app.session(session, "SetCategory", #""record""#, "[]", #""""#)
        #expect(try await app.get(session, "Active").bool == true)
        try await app.session(session, "SetPreference", #""input-gain""#, "0.5")
        #expect(try await app.get(session, "InputGain").number == 0.5)
        try await app.session(session, "Deactivate", "[]")
        _ = try await waitUntil("both to be silent") { desk.silent.withLock { $0.count == 2 } ? true : nil }

        // It comes after the session, and another session takes over from that.
        desk.play(5, process: owner, isCapture: true, role: nil)
        try await app.wait(forStreams: [1, 4, 5])
        let other = try await app.open()
        try await app.session(session, "Close")
        try await app.wait(forStreams: [1, 4, 5])
        let sessions = try await app.manager("ListSessions").elements
        #expect(sessions.first { $0["path"]?.text == other }?["streams"]?.elements.count == 3)
        _ = try await waitUntil("none to be silent") { desk.silent.withLock { $0.isEmpty } ? true : nil }
        try await app.session(other, "Deactivate", "[]")
        _ = try await waitUntil("all to be silent") { desk.silent.withLock { $0.count == 3 } ? true : nil }
        try await app.session(other, "Close")
        try await app.wait(forStreams: [4])
        _ = try await waitUntil("none to be silent") { desk.silent.withLock { $0.isEmpty } ? true : nil }
        await desk.stop()
    }

    @Test("R12 R79 another policy changes what is left alone, but by a rule only in a session")
    func leftAloneByPolicies() async throws {
        let desk = try await ServiceFixture()
        let app = try await SessionApplication(in: desk.sandbox)
        let owner = UInt32(app.process.processID)
        let session = try await waitUntil("the service") { try? await app.open() }
        desk.play(1, process: owner, isCapture: true, role: nil)
        desk.play(2, process: 9000, isCapture: true, role: nil)
        desk.play(3, process: owner, isCapture: true, role: "production")
        try await app.wait(forStreams: [1])
        try desk.change(to: "roles = { production = { category = record } }")
        try await app.wait(forStreams: [1, 3])
        try desk.change(to: "untagged-capture = { category = record }")
        try await app.wait(forStreams: [1, 2])
        try desk.change(
            to: """
                rules = [ { matches = [ { application.process.binary = program-1 } ]
                            actions = { update-session = { role = none } } } ]
                """)
        try await app.wait(forStreams: [])
        try desk.change(to: "")
        try await app.wait(forStreams: [1])
        #expect(
            try await app.manager("ListSessions").elements.first { $0["path"]?.text == session }?["streams"]?.elements
                .count == 1)
        await desk.stop()
    }
}

extension SessionApplication {
    /// Waits until these are all streams that the policy does not leave alone.
    func wait(forStreams expected: [Double]) async throws {
        var last: [Double?] = []
        _ = try await waitUntil("the streams \(expected)", evidence: { "last \(last)" }) {
            last = try await manager("ListStreams").elements.map { $0["id"]?.number }
            return last == expected ? true : nil
        }
    }
}
