import PolicyEngine
import Testing

/// Sessions that do something to others only while they sound, levels and outputs of roles, zones.
@Suite struct SoundingTests {
    private func policy(
        zones: Zones = Zones(), _ change: (inout [String: SessionDescription]) -> Void
    ) -> Policy {
        var roles: [String: SessionDescription] = [:]
        for role in ["phone", "navigation", "music", "alarm"] { roles[role] = Policy.desktop.roles[role] }
        change(&roles)
        return Policy(name: "trial", roles: roles.sorted { $0.key < $1.key }.map(\.value)).with {
            $0.untagged = Policy.desktop.untagged
            $0.zones = zones
        }
    }

    @Test("N13 who acts while it sounds lowers others only then")
    func lowersWhileSounding() {
        var s = Scenario(policy: policy { $0["navigation"]?.actsWhileSounding = true })
        s.play("music")
        s.appear("navigation", role: "navigation")
        s.sound("navigation", false)
        s.want("navigation")
        s.advance(.seconds(1))
        #expect(s["music"] == .free)
        s.sound("navigation", true)
        s.advance(.seconds(1))
        #expect(s["music"] == .ducked(-20))
        s.sound("navigation", false)
        s.advance(.seconds(2))
        #expect(s["music"] == .free)
        #expect(s.isRunning("navigation"))
    }

    @Test("N13 who has fallen silent does nothing as its last stream ends, who sounds has its release delay")
    func endsQuietly() {
        for isQuiet in [true, false] {
            var s = Scenario(
                policy: policy {
                    $0["navigation"]?.actsWhileSounding = true
                    $0["navigation"]?.releaseDelay = .milliseconds(300)
                })
            s.play("music")
            s.play("navigation", for: .seconds(1))
            #expect(s["music"] == .ducked(-20))
            if isQuiet {
                s.sound("navigation", false)
                s.advance(.seconds(2))
                #expect(s["music"] == .free)
            }
            s.vanish("navigation", for: .milliseconds(100))
            #expect(s["music"] == (isQuiet ? .free : .ducked(-20)))
            s.advance(.seconds(2))
            #expect(s["music"] == .free)
        }
    }

    @Test("N13 the same of those that it stops, which are told the end each time")
    func stopsWhileSounding() {
        var s = Scenario(policy: policy { $0["phone"]?.actsWhileSounding = true })
        s.play("music")
        s.play("phone", for: .seconds(1))
        #expect(s["music"] == .corked)
        s.sound("phone", false)
        s.advance(.seconds(1))
        #expect(s["music"] == .free)
        #expect(s.news().contains("ended music resume"))
        s.sound("phone", true)
        s.advance(.seconds(1))
        #expect(s["music"] == .corked)
    }

    @Test("N13 what anybody else plays does not ask whether it sounds")
    func others() {
        var s = Scenario(.desktop)
        s.play("music")
        s.play("phone")
        s.sound("phone", false)
        s.advance(.seconds(1))
        #expect(s["music"] == .corked)
    }

    @Test("N23 a role's level is its streams' level, also while others lower them further")
    func level() {
        var s = Scenario(policy: policy { $0["music"]?.level = Decibels(-6) })
        s.play("music")
        #expect(s["music"] == .ducked(-6))
        #expect(s.reason(of: "music") == .level)
        s.play("navigation", for: .seconds(1))
        #expect(s["music"] == .ducked(-26))
        s.vanish("navigation", for: .seconds(2))
        #expect(s["music"] == .ducked(-6))
        s.play("phone", for: .seconds(1))
        #expect(s["music"] == .corked)
        s.vanish("phone", for: .seconds(2))
        #expect(s["music"] == .ducked(-6))
        s.send(.shutdown)
        #expect(s["music"] == .unmanaged)
    }

    private let front = ZoneSet(rawValue: 1)
    private let rear = ZoneSet(rawValue: 2)

    private var zones: Zones {
        Zones(
            ["front", "rear"].compactMap { name in
                OutputPattern(name).map { Zones.Zone(name: name, outputs: [$0]) }
            })
    }

