import PolicyEngine

/// Draws sessions below the streams: a lane for each, with bars for its states and marks for its calls and messages.
extension Picture {
    /// The height of a session's bar.
    private static let bar = 14.0

    func sessionLane(_ index: Int, _ markup: inout Markup) {
        let session = simulation.sessions[index]
        let ground = layout.ground(simulation.lanes.count + index)
        markup.element("g", ["class": "session", "id": "session-\(index)"]) { markup in
            let name = session.session.name
            markup.element("title", [:], name)
            let middle = ground - PictureLayout.body / 2
            markup.element(
                "text", ["x": "16", "y": pixels(middle - 2), "font-size": "13", "font-weight": "bold"], name)
            let application = session.session.application.name
            let subtitle = application == name ? "session" : "session of \(application)"
            markup.element("text", ["x": "16", "y": pixels(middle + 13), "fill": "#666666"], subtitle)
            for (position, entry) in session.history.enumerated() {
                let next = position + 1 < session.history.count ? session.history[position + 1].moment : layout.length
                if let state = entry.state, next > entry.moment { draw(state, entry.moment, next, ground, &markup) }
            }
            markup.element(
                "path",
                ["d": "M\(pixels(PictureLayout.left)) \(pixels(ground))H\(pixels(layout.end))", "stroke": "#888888"])
            let scenario = simulation.scenario
            let own = scenario.events.filter { event in
                if case .kill(let party) = event.action {
                    return scenario.application(of: party) == session.session.application
                }
                return event.session == index
            }
            marks(own.map { ($0.moment, label($0)) }, above: ground - PictureLayout.body, &markup)
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

    /// The text of an event, without the name of the session in whose lane it stands.
    private func label(_ event: Scenario.Event) -> String {
        switch event.action {
        case .kill: return "dies"
        default:
            let text = event.text(simulation.scenario)
            guard let session = event.session else { return text }
            return String(text.dropFirst(simulation.scenario.sessions[session].name.count + 1))
        }
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
            markup.element(
                "rect",
                [
                    "x": pixels(layout.x(begin)), "y": pixels(ground - Self.bar),
                    "width": pixels(layout.x(end) - layout.x(begin)), "height": pixels(Self.bar), "fill": fill,
                    "stroke": "#aaaaaa", "stroke-width": "0.5",
                ])
        }
    }
}
