import PolicyEngine

/// Draws a simulation as a picture: a lane for each stream with its level as a filled shape, and marks for events.
struct Picture {
    let simulation: Simulation
    let layout: PictureLayout

    init(_ simulation: Simulation) {
        self.simulation = simulation
        layout = PictureLayout(
            length: simulation.scenario.length, laneCount: simulation.lanes.count + simulation.sessions.count,
            hasGeneralEvents: simulation.scenario.events.contains { $0.subject == nil })
    }

    /// The picture as SVG, with a final newline.
    var svg: String {
        var markup = Markup()
        let size = "0 0 \(pixels(PictureLayout.width)) \(pixels(layout.height))"
        let scenario = simulation.scenario
        markup.element(
            "svg",
            [
                "xmlns": "http://www.w3.org/2000/svg", "viewBox": size, "width": pixels(PictureLayout.width),
                "height": pixels(layout.height), "role": "img", "font-family": "sans-serif", "font-size": "11",
                "fill": "#222222",
            ]
        ) { markup in
            markup.element("title", [:], scenario.title)
            markup.element("defs", [:]) { Self.patterns(&$0) }
            markup.element("rect", ["width": "100%", "height": "100%", "fill": "#ffffff"])
            markup.text(16, 28, ["font-size": "18"], scenario.title)
            markup.text(16, 48, ["fill": "#666666"], "Policy: \(scenario.policy.origin)")
            axis(&markup)
            for index in simulation.lanes.indices { lane(index, &markup) }
            for index in simulation.sessions.indices { sessionLane(index, &markup) }
        }
        return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n" + markup.text
    }

    // MARK: - Time

    private func axis(_ markup: inout Markup) {
        let line = layout.axisLine
        markup.element("g", ["class": "axis", "stroke": "#dddddd"]) { markup in
            for tick in layout.ticks {
                let x = pixels(layout.x(tick))
                markup.path("M\(x) \(pixels(PictureLayout.top))V\(pixels(line + 4))")
                markup.text(
                    layout.x(tick), line + 18, ["text-anchor": "middle", "stroke": "none", "fill": "#666666"],
                    tick.seconds.short + " s")
            }
        }
        ground(line, &markup)
        // Events that concern no single stream or session are marked on the time axis.
        let general = simulation.scenario.events.filter { $0.subject == nil }
        markup.element("g", ["class": "general"]) { markup in
            marks(general.map { ($0.moment, $0.text(simulation.scenario)) }, above: line + 54, &markup)
            for event in general {
                markup.path(
                    "M\(pixels(layout.x(event.moment))) \(pixels(PictureLayout.top))V\(pixels(line))",
                    ["stroke": "#a03030", "stroke-dasharray": "3 3"])
            }
        }
    }

    /// Draws the line on which levels or events stand.
    private func ground(_ y: Double, _ markup: inout Markup) {
        markup.path("M\(pixels(PictureLayout.left)) \(pixels(y))H\(pixels(layout.end))", ["stroke": "#888888"])
    }

    /// Draws labels with small triangles, in two rows where they are close together.
    func marks(
        _ marks: [(moment: Duration, text: String)], above y: Double, colour: String = "#a03030",
        _ markup: inout Markup
    ) {
        var rows = MarkRows(marks.map { layout.x($0.moment) })
        for mark in marks {
            let x = layout.x(mark.moment)
            markup.element("g", ["class": "event"]) { markup in
                markup.element("title", [:], "\(mark.moment.fixed) s: \(mark.text)")
                markup.path("M\(pixels(x)) \(pixels(y - 1))l-3.5 -6h7z", ["fill": colour])
                // A label without room appears only in the title, which programs show as a tooltip.
                guard let place = rows.place(PictureLayout.width(of: mark.text), at: x) else { return }
                markup.text(
                    place.isBefore ? x - 6 : x + 6, y - 3 - Double(place.row) * 12,
                    ["text-anchor": place.isBefore ? "end" : "start"], mark.text)
            }
        }
    }

    // MARK: - Lanes

    private func lane(_ index: Int, _ markup: inout Markup) {
        let lane = simulation.lanes[index]
        let isCapture = lane.stream.direction == .capture
        let ground = layout.ground(index)
        let kind = [lane.stream.property("media.role") ?? "", isCapture ? "records" : ""].filter { !$0.isEmpty }
        self.lane("lane", index, .stream(index), kind.joined(separator: ", "), ground, &markup) { markup in
            for span in LaneSpan.spans(of: lane.history, until: layout.length) {
                draw(span, ground, isCapture ? "#b08050" : "#5b84a6", &markup)
            }
            nameDuckings(of: index, ground, &markup)
        }
    }

    /// Draws a lane of a stream or session: the name with what it is, the content, and marks for the events that concern it.
    func lane(
        _ kind: String, _ index: Int, _ party: Scenario.Party, _ subtitle: String, _ ground: Double,
        _ markup: inout Markup, _ content: (inout Markup) -> Void, marks more: (inout Markup) -> Void = { _ in }
    ) {
        let scenario = simulation.scenario
        markup.element("g", ["class": kind, "id": "\(kind)-\(index)"]) { markup in
            let middle = ground - PictureLayout.body / 2
            markup.element("title", [:], scenario.name(of: party))
            markup.text(16, middle - 2, ["font-size": "13", "font-weight": "bold"], scenario.name(of: party))
            if !subtitle.isEmpty { markup.text(16, middle + 13, ["fill": "#666666"], subtitle) }
            content(&markup)
            self.ground(ground, &markup)
            let events = scenario.events.filter { $0.concerns(party, in: scenario) }
            marks(events.map { ($0.moment, $0.label(scenario)) }, above: ground - PictureLayout.body, &markup)
            more(&markup)
        }
    }

