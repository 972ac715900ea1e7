import PolicyEngine
import PolicyRuntime
import Testing

/// Engine, fader and timers together, against a host that writes everything down.
@Suite struct SessionRuntimeTests {
    private let music = StreamID(1)
    private let phone = StreamID(2)

    @Test("R26 R37 music fades out, is corked, comes back and ends at full level")
    func interruption() {
        let host = RecordingHost()
        host.play(1, role: "music")
        host.advance(.seconds(1))
        #expect(host.entries.isEmpty)
        host.play(2, role: "phone")
        host.advance(.seconds(1))
        #expect(host.largestStep(of: 1, from: 1) <= StreamLevel.largestStep + 1e-9)
        #expect(host.gains[1] == 0)
        #expect(host.silencings(of: 1).map(\.silence) == [.cork])
        let silent = host.curve(of: 1).last?.milliseconds ?? 0
        let corked = host.silencings(of: 1).last?.milliseconds ?? 0
        #expect(corked == silent)
        host.send(.streamRunning(music, false))
        #expect(host.lines.contains { $0.contains("was interrupted by app2 (phone)") })
        host.forgetEntries()
        host.send(.streamWanted(phone, false))
        host.send(.streamRunning(phone, false))
        host.advance(.seconds(1))
        // It is let go, and rises when the server runs it.
        #expect(host.entries.map(\.call) == [.silence(1, .none)])
        host.send(.streamRunning(music, true))
        host.advance(.seconds(1))
        #expect(host.largestStep(of: 1, from: 0) <= StreamLevel.largestStep + 1e-9)
        #expect(host.gains[1] == 1)
        #expect(host.gains[2] == nil && host.silences[2] == nil)
        host.advance(.seconds(5))
        #expect(host.armed == nil)
    }

    @Test("many streams are treated some in each turn, and what is about to start at once")
    func many() {
        let host = RecordingHost()
        let count: UInt32 = 100
        for id in 1...count { host.play(id, role: "music") }
        host.advance(.seconds(1))
        let before = host.lines.count
        host.play(count + 1, role: "phone")
        func corked() -> Int { host.lines.dropFirst(before).count { $0.hasPrefix("cork ") } }
        #expect((1...16).contains(corked()), "\(corked()) streams at once")
        // In each turn of the loop as many again.
        var most = 0
        var last = corked()
        var turns = 0
        while corked() < count, turns < 1_000, host.armed != nil {
            turns += 1
            host.fire()
            most = max(most, corked() - last)
            last = corked()
            // One that wants to begin meanwhile may not.
            if turns == 2 {
                host.appear(5_000, role: "music")
                #expect(host.silences[5_000] == .cork || host.gains[5_000] == 0)
                most = 0
                last = corked()
            }
        }
        #expect(most <= 2 * 16, "\(most) streams in one turn")
        host.advance(.seconds(5))
        #expect((1...count).allSatisfy { host.silences[$0] == .cork })
        for id in 1...count { host.send(.streamRunning(StreamID(id), false)) }
        host.send(.streamVanished(StreamID(count + 1)))
        host.advance(.seconds(10))
        for id in 1...count { host.send(.streamRunning(StreamID(id), true)) }
        host.advance(.seconds(10))
        #expect((1...count).allSatisfy { host.silences[$0] == Silence.none && host.gains[$0] == 1 })
        // What goes in the middle of it is not treated, and what is undone stays undone.
        host.play(count + 2, role: "phone")
        host.send(.streamVanished(StreamID(count)))
        host.runtime.shutDown()
        host.forgetEntries()
        host.advance(.seconds(5))
        #expect(host.entries.isEmpty)
        #expect((1..<count).allSatisfy { host.silences[$0] == Silence.none && host.gains[$0] == 1 })
    }

