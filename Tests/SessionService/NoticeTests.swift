import SessionCore
import Testing

@testable import SessionService

/// What waits to be told of a session when very many are to be told of something.
@Suite struct NoticeTests {
    private func told(_ kinds: [Notice.Kind]) -> [Notice.Kind] {
        var notices = Notices()
        for kind in kinds { notices.add(Notice(kind: kind, state: nil)) }
        let result = notices.take().map(\.kind)
        #expect(notices.isEmpty)
        return result
    }

    private let began = Notice.Kind.began(reason: .default, by: "telephone")
    private let ended = Notice.Kind.ended(shouldResume: true)

    @Test func `all of it is told, in its order`() {
        #expect(told([.shown, began, .granted]) == [.shown, began, .granted])
        #expect(told([ended, .shown, began]) == [ended, .shown, began])
    }

    @Test func `R33 what was over before anybody was told of it is not told`() {
        #expect(told([began, ended]) == [.shown])
        #expect(told([began, .shown, ended, began]) == [.shown, began])
    }

    @Test func `however often something changes, not much waits`() {
        #expect(told(Array(repeating: .shown, count: 1_000)) == [.shown])
        let flips = (0..<1_000).flatMap { _ in [began, .shown, ended, .shown] }
        #expect(told(flips) == [.shown])
        #expect(told([ended] + flips).count <= 3)
    }

    @Test func `what it was last is what is shown`() {
        var notices = Notices()
        var state = SessionState()
        notices.add(Notice(kind: .shown, state: state))
        state.isActive = true
        notices.add(Notice(kind: .shown, state: state))
        #expect(notices.take() == [Notice(kind: .shown, state: state)])
    }
}
