import PolicyEngine
import Testing

@testable import BusService

/// What waits to be told of a session when very many are to be told of something.
@Suite struct NoticeTests {
    private func told(_ kinds: [Notice.Kind]) -> [Notice.Kind] {
        var notices = Notices()
        for kind in kinds { notices.add(Notice(kind: kind, state: nil)) }
        let result = notices.removeAll().map(\.kind)
        #expect(notices.isEmpty)
        return result
    }

    private let began = Notice.Kind.began(reason: .default, by: "telephone")
    private let ended = Notice.Kind.ended(shouldResume: true)

    @Test("all of it is told, in its order") func allOfItIsToldInItsOrder() {
        #expect(told([.stateChanged, began, .granted]) == [.stateChanged, began, .granted])
        #expect(told([ended, .stateChanged, began]) == [ended, .stateChanged, began])
    }

    @Test("R33 what was over before anybody was told of it is not told")
    func whatWasOverBeforeAnybodyWasToldOfItIsNotTold() {
        #expect(told([began, ended]) == [.stateChanged])
        #expect(told([began, .stateChanged, ended, began]) == [.stateChanged, began])
    }

    @Test("however often something changes, not much waits") func howeverOftenSomethingChangesNotMuchWaits() {
        #expect(told(Array(repeating: .stateChanged, count: 1_000)) == [.stateChanged])
        let flips = (0..<1_000).flatMap { _ in [began, .stateChanged, ended, .stateChanged] }
        #expect(told(flips) == [.stateChanged])
        #expect(told([ended] + flips).count <= 3)
    }

    @Test("what it was last is what is shown") func whatItWasLastIsWhatIsShown() {
        var notices = Notices()
        var state = SessionState()
        notices.add(Notice(kind: .stateChanged, state: state))
        state.isActive = true
        notices.add(Notice(kind: .stateChanged, state: state))
        #expect(notices.removeAll() == [Notice(kind: .stateChanged, state: state)])
    }
}