    @Test("N7 R33 clients are told of an interruption and its end, and not of being lowered or held for a moment")
    func news() {
        let host = RecordingHost()
        host.play(1, role: "music")
        host.play(2, role: "navigation")
        host.advance(.seconds(1))
        host.send(.streamVanished(phone))
        host.advance(.seconds(2))
        #expect(host.news == [])
        host.play(3, role: "ringtone")
        host.advance(.seconds(1))
        host.send(.streamRunning(music, false))
        host.advance(.seconds(1))
        #expect(host.news == [.began(reason: .default, by: "ringtone")])
        host.send(.streamVanished(StreamID(3)))
        host.advance(.seconds(2))
        #expect(host.news.dropFirst() == [.ended(shouldResume: true)])
    }

    @Test("R26 a client is told that it is interrupted when it is silent, and not at all when that is over before")
    func newsWhenSilent() {
        let host = RecordingHost()
        host.play(1, role: "music")
        for (id, isShort) in [(2, true), (3, false)] as [(UInt32, Bool)] {
            host.play(id, role: "phone")
            host.advance(.milliseconds(100))
            #expect(host.gains[1].map { $0 > 0 && $0 < 1 } == true && host.news == [])
            if isShort { host.send(.streamVanished(StreamID(id))) }
            host.advance(.seconds(1))
        }
        #expect(host.silences[1] == .cork && host.news == [.began(reason: .default, by: "phone")])
        // What begins while it cannot be heard is silent at once.
        host.play(4, role: "music")
        #expect(host.news.count == 2)
    }

    @Test("R26 R31 a client that another one takes over from is told all of it when it is silent")
    func newsOfSuccessor() {
        let host = RecordingHost()
        for id in [1, 2] as [UInt32] {
            let session = SessionID(id)
            host.send(
                .sessionOpened(
                    session,
                    application: ApplicationID(portal: nil, binary: "app\(id)", displayName: nil, fallback: ""),
                    .application))
            host.send(.sessionConfigured(session, .category(.playback, [], nil)))
            host.send(.sessionRequested(session, .activate(mayWait: false)))
            host.appear(id, role: "music")
            host.send(.streamMoved(StreamID(id), to: .opened(session)))
            host.send(.streamRunning(StreamID(id), true))
            host.advance(.milliseconds(100))
        }
        host.send(.sessionRequested(SessionID(2), .deactivate(notifyOthers: false)))
        host.advance(.milliseconds(100))
        #expect(host.gains[1].map { $0 > 0 && $0 < 1 } == true && host.news == [])
        host.advance(.seconds(1))
        #expect(host.silences[1] == .cork && host.news.count == 2 && host.news.last == .ended(shouldResume: false))
    }

    @Test("R33 N7 that a session is not active is no interruption of its streams, but ends one for good")
    func newsOfInactiveSession() {
        let host = RecordingHost()
        let session = SessionID(1)
        host.send(
            .sessionOpened(
                session, application: ApplicationID(portal: nil, binary: "app1", displayName: nil, fallback: ""),
                .application))
        host.send(.sessionRequested(session, .activate(mayWait: false)))
        host.appear(1, role: "music")
        host.send(.streamMoved(music, to: .opened(session)))
        host.send(.streamRunning(music, true))
        host.send(.sessionRequested(session, .deactivate(notifyOthers: true)))
        host.advance(.seconds(1))
        #expect(host.silences[1] == .cork && host.news == [])
        host.send(.sessionRequested(session, .activate(mayWait: false)))
        host.advance(.seconds(1))
        #expect(host.silences[1] == Silence.none && host.news == [])
        for (id, givesUp) in [(2, false), (3, true)] as [(UInt32, Bool)] {
            let count = host.news.count
            host.play(id, role: "phone")
            host.advance(.seconds(1))
            #expect(host.news.dropFirst(count) == [.began(reason: .default, by: "phone")])
            if givesUp { host.send(.sessionRequested(session, .deactivate(notifyOthers: true))) }
            host.send(.streamVanished(StreamID(id)))
            host.advance(.seconds(1))
            // R34: it is silent until its application activates it.
            #expect(host.silences[1] == .cork)
            #expect(host.news.dropFirst(count + 1) == [.ended(shouldResume: !givesUp)])
            host.send(.sessionRequested(session, .activate(mayWait: false)))
            host.send(.streamRunning(music, true))
            host.advance(.seconds(1))
            #expect(host.silences[1] == Silence.none && host.news.count == count + 2)
        }
    }

