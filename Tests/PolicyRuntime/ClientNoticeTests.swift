import PolicyEngine
import Testing

@testable import PolicyRuntime

/// What a stream's client is told, and when.
@Suite struct ClientNoticeTests {
    private let began = StreamInterruption.began(reason: .default, by: "phone")
    private let resume = StreamInterruption.ended(shouldResume: true)
    private let stay = StreamInterruption.ended(shouldResume: false)

    private func stopped(_ reason: Reason) -> Treatment { Treatment(silence: .cork, reason: reason) }

    private func notice(_ treatment: Treatment, after former: Treatment, mayResume: Bool = true) -> StreamInterruption?
    {
        ClientNotices.notice(of: treatment, after: former, actor: "phone", mayResume: mayResume)
    }

    @Test("N7 R33 an interruption begins when a stream is stopped by others, and ends when it is not any more")
    func beginsAndEnds() {
        #expect(notice(stopped(.interrupted), after: .untouched) == began)
        #expect(
            notice(stopped(.routeDisconnected), after: .untouched) == .began(reason: .routeDisconnected, by: "phone"))
        #expect(notice(stopped(.inputMuted), after: .untouched) == .began(reason: .deviceMuted, by: "phone"))
        #expect(notice(Treatment(silence: .pausePlayer, reason: .interrupted), after: .untouched) == began)
        #expect(notice(.untouched, after: stopped(.interrupted)) == resume)
    }

    @Test("R34 one whose session is not active afterwards resumes only if its application may activate it again")
    func inactive() {
        #expect(notice(stopped(.inactive), after: stopped(.interrupted)) == resume)
        #expect(notice(stopped(.inactive), after: stopped(.interrupted), mayResume: false) == stay)
    }

    @Test("R31 R33 one that was taken over is told once that it does not resume")
    func takenOver() {
        #expect(notice(stopped(.superseded), after: stopped(.interrupted)) == stay)
        #expect(notice(stopped(.superseded), after: stopped(.superseded)) == nil)
    }

    @Test(
        "N7 what is only lowered, muted, held for a moment or not active is not interrupted",
        arguments: [
            Treatment(gain: LinearGain(0.1), reason: .ducked), Treatment(silence: .mute, reason: .silentSwitch),
            Treatment(silence: .cork, reason: .handover), Treatment(silence: .cork, reason: .inactive), .untouched,
        ])
    func noInterruption(treatment: Treatment) {
        #expect(notice(treatment, after: .untouched) == nil)
    }

    @Test("R26 the beginning is told when the stream is silent")
    func toldWhenSilent() {
        var notices = ClientNotices()
        #expect(notices.add(began, isSilenced: true, isFading: true) == [])
        #expect(notices.settled() == [began])
        #expect(notices.settled() == [])
        #expect(notices.add(stay, isSilenced: true, isFading: false) == [stay])
        #expect(notices.add(began, isSilenced: true, isFading: false) == [began])
        #expect(notices.add(resume, isSilenced: false, isFading: true) == [resume])
    }

    @Test("R26 one that is over before the stream is silent is never told")
    func neverTold() {
        var notices = ClientNotices()
        #expect(notices.add(began, isSilenced: true, isFading: true) == [])
        #expect(notices.add(resume, isSilenced: false, isFading: true) == [])
        #expect(notices == ClientNotices())
    }

    @Test("R26 R33 what is taken over on its way to silence is told both, in order")
    func both() {
        var notices = ClientNotices()
        #expect(notices.add(began, isSilenced: true, isFading: true) == [])
        #expect(notices.add(stay, isSilenced: true, isFading: true) == [])
        #expect(notices.settled() == [began, stay])
    }
}