    func draw(_ span: LaneSpan, _ ground: Double, _ colour: String, _ markup: inout Markup) {
        let left = layout.x(span.begin)
        let right = layout.x(span.end)
        switch span.kind {
        case .heard:
            markup.element(
                "path",
                ["class": "level", "d": shape(of: span.levels, until: span.end, ground), "fill": colour])
        case .silenced(let word, _, let pattern):
            markup.element("g", ["class": word]) { markup in
                markup.element("title", [:], span.label ?? word)
                markup.rect(
                    left, ground - PictureLayout.body, right - left, PictureLayout.body,
                    ["fill": "url(#\(pattern))", "stroke": "#aaaaaa", "stroke-width": "0.5"])
            }
        case .paused: break
        }
        guard let text = span.label, PictureLayout.width(of: text) + 8 < right - left else { return }
        let middle = ground - PictureLayout.body / 2 + 4
        if case .silenced = span.kind {
            // A white background, so that the pattern does not show through the letters.
            markup.rect(
                left + 4, middle - 11, PictureLayout.width(of: text) + 6, 15,
                ["fill": "#ffffff", "fill-opacity": "0.85"])
        }
        markup.text(left + 7, middle, ["fill": "#444444"], text)
    }

    /// Writes above a lowered level how far it is lowered, and by whom.
    private func nameDuckings(of stream: Int, _ ground: Double, _ markup: inout Markup) {
        let decisions = simulation.decisions.filter { $0.stream == stream }
        for (position, decided) in decisions.enumerated() {
            guard let gain = decided.decision.gain, let reached = decided.reached else { continue }
            let next = position + 1 < decisions.count ? decisions[position + 1].moment : layout.length
            let text = "\(gain.words)" + (decided.decision.actor.map { ": \($0)" } ?? "")
            let x = layout.x(reached) + 4
            guard x + PictureLayout.width(of: text) < layout.x(next) else { continue }
            let state = simulation.lanes[stream].history.last { $0.moment <= reached }?.state
            let level = (state?.gain ?? 1) * (state?.ownVolume ?? 1)
            markup.element(
                "text",
                ["class": "ducked", "x": pixels(x), "y": pixels(ground - layout.height(level) - 5), "fill": "#444444"],
                text)
        }
    }

    /// The outline of the level, in steps of a cycle of the server.
    private func shape(
        of levels: [(moment: Duration, level: Double)], until end: Duration, _ ground: Double
    ) -> String {
        guard let first = levels.first else { return "" }
        var path = "M\(pixels(layout.x(first.moment))) \(pixels(ground))"
        for level in levels {
            path += "H\(pixels(layout.x(level.moment)))V\(pixels(ground - layout.height(level.level)))"
        }
        return path + "H\(pixels(layout.x(end)))V\(pixels(ground))Z"
    }

    /// The fill patterns for inaudible spans: corked, held, muted, and kept from starting or resuming.
    private static func patterns(_ markup: inout Markup) {
        let strokes: KeyValuePairs = [
            "corked": "M0 8L8 0", "held": "M4 0V8", "muted": "M0 4H8", "kept": "M0 8L8 0M0 0L8 8",
        ]
        for (name, path) in strokes {
            markup.element(
                "pattern", ["id": name, "width": "8", "height": "8", "patternUnits": "userSpaceOnUse"]
            ) { markup in
                markup.path(path, ["stroke": "#b0b0b0", "stroke-width": "1.2"])
            }
        }
    }
}

/// Draws sessions below the streams: a lane for each, with bars for its states and marks for its calls and messages.
extension Picture {
    /// The height of a session's bar.
    private static let bar = 14.0

    func sessionLane(_ index: Int, _ markup: inout Markup) {
        let session = simulation.sessions[index]
        let ground = layout.ground(simulation.lanes.count + index)
        let application = session.session.application.name
        let subtitle = application == session.session.name ? "session" : "session of \(application)"
        lane("session", index, .session(index), subtitle, ground, &markup) { markup in
            for (position, entry) in session.history.enumerated() {
                let next = position + 1 < session.history.count ? session.history[position + 1].moment : layout.length
                if let state = entry.state, next > entry.moment { draw(state, entry.moment, next, ground, &markup) }
            }
        } marks: { markup in
            marks(messages(to: index), above: ground - Self.bar, colour: "#2f6f4f", &markup)
        }
    }

    /// The messages to a session, combined for each moment.
    private func messages(to index: Int) -> [(moment: Duration, text: String)] {
        var result: [(moment: Duration, text: String)] = []
        for (session, message) in simulation.relevantMessages where session == index {
            if let last = result.last, last.moment == message.moment {
                result[result.count - 1].text += ", \(message.told.text)"
            } else {
                result.append((message.moment, message.told.text))
            }
        }
        return result
    }

    private func draw(
        _ state: SessionState, _ begin: Duration, _ end: Duration, _ ground: Double, _ markup: inout Markup
    ) {
        let (word, fill) =
            if state.isActive {
                ("active", "#7fae92")
            } else if state.isDelayed {
                ("delayed", "url(#held)")
            } else if state.isInterrupted {
                ("interrupted", "url(#corked)")
            } else {
                ("inactive", "#eeeeee")
            }
        markup.element("g", ["class": word]) { markup in
            markup.element("title", [:], word)
            markup.rect(
                layout.x(begin), ground - Self.bar, layout.x(end) - layout.x(begin), Self.bar,
                ["fill": fill, "stroke": "#aaaaaa", "stroke-width": "0.5"])
        }
    }
}
