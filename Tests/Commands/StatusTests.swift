import BusInterface
import Foundation
import Testing

@testable import Commands

/// What is made of the service's records, for people and for machines.
@Suite struct StatusTests {
    private func situation(
        sessions: [WireValue] = Canned.sessions, streams: [WireValue] = Canned.streams,
        leftAlone: [WireValue] = Canned.leftAlone, properties: [(String, WireValue)] = Canned.properties()
    ) -> ServiceState {
        ServiceState(
            properties: .record(properties), sessions: .records(sessions), streams: .records(streams),
            leftAlone: .records(leftAlone))
    }

    private static let styles: [(name: String, style: Style)] = [
        ("plain", .plain), ("unicode", Style(isColoured: false, isUnicode: true)),
        ("coloured", Style(isColoured: true, isUnicode: true)),
    ]

    @Test("N12 the tree says what is done to whom, by whom, since when", arguments: [0, 1, 2])
    func treeSaysWhatIsDoneToWhomByWhomSinceWhen(index: Int) throws {
        let (name, style) = Self.styles[index]
        let text = StatusText(state: situation(), style: style, now: Canned.now, showsLimits: true).text
        try Project.compare(text, withSnapshot: "status-\(name).txt")
        if name == "plain" { #expect(text.unicodeScalars.allSatisfy { $0.isASCII }) }
        #expect(
            text.unicodeScalars.allSatisfy { $0 == "\n" || $0.value >= 0x20 || (style.isColoured && $0 == "\u{1B}") })
        if !style.isColoured {
            for line in text.split(separator: "\n") { #expect(line.count <= 80, "\(line)") }
        }
    }

    @Test(
        "N16 the switches that are on stand above",
        arguments: [
            (
                Canned.properties(silent: false, locked: false, hasPorts: false),
                "Policy desktop, no sessions\n"
            ),
            (
                Canned.properties(silent: true, doNotDisturb: true, pausedUntil: .max),
                "Policy desktop, silent, do not disturb, screen locked, paused until it is\n    resumed, no sessions\n"
                    + "Output Headphones, input Internal Microphone\n"
            ),
            ([], "Policy unknown, no sessions\n"),
            (
                [("Preset", .string("phone")), ("Policy", .string("built-in phone"))],
                "Policy phone: built in, no sessions\n"
            ),
            (
                [("Preset", .string("car")), ("Policy", .string("/usr/share/audio-session/car.conf"))],
                "Policy car: /usr/share/audio-session/car.conf, no sessions\n"
            ),
        ])
    func switchesThatAreOnStandAbove(properties: [(String, WireValue)], expected: String) {
        let situation = situation(sessions: [], streams: [], leftAlone: [], properties: properties)
        #expect(StatusText(state: situation, style: .plain, now: Canned.now).text == expected)
    }

    @Test("a policy of several files is shown with all of them") func policyOfSeveralFilesIsShownWithAllOfThem() {
        let folder = "/home/somebody/.config/audio-session"
        let files = ["policy.conf", "policy.conf.d/10-roles.conf", "policy.conf.d/50-applications.conf"]
        let origin = files.map { "\(folder)/\($0)" }.joined(separator: ", ") + ", /home/somebodyelse/x"
        let situation = situation(
            sessions: [], streams: [], leftAlone: [],
            properties: [("Policy", .string(origin)), ("Silent", .boolean(true))])
        let text = StatusText(state: situation, style: .plain, now: Canned.now, home: "/home/somebody").text
        #expect(
            text == """
                Policy ~/.config/audio-session/policy.conf,
                    ~/.config/audio-session/policy.conf.d/10-roles.conf,
                    ~/.config/audio-session/policy.conf.d/50-applications.conf,
                    /home/somebodyelse/x, silent, no sessions

                """)
    }

    @Test("the end of a pause is shown as a clock, or with its date") func endOfPauseIsShownAsClockOrWithItsDate()
        throws
    {
        func words(_ seconds: Int64) throws -> String {
            try #require(ServiceState.Pause.until(UInt64(Canned.now + seconds * 1_000_000)).words(at: Canned.now))
        }
        let soon = try words(3600)
        #expect(try /paused until \d\d:\d\d:\d\d/.wholeMatch(in: soon) != nil, "\(soon)")
        let later = try words(172_800)
        #expect(try /paused until 2026-11-2[34] \d\d:\d\d:\d\d/.wholeMatch(in: later) != nil, "\(later)")
    }

