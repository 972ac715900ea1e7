import Foundation
import ServiceFixture
import TestKit
import Testing

/// What the records of sessions and streams say while something goes on.
@Suite struct RecordTests {
    @Test("R37 the record of a stream that fades says where it is, and how long it still takes")
    func recordOfFadingStream() async throws {
        let desk = try await ServiceFixture()
        let shell = try await SessionApplication("shell", in: desk.sandbox)
        func stream(_ id: Double) async throws -> (gain: Double?, now: Double?, rest: Double)? {
            let streams = try await shell.manager("ListStreams").elements
            guard let found = streams.first(where: { $0["id"]?.number == id }) else { return nil }
            return (found["gain"]?.number, found["gain-now"]?.number, found["fade-remaining"]?.number ?? -1)
        }
        // A fade that is soon over, and one that no test waits for.
        try desk.change(to: "roles = { navigation = { duck = { gain = -20 attack = 10 } } }")
        desk.play(1, process: 100)
        let free = try await waitUntil("the stream") { try? await stream(1) }
        #expect(free.now == 0 && free.rest == 0)
        desk.play(2, process: 200, role: "navigation")
        let lowered = try await waitUntil("the end of the first fade") {
            let found = try await stream(1)
            return found.flatMap { $0.rest == 0 && $0.now == -20 ? $0 : nil }
        }
        #expect(lowered.gain == -20)
        try desk.change(to: "roles = { navigation = { duck = { gain = -40 attack = \"60 s\" } } }")
        let fading = try await waitUntil("the second fade") {
            let found = try await stream(1)
            return found.flatMap { $0.rest > 0 ? $0 : nil }
        }
        #expect(fading.gain == -40 && fading.now.map { $0 <= -20 && $0 > -40 } == true)
        let sessions = try await shell.manager("ListSessions").elements
        #expect(sessions.allSatisfy { $0["remaining"]?.number == 0 })
        await desk.stop()
    }
}
