import HostSupport
import PolicyEngine
import Testing

/// What the client of a stream of PulseAudio wants, by what it does (R9, R35, R36).
@Suite struct CorkRequestTests {
    private func at(_ milliseconds: Int64) -> Instant { Instant(nanoseconds: milliseconds * 1_000_000) }

    /// A client that plays, and was asked to cork at 0 ms.
    private func asked() -> CorkRequests {
        var client = CorkRequests(wantsToPlay: true)
        client.ask(at: at(0))
        return client
    }

    @Test("R35 a cork that nobody has asked for is its user's pause")
    func pause() {
        var client = CorkRequests(wantsToPlay: true)
        #expect(client.corked(at: at(0)) == .wanted(false) && !client.wantsToPlay)
        #expect(client.corked(at: at(1)) == .same)
        #expect(client.started() == .wanted(true) && client.wantsToPlay)
        #expect(client.started() == .same)
    }

    @Test("R34 a cork soon after the request is the answer to it, and the client is asked to go on")
    func followed() {
        var client = asked()
        #expect(client.corked(at: at(499)) == .same && client.wantsToPlay)
        let release = client.release(at: at(1000))
        #expect(release.asksToUncork && release.checkAt == at(2000))
        #expect(client.started() == .same)
        #expect(client.checkUncorked(at: at(2000), isRunning: true).intent == .same)
    }

    @Test("R34 R35 a cork long after the request may be a pause or a late answer: who waited is asked to go on")
    func late() {
        var client = asked()
        #expect(client.corked(at: at(500)) == .wanted(false))
        let release = client.release(at: at(1000))
        #expect(release.asksToUncork && release.checkAt == at(2000))
        #expect(client.started() == .wanted(true))
        // So it follows requests, and may take its time.
        client.ask(at: at(3000))
        #expect(client.corked(at: at(60_000)) == .same)
    }

    @Test("R35 who does not go on after a late cork was paused by its user")
    func latePause() {
        var client = asked()
        #expect(client.corked(at: at(500)) == .wanted(false))
        #expect(client.release(at: at(1000)).asksToUncork)
        #expect(client.checkUncorked(at: at(1500), isRunning: false) == (.same, at(2000)))
        #expect(client.checkUncorked(at: at(2000), isRunning: false) == (.same, nil))
        #expect(client.started() == .wanted(true))
        client.ask(at: at(3000))
        #expect(client.corked(at: at(3100)) == .wanted(false))
    }

    @Test("R64 who answers late is not asked to go on elsewhere: its headphones were pulled out in the call")
    func lateElsewhere() {
        let headphones = CorkRequests.Place(device: 1, port: 10)
        for other in [CorkRequests.Place(device: 1, port: 11), CorkRequests.Place(device: 2), CorkRequests.Place()] {
            var client = CorkRequests(wantsToPlay: true)
            client.ask(at: at(0), on: headphones)
            #expect(client.corked(at: at(500)) == .wanted(false))
            #expect(!client.release(at: at(1000), on: other).asksToUncork)
            // Back in time, it would have been asked.
            client = CorkRequests(wantsToPlay: true)
            client.ask(at: at(0), on: headphones)
            #expect(client.corked(at: at(500)) == .wanted(false))
            #expect(client.release(at: at(1000), on: headphones).asksToUncork)
        }
    }

    @Test("R35 a pause of who lets requests pass is its user's, however soon after another request")
    func ignorer() {
        var client = asked()
        #expect(client.corked(at: at(1200)) == .wanted(false))
        #expect(client.started() == .wanted(true))
        client.ask(at: at(1600))
        #expect(client.corked(at: at(2000)) == .wanted(false))
    }

    @Test("R35 who lets a whole interruption pass has let its request pass")
    func ignoresInterruption() {
        var client = asked()
        #expect(client.release(at: at(500)).asksToUncork)
        client.ask(at: at(1000))
        #expect(client.corked(at: at(1100)) == .wanted(false))
    }

    @Test("R34 an interruption that is over at once says nothing of the next one")
    func shortInterruption() {
        var client = asked()
        #expect(client.release(at: at(499)).asksToUncork)
        client.ask(at: at(1000))
        #expect(client.corked(at: at(1100)) == .same)
    }

    @Test("R34 who has followed a request once may take its time with the next")
    func follower() {
        var client = asked()
        #expect(client.corked(at: at(10)) == .same)
        _ = client.release(at: at(20))
        #expect(client.started() == .same)
        client.ask(at: at(30))
        #expect(client.corked(at: at(60_000)) == .same && client.wantsToPlay)
    }

    @Test("R34 who has not followed is asked to go on all the same, and not looked after")
    func deaf() {
        var client = asked()
        let release = client.release(at: at(100))
        #expect(release.asksToUncork && release.checkAt == nil)
        #expect(client.wantsToPlay)
    }

    @Test("R36 who plays though it was asked to cork asks to be heard once more")
    func anew() {
        var client = asked()
        #expect(client.corked(at: at(10)) == .same)
        #expect(client.started() == .wantedAnew && client.wantsToPlay)
        #expect(client.started() == .same)
    }

    @Test("R35 who does not go on within a second when it is asked to has been paused meanwhile")
    func notBack() {
        var client = asked()
        #expect(client.corked(at: at(10)) == .same)
        _ = client.release(at: at(100))
        #expect(client.checkUncorked(at: at(600), isRunning: false) == (.same, at(1100)))
        // Another interruption meanwhile: the time begins anew.
        let again = client.release(at: at(700))
        #expect(!again.asksToUncork && again.checkAt == at(1700))
        #expect(client.checkUncorked(at: at(1700), isRunning: false) == (.wanted(false), nil))
        #expect(client.checkUncorked(at: at(1800), isRunning: false) == (.same, nil))
        #expect(!client.wantsToPlay)
    }

    @Test("a clock that goes back does no harm")
    func clock() {
        var client = asked()
        #expect(client.corked(at: at(-60_000)) == .same)
        _ = client.release(at: at(-70_000))
        #expect(client.checkUncorked(at: at(-80_000), isRunning: false).again == at(-69_000))
    }
}
