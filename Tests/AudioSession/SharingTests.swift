import TestKit
import Testing

@testable import AudioSession

/// Two libraries in one process, which have one session.
@Suite(.timeLimit(.minutes(10))) struct SharingTests {
    @Test("R6 what one sets is in force for both, and both are told of everything")
    func sharing() async throws {
        try await withStage { stage in
            let first = try await stage.session(streams: .shared)
            try first.setCategory(.playback, options: .duckOthers)
            let second = try await stage.session(streams: .shared)
            #expect(try first.streamProperty == second.streamProperty)
            // It joins what there is, and does not set it anew.
            #expect(second.category == .playback && second.categoryOptions == .duckOthers)
            try second.setCategory(.playAndRecord, mode: .voiceChat)
            try second.setPreferredSampleRate(44100)
            try second.setInputGain(0.5)
            try await first.wait(for: .playAndRecord, of: "category") { first.category }
            try await first.wait(for: 0.5, of: "the gain") { first.preference { $0.inputGain } }
            #expect(first.mode == .voiceChat && first.categoryOptions == [] && first.preferredSampleRate == 44100)

            var heard = [first, second].map { $0.interruptions.makeAsyncIterator() }
            try first.setActive(true)
            try await second.wait(for: true, of: "isActive") { try second.isActive }
            let call = try await Call(SessionApplication(in: stage.desk.sandbox))
            for index in heard.indices {
                guard case .began = await heard[index].next() else {
                    Issue.record("not told")
                    return
                }
            }
            try await call.end()
            for index in heard.indices { #expect(await heard[index].next() == .ended(.shouldResume)) }
            try second.setActive(true)
            try await first.wait(for: true, of: "isActive") { try first.isActive }

            // It is the other's as long as that is there.
            first.close()
            let observer = try await SessionApplication("observer", in: stage.desk.sandbox)
            func sessions() async throws -> Int { try await observer.manager("ListSessions").elements.count }
            try second.setMode(.voiceChat)
            #expect(try second.isActive)
            #expect(try await sessions() == 1)
            second.close()
            _ = try await waitUntil("no session") { try await sessions() == 0 ? true : nil }
        }
    }

    @Test("R6 R80 a session of its own is nobody else's, nor is that of another process")
    func separate() async throws {
        try await withStage { stage in
            let shared = try await stage.session(streams: .shared)
            let own = try await stage.session(streams: .process)
            #expect(try shared.streamProperty != own.streamProperty)
            let application = try await SessionApplication(in: stage.desk.sandbox)
            let other = try await application.manager("OpenSession", #"{"streams": "shared"}"#).text ?? ""
            #expect(try !other.hasSuffix("/" + shared.streamProperty.value))
            try shared.setCategory(.playback)
            #expect(own.category == .soloAmbient)
            #expect(try own.property("Category", \.text) == "solo-ambient")
        }
    }

    @Test("R6 R82 the session is shared again after the service was restarted")
    func restarted() async throws {
        try await withStage { stage in
            let sessions = [try await stage.session(streams: .shared), try await stage.session(streams: .shared)]
            try sessions[0].setCategory(.playback)
            try sessions[0].setActive(true)
            try await sessions[1].wait(for: .playback, of: "category") { sessions[1].category }
            var changes = sessions.map { $0.mediaServicesChanges.makeAsyncIterator() }
            try await stage.desk.stopService()
            for index in changes.indices { #expect(await changes[index].next() == .wereLost) }
            stage.desk.startService()
            for index in changes.indices { #expect(await changes[index].next() == .wereReset) }
            #expect(try sessions[0].streamProperty == sessions[1].streamProperty)
            for session in sessions {
                #expect(session.category == .playback)
                try await session.wait(for: true, of: "isActive") { try session.isActive }
            }
        }
    }
}
