import PolicyEngine
import Testing

/// Events that no sane host sends, and the end of everything.
@Suite struct AbsurdTests {
    private let app = ApplicationID(portal: nil, binary: nil, displayName: nil, fallback: "app")

    @Test("R36 events about unknown streams change nothing")
    func unknown() {
        var engine = Engine(policy: .phone)
        let now = Instant(nanoseconds: 0)
        for event in [
            Event.streamWanted(StreamID(1), true), .streamRunning(StreamID(0), true), .streamSettled(StreamID(.max)),
            .streamVanished(StreamID(7)), .clockReached, .shutdown, .shutdown, .clockReached,
        ] {
            #expect(engine.handle(event, at: now) == [])
        }
        #expect(engine.treatment(of: StreamID(1)) == nil)
        #expect(engine.inconsistency == nil)
    }

    @Test("R1 a second appearance of the same stream is ignored")
    func duplicate() {
        var engine = Engine(policy: .desktop)
        let now = Instant(nanoseconds: 0)
        let other = ApplicationID(portal: "x", binary: nil, displayName: nil, fallback: "")
        for application in [app, other, app] {
            let event = Event.streamAppeared(
                StreamID(1), application: application,
                description: SessionDescription(name: "phone", category: .playAndRecord, priority: .phone),
                direction: .playback)
            #expect(engine.handle(event, at: now) == [])
        }
        _ = engine.handle(.streamVanished(StreamID(1)), at: now)
        #expect(engine.streamCount == 0)
        #expect(engine.sessionCount == 0)
    }

    @Test("R2 running before wanted, settled before anything, vanished twice", arguments: Shipped.allCases)
    func order(preset: Shipped) {
        var s = Scenario(preset, obedient: false)
        s.appear("music", role: "music")
        s.settle("music")
        s.run("music")
        #expect(s.news() == [])
        s.appear("phone", role: "phone")
        s.settle("phone")
        s.run("phone")
        s.run("phone")
        #expect(s["music"] == .free)
        s.want("phone")
        #expect(s["music"] == .corked)
        s.want("music")
        #expect(s["music"] == .corked)
        s.vanish("phone")
        s.vanish("phone", for: .seconds(1))
        #expect(s["music"] == .free)
    }

    @Test("R26 a settled that nobody asked for does not make a later fade look finished")
    func staleSettled() {
        var s = Scenario(.desktop, obedient: false)
        s.play("music")
        s.run("music")
        s.settle("music")
        s.play("ringtone")
        #expect(s["ringtone"] == .held)
        s.settle("music")
        #expect(s["ringtone"] == .free)
    }

    @Test("R2 a clock that stands still or goes back", arguments: [0, -1_000_000_000, Int64.min, .max])
    func clock(nanoseconds: Int64) {
        var engine = Engine(policy: .desktop)
        let start = Instant(nanoseconds: 10_000_000_000)
        func play(_ id: UInt32, _ role: String, at now: Instant) {
            let application = ApplicationID(portal: nil, binary: role, displayName: nil, fallback: "")
            guard let description = engine.policy.description(of: Role(role), direction: .playback) else { return }
            _ = engine.handle(
                .streamAppeared(
                    StreamID(id), application: application, description: description, direction: .playback),
                at: now
            )
            _ = engine.handle(.streamWanted(StreamID(id), true), at: now)
            _ = engine.handle(.streamRunning(StreamID(id), true), at: now)
        }
        play(1, "music", at: start)
        play(2, "phone", at: start)
        _ = engine.handle(.streamWanted(StreamID(2), false), at: Instant(nanoseconds: nanoseconds))
        _ = engine.handle(.clockReached, at: Instant(nanoseconds: nanoseconds))
        _ = engine.handle(.clockReached, at: Instant(nanoseconds: .max))
        #expect(engine.treatment(of: StreamID(1)) == .untouched)
        #expect(engine.inconsistency == nil)
    }

    @Test("R36 shutdown undoes everything at once, and nothing is known afterwards", arguments: Shipped.allCases)
    func shutdown(preset: Shipped) {
        var s = Scenario(preset)
        s.play("music")
        s.play("video", app: "other")
        s.play("game")
        s.play("navigation", for: .seconds(1))
        s.play("alarm", for: .milliseconds(10))
        let touched = ["music", "video", "game", "navigation", "alarm"].filter { s[$0] != .free }
        #expect(touched.count == 5)
        _ = s.news()
        s.send(.shutdown)
        #expect(Set(s.news()) == Set(touched.map { "free \($0) in 0" }))
        for name in touched { #expect(s[name] == .unmanaged) }
        s.send(.shutdown)
        s.advance(.seconds(60))
        #expect(s.news() == [])
        #expect(s.engine.sessionCount == 0)
    }

    @Test("R36 a shutdown undoes everything at once, although something else is due", arguments: Shipped.allCases)
    func lateShutdown(preset: Shipped) {
        var s = Scenario(preset)
        s.play("music", for: .seconds(1))
        s.play("ringtone", for: .seconds(1))
        s.pause("ringtone")
        s.standStill(.seconds(10))
        _ = s.news()
        s.send(.shutdown)
        #expect(s.news() == ["free music in 0"])
    }

    @Test("R1 identity is portal id, then binary, then name")
    func identity() {
        func name(_ portal: String?, _ binary: String?, _ name: String?) -> String {
            ApplicationID(portal: portal, binary: binary, displayName: name, fallback: "fallback").name
        }
        #expect(name("p", "b", "n") == "p")
        #expect(name("", "b", "n") == "b")
        #expect(name(nil, nil, "n") == "n")
        #expect(name("", "", "") == "fallback")
    }

    @Test("R2 roles are compared without regard to case, and a huge one is none")
    func roles() {
        #expect(Role("Phone") == Role("phone"))
        #expect(Role("") == nil)
        #expect(Role(String(repeating: "x", count: 65_536)) == nil)
        #expect(Role(String(repeating: "x", count: Role.maximumLength)) != nil)
        for preset in Shipped.allCases {
            #expect(preset.policy.description(of: Role("COMMUNICATION"), direction: .playback) != nil)
            #expect(preset.policy.description(of: Role("DSP"), direction: .playback) == nil)
        }
    }
}
