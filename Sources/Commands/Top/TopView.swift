import BusInterface

/// The screen of `audio-session top`, line by line.
struct TopView {
    let model: TopModel
    let style: Style
    /// Microseconds since 1970.
    let now: Int64

    /// The width that a name needs.
    private static let leastColumns = 16

    /// The lines of the whole screen, as many as the terminal has, each at most as wide. The model learns which rows are
    /// shown.
    static func screen(_ model: inout TopModel, _ style: Style, rows: Int, columns: Int, now: Int64) -> [String] {
        guard columns >= leastColumns else {
            return (0..<max(0, rows)).map { $0 == 0 ? "too narrow".cut(to: columns, style) : "" }
        }
        let view = TopView(model: model, style: style, now: now)
        let head = rows >= 6 ? view.head(columns) : []
        let foot = [view.foot(columns)]
        let room = max(0, rows - head.count - foot.count)
        var body: [String]
        if case .help = model.pane {
            body = view.help(columns)
        } else if model.state == nil {
            body = view.absence(columns)
        } else {
            let pane = view.pane(columns, room: room / 2)
            let listRoom = max(0, room - pane.count)
            let first = view.firstRow(room: listRoom)
            model.firstRow = first
            model.page = listRoom
            body = view.list(columns, first: first, room: listRoom)
            body += Array(repeating: "", count: max(0, listRoom - body.count)) + pane
        }
        body = Array(body.prefix(room))
        body += Array(repeating: "", count: room - body.count)
        return Array((head + body + foot).suffix(max(0, rows)))
    }

    // MARK: - Head and foot

    private func head(_ columns: Int) -> [String] {
        var lines = [line("audio-session", columns, .name)]
        guard let state = model.state else { return lines }
        var parts: [(String, Style.Meaning?)] = [("audio-session", .name)]
        if let pause = state.switches.pause.words(at: now) { parts.append((pause, .silenced)) }
        parts += state.switches.on.map { ($0.brief, .lowered) }
        let files = state.policy.split(separator: ",").count
        let origin = files > 1 ? "\(files) files" : state.policy.below(environment("HOME"))
        let policy = [state.preset, origin].filter { !$0.isEmpty }.joined(separator: ": ")
        parts += [("policy \(style.safe(policy, limit: 60))", nil), (style.safe(state.server), .faint)]
        lines = [line(parts, columns)]
        let route = state.route.words(style)
        lines.append(line(route.isEmpty ? "no output" : route, columns, nil))
        let cells = TopColumns(width: columns).row(style) { $0.rawValue }
        lines.append(reversed("  " + cells.joined(separator: " "), columns))
        return lines
    }

    /// The notice, or the keys.
    private func foot(_ columns: Int) -> String {
        if let notice = model.notice {
            let text = notice.text.split(separator: "\n").map { style.safe(String($0), limit: 500) }
            return line(text.joined(separator: " "), columns, notice.isError ? .silenced : .good)
        }
        let keys: [String]
        switch model.pane {
        case .help: keys = ["? back", "q quit"]
        case .outputs: keys = ["Enter choose", "Esc back", "j/k select"]
        case .explanation, nil:
            keys = ["? help", "q quit", "f free", "e explain", "p pause", "o output", "s silent", "d do not disturb"]
        }
        var text = ""
        for key in keys where text.columns + 2 + key.columns <= columns { text += (text.isEmpty ? "" : "  ") + key }
        return line(text, columns, .faint)
    }

    private func absence(_ columns: Int) -> [String] {
        switch model.view {
        case .failed(let error):
            let text = error.explanation.split(separator: "\n").map { style.safe(String($0), limit: 500) }
            return text.flatMap { $0.wrapped(to: columns) }
        case nil: return [line("asking the service", columns, .faint)]
        case .absent, .present:
            return [
                "", "There is no service \(AudioSessionBus.name); waiting for it.", "audio-session doctor says why.",
            ]
            .flatMap { $0.wrapped(to: columns) }
        }
    }

    // MARK: - The list

    /// The first row to show, so that the selected one is in sight.
    private func firstRow(room: Int) -> Int {
        let rows = model.rows
        let selected = model.selection.flatMap { rows.firstIndex(of: $0) } ?? 0
        var first = min(model.firstRow, max(0, rows.count - room))
        if selected < first { first = selected }
        if selected >= first + room { first = selected - room + 1 }
        return max(0, first)
    }

