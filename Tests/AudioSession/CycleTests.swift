import ServiceFixture
import TestKit
import Testing

@testable import AudioSession

/// Sessions that come and go.
@Suite(.timeLimit(.minutes(10))) struct CycleTests {
    /// The objects of a session. They go when it is closed and its thread has ended.
    private struct Objects {
        weak var session: AudioSession?
        weak var worker: Worker?
        weak var feed: EventFeed?
        weak var bell: Doorbell?

        init(of session: AudioSession) {
            self.session = session
            worker = session.worker
            feed = session.worker.feed
            bell = session.worker.bell
        }

        var areGone: Bool { session == nil && worker == nil && feed == nil && bell == nil }
    }

    @Test("R7 R12 sessions that are opened, activated, interrupted and closed leave nothing behind")
    func nothingRemains() async throws {
        try await withStage { stage in
            let application = try await SessionApplication(in: stage.desk.sandbox)
            let connections = try stage.connections().count
            // After so many lives and after three times as many, as much is there as before.
            for lives in [5, 10] {
                var all: [Objects] = []
                for _ in 0..<lives { all.append(try await live(stage, application)) }
                _ = try await waitUntil("the end of all objects") { all.allSatisfy(\.areGone) ? true : nil }
                _ = try await waitUntil("the end of all connections") {
                    try stage.connections().count == connections ? true : nil
                }
                #expect(try await application.manager("ListSessions").elements.allSatisfy { $0["path"]?.text == "" })
            }
        }
    }

    /// Opens a session, has it interrupted, and closes it.
    private func live(_ stage: Stage, _ application: SessionApplication) async throws -> Objects {
        let session = try await stage.session()
        var interruptions = session.interruptions.makeAsyncIterator()
        try session.setCategory(.playback)
        try session.setActive(true)
        let call = try await Call(application)
        guard case .began = await interruptions.next() else { throw Unheard() }
        try await call.end()
        guard case .ended = await interruptions.next() else { throw Unheard() }
        session.close()
        return Objects(of: session)
    }

    /// An interruption has not begun or ended when it should.
    private struct Unheard: Error {}
}