    @Test(
        "R60 what is in use stands below the policy",
        arguments: [
            ([], [0], "Output Headphones\n"), ([0], [], "Input Internal Microphone\n"), ([], [], ""),
            ([0], [0, 1], "Output Headphones + Speakers, input Internal Microphone\n"),
            ([], [0, 1, 2], "Output Headphones + Speakers + Fernseher ?[2J in der K?che und noch ein...\n"),
        ]) func whatIsInUseStandsBelowPolicy(inputs: [Int], outputs: [Int], expected: String)
    {
        let route = Canned.route(inputs: inputs.map { Canned.inputs[$0] }, outputs: outputs.map { Canned.outputs[$0] })
        let situation = situation(sessions: [], streams: [], leftAlone: [], properties: [("CurrentRoute", route)])
        let text = StatusText(state: situation, style: .plain, now: Canned.now).text
        #expect(text == "Policy unknown, no sessions\n" + expected)
    }

    @Test("R66 the ports that there are, with a mark at those in use") func portsThatThereAreWithMarkAtThoseInUse()
        throws
    {
        try Project.compare(situation().portTable(.plain), withSnapshot: "route.txt")
        // What is in use may not be among those that can be chosen.
        let odd = situation(properties: [("CurrentRoute", Canned.route(outputs: Canned.outputs))])
        #expect(odd.portTable(.plain).split(separator: "\n").dropFirst().allSatisfy { $0.hasPrefix("*  output") })
        #expect(situation(properties: []).route.isUnknown)
    }

    @Test("tables have a line for each", arguments: ["sessions", "streams"]) func tablesHaveLineForEach(what: String)
        throws
    {
        let situation = situation()
        let text = what == "sessions" ? situation.sessionTable(.plain) : situation.streamTable(.plain)
        try Project.compare(text, withSnapshot: "list-\(what).txt")
        #expect(text.split(separator: "\n").count == 1 + (what == "sessions" ? 6 : 9))
    }

