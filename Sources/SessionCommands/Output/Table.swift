import PolicyFile

/// A simulation as a table for people: when, what happened, and what was decided about whom and why.
struct Table {
    private struct Row {
        var moment: Duration
        var step: Int
        var event = ""
        var stream = ""
        var decision = ""
    }

    /// The table, with a line's end.
    let text: String

    init(_ simulation: Simulation) {
        let scenario = simulation.scenario
        var rows = [Row]()
        var decisions = simulation.decisions[...]
        // What an event brings about has the step of that event; what time brings about has one of its own.
        func takeDecisions(upTo step: Int) {
            while let next = decisions.first, next.step <= step {
                decisions.removeFirst()
                let name = scenario.streams[next.stream].name
                let decision = simulation.text(next)
                // The first of what an event brings about stands beside it.
                if next.step == step, let last = rows.last, last.step == step, last.stream.isEmpty {
                    rows[rows.count - 1].stream = name
                    rows[rows.count - 1].decision = decision
                } else {
                    rows.append(Row(moment: next.moment, step: next.step, stream: name, decision: decision))
                }
            }
        }
        for (event, step) in zip(scenario.events, simulation.eventSteps) {
            takeDecisions(upTo: step - 1)
            rows.append(Row(moment: event.moment, step: step, event: event.text(scenario.streams)))
            takeDecisions(upTo: step)
        }
        takeDecisions(upTo: .max)
        text = Self.print(rows, title: "\(scenario.title) (policy: \(scenario.policy.origin))")
    }

    private static func print(_ rows: [Row], title: String) -> String {
        let eventWidth = (rows.map(\.event.count) + [5]).max() ?? 5
        let streamWidth = (rows.map(\.stream.count) + [6]).max() ?? 6
        var lines = [
            printableLine(title), "",
            "     TIME  \(padded("EVENT", to: eventWidth))  \(padded("STREAM", to: streamWidth))  DECISION",
        ]
        var shown: Duration?
        for row in rows {
            let time = shown == row.moment ? "" : "\(row.moment.fixed) s"
            shown = row.moment
            let line =
                String(repeating: " ", count: max(0, 9 - time.count)) + time
                + "  \(padded(row.event, to: eventWidth))  \(padded(row.stream, to: streamWidth))  \(row.decision)"
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
