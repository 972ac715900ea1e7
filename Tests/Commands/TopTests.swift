import BusInterface
import Foundation
import TestKit
import Testing

@testable import Commands

/// What `audio-session top` shows, and what its keys do. `Tests/Glance/check` runs it in a terminal.
@Suite struct TopTests {
    private static let unicode = Style(isColoured: false, isUnicode: true)

    private static func state(
        sessions: [WireValue] = Canned.sessions, streams: [WireValue] = Canned.streams,
        leftAlone: [WireValue] = [], properties: [(String, WireValue)] = Canned.properties()
    ) -> StateFollower.View {
        .present(
            ServiceState(
                properties: .record(properties), sessions: .records(sessions), streams: .records(streams),
                leftAlone: .records(leftAlone)))
    }

    private func model(_ view: StateFollower.View = state(), keys: String = "") -> TopModel {
        var model = TopModel()
        model.update(view, at: Canned.now)
        for key in keys { _ = model.press(.character(key)) }
        return model
    }

    /// The screen without colours.
    private func screen(
        _ model: inout TopModel, _ rows: Int, _ columns: Int, _ style: Style = .plain, after milliseconds: Int64 = 0
    ) -> [String] {
        TopView.screen(&model, style, rows: rows, columns: columns, now: Canned.now + milliseconds * 1000).map { line in
            ["\u{1B}[7m", "\u{1B}[0m"].reduce(line) { $0.replacingOccurrences(of: $1, with: "") }
        }
    }

    private func text(_ lines: [String]) -> String {
        lines.map { line in
            var line = line
            while line.last == " " { line.removeLast() }
            return line + "\n"
        }.joined()
    }

    // MARK: - The screen

