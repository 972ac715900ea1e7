import Foundation
import ServiceFixture
import TestKit
import Testing

@testable import AudioSession

/// The service and the bus come and go, hang, or were never there; sessions are closed at any moment.
@Suite(.timeLimit(.minutes(10))) struct LossTests {
    @Test(
        "R82 a service or a bus that dies and returns is lost and reset, and the session is set up again",
        arguments: ["service", "bus"])
    func lossAndReset(what: String) async throws {
        try await withStage { stage in
            let session = try await stage.session()
            try session.setCategory(.playAndRecord, mode: .voiceChat, options: [.mixWithOthers, .defaultToSpeaker])
            try session.setPreferredSampleRate(44100)
            try session.setPrefersNoInterruptionsFromSystemAlerts(true)
            try session.overrideOutputAudioPort(.speaker)
            try session.setActive(true)
            var events = session.events.makeAsyncIterator()
            func next() async -> AudioSession.Event? {
                while let event = await events.next() {
                    if case .routeChange = event { continue }
                    return event
                }
                return nil
            }
            if what == "bus" {
                try await stage.desk.restartBus()
            } else {
                try await stage.desk.stopService()
            }
            #expect(await next() == .mediaServices(.wereLost))
            #expect(await next() == .activation(.becameInactive(.mediaServicesLost)))
            if what == "service" {
                #expect(code { try session.setCategory(.ambient) } == .unspecified)
                #expect(code { _ = try session.isActive } == .unspecified)
                #expect(code { try session.setActive(true) } == .unspecified)
                #expect(session.category == .playAndRecord)
                stage.desk.startService()
            }
            #expect(await next() == .mediaServices(.wereReset))
            #expect(await next() == .activation(.becameActive))
            #expect(try session.property("Category", \.text) == "play-and-record")
            #expect(try session.property("Mode", \.text) == "voice-chat")
            #expect(
                try session.property("Options", \.elements)?.compactMap(\.text)
                    == ["mix-with-others", "default-to-speaker"])
            #expect(try session.property("OutputOverride", \.text) == "speaker")
            let preferences = try session.property("Preferences") { $0 }
            #expect(preferences["sample-rate"]?.number == 44100)
            #expect(preferences["no-interruptions-from-system-alerts"]?.truth == true)
        }
    }

    @Test("R82 what was deactivated without the service stays inactive, and a delayed activation is asked for again")
    func deactivatedMeanwhile() async throws {
        try await withStage { stage in
            let session = try await stage.session()
            try session.setCategory(.playback)
            try session.setActive(true)
            var services = session.mediaServicesChanges.makeAsyncIterator()
            try await stage.desk.stopService()
            #expect(await services.next() == .wereLost)
            try session.setActive(false)
            stage.desk.startService()
            #expect(await services.next() == .wereReset)
            #expect(try !session.isActive)

            let application = try await SessionApplication(in: stage.desk.sandbox)
            _ = try await Call(application)
            let granted = Task { try await session.activate(options: .delayed) }
            try await session.wait(for: true, of: "ActivationDelayed") {
                try session.property("ActivationDelayed", \.truth)
            }
            // The call is over with the service.
            try await stage.desk.stopService()
            stage.desk.startService()
            #expect(try await granted.value)
            #expect(try session.isActive)
        }
    }

    @Test("R82 a session that cannot become active again is told of an interruption")
    func refusedAgain() async throws {
        try await withStage { stage in
            let session = try await stage.session()
            try session.setCategory(.playback)
            try session.setActive(true)
            var interruptions = session.interruptions.makeAsyncIterator()
            try await stage.desk.stopService()
            // A call that is heard before the service is on the bus.
            stage.desk.play(9, process: 4_000_000, role: "phone")
            stage.desk.startService()
            #expect(await interruptions.next() == .began(reason: .default, by: ""))
            #expect(try !session.isActive)
        }
    }

    @Test("R82 an interruption ends with the service that began it, and the session stays inactive")
    func interruptedMeanwhile() async throws {
        try await withStage { stage in
            let session = try await stage.session()
            try session.setCategory(.playback)
            try session.setActive(true)
            var events = session.events.makeAsyncIterator()
            _ = try await Call(SessionApplication(in: stage.desk.sandbox))
            guard case .interruption(.began) = await events.next() else {
                Issue.record("no beginning")
                return
            }
            #expect(await events.next() == .activation(.becameInactive(.interruption(.default))))
            try await stage.desk.stopService()
            stage.desk.startService()
            #expect(await events.next() == .mediaServices(.wereLost))
            #expect(await events.next() == .mediaServices(.wereReset))
            #expect(await events.next() == .interruption(.ended([])))
            #expect(try !session.isActive)
        }
    }

    @Test("R12 R82 an interruption outlives the service's connection, and its end says whether to resume")
    func interruptedAcrossLoss() async throws {
        try await withStage { stage in
            let session = try await stage.session()
            try session.setCategory(.playback)
            try session.setActive(true)
            var events = session.events.makeAsyncIterator()
            let call = try await Call(SessionApplication(in: stage.desk.sandbox))
            guard case .interruption(.began) = await events.next() else {
                Issue.record("no beginning")
                return
            }
            #expect(await events.next() == .activation(.becameInactive(.interruption(.default))))
            stage.desk.loseConnection()
            #expect(await events.next() == .mediaServices(.wereLost))
            #expect(await events.next() == .mediaServices(.wereReset))
            try await call.end()
            #expect(await events.next() == .interruption(.ended([.shouldResume])))
        }
    }

    @Test("without a bus or a service calls fail at once, and work when it comes")
    func absent() async throws {
        let sandbox = try Sandbox()
        let session = AudioSession(displayName: nil, streams: .process, bus: .custom(sandbox.busAddress))
        #expect(code { try session.setActive(true) } == .initializationTimedOut)
        #expect(code { _ = try session.currentRoute } == .initializationTimedOut)
        await #expect(throws: AudioSessionError.self) { try await session.activate(options: .delayed) }
        await sandbox.stop()
        try await withStage { stage in
            try await stage.desk.stopService()
            let session = AudioSession(displayName: nil, streams: .process, bus: .custom(stage.desk.sandbox.busAddress))
            var services = session.mediaServicesChanges.makeAsyncIterator()
            #expect(code { try session.setActive(true) } == .initializationTimedOut)
            stage.desk.startService()
            #expect(await services.next() == .wereReset)
            try session.setActive(true)
        }
    }

    @Test("a service that does not answer lets no call wait longer than the limit, and is lost until it answers")
    func hanging() async throws {
        try await withStage { stage in
            let session = try await stage.session()
            var services = session.mediaServicesChanges.makeAsyncIterator()
            let gate = DispatchSemaphore(value: 0)
            let (hangs, hanging) = AsyncStream.makeStream(of: Void.self)
            stage.desk.perform { _, _ in
                hanging.finish()
                gate.wait()
            }
            for await _ in hangs {}
            let start = ContinuousClock.now
            let error = await thrownAsynchronously(AudioSessionError.self) { try await session.activate() }
            #expect(error?.code == .unspecified)
            #expect(ContinuousClock.now - start >= .seconds(5))
            #expect(await services.next() == .wereLost)
            // The service still hangs, also when the session is opened on the next connection, and the one after it.
            var names = try stage.connections()
            let count = names.count
            _ = try await waitUntil("two more connections") {
                names.formUnion(try stage.connections())
                return names.count >= count + 2 ? true : nil
            }
            #expect(code { try session.setCategory(.playback) } == .unspecified)
            gate.signal()
            #expect(await services.next() == .wereReset)
            // The late activation was none of this session.
            #expect(try !session.isActive)
            try session.setActive(true)
            let application = try await SessionApplication(in: stage.desk.sandbox)
            _ = try await waitUntil("the end of former sessions") {
                try await application.manager("ListSessions").elements.count == 1 ? true : nil
            }
        }
    }

    @Test("a session can be closed inside an event and from many threads, and fails afterwards")
    func closing() async throws {
        try await withStage { stage in
            let session = try await stage.session()
            let application = try await SessionApplication(in: stage.desk.sandbox)
            try session.setActive(true)
            let reader = Task { [interruptions = session.interruptions] in
                var count = 0
                for await _ in interruptions {
                    count += 1
                    session.close()
                }
                return count
            }
            _ = try await Call(application)
            #expect(await reader.value == 1)
            #expect(code { try session.setActive(true) } == .notInitialized)

            for _ in 0..<20 {
                let session = AudioSession(
                    displayName: nil, streams: .process, bus: .custom(stage.desk.sandbox.busAddress))
                let codes = await withTaskGroup(of: AudioSessionError.Code?.self) { group in
                    for number in 0..<8 {
                        group.addTask {
                            do throws(AudioSessionError) {
                                if number == 5 { session.close() }
                                if number % 2 == 0 { _ = try session.currentRoute }
                                _ = try await session.activate(options: .delayed)
                                return nil
                            } catch {
                                return error.code
                            }
                        }
                    }
                    return await group.reduce(into: Set()) { $0.insert($1) }
                }
                #expect(codes.subtracting([nil, .notInitialized]).isEmpty)
            }
            try await noSessions(application)
        }
    }

    @Test("a released session is closed, and its sequences end")
    func releasing() async throws {
        try await withStage { stage in
            let application = try await SessionApplication(in: stage.desk.sandbox)
            var session: AudioSession? = try await stage.session()
            let events = try #require(session?.events)
            #expect(try await application.manager("ListSessions").elements.count == 1)
            session = nil
            for await _ in events {}
            try await noSessions(application)
        }
    }

    private func noSessions(_ application: SessionApplication) async throws {
        _ = try await waitUntil("the end of all sessions") {
            let sessions = try await application.manager("ListSessions").elements
            return sessions.allSatisfy { $0["path"]?.text == "" } ? true : nil
        }
    }
}
