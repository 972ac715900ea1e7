import PolicyEngine
import PolicyFile

/// A simulation as a table for people: time, event, decisions and their causes.
extension Simulation {
    private struct Row {
        var moment: Duration
        var step: Int
        var event = ""
        /// The name of a stream or session.
        var name = ""
        var decision = ""
    }

    /// The table, with a final newline.
    var table: String {
        var rows = [Row]()
        var lines = self.lines[...]
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
        for (event, step) in zip(scenario.events, eventSteps) {
            takeLines(upTo: step - 1)
            rows.append(Row(moment: event.moment, step: step, event: event.text(scenario)))
            takeLines(upTo: step)
        }
        takeLines(upTo: .max)
        var columns = Columns(
            [
                "TIME".padded(to: 9, isRight: true), "EVENT", scenario.sessions.isEmpty ? "STREAM" : "WHO   ",
                "DECISION",
            ],
            numbers: [0], style: Style(isColoured: false, isUnicode: true))
        var shown: Duration?
        for row in rows {
            let time = shown == row.moment ? "" : "\(row.moment.fixed) s"
            shown = row.moment
            columns.add([time] + [row.event, row.name, row.decision].map { printable($0, limit: .max) })
        }
        let title = printable("\(scenario.title) (policy: \(scenario.policy.origin))", limit: .max)
        return "\(title.trimmingBlanks)\n\n\(columns.text)"
    }

    /// The decisions about streams, then the messages to sessions, step by step.
    private var lines: [Row] {
        let decisions = self.decisions.map {
            Row(moment: $0.moment, step: $0.step, name: scenario.streams[$0.stream].name, decision: text($0))
        }
        let messages = relevantMessages.map { session, message in
            Row(
                moment: message.moment, step: message.step, name: scenario.sessions[session].name,
                decision: "is told: \(message.told.text)")
        }
        return (decisions + messages).enumerated().sorted {
            ($0.element.step, $0.offset) < ($1.element.step, $1.offset)
        }
        .map(\.element)
    }
}
