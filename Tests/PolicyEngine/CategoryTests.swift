import PolicyEngine
import Testing

/// What the categories do to each other.
@Suite struct CategoryTests {
    private static func sample(_ name: String, _ category: Category, _ options: CategoryOptions = [])
        -> SessionDescription
    {
        SessionDescription(name: name, category: category, options: options)
    }

    /// By name: R15 R16 R17 R17+mix R18 R19 R19+mix R20 R13.
    static let samples: [String: SessionDescription] = [
        "ambient": sample("ambient", .ambient),
        "solo": sample("solo", .soloAmbient),
        "playback": sample("playback", .playback),
        "mixing": sample("mixing", .playback, .mixWithOthers),
        "record": sample("record", .record),
        "talk": sample("talk", .playAndRecord),
        "mixing-talk": sample("mixing-talk", .playAndRecord, .mixWithOthers),
        "process": sample("process", .audioProcessing),
        "ui": sample("ui", .uiSound),
    ]

    /// What the one that starts second does to the one that started first.
    static let table: [(rule: String, first: String, second: String, state: Heard)] = [
        ("R15", "ambient", "ambient", .free), ("R15", "ambient", "solo", .free), ("R15", "solo", "ambient", .free),
        ("R15", "ambient", "playback", .free), ("R15", "playback", "ambient", .free),
        ("R15", "ambient", "talk", .free), ("R15", "talk", "ambient", .free),
        ("R16", "solo", "solo", .corked), ("R16", "solo", "playback", .corked), ("R16", "playback", "solo", .corked),
        ("R17", "playback", "playback", .corked), ("R17", "playback", "mixing", .free),
        ("R17", "mixing", "playback", .free), ("R17", "mixing", "mixing", .free),
        ("R18", "record", "record", .corked), ("R18", "record", "playback", .free),
        ("R19", "talk", "talk", .corked), ("R19", "talk", "playback", .corked), ("R19", "playback", "talk", .corked),
        ("R19", "playback", "mixing-talk", .free), ("R19", "mixing-talk", "playback", .free),
        ("R20", "process", "playback", .corked), ("R20", "playback", "process", .free),
        ("R20 R23", "process", "ambient", .corked),
        ("R21", "ambient", "record", .corked), ("R21", "solo", "record", .corked),
        ("R21", "playback", "record", .corked), ("R21", "mixing", "record", .corked),
        ("R21", "talk", "record", .corked), ("R21", "mixing-talk", "record", .corked),
        ("R22", "ui", "record", .muted), ("R22", "ui", "playback", .free), ("R22", "ui", "talk", .free),
        ("R22", "playback", "ui", .free), ("R22", "talk", "ui", .free), ("R22", "record", "ui", .free),
    ]

    @Test("R15-R22 R28 what a later session does to an earlier one", arguments: table)
    func later(rule: String, first: String, second: String, state: Heard) throws {
        let one = try #require(Self.samples[first])
        var two = try #require(Self.samples[second])
        two.name = "second"
        var s = Scenario(policy: .of(one, two))
        s.play("one", role: one.name)
        s.play("two", role: "second", for: .seconds(3))
        #expect(s["one"] == state, "\(rule) \(first) under \(second)")
        #expect(s.isRunning("one") == (state != .corked))
    }

    @Test(
        "R21 a recording silences playback that starts after it",
        arguments: ["ambient", "solo", "playback", "mixing", "talk", "mixing-talk"])
    func newerThanRecording(name: String) throws {
        var s = Scenario(policy: .of(try #require(Self.samples["record"]), try #require(Self.samples[name])))
        s.play("record", capture: true, for: .seconds(1))
        s.play(name, for: .seconds(1))
        #expect(s[name] == .corked)
        #expect(s["record"] == .free)
        s.pause("record", for: .seconds(1))
        #expect(s[name] == .free)
        #expect(s.isRunning(name))
    }

    @Test("R21 R22 a recording silences neither phone nor alarm, but message alerts")
    func recordingAndSystem() {
        var s = Scenario(.phone)
        s.appear("memo", capture: true)
        s.want("memo")
        s.advance(.seconds(1))
        s.play("notification")
        s.play("navigation", for: .seconds(1))
        #expect(s["memo"] == .free)
        #expect(s["notification"] == .muted)
        #expect(s["navigation"] == .corked)
        s.play("alarm", for: .seconds(1))
        #expect(s["alarm"] == .free)
        s.play("phone", for: .seconds(1))
        #expect(s["phone"] == .free)
        #expect(s["memo"] == .corked)
    }

    @Test("R22 message alerts are heard over playback and play-and-record", arguments: ["music", "video", "phone"])
    func alerts(role: String) {
        var s = Scenario(.phone)
        s.play(role)
        s.play("notification", for: .seconds(1))
        #expect(s["notification"] == .free)
        #expect(s[role] == .free)
    }

    @Test("R28 R44 one mixable side is enough, and mixing changes nothing else")
    func mixing() throws {
        for mixing in ["mixing", "mixing-talk", "ambient"] {
            var s = Scenario(
                policy: .of(
                    try #require(Self.samples["playback"]), try #require(Self.samples[mixing]),
                    SessionDescription(name: "call", category: .playAndRecord, priority: .phone)))
            s.play("playback")
            s.play(mixing, for: .seconds(3))
            #expect(s["playback"] == .free)
            #expect(s[mixing] == .free)
            s.play("call", for: .seconds(3))
            #expect(s["playback"] == .corked)
            #expect(s[mixing] == .corked)
            s.pause("call", for: .seconds(3))
            #expect(s["playback"] == .free)
            #expect(s[mixing] == .free)
        }
    }

    @Test("R2 R21 the desktop leaves recordings alone")
    func desktopRecording() {
        var s = Scenario(.desktop)
        s.play("music")
        s.appear("recorder", capture: true)
        s.want("recorder")
        s.play("phone", for: .seconds(1))
        #expect(s["recorder"] == .unmanaged)
        #expect(s.isRunning("recorder"))
    }
}