    private func list(_ columns: Int, first: Int, room: Int) -> [String] {
        guard let state = model.state else { return [] }
        let rows = model.rows
        if rows.isEmpty { return [line("  nobody plays or records", columns, .faint)] }
        let layout = TopColumns(width: columns)
        let strays = Set((state.strays + state.leftAlone).map(\.id))
        let cells = TopRow(style: style, now: now, age: max(0, now - model.readAt))
        return rows.dropFirst(first).prefix(room).map { row in
            var texts: [String] = []
            var meaning: Style.Meaning?
            switch row {
            case .session(let id):
                guard let session = state.sessions.first(where: { $0.id == id }) else { return "" }
                texts = layout.row(style) { cells.session(session, $0) }
                meaning = session.meaning
            case .stream(let id):
                guard let stream = state.everyStream.first(where: { $0.id == id }) else { return "" }
                let bar = layout.shown.first { $0.kind == .bar }?.width ?? 0
                let isStray = strays.contains(id)
                texts = layout.row(style) { cells.stream(stream, $0, isStray: isStray, width: bar) }
                meaning = TopRow.meaning(of: stream)
            }
            if row == model.selection { return reversed("> " + texts.joined(separator: " "), columns) }
            if case .session = row, let name = texts.first { texts[0] = style.text(name, .name) }
            if let place = layout.shown.firstIndex(where: { $0.kind == .state }) {
                texts[place] = style.text(texts[place], meaning)
            }
            return "  " + texts.joined(separator: " ")
        }
    }

    // MARK: - Panes

    private func pane(_ columns: Int, room: Int) -> [String] {
        switch model.pane {
        case .explanation(_, let texts):
            let lines = texts.flatMap { text in
                text.split(separator: "\n").flatMap { style.safe(String($0), limit: 2000).wrapped(to: columns) }
            }
            return [reversed("Why", columns)] + fitting(lines, max(1, room - 1))
        case .outputs(let selected):
            let room = max(1, room - 1)
            let outputs = model.outputs
            let first = max(0, min(selected - room / 2, outputs.count - room))
            let lines = outputs.enumerated().dropFirst(first).prefix(room).map { index, port in
                let mark = (index == selected ? ">" : " ") + (model.isInUse(port) ? "*" : " ")
                let text = "\(mark) \(style.safe(port.label)) (\(style.safe(port.type)))"
                return index == selected ? reversed(text, columns) : line(text, columns, nil)
            }
            return [reversed("Outputs; * is in use", columns)] + lines
        case .help, nil: return []
        }
    }

    /// The lines, or as many as fit and a sign that there are more.
    private func fitting(_ lines: [String], _ room: Int) -> [String] {
        lines.count <= room ? lines : lines.prefix(room - 1) + [style.isUnicode ? "…" : "..."]
    }

    private func help(_ columns: Int) -> [String] {
        [
            ("j k, arrows", "select a session or stream"),
            ("f", "free it: the policy neither silences nor lowers it"),
            ("e, Enter", "explain why it is treated so"),
            ("p", "pause the policy, or put it in force again"),
            ("o", "choose an output"),
            ("s", "silent switch on or off"),
            ("d", "do not disturb on or off"),
            ("?", "this help"),
            ("q", "quit"),
        ].map { keys, text in line([("  " + keys.fitted(to: 12, style), .name), (text, nil)], columns, gap: "") }
    }

    // MARK: - Lines

    private func line(_ text: String, _ columns: Int, _ meaning: Style.Meaning?) -> String {
        style.text(text.cut(to: columns, style), meaning)
    }

    /// Parts with a gap between them, as many as fit.
    private func line(_ parts: [(String, Style.Meaning?)], _ columns: Int, gap: String = "  ") -> String {
        var result = ""
        var left = columns
        for (index, (text, meaning)) in parts.enumerated() where left > 0 {
            let between = index == 0 ? "" : gap.cut(to: left, style)
            let shown = text.cut(to: left - between.columns, style)
            result += between + style.text(shown, meaning)
            left -= between.columns + shown.columns
        }
        return result
    }

    /// A whole line with the colours of text and ground exchanged, which is no colour of its own.
    private func reversed(_ text: String, _ columns: Int) -> String {
        "\u{1B}[7m\(text.fitted(to: columns, style))\u{1B}[0m"
    }
}
