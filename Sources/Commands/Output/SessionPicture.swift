import PolicyEngine

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
