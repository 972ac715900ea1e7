import BusInterface
import DBus
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

    @Test("R30 who activates is told first that its interruption is over, however many others are told meanwhile")
    func endBeforeAnswer() async throws {
        let desk = try await ServiceFixture()
        let count = 40
        let news = try activateInTurn(count, in: desk)
        // Each has silenced the one before it, all of which has happened before the first answer to the second round.
        for number in 0..<count - 1 {
            let end = try #require(news.firstIndex(of: "\(number) InterruptionEnded"))
            let answer = try #require(news.firstIndex(of: "\(number) answered"))
            #expect(end < answer, "session \(number)")
        }
        await desk.stop()
    }

    /// Opens sessions that play alone and activates each, then each again, without waiting for answers.
    ///
    /// - Returns: What came in the second round, in that order.
    private func activateInTurn(_ count: Int, in desk: ServiceFixture) throws -> [String] {
        let loop = PollLoop()
        let client = BusConnection(.custom(desk.sandbox.busAddress), loop: loop)
        client.open()
        defer { client.close() }
        var (paths, news): ([String], [String]) = ([], [])
        func call(_ path: String, _ interface: String, _ method: String, _ arguments: [WireValue]) throws -> [WireValue]
        {
            var answer: Result<[WireValue], WireError>?
            client.call(AudioSessionBus.name, path: path, interface: interface, method, arguments) { answer = $0 }
            try wait("the answer to \(method)") { answer != nil }
            return try answer?.get() ?? []
        }
        func wait(_ what: String, until isOver: () -> Bool) throws {
            let end = ContinuousClock.now + .seconds(120)
            while !isOver() {
                if ContinuousClock.now >= end { throw WaitFailure(awaited: what, evidence: "\(news)") }
                loop.runOnce(timeout: .milliseconds(20))
            }
        }
        let interface = AudioSessionBus.sessionInterface
        let ends = client.subscribe(MatchRule(interface: interface, member: "InterruptionEnded")) { signal in
            news.append("\(paths.firstIndex(of: signal.path) ?? -1) \(signal.member)")
        }
        defer { ends.cancel() }
        try wait("the service") {
            (try? call(AudioSessionBus.managerPath, AudioSessionBus.managerInterface, "ListSessions", [])) != nil
        }
        for _ in 0..<count {
            let answer = try call(
                AudioSessionBus.managerPath, AudioSessionBus.managerInterface, "OpenSession",
                [.dictionary(key: "s", value: "v", [])])
            paths.append(try #require(answer.first?.text))
            let category: [WireValue] = [.string("playback"), .array(of: "s", []), .string("")]
            _ = try call(paths.last ?? "", interface, "SetCategory", category)
            _ = try call(paths.last ?? "", interface, "Activate", [.array(of: "s", [])])
        }
        news = []
        // The service finds all calls at once.
        let (stopped, sent) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        desk.perform { _, _ in
            stopped.signal()
            sent.wait()
        }
        stopped.wait()
        for (number, path) in paths.enumerated().dropLast() {
            client.call(
                AudioSessionBus.name, path: path, interface: interface, "Activate", [.array(of: "s", [])]
            ) { _ in news.append("\(number) answered") }
        }
        // The bus has passed on what it answers after.
        var isPassedOn = false
        client.call(
            BusConnection.busName, path: "/org/freedesktop/DBus", interface: BusConnection.busName, "GetId", []
        ) { _ in isPassedOn = true }
        try wait("the bus") { isPassedOn }
        sent.signal()
        try wait("all answers") { news.count { $0.hasSuffix("answered") } == count - 1 }
        return news
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
