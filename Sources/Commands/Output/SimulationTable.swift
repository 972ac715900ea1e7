import PolicyEngine
import PolicyFile

/// A simulation as a table for people: time, event, decisions and their causes.
struct SimulationTable {
    private struct Row {
        var moment: Duration
        var step: Int
        var event = ""
        /// The name of a stream or session.
        var name = ""
        var decision = ""
    }

    /// The table, with a final newline.
    let text: String

    init(_ simulation: Simulation) {
        let scenario = simulation.scenario
        var rows = [Row]()
        var lines = Self.lines(of: simulation)[...]
        // The results of an event have the event's step; results of a timer have a step of their own.
        func takeLines(upTo step: Int) {
            while let next = lines.first, next.step <= step {
                lines.removeFirst()
                // The first result of an event is in the event's row.
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

    /// The decisions about streams, then the messages to sessions, step by step.
    private static func lines(of simulation: Simulation) -> [Row] {
        let scenario = simulation.scenario
        let decisions = simulation.decisions.map {
            Row(
                moment: $0.moment, step: $0.step, name: scenario.streams[$0.stream].name, decision: simulation.text($0))
        }
        let messages = simulation.relevantMessages.map { session, message in
            Row(
                moment: message.moment, step: message.step, name: scenario.sessions[session].name,
                decision: "is told: \(message.told.text)")
        }
        return (decisions + messages).enumerated().sorted {
            ($0.element.step, $0.offset) < ($1.element.step, $1.offset)
        }
        .map(\.element)
    }

    private static func print(_ rows: [Row], heading: String, title: String) -> String {
        let eventWidth = (rows.map(\.event.count) + [5]).max() ?? 5
        let nameWidth = (rows.map(\.name.count) + [6]).max() ?? 6
        var lines = [
            line(title), "",
            "     TIME  \(padded("EVENT", to: eventWidth))  \(padded(heading, to: nameWidth))  DECISION",
        ]
        var shown: Duration?
        for row in rows {
            let time = shown == row.moment ? "" : "\(row.moment.fixed) s"
            shown = row.moment
            let line =
                String(repeating: " ", count: max(0, 9 - time.count)) + time
                + "  \(padded(row.event, to: eventWidth))  \(padded(row.name, to: nameWidth))  \(row.decision)"
            lines.append(Self.line(line))
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// The line, safe to print and without trailing blanks.
    private static func line(_ text: String) -> String {
        var line = printable(text, limit: .max)
        while line.last == " " { line.removeLast() }
        return line
    }
}
