import Foundation
import ServiceFixture
import TestKit
import Testing

/// What becomes of sessions while the service has no connection to the bus (R12).
@Suite(.timeLimit(.minutes(10))) struct KeptSessionTests {
    /// Loses the service's connection, and does something before it makes another one.
    private func lose(_ desk: ServiceFixture, then body: () async throws -> Void = {}) async throws {
        let former = try await name(in: desk)
        desk.loseConnection()
        try await body()
        _ = try await waitUntil("another connection") { try await name(in: desk) == former ? nil : true }
    }

    /// The unique name under which the service has its name.
    private func name(in desk: ServiceFixture) async throws -> String {
        try await waitUntil("the service") {
            let words = ["--address=\(desk.sandbox.busAddress)", "--user", "status", "org.AudioSession1"]
            let text = try? await desk.sandbox.run(Invocation("busctl", words))
            return text.flatMap { String(decoding: $0, as: UTF8.self).firstMatch(of: /UniqueName=(.*)/)?.1 }.map {
                "\($0)"
            }
        }
    }

    private func paths(_ application: SessionApplication) async throws -> Set<String> {
        Set(try await application.manager("ListSessions").elements.compactMap { $0["path"]?.text })
    }

    @Test("R12 whose connection is still there finds its sessions as they were, and its calls and signals go on")
    func connectionLost() async throws {
        // However long the bus takes to say so.
        let desk = try await ServiceFixture(patience: .seconds(3600))
        let application = try await SessionApplication(in: desk.sandbox)
        let other = try await SessionApplication("other", in: desk.sandbox)
        let first = try await waitUntil("the service") { try? await application.open() }
        let second = try await application.open(#"{"display-name": "Second"}"#)
        try await application.session(first, "SetCategory", #""playback""#, #"["duck-others"]"#, #""""#)
        try await application.session(first, "Activate", "[]")
        let kept = try await paths(application)
        try await lose(desk)
        #expect(try await paths(application) == kept)
        #expect(try await application.get(first, "Active").bool == true)
        #expect(try await application.get(first, "Category").text == "playback")
        await #expect(throws: SessionApplication.Failure.self) { try await other.session(first, "Deactivate", "[]") }
        // Opened anew, as a library does it, the second one is found; opened again, it is another one.
        #expect(try await application.open(#"{"display-name": "Second"}"#) == second)
        let third = try await application.open(#"{"display-name": "Second"}"#)
        #expect(!kept.contains(third))
        let call = try await other.manager("BeginInterruption", #""phone""#, "{}")
        try await application.hear("InterruptionBegan")
        _ = try await other.manager("EndInterruption", "\(call.number ?? 0)")
        try await application.hear("InterruptionEnded")
        await desk.stop()
    }

    @Test("R12 who has gone while nobody could see it has no sessions any more")
    func goneMeanwhile() async throws {
        let desk = try await ServiceFixture()
        let application = try await SessionApplication(in: desk.sandbox)
        let other = try await SessionApplication("other", in: desk.sandbox)
        let path = try await waitUntil("the service") { try? await application.open() }
        #expect(try await paths(other) == [path])
        try await lose(desk) {
            application.process.signal(SIGKILL)
            _ = try await application.process.waitForExit()
        }
        _ = try await waitUntil("the end of its session") { try await paths(other).isEmpty ? true : nil }
        await desk.stop()
    }

    @Test("R12 on another bus nobody gets a session by its name: not who has the owner's former one, and it ends")
    func anotherBus() async throws {
        let desk = try await ServiceFixture()
        let application = try await SessionApplication(in: desk.sandbox)
        let path = try await waitUntil("the service") { try? await application.open() }
        try await application.session(path, "Activate", "[]")
        try await desk.restartBus()
        // Names are given anew, in order, so one of these has the owner's.
        var strangers: [SessionApplication] = []
        for number in 0..<4 {
            let stranger = try await SessionApplication("stranger-\(number)", in: desk.sandbox)
            _ = try await name(in: desk)
            await #expect(throws: SessionApplication.Failure.self, "stranger \(number)") {
                try await stranger.session(path, "Deactivate", "[]")
            }
            #expect(try await stranger.open() != path)
            strangers.append(stranger)
        }
        _ = try await waitUntil("the end of the session") { try await paths(strangers[0]).contains(path) ? nil : true }
        await desk.stop()
    }
}