    @Test("N27 what happens in one zone leaves the others alone", arguments: ["phone", "navigation"])
    func zonesApart(role: String) {
        var s = Scenario(policy: policy(zones: zones) { _ in })
        s.play("music")
        s.place("music", in: rear)
        s.appear(role, role: role)
        s.place(role, in: front)
        s.want(role)
        s.advance(.seconds(1))
        #expect(s["music"] == .free)
        s.place("music", in: front)
        s.advance(.seconds(1))
        #expect(s["music"] != .free)
        s.place(role, in: rear)
        s.advance(.seconds(2))
        #expect(s["music"] == .free)
        s.place(role, in: [front, rear])
        s.advance(.seconds(1))
        #expect(s["music"] != .free)
    }

    @Test("N27 who is heard nobody knows where concerns everybody; without zones in the policy, place means nothing")
    func unknownPlaces() {
        var s = Scenario(policy: policy(zones: zones) { _ in })
        s.play("music")
        s.place("music", in: rear)
        s.play("phone", for: .seconds(1))
        #expect(s["music"] == .corked)

        s = Scenario(.desktop)
        s.play("music")
        s.place("music", in: rear)
        s.play("phone")
        s.place("phone", in: front)
        s.advance(.seconds(1))
        #expect(s["music"] == .corked)
    }

    @Test("N14 applications of which a rule says so are in a call while they play and record")
    func pairedByRule() throws {
        var policy = Policy.desktop
        policy.callAfter = .zero
        var plays = try #require(policy.untagged)
        plays.isPaired = true
        var records = Policy.listener
        records.isPaired = true
        var engine = Engine(policy: policy)
        let browser = ApplicationID(portal: nil, binary: "browser", displayName: nil, fallback: "")
        let player = ApplicationID(portal: nil, binary: "player", displayName: nil, fallback: "")
        let now = Instant(nanoseconds: 0)
        func add(
            _ id: UInt32, _ application: ApplicationID, _ description: SessionDescription, _ direction: StreamDirection
        ) {
            _ = engine.handle(
                .streamAppeared(StreamID(id), application: application, description: description, direction: direction),
                at: now)
            _ = engine.handle(.streamWanted(StreamID(id), true), at: now)
            _ = engine.handle(.streamRunning(StreamID(id), true), at: now)
        }
        add(1, player, try #require(Role("music").flatMap { policy.description(ofRole: $0) }), .playback)
        add(2, browser, plays, .playback)
        #expect(engine.treatment(of: StreamID(1)) == .untouched)
        add(3, browser, records, .capture)
        #expect(engine.treatment(of: StreamID(1))?.silence == .pausePlayer)
        _ = engine.handle(.streamVanished(StreamID(3)), at: now)
        #expect(engine.treatment(of: StreamID(1)) == .untouched)
    }

    @Test(
        "N23 an output is named by its type, name, id or node, in any case of letters, with * for the rest",
        arguments: [
            ("speaker", true), ("Speaker", true), ("BuiltInSpeaker", true), ("headphones", false), ("*speak*", true),
            ("analog-output-speaker", true), ("alsa_output.*", true), ("alsa_output", false), ("*", true),
            ("*card*stereo", true), ("*card*mono", false), ("Internal Speakers", true), ("**s", true), ("usb", false),
        ])
    func patterns(text: String, isMatch: Bool) throws {
        var port = RoutePort(type: .builtInSpeaker, name: "Internal Speakers", id: "analog-output-speaker")
        port.nodeName = "alsa_output.pci-card0.analog-stereo"
        #expect(try #require(OutputPattern(text)).matches(port) == isMatch)
    }

    @Test("N23 a pattern is compared with the word of the output's own type, whatever other words it fits")
    func ownWord() throws {
        let port = RoutePort(type: .airPlay, name: "Kitchen", id: "raop.1")
        #expect(try #require(OutputPattern("*o*")).matches(port))
    }

    @Test("N23 an empty pattern, or one without end, is none")
    func noPatterns() {
        #expect(OutputPattern("") == nil)
        #expect(OutputPattern(String(repeating: "*", count: OutputPattern.maximumLength + 1)) == nil)
        // A pattern that would take long to try in every way.
        let slow = OutputPattern(String(repeating: "a*", count: 100) + "b")
        let port = RoutePort(type: .unknown, name: String(repeating: "a", count: 1000), id: "x")
        #expect(slow?.matches(port) == false)
    }
}