    @Test("R26 settled is reported exactly once for each silence")
    func settledOnce() {
        let host = RecordingHost()
        host.play(1, role: "music")
        for _ in 0..<3 {
            host.play(2, role: "phone")
            host.advance(.seconds(1))
            host.send(.streamRunning(music, false))
            host.advance(.seconds(1))
            host.send(.streamVanished(phone))
            host.advance(.seconds(1))
            host.send(.streamRunning(music, true))
            host.advance(.seconds(1))
        }
        #expect(host.lines.filter { $0.contains("was interrupted by") }.count == 3)
        #expect(host.lines.filter { $0.contains("interruption of") }.count == 3)
        #expect(host.silencings(of: 1).map(\.silence) == [.cork, .none, .cork, .none, .cork, .none])
    }

    @Test("R37 a call that ends in the middle of the fade turns it round", arguments: [0, 40, 120, 200])
    func reversal(milliseconds: Int) {
        let host = RecordingHost(releaseNow)
        host.play(1, role: "music")
        host.play(2, role: "call")
        host.advance(.milliseconds(milliseconds))
        host.send(.streamVanished(phone))
        host.advance(.seconds(2))
        #expect(host.largestStep(of: 1, from: 1) <= StreamLevel.largestStep + 1e-9)
        #expect(host.gains[1] ?? 1 == 1)
        #expect(host.silences[1] ?? Silence.none == Silence.none)
        #expect(host.silencings(of: 1).isEmpty)
        #expect(!host.lines.contains { $0.contains("was interrupted by") })
    }

    @Test("R37 a second interrupter does not cut the fade short")
    func secondInterrupter() {
        let host = RecordingHost()
        host.play(1, role: "music")
        host.play(2, role: "alarm")
        host.advance(.milliseconds(50))
        host.play(3, role: "phone")
        host.advance(.seconds(2))
        #expect(host.largestStep(of: 1, from: 1) <= StreamLevel.largestStep + 1e-9)
        #expect(host.silencings(of: 1).map(\.silence) == [.cork])
    }

    @Test("N10 a stream that starts while ducked has the ducked level before it runs")
    func startsDucked() {
        let host = RecordingHost()
        host.play(2, role: "navigation")
        host.appear(1, role: "music")
        #expect(host.entries.map(\.call) == [.gain(1, Decibels(-20).linear.value)])
        host.send(.streamRunning(music, true))
        host.advance(.milliseconds(100))
        host.send(.streamVanished(phone))
        host.advance(.seconds(2))
        #expect(host.gains[1] == 1)
        #expect(host.silencings(of: 1).isEmpty)
        #expect(host.largestStep(of: 1, from: 0.1) <= StreamLevel.largestStep + 1e-9 || host.curve(of: 1).count > 10)
    }

    @Test("R37 ringing is held until the music's cork, and released at full level")
    func hold() {
        let host = RecordingHost()
        host.play(1, role: "music")
        host.appear(2, role: "ringtone")
        #expect(host.silences[2] == .cork)
        host.advance(.milliseconds(100))
        #expect(host.silences[2] == .cork)
        host.advance(.seconds(1))
        #expect(host.silences[2] == Silence.none)
        #expect(host.gains[2] ?? 1 == 1)
        let corked = host.silencings(of: 1).last?.milliseconds ?? 0
        let released = host.silencings(of: 2).last?.milliseconds ?? 0
        #expect(corked == released)
    }

    @Test("R37 a stream vanishes in the middle of its fade")
    func vanishes() {
        let host = RecordingHost()
        host.play(1, role: "music")
        host.play(3, role: "music")
        host.play(2, role: "phone")
        host.advance(.milliseconds(50))
        host.send(.streamVanished(music))
        let count = host.curve(of: 1).count
        host.advance(.seconds(3))
        #expect(host.curve(of: 1).count == count)
        #expect(host.silencings(of: 1).isEmpty)
        #expect(host.silences[3] == .cork)
        #expect(host.armed == nil)
    }

