/// Draws a simulation as a picture: a lane for each stream with its level as a filled shape, and marks for events.
struct Picture {
    let simulation: Simulation
    let layout: PictureLayout

    init(_ simulation: Simulation) {
        self.simulation = simulation
        layout = PictureLayout(
            length: simulation.scenario.length, laneCount: simulation.lanes.count + simulation.sessions.count,
            hasGeneralEvents: simulation.scenario.events.contains { Self.isGeneral($0) })
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
            markup.element("text", ["x": "16", "y": "28", "font-size": "18"], scenario.title)
            markup.element("text", ["x": "16", "y": "48", "fill": "#666666"], "Policy: \(scenario.policy.origin)")
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
                markup.element("path", ["d": "M\(x) \(pixels(PictureLayout.top))V\(pixels(line + 4))"])
                let label = tick.seconds.short + " s"
                markup.element(
                    "text",
                    ["x": x, "y": pixels(line + 18), "text-anchor": "middle", "stroke": "none", "fill": "#666666"],
                    label)
            }
        }
        markup.element(
            "path",
            ["d": "M\(pixels(PictureLayout.left)) \(pixels(line))H\(pixels(layout.end))", "stroke": "#888888"])
        // Events that concern no single stream or session are marked on the time axis.
        let general = simulation.scenario.events.filter { Self.isGeneral($0) }
        markup.element("g", ["class": "general"]) { markup in
            marks(general.map { ($0.moment, $0.text(simulation.scenario)) }, above: line + 54, &markup)
            for event in general {
                let x = pixels(layout.x(event.moment))
                markup.element(
                    "path",
                    [
                        "d": "M\(x) \(pixels(PictureLayout.top))V\(pixels(line))", "stroke": "#a03030",
                        "stroke-dasharray": "3 3",
                    ])
            }
        }
    }

    /// Draws labels with small triangles, in two rows where they are close together.
    func marks(
        _ marks: [(moment: Duration, text: String)], above y: Double, colour: String = "#a03030",
        _ markup: inout Markup
    ) {
        var rows = MarkRows(marks.map { layout.x($0.moment) })
        for mark in marks {
            let x = layout.x(mark.moment)
            let tip = y - 1
            markup.element("g", ["class": "event"]) { markup in
                markup.element("title", [:], "\(mark.moment.fixed) s: \(mark.text)")
                markup.element(
                    "path",
                    ["d": "M\(pixels(x)) \(pixels(tip))l-3.5 -6h7z", "fill": colour])
                // A label without room appears only in the title, which programs show as a tooltip.
                guard let place = rows.place(PictureLayout.width(of: mark.text), at: x) else { return }
                markup.element(
                    "text",
                    [
                        "x": pixels(place.isBefore ? x - 6 : x + 6), "y": pixels(y - 3 - Double(place.row) * 12),
                        "text-anchor": place.isBefore ? "end" : "start",
                    ], mark.text)
            }
        }
    }

    // MARK: - Lanes

    private func lane(_ index: Int, _ markup: inout Markup) {
        let lane = simulation.lanes[index]
        let ground = layout.ground(index)
        markup.element("g", ["class": "lane", "id": "lane-\(index)"]) { markup in
            markup.element("title", [:], lane.stream.name)
            markup.element(
                "text",
                [
                    "x": "16", "y": pixels(ground - PictureLayout.body / 2 - 2), "font-size": "13",
                    "font-weight": "bold",
                ],
                lane.stream.name)
            let kind = lane.stream.direction == .capture ? "records" : ""
            let role = lane.stream.property("media.role") ?? ""
            let subtitle = [role, kind].filter { !$0.isEmpty }.joined(separator: ", ")
            if !subtitle.isEmpty {
                markup.element(
                    "text",
                    ["x": "16", "y": pixels(ground - PictureLayout.body / 2 + 13), "fill": "#666666"], subtitle)
            }
            let colour = lane.stream.direction == .capture ? "#b08050" : "#5b84a6"
            for span in LaneSpan.spans(of: lane.history, until: layout.length) {
                draw(span, ground, colour, &markup)
            }
            nameDuckings(of: index, ground, &markup)
            markup.element(
                "path",
                ["d": "M\(pixels(PictureLayout.left)) \(pixels(ground))H\(pixels(layout.end))", "stroke": "#888888"])
            let events = simulation.scenario.events.filter { concerns($0, index) }
            marks(events.map { ($0.moment, label($0)) }, above: ground - PictureLayout.body, &markup)
        }
    }

    private static func isGeneral(_ event: Scenario.Event) -> Bool { event.stream == nil && event.session == nil }

    private func concerns(_ event: Scenario.Event, _ index: Int) -> Bool {
        let scenario = simulation.scenario
        if case .kill(let party) = event.action {
            return scenario.application(of: party) == scenario.streams[index].application
        }
        return event.stream == index
    }

    /// The text of an event, without the name of the stream in whose lane it stands.
    private func label(_ event: Scenario.Event) -> String {
        switch event.action {
        case .play(let stream): simulation.scenario.streams[stream].direction == .playback ? "plays" : "records"
        case .pause: "is paused"
        case .stop: "ends"
        case .kill: "dies"
        case .volume(_, let factor): "set to \(((factor * 1000).rounded() / 10).short) %"
        case .muteStream(_, let isOn): isOn ? "is muted" : "is unmuted"
        case .sound(_, let isOn): isOn ? "sounds" : "falls quiet"
        case .free: "is freed"
        case .move(_, let name): "moved to \(name)"
        default: event.text(simulation.scenario)
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
                markup.element(
                    "rect",
                    [
                        "x": pixels(left), "y": pixels(ground - PictureLayout.body), "width": pixels(right - left),
                        "height": pixels(PictureLayout.body), "fill": "url(#\(pattern))", "stroke": "#aaaaaa",
                        "stroke-width": "0.5",
                    ])
            }
        case .paused: break
        }
        guard let text = span.label, PictureLayout.width(of: text) + 8 < right - left else { return }
        let middle = ground - PictureLayout.body / 2 + 4
        if case .silenced = span.kind {
            // A white background, so that the pattern does not show through the letters.
            markup.element(
                "rect",
                [
                    "x": pixels(left + 4), "y": pixels(middle - 11),
                    "width": pixels(PictureLayout.width(of: text) + 6), "height": "15", "fill": "#ffffff",
                    "fill-opacity": "0.85",
                ])
        }
        markup.element("text", ["x": pixels(left + 7), "y": pixels(middle), "fill": "#444444"], text)
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

    /// The outline of the level, in steps, because the server applies gains in steps.
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
                markup.element("path", ["d": path, "stroke": "#b0b0b0", "stroke-width": "1.2"])
            }
        }
    }
}