    @Test("N12 sessions are shown with their streams, the strongest first", arguments: [(10, 40), (24, 80), (60, 200)])
    func sessionsAreShownWithTheirStreams(rows: Int, columns: Int) throws {
        // A terminal of any size has a screen of that size.
        for (name, style) in [("plain", Style.plain), ("unicode", Self.unicode)] {
            var model = model(Self.state(leftAlone: Canned.leftAlone))
            let lines = screen(&model, rows, columns, style)
            #expect(lines.count == rows)
            for line in lines { #expect(line.columns <= columns, "\(line)") }
            if name == "plain" {
                #expect(lines.joined().unicodeScalars.allSatisfy { (0x20...0x7E).contains($0.value) })
            }
            try Project.compare(text(lines), withSnapshot: "top-\(columns)x\(rows)-\(name).txt")
        }
    }

    @Test("a screen of any size is filled, and nothing gets out of it") func screenOfAnySizeIsFilled() {
        for rows in [0, 1, 2, 5, 6, 7, 30] {
            for columns in [0, 1, 2, 3, 15, 16, 17, 40, 79, 80, 81, 300] {
                for keys in ["", "?", "o", "jjjj"] {
                    for view in [Self.state(), .absent, .failed(WireError("x", "said\nwhy\u{1B}[2J"))] {
                        var model = model(view, keys: keys)
                        if keys == "jjjj", let row = model.selection { model.explain(row, ["a b c\u{7} 中文 \(rows)"]) }
                        let lines = screen(&model, rows, columns, Self.unicode)
                        #expect(lines.count == rows)
                        #expect(lines.allSatisfy { $0.columns <= columns }, "\(rows)x\(columns) \(keys)")
                        #expect(lines.joined().unicodeScalars.allSatisfy { $0.value >= 0x20 })
                    }
                }
            }
        }
    }

    @Test("the columns fill the terminal, and the least important ones give way") func columnsFillTheTerminal() {
        for width in 16...200 {
            let columns = TopColumns(width: width).shown
            let sum = columns.reduce(2) { $0 + $1.width } + columns.count - 1
            #expect(sum <= width)
            #expect(columns.first?.kind == .name)
        }
        func kinds(_ width: Int) -> [TopColumns.Kind] { TopColumns(width: width).shown.map(\.kind) }
        #expect(kinds(40) == [.name, .state, .gain])
        #expect(kinds(70) == [.name, .state, .gain, .bar, .by, .time])
        #expect(kinds(80) == TopColumns.Kind.allCases)
    }

    @Test("N12 fades and waits count down between two readings") func fadesAndWaitsCountDown() throws {
        let music = Canned.session(1, "music", "music", "playback", state: "interrupted", streams: [1])
        let fading = Canned.stream(
            1, node: 1, "music", process: 1, session: 1, "music", treatment: "ducked", gain: -20, cause: "ducked",
            by: "navigator", ago: 2)
        func adding(_ record: WireValue, _ members: [(String, WireValue)]) -> WireValue {
            .record((record.entries ?? []).map { ($0.key.text ?? "", $0.value.bare) } + members)
        }
        var model = model(
            Self.state(
                sessions: [adding(music, [("remaining", .uint32(59_500))])],
                streams: [adding(fading, [("gain-now", .double(-6)), ("fade-remaining", .uint32(800))])]))
        func rows(after milliseconds: Int64) -> [String] {
            Array(screen(&model, 24, 120, Self.unicode, after: milliseconds)[3...4])
        }
        let first = rows(after: 0)
        #expect(first[0].contains("interrupted") && first[0].hasSuffix("59 s left"), "\(first)")
        #expect(first[1].contains("−6 dB ████████") && first[1].hasSuffix("fade 0.8 s"), "\(first)")
        let second = rows(after: 700)
        #expect(second[0].hasSuffix("58 s left") && second[1].hasSuffix("fade 0.1 s"), "\(second)")
        // What is over is shown as what it has led to.
        let last = rows(after: 3000)
        #expect(last[1].hasSuffix(" 5 s"), "\(last)")
    }

    @Test("what its user has freed or muted is shown as that") func whatItsUserHasFreedIsShown() {
        let members: [(String, WireValue)] = [
            ("id", .uint32(1)), ("direction", .string("playback")), ("treatment", .string("untouched")),
            ("running", .boolean(true)), ("wanted", .boolean(true)),
        ]
        var freed = model(
            Self.state(sessions: [], streams: [.record(members + [("beside", .strings(["Calls (phone)"]))])]))
        let row = screen(&freed, 24, 100)[3]
        #expect(row.contains("playing") && row.contains("beside Calls (phone)"), "\(row)")
        var muted = model(Self.state(sessions: [], streams: [.record(members + [("muted", .boolean(true))])]))
        let other = screen(&muted, 24, 100)[3]
        #expect(other.contains("muted") && other.contains("by user or application"), "\(other)")
    }

    @Test("wide characters are cut where the column ends") func wideCharactersAreCut() {
        #expect("中文字".columns == 6)
        #expect("e\u{301}".columns == 1)
        #expect("中文字".cut(to: 5, Self.unicode) == "中文…")
        #expect("中文字".cut(to: 4, Self.unicode) == "中…")
        #expect("中文字".fitted(to: 4, .plain) == "中~ ")
        #expect("ab".fitted(to: 4, .plain, isRight: true) == "  ab")
        #expect("ab".cut(to: 0, .plain) == "")
        #expect("one two".wrapped(to: 3) == ["one", "two"])
        #expect("abcdef 中文".wrapped(to: 4) == ["abcd", "ef", "中文"])
        #expect("".wrapped(to: 4) == [""])
        let wide = Canned.session(
            1, String(repeating: "中", count: 30), "music", "playback", state: "active", streams: [])
        var model = model(Self.state(sessions: [wide], streams: []))
        let line = screen(&model, 10, 40, Self.unicode)[3]
        #expect(line.columns == 40)
        #expect(line.contains("中… active"), "\(line)")
    }

    @Test("the list scrolls with the selected row") func listScrollsWithSelectedRow() {
        var model = model()
        for _ in 0..<8 { _ = model.press(.down) }
        let lines = screen(&model, 10, 80)
        let selected = lines.firstIndex { $0.hasPrefix("> ") }
        #expect(selected == 8, "\(lines)")
        for _ in 0..<20 { _ = model.press(.up) }
        #expect(screen(&model, 10, 80)[3].hasPrefix("> "))
        _ = model.press(.pageDown)
        #expect(model.selection == model.rows[5])
        _ = model.press(.end)
        #expect(model.selection == model.rows.last)
        _ = model.press(.home)
        #expect(model.selection == model.rows.first)
    }

    // MARK: - Keys

    @Test("keys come as characters and as sequences, in pieces too") func keysComeAsCharactersAndSequences() {
        let bytes = Array("jk\u{1B}[A\u{1B}OB\u{1B}[5~\u{1B}[6~\u{1B}[1;5H\u{1B}[4~\r\n \u{1B}xö\u{3}q".utf8)
        let expected: [TopKey] = [
            .character("j"), .character("k"), .up, .down, .pageUp, .pageDown, .end, .enter, .enter, .character(" "),
            .character("q"),
        ]
        var reader = TopKeyReader()
        #expect(reader.read(bytes) == expected)
        var slow = TopKeyReader()
        #expect(bytes.flatMap { slow.read([$0]) } == expected)
        #expect(!slow.isWaiting)
        // An escape character alone is a key once nothing follows.
        #expect(reader.read([0x1B]) == [])
        #expect(reader.isWaiting)
        #expect(reader.giveUp() == [.escape])
        #expect(reader.read([0x1B, 0x1B]) == [.escape])
        #expect(reader.giveUp() == [.escape])
        // A sequence without an end is no key, and does not gather.
        #expect(reader.read([0x1B, 0x5B] + Array(repeating: 0x31, count: 1000)).count < 1000)
        for _ in 0..<1000 { _ = reader.read((0..<20).map { _ in UInt8.random(in: 0...255) }) }
    }

    @Test("each key asks for what it says") func eachKeyAsksForWhatItSays() {
        var model = model()
        #expect(model.rows.first == .session(1))
        #expect(model.press(.character("f")) == .free([7]))
        #expect(model.press(.character("e")) == .explain(.session(1), [7]))
        _ = model.press(.down)
        #expect(model.selection == .stream(7))
        #expect(model.press(.character("f")) == .free([7]))
        for _ in 0..<2 { _ = model.press(.down) }
        #expect(model.selection == .stream(8))
        #expect(model.press(.character("f")) == nil)
        #expect(model.notice == TopModel.Notice(text: "nothing is done to it", isError: true))
        #expect(model.press(.character("p")) == .pause)
        #expect(model.press(.character("s")) == .set(.silent, false))
        #expect(model.press(.character("d")) == .set(.doNotDisturb, true))
        #expect(model.press(.character("q")) == .quit)
        #expect(model.press(.character("z")) == nil)
        model.update(Self.state(properties: Canned.properties(silent: false, pausedUntil: .max)), at: Canned.now)
        #expect(model.press(.character("p")) == .resume)
        #expect(model.press(.character("s")) == .set(.silent, true))
        // Without a service there is nothing to ask.
        model.update(.absent, at: Canned.now)
        for key in "fepsdo" { #expect(model.press(.character(key)) == nil) }
        #expect(model.press(.character("q")) == .quit)
    }

    @Test("R66 an output is chosen from those that there are") func outputIsChosen() {
        var model = model(keys: "o")
        #expect(model.pane == .outputs(0))
        #expect(screen(&model, 24, 80).contains { $0.hasPrefix(">* Headphones (Headphones)") })
        _ = model.press(.down)
        _ = model.press(.character("j"))
        _ = model.press(.down)
        #expect(model.pane == .outputs(2))
        #expect(model.press(.enter) == .setRoute("alsa_card.laptop/[Out] HDMI1"))
        #expect(model.pane == nil)
        _ = model.press(.character("o"))
        #expect(model.press(.escape) == nil)
        #expect(model.pane == nil)
        // What goes meanwhile can no longer be chosen.
        _ = model.press(.character("o"))
        _ = model.press(.character("j"))
        model.update(Self.state(properties: Canned.properties(hasPorts: false)), at: Canned.now)
        #expect(model.pane == nil)
        _ = model.press(.character("o"))
        #expect(model.notice?.isError == true)
    }

    @Test("an explanation is that of the selected row, and follows it") func explanationFollows() {
        var model = model()
        #expect(model.press(.enter) == .explain(.session(1), [7]))
        model.explain(.session(1), ["because of Calls"])
        #expect(screen(&model, 24, 80).contains("because of Calls"))
        #expect(model.openExplanation == .explain(.session(1), [7]))
        #expect(model.press(.down) == .explain(.stream(7), [7]))
        // An answer that comes too late is not shown.
        model.explain(.session(1), ["late"])
        #expect(!screen(&model, 24, 80).contains("late"))
        model.explain(.stream(7), ["in time"])
        #expect(screen(&model, 24, 80).contains("in time"))
        #expect(model.press(.character("e")) == nil)
        #expect(model.pane == nil)
        #expect(model.openExplanation == nil)
    }

    @Test("what is selected stays selected, or its neighbour is") func selectionStays() {
        var model = model()
        _ = model.press(.down)
        _ = model.press(.down)
        let selected = model.selection
        #expect(selected == .session(2))
        model.update(Self.state(sessions: Canned.sessions.reversed()), at: Canned.now)
        #expect(model.selection == selected)
        let place = model.rows.firstIndex(of: .session(2)) ?? -1
        model.update(Self.state(sessions: [Canned.sessions[0]], streams: []), at: Canned.now)
        #expect(place > 0 && model.selection == .session(1))
        model.update(.absent, at: Canned.now)
        #expect(model.selection == nil)
    }

    // MARK: - The command

    @Test("without a terminal it says what to use instead") func withoutTerminalItSaysWhatToUse() async throws {
        try await CannedDesk.run { desk in
            let result = try desk.run("top")
            #expect(result.status == .exited(1))
            #expect(result.output == "")
            #expect(
                result.complaints == "audio-session: top needs a terminal; use audio-session status or monitor\n")
        }
    }
}