    @Test("R36 fifty streams at once")
    func fifty() {
        let count: UInt32 = 50
        let host = RecordingHost()
        for id in 10..<(10 + count) { host.play(id, role: "music") }
        host.advance(.seconds(1))
        #expect(host.entries.isEmpty)
        host.play(2, role: "phone")
        host.advance(.seconds(5))
        #expect(host.gains.values.filter { $0 == 0 }.count == Int(count))
        #expect(host.silences.values.filter { $0 == .cork }.count == Int(count))
        for id in 10..<(10 + count) { host.send(.streamRunning(StreamID(id), false)) }
        host.send(.streamVanished(phone))
        host.advance(.seconds(1))
        for id in 10..<(10 + count) { host.send(.streamRunning(StreamID(id), true)) }
        host.advance(.seconds(5))
        #expect(host.gains.values.allSatisfy { $0 == 1 })
        #expect(host.silences.values.allSatisfy { $0 == .none })
        for id in 10..<(10 + count) { #expect(host.largestStep(of: id, from: 1) <= StreamLevel.largestStep + 1e-9) }
        #expect(host.armed == nil)
    }

    @Test("R8 R36 of very many that begin in one turn of a call, each is silent before it begins")
    func manyBegin() throws {
        let host = RecordingHost()
        host.play(1, role: "phone")
        host.advance(.seconds(1))
        let music = try #require(host.runtime.engine.policy.description(of: Role("music"), direction: .playback))
        for id in UInt32(2)...100 {
            let application = ApplicationID(portal: nil, binary: "app\(id)", displayName: nil, fallback: "")
            host.post(
                .streamAppeared(StreamID(id), application: application, description: music, direction: .playback))
            host.post(.streamWanted(StreamID(id), true))
        }
        host.runtime.drain()
        #expect((2...100).allSatisfy { host.silences[$0] == .cork })
    }

    @Test("R26 what the server reports during a call waits for its turn")
    func reentrancy() {
        let host = RecordingHost()
        host.play(1, role: "music")
        host.play(3, role: "music")
        var isFirst = true
        host.interjection = { host, call in
            // In the middle of a step, the call is gone and the music is un-paused.
            guard case .silence = call, isFirst else { return }
            isFirst = false
            host.post(.streamVanished(StreamID(2)))
            host.post(.streamRunning(StreamID(1), false))
            host.runtime.drain()
            host.runtime.timerFired()
        }
        host.play(2, role: "phone")
        host.advance(.seconds(5))
        #expect(!isFirst)
        #expect(host.deepest == 1)
        #expect(host.silences[1] == Silence.none)
        #expect(host.silences[3] == Silence.none)
        #expect(host.gains[3] == 1)
        host.send(.streamRunning(music, true))
        host.advance(.seconds(5))
        #expect(host.gains[1] == 1)
        #expect(host.armed == nil)
    }

    @Test(
        "R36 leaving in the middle of anything leaves unity gain and no silence", arguments: [0, 30, 150, 500, 2_000])
    func shutDown(milliseconds: Int) {
        for isOnTheWayBack in [false, true] {
            let host = RecordingHost(releaseNow)
            host.play(1, role: "music")
            host.play(2, role: "call")
            if isOnTheWayBack {
                host.advance(.seconds(1))
                host.send(.streamRunning(music, false))
                host.send(.streamVanished(phone))
                if milliseconds > 0 { host.send(.streamRunning(music, true)) }
            }
            host.advance(.milliseconds(milliseconds))
            host.runtime.shutDown()
            #expect(host.gains.values.allSatisfy { $0 == 1 })
            #expect(host.silences.values.allSatisfy { $0 == .none })
            #expect(host.armed == nil)
            host.forgetEntries()
            host.send(.streamRunning(music, true))
            host.runtime.timerFired()
            host.advance(.seconds(5))
            #expect(host.entries.isEmpty)
        }
    }

    @Test("R30 no wake is missed when a later timer gives way to an earlier one and the other way round")
    func timers() {
        let host = RecordingHost(
            policy([
                description("music", .playback),
                SessionDescription(
                    name: "long", category: .playAndRecord, priority: .phone, fade: .milliseconds(10),
                    releaseDelay: .seconds(3)),
                SessionDescription(
                    name: "short", category: .playAndRecord, priority: .phone, fade: .milliseconds(10),
                    releaseDelay: .milliseconds(100)),
            ]))
        func armedAfter() -> Duration? { host.armed.map { host.now.duration(to: $0) } }
        host.play(1, role: "music")
        host.play(2, role: "long")
        host.play(3, role: "short")
        host.advance(.seconds(1))
        host.send(.streamRunning(music, false))
        host.send(.streamWanted(StreamID(2), false))
        #expect(armedAfter() == .seconds(3))
        // An earlier one.
        host.send(.streamWanted(StreamID(3), false))
        #expect(armedAfter() == .milliseconds(100))
        // The earlier one is called off.
        host.send(.streamWanted(StreamID(3), true))
        host.send(.streamRunning(StreamID(3), true))
        #expect(armedAfter() == .seconds(3))
        host.send(.streamWanted(StreamID(3), false))
        host.advance(.milliseconds(100))
        #expect(armedAfter() == .milliseconds(2_900))
        #expect(host.silences[1] == .cork)
        host.advance(.milliseconds(2_899))
        #expect(host.silences[1] == .cork)
        host.advance(.milliseconds(1))
        #expect(host.silences[1] == Silence.none)
    }

    @Test("R30 a timer that fires early, late, or for nothing")
    func oddTimers() {
        let host = RecordingHost()
        host.runtime.timerFired()
        #expect(host.armed == nil)
        host.play(1, role: "music")
        host.play(2, role: "phone")
        let due = host.armed
        host.runtime.timerFired()
        #expect(host.armed == due)
        #expect(host.entries.isEmpty)
        host.advance(.seconds(10), late: .milliseconds(70))
        #expect(host.largestStep(of: 1, from: 1) <= StreamLevel.largestStep + 1e-9)
        #expect(host.silences[1] == .cork)
        host.send(.streamVanished(phone))
        host.runtime.timerFired()
        #expect(host.silences[1] == .cork)
        host.advance(.seconds(1), late: .milliseconds(70))
        #expect(host.silences[1] == Silence.none)
    }

    @Test("R37 the interrupter's fade and its release delay are waited for together")
    func fadeAndWake() {
        let host = RecordingHost()
        host.play(1, role: "music")
        host.play(2, role: "phone")
        host.advance(.milliseconds(10))
        host.send(.streamWanted(phone, false))
        // A fade step comes first, then the wake; the fade must not swallow it.
        host.advance(.milliseconds(299))
        #expect(host.runtime.engine.treatment(of: music)?.silence == .pausePlayer)
        host.advance(.milliseconds(1))
        #expect(host.runtime.engine.treatment(of: music) == .untouched)
    }

    @Test("R36 unknown streams are nobody's business")
    func unknown() {
        let host = RecordingHost()
        host.send(.streamWanted(StreamID(9), true))
        host.send(.streamRunning(StreamID(9), true))
        host.send(.streamSettled(StreamID(9)))
        host.send(.streamVanished(StreamID(9)))
        host.runtime.shutDown()
        host.runtime.shutDown()
        #expect(host.entries.isEmpty)
        #expect(host.runtime.engine.treatment(of: StreamID(9)) == nil)
    }

    // MARK: - Policies

    private var releaseNow: Policy {
        policy([
            description("music", .playback),
            SessionDescription(
                name: "call", category: .playAndRecord, priority: .phone, fade: .milliseconds(100),
                releaseDelay: .zero),
        ])
    }

    private func description(_ name: String, _ category: PolicyEngine.Category) -> SessionDescription {
        SessionDescription(name: name, category: category)
    }

    private func policy(_ descriptions: [SessionDescription]) -> Policy {
        Policy(name: "test", roles: descriptions)
    }
}
