import BusInterface
import Foundation
import TestKit
import Testing

@testable import Commands

/// What status bars are told.
@Suite struct WaybarTests {
    private func state(
        sessions: [WireValue] = [], streams: [WireValue] = [], silent: Bool = false, doNotDisturb: Bool = false,
        locked: Bool = false, pausedUntil: UInt64 = 0
    ) -> ServiceState {
        ServiceState(
            properties: .record(
                Canned.properties(
                    silent: silent, doNotDisturb: doNotDisturb, locked: locked, pausedUntil: pausedUntil,
                    hasPorts: false)),
            sessions: .records(sessions), streams: .records(streams))
    }

    private func bar(_ state: ServiceState) -> BarText { BarText(state, at: Canned.now) }

    @Test("N12 who holds what is one line of JSON, in Pango's markup") func whoHoldsWhatIsOneLineOfJSON() throws {
        let state = ServiceState(
            properties: .record(Canned.properties()), sessions: .records(Canned.sessions),
            streams: .records(Canned.streams))
        let json = BarText(state, at: Canned.now).json
        #expect(!json.contains("\n"))
        let read = try #require(try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any])
        #expect(Set(read.keys) == ["text", "alt", "tooltip", "class", "percentage"])
        #expect(read["text"] as? String == "Calls")
        #expect(read["alt"] as? String == "call")
        #expect(read["class"] as? [String] == ["call", "interrupted", "ducked", "silent"])
        #expect(read["percentage"] as? Int == 0)
        #expect(
            read["tooltip"] as? String == """
                Rhythmbox (music): interrupted by Calls (phone)
                Calls (phone): active
                mpv (video): ducked −20 dB by navigator (navigation)
                an-application-with-a-name-that-is-longe… (navigation): active
                Übung (playback): muted (silent switch)
                The silent switch is on
                The screen is locked
                Output Headphones, input Internal Microphone
                """)
    }

    @Test("no name gets out of its place in the markup") func noNameGetsOutOfItsPlace() {
        let evil = Canned.session(
            1, "<b>&\u{1B}[2J\n\"", "<i>", "playback", state: "active", streams: [1], displayName: "")
        let bar = bar(state(sessions: [evil]))
        #expect(bar.text == "&lt;b&gt;&amp;\u{FFFD}[2J\u{FFFD}&quot;")
        #expect(bar.tooltip == "&lt;b&gt;&amp;\u{FFFD}[2J\u{FFFD}&quot; (&lt;i&gt;): active")
    }

    @Test("N16 each situation has its word, and the first one that holds is said") func eachSituationHasItsWord() {
        let music = Canned.session(1, "music", "music", "playback", state: "active", streams: [1])
        let other = Canned.session(2, "other", "music", "playback", state: "interrupted", streams: [2])
        let call = Canned.session(3, "phone", "phone", "play-and-record", priority: 200, state: "active", streams: [])
        let ducked = Canned.stream(
            1, node: 1, "music", process: 1, session: 1, "music", treatment: "ducked", gain: -20, cause: "ducked",
            by: "navigator")
        let corked = Canned.stream(
            2, node: 2, "other", process: 1, session: 2, "music", running: false, treatment: "corked",
            gain: -.infinity, cause: "interrupted", by: "phone")
        let cases: [(ServiceState, [BarText.Situation], String, Int)] = [
            (state(), [.idle], "", 100),
            (state(sessions: [music]), [.idle], "music", 100),
            (state(silent: true), [.silent], "silent", 100),
            (state(silent: true, doNotDisturb: true), [.silent, .doNotDisturb], "silent", 100),
            (state(doNotDisturb: true), [.doNotDisturb], "do not disturb", 100),
            (state(sessions: [music], streams: [ducked]), [.ducked], "navigator", 46),
            (state(sessions: [music, other], streams: [ducked, corked]), [.interrupted, .ducked], "music", 0),
            (state(sessions: [other], streams: [corked]), [.interrupted], "other", 0),
            (state(sessions: [music, call]), [.call], "phone", 100),
            (state(sessions: [call], pausedUntil: .max), [.paused, .call], "paused", 100),
        ]
        for (state, situations, text, percentage) in cases {
            let bar = bar(state)
            #expect(bar.situations == situations)
            #expect(bar.situation == situations[0])
            #expect(bar.text == text)
            #expect(bar.percentage == percentage, "\(text)")
        }
        #expect(bar(state()).tooltip == "Nobody plays or records")
        #expect(bar(state(pausedUntil: .max)).tooltip.hasSuffix("\nPolicy: paused until it is resumed"))
    }

    @Test("the manual has each word") func manualHasEachWord() throws {
        let page = try String(
            contentsOf: Project.folder.appending(path: "install/man/audio-session.1"), encoding: .utf8)
        // In two steps: the macro of Swift 6.0 does not unwrap both.
        let rest = try #require(page.components(separatedBy: "\n.Ss waybar\n").last)
        let part = try #require(rest.components(separatedBy: "\n.Ss ").first)
        for word in BarText.Situation.allCases.map(\.rawValue) {
            #expect(
                part.contains("\n.Cm \(word)\n") || part.contains("\n.Cm \(word) ,")
                    || part.contains("\n.Cm \(word) .\n"))
            #expect(part.contains("\"\(word)\": \""), "\(word) has an icon")
        }
    }

    @Test("many names are counted") func manyNamesAreCounted() {
        let sessions = (1...30).map { number in
            Canned.session(
                number, "player \(number)", "music", "playback", state: "active", streams: [])
        }
        let bar = bar(state(sessions: sessions))
        #expect(bar.text == "player 1 +29")
        #expect(bar.tooltip.hasSuffix("\nand 10 more"))
    }

    @Test("without a service, the class is absent") func withoutServiceTheClassIsAbsent() {
        let bar = BarText(without: nil)
        #expect(bar.situation == .absent)
        #expect(bar.text == "no service")
        #expect(bar.tooltip.contains("audio-session doctor"))
        #expect(BarText(without: "<not> today").tooltip == "&lt;not&gt; today")
    }

    // MARK: - The command

    private func alternatives(_ command: CannedDesk.Command) -> [String] {
        command.lines.map { line in
            let read = try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
            return read?["alt"] as? String ?? "?"
        }
    }

    @Test("one line, and it ends", arguments: [true, false]) func oneLineAndItEnds(hasService: Bool) async throws {
        try await CannedDesk.run(hasService: hasService) { desk in
            let command = try desk.start(["waybar", "--once"])
            #expect(try desk.end(of: command) == .exited(0))
            #expect(command.complaints == "")
            #expect(alternatives(command) == [hasService ? "call" : "absent"])
        }
    }

    @Test("without a bus it says so too") func withoutBusItSaysSo() async throws {
        try await CannedDesk.run(hasBus: false, hasService: false) { desk in
            let command = try desk.start(["waybar", "--once"])
            #expect(try desk.end(of: command) == .exited(0))
            #expect(alternatives(command) == ["absent"])
        }
    }

    @Test("R82 a line after each change, while the service comes and goes") func lineAfterEachChange() async throws {
        try await CannedDesk.run(hasService: false) { desk in
            let command = try desk.start(["waybar"])
            try desk.wait(for: "a line") { alternatives(command) == ["absent"] }
            try desk.startService()
            try desk.wait(for: "the service") { alternatives(command) == ["absent", "call"] }
            // An event without a change is no line; a change is.
            desk.manager.send("stream-changed", Canned.streams[0])
            desk.manager.properties["PausedUntil"] = .uint64(.max)
            desk.manager.send("switch-changed", .record([("name", .string("paused-until"))]))
            try desk.wait(for: "the change") { alternatives(command) == ["absent", "call", "paused"] }
            desk.stopService()
            try desk.wait(for: "its end") { alternatives(command).count == 4 }
            try desk.startService()
            try desk.wait(for: "the next one") { alternatives(command).count == 5 }
            #expect(alternatives(command) == ["absent", "call", "paused", "absent", "call"])
            command.child.signal(SIGTERM)
            #expect(try desk.end(of: command) == .exited(0))
            #expect(command.complaints == "")
        }
    }

    @Test("a bar that has gone ends it, though nothing happens") func barThatHasGoneEndsIt() async throws {
        try await CannedDesk.run { desk in
            let path = desk.sandbox.path("tmp/status")
            let shell = try desk.sandbox.start(
                "sh",
                Invocation(
                    "sh",
                    ["-c", "{ \"$0\" waybar; echo $? >\"$1\"; } | head -1", Project.command.path(), path]),
                output: desk.sandbox.path("tmp/first"))
            try desk.wait(for: "its end", evidence: shell.log.text) { !shell.isRunning }
            #expect(try String(contentsOfFile: path, encoding: .utf8) == "0\n")
        }
    }

    @Test("a service that refuses is said, and asked again") func serviceThatRefusesIsSaid() async throws {
        try await CannedDesk.run { desk in
            let refusal = WireError(WireErrorName.accessDenied, "not you")
            desk.manager.failures = ["Subscribe": refusal, "ListStreams": refusal]
            let command = try desk.start(["waybar"])
            try desk.wait(for: "a word of it") { command.output.contains("not you") }
            desk.manager.failures["ListStreams"] = nil
            try desk.wait(for: "the state") { alternatives(command) == ["absent", "call"] }
            command.child.signal(SIGINT)
            #expect(try desk.end(of: command) == .exited(0))
        }
    }
}