    @Test("machines get everything, in the documented order") func machinesGetEverythingInDocumentedOrder() throws {
        let text = SchemaJSON.text(situation().members)
        try Project.compare(text, withSnapshot: "status.json")
        let read = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        #expect(read["schema"] as? Int == 2)
        #expect((read["sessions"] as? [Any])?.count == 6)
        #expect((read["streams"] as? [Any])?.count == 8)
        #expect((read["left-alone"] as? [Any])?.count == 1)
        let line = SchemaJSON.line(situation().members)
        #expect(!line.contains("\n"))
        #expect(
            line.hasPrefix(
                "{\"schema\":2,\"version\":\"1.2\",\"server\":\"PulseAudio 16.1\",\"server-limits\":{\"card-buffer\":"))
        #expect(line.contains("},\"preset\":\"\",\"policy\":\"desktop\",\"switches\":{\"silent\":true,"))
    }

    @Test("records of other versions are shown as far as they go") func recordsOfOtherVersionsAreShownAsFarAsTheyGo() {
        let odd: [WireValue] = [
            .record([("new", .string("thing"))]), .string("no record"), .record([("id", .string("x"))]),
        ]
        let situation = situation(sessions: odd, streams: odd)
        let text = StatusText(state: situation, style: .plain, now: Canned.now).text
        #expect(text.contains("session 0"))
        #expect(SchemaJSON.line(situation.members).contains("{\"new\":\"thing\"}"))
    }

    // MARK: - Events

    private typealias Entry = (kind: String, details: WireValue)
    private static let streamEvents: [Entry] =
        [("stream-appeared", Canned.streams[1]), ("stream-appeared", Canned.streams[0])]
        + Canned.streams.map { ("stream-changed", $0) } + [("stream-removed", Canned.streams[0])]
    private static let sessionEvents: [Entry] = Canned.sessions.map { ("session-changed", $0) }
    private static let speakers = Canned.route(outputs: [Canned.outputs[1]])

    private static func change(_ reason: String, _ number: UInt32, _ previous: WireValue, _ current: WireValue) -> Entry
    {
        (
            "route-changed",
            .record([
                ("reason", .string(reason)), ("reason-number", .uint32(number)), ("previous", previous),
                ("current", current),
            ])
        )
    }

    private static let otherEvents: [Entry] = [
        ("session-opened", Canned.sessions[1]), ("session-closed", Canned.sessions[1]),
        (
            "interruption-began",
            .record([
                ("id", .uint32(1)), ("application", .string("rhythmbox")), ("reason", .string("default")),
                ("by", .string("Calls")),
            ])
        ),
        (
            "interruption-began",
            .record([("id", .uint32(1)), ("reason", .string("route-disconnected")), ("by", .string(""))])
        ),
        ("interruption-ended", .record([("application", .string("mpv")), ("should-resume", .boolean(true))])),
        ("interruption-ended", .record([("application", .string("mpv")), ("should-resume", .boolean(false))])),
        ("switch-changed", .record([("name", .string("silent")), ("value", .boolean(true))])),
        ("switch-changed", .record([("name", .string("paused-until")), ("value", .uint64(.max))])),
        ("switch-changed", .record([("name", .string("paused-until")), ("value", .uint64(0))])),
        ("switch-changed", .record([("name", .string("something")), ("value", .uint64(5))])),
        ("policy-changed", .record([("policy", .string("phone"))])), ("policy-changed", .record([])),
        change("old-device-unavailable", 2, Canned.route(outputs: [Canned.outputs[0]]), speakers),
        change("new-device-available", 1, Canned.route(outputs: [Canned.outputs[0]]), Canned.route()),
        change("category-change", 3, speakers, Canned.route(inputs: Canned.inputs, outputs: [Canned.outputs[1]])),
        change("unknown", 0, Canned.route(), Canned.route(inputs: Canned.inputs, outputs: Canned.outputs)),
        change("no-suitable-route-for-category", 7, speakers, speakers), ("route-changed", .record([])),
        ("session-changed", .record([("application", .string("mpv")), ("description", .string("video"))])),
        ("stream-removed", .record([("id", .uint32(7))])),
        ("services-lost", .record([])), ("services-reset", .record([])),
        ("something-new", .record([("a", .string("b\u{7}")), ("c", .uint32(3))])),
    ]
    private static let events = streamEvents + sessionEvents + otherEvents

    @Test(
        "N12 the cause is said where the treatment does not say it",
        arguments: [
            ("superseded", "corked by Calls (phone) (its application has to go on)"), ("rejected", "(not let begin)"),
            ("inactive", "(its session is not active)"), ("no-device", "(audio-processing has no device)"),
            ("silent", "(silent switch)"), ("locked", "(screen lock)"), ("do-not-disturb", "(do not disturb)"),
            ("handover", "(until others are silent)"), ("something-new", "(something-new)"),
            ("interrupted", "by Calls (phone)"),
        ])
    func causeIsSaidWhereTreatmentDoesNotSayIt(cause: String, words: String) {
        let stream = StreamRecord(
            Canned.stream(
                1, node: 2, "a", process: 3, session: 4, "b", treatment: "corked", cause: cause, by: "Calls (phone)"))
        #expect(Style.plain.treatment(of: stream, at: nil).text.hasSuffix(words))
    }

    @Test("each event is one line") func eachEventIsOneLine() throws {
        let lines = Self.events.map { kind, details in
            let line = EventText(time: Canned.now, kind: kind, details: details).line(.plain)
            // The hours and minutes are those of the user's time zone.
            #expect(line.dropFirst(5).hasPrefix(":49.123  "), "\(line)")
            return String(line.dropFirst("18:39:49.123  ".count))
        }
        for line in lines { #expect(line.unicodeScalars.allSatisfy { (0x20...0x7E).contains($0.value) }, "\(line)") }
        try Project.compare(lines.joined(separator: "\n") + "\n", withSnapshot: "events.txt")
    }

    @Test("each event is one object") func eachEventIsOneObject() throws {
        let lines = Self.events.map { EventText(time: Canned.now, kind: $0.kind, details: $0.details).json }
        for line in lines {
            #expect(line.hasPrefix("{\"schema\":2,\"time\":\(Canned.now),\"kind\":\""))
            #expect(throws: Never.self) { try JSONSerialization.jsonObject(with: Data(line.utf8)) }
        }
        try Project.compare(lines.joined(separator: "\n") + "\n", withSnapshot: "events.json")
    }

    @Test(
        "ages are in the unit that says most",
        arguments: [
            (0, "0 s"), (3, "3 s"), (119, "119 s"), (120, "2 min"), (7199, "119 min"), (7200, "2 h"),
            (172_800, "2 days"),
            (-5, "0 s"),
        ])
    func agesAreInUnitThatSaysMost(seconds: Int64, words: String) {
        #expect(Style.plain.age(from: Canned.now, to: Canned.now + seconds * 1_000_000) == words)
    }
}

extension Style {
    /// A terminal that can do nothing special.
    static let plain = Style(isColoured: false, isUnicode: false)
}
