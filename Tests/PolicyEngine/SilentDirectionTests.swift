import PolicyEngine
import Testing

/// Streams of which nothing comes, because their session's category has no output or no input.
@Suite struct SilentDirectionTests {
    @Test("R7 R18 who becomes a recorder and records nothing is not active any more, and silences nobody")
    func playerBecomesRecorder() {
        var s = Scenario(.phone)
        s.play("music")
        s.open("studio", .playback, .mixWithOthers)
        s.appear("song", role: "music", app: "studio")
        s.move("song", to: "studio")
        s.play("song")
        s.skip(.seconds(1))
        s.configure("studio", .record)
        s.advance(.seconds(1))
        #expect(s["music"] == .free)
        #expect(s["song"] == .corked)
        #expect(!s.state("studio").isActive)
        #expect(s.news().contains("inactive studio"))
    }

    @Test("R9 R18 what a recorder would play is no request to be heard, and what it records is one")
    func recorderPlaysWhileAnotherRecords() {
        var s = Scenario(.phone)
        for recorder in ["first", "second"] {
            s.open(recorder)
            s.configure(recorder, .record)
            s.appear("\(recorder) input", role: "music", app: recorder, capture: true)
            s.move("\(recorder) input", to: recorder)
        }
        s.appear("click", role: "music", app: "first")
        s.move("click", to: "first")
        s.play("second input")
        s.play("click", for: .seconds(1))
        #expect(!s.state("first").isActive && s.state("second").isActive)
        s.play("first input", for: .seconds(1))
        #expect(s["first input"] == .free)
        #expect(s["second input"] == .corked)
    }

    @Test("R10 R18 a recorder that only wants to play does not take its turn after another one")
    func recorderInNobodysWay() {
        var s = Scenario(.phone)
        for recorder in ["silent", "other"] {
            s.open(recorder)
            s.configure(recorder, .record)
        }
        s.open("player")
        s.appear("click", role: "music", app: "silent")
        s.move("click", to: "silent")
        s.play("click")
        s.activate("other")
        s.deactivate("other")
        _ = s.news()
        s.activate("player")
        #expect(s.news().contains("player: done"))
    }

    @Test("R18 R64 a recorder does not wait for an output on which it cannot be heard")
    func recorderLosesOutput() throws {
        var s = Scenario(.phone)
        s.open("recorder", .record)
        s.appear("input", role: "music", app: "recorder", capture: true)
        s.appear("click", role: "music", app: "recorder")
        s.move("input", "click", to: "recorder")
        s.play("input")
        s.play("click", for: .seconds(1))
        let click = try #require(s.id(of: "click"))
        s.send(.outputLost(PortID("headphones"), name: "headphones", streams: [click]))
        #expect(s["input"] == .free)
        #expect(s.state("recorder").isActive)
    }

    @Test("R17 R64 another route stops nobody who may not record anyway")
    func playerWithInput() {
        var s = Scenario(.phone)
        s.open("player", .playback)
        s.appear("song", role: "music", app: "player")
        s.appear("input", role: "music", app: "player", capture: true)
        s.move("song", "input", to: "player")
        s.play("song")
        s.play("input", for: .seconds(1))
        #expect(s["input"] == .corked)
        s.send(.routeChanged(.oldDeviceUnavailable))
        #expect(s["song"] == .free)
        #expect(s.state("player").isActive)
    }

    @Test("R13 who makes a sound of the interface has not asked by that for what it plays later")
    func soundBeforeMusic() {
        var s = Scenario(.phone)
        s.play("click", role: "notification", app: "player")
        s.play("other", role: "music", for: .seconds(1))
        s.play("song", role: "music", app: "player", for: .seconds(1))
        #expect(s["song"] == .free)
        #expect(s["other"] == .corked)
    }
}
