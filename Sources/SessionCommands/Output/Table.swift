import PolicyFile

/// A simulation as a table for people: when, what happened, and what was decided about whom and why.
struct Table {
    private struct Row {
        var moment: Duration
        var step: Int
        var event = ""
        /// Of a stream or session.
        var name = ""
        var decision = ""
    }

    /// The table, with a line's end.
    let text: String

    init(_ simulation: Simulation) {
        let scenario = simulation.scenario
        var rows = [Row]()
        var lines = Self.lines(of: simulation)[...]
        // What an event brings about has the step of that event; what time brings about has one of its own.
        func takeLines(upTo step: Int) {
            while let next = lines.first, next.step <= step {
                lines.removeFirst()
                // The first of what an event brings about stands beside it.
                if next.step == step, let last = rows.last, last.step == step, last.name.isEmpty {
                    rows[rows.count - 1].name = next.name
                    rows[rows.count - 1].decision = next.decision
                } else {
                    rows.append(next)
                }
            }
        }
        for (event, step) in zip(scenario.events, simulation.eventSteps) {
            takeLines(upTo: step - 1)
            rows.append(Row(moment: event.moment, step: step, event: event.text(scenario)))
            takeLines(upTo: step)
        }
        takeLines(upTo: .max)
        text = Self.print(
            rows, heading: scenario.sessions.isEmpty ? "STREAM" : "WHO",
            title: "\(scenario.title) (policy: \(scenario.policy.origin))")
    }

    /// What was decided about streams, and then what sessions were told, step by step.
    private static func lines(of simulation: Simulation) -> [Row] {
        let scenario = simulation.scenario
        let decisions = simulation.decisions.map {
            Row(
                moment: $0.moment, step: $0.step, name: scenario.streams[$0.stream].name, decision: simulation.text($0))
        }
        let news = simulation.relevantNews.map { line in
            Row(
                moment: line.news.moment, step: line.news.step, name: scenario.sessions[line.session].name,
                decision: "is told: \(line.news.told.text)")
        }
        return (decisions + news).enumerated().sorted { ($0.element.step, $0.offset) < ($1.element.step, $1.offset) }
            .map(\.element)
    }

    private static func print(_ rows: [Row], heading: String, title: String) -> String {
        let eventWidth = (rows.map(\.event.count) + [5]).max() ?? 5
        let nameWidth = (rows.map(\.name.count) + [6]).max() ?? 6
        var lines = [
            printableLine(title), "",
            "     TIME  \(padded("EVENT", to: eventWidth))  \(padded(heading, to: nameWidth))  DECISION",
        ]
        var shown: Duration?
        for row in rows {
            let time = shown == row.moment ? "" : "\(row.moment.fixed) s"
            shown = row.moment
            let line =
                String(repeating: " ", count: max(0, 9 - time.count)) + time
                + "  \(padded(row.event, to: eventWidth))  \(padded(row.name, to: nameWidth))  \(row.decision)"
            lines.append(printableLine(line))
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// Without what would steer a terminal, and without blanks at the end.
    private static func printableLine(_ line: String) -> String {
        var line = printable(line, limit: .max)
        while line.last == " " { line.removeLast() }
        return line
    }
}
