/// A table whose columns are as wide as their widest cells.
struct Columns {
    private var rows: [[String]]
    private let style: Style
    /// The columns of numbers, which are aligned right.
    private let numbers: Set<Int>

    init(_ headings: [String], numbers: Set<Int>, style: Style) {
        rows = [headings]
        self.numbers = numbers
        self.style = style
    }

    /// Adds a row with a cell for each heading.
    mutating func add(_ row: [String]) { rows.append(row) }

    /// The table as lines, with a final newline.
    var text: String {
        let widths = rows[0].indices.map { column in rows.map { $0[column].columns }.max() ?? 0 }
        return rows.enumerated().map { index, row in
            let cells = zip(row, widths).enumerated().map { column, cell in
                cell.0.padded(to: cell.1, isRight: numbers.contains(column))
            }
            let line = String(cells.joined(separator: "  ").trimmingBlanks)
            return (index == 0 ? style.text(line, .name) : line) + "\n"
        }.joined()
    }
}

extension ServiceState {
    /// The sessions, one line each.
    func sessionTable(_ style: Style) -> String {
        var columns = Columns(
            ["ID", "APPLICATION", "DESCRIPTION", "CATEGORY", "PRIORITY", "STATE", "STREAMS"], numbers: [0, 4],
            style: style)
        for session in sessions {
            columns.add([
                String(session.id), style.safe(session.name, limit: 20), style.safe(session.description, limit: 16),
                style.safe(session.category, limit: 16), String(session.priority),
                style.safe(session.state, limit: 12), session.streams.map(String.init).joined(separator: ","),
            ])
        }
        return columns.text
    }

    /// The outputs, then the inputs, one line each; those in use are marked.
    func portTable(_ style: Style) -> String {
        var columns = Columns(["", "DIRECTION", "TYPE", "NAME", "ID"], numbers: [], style: style)
        let lists = [
            ("output", route.outputs, route.availableOutputs ?? []),
            ("input", route.inputs, route.availableInputs ?? []),
        ]
        for (direction, used, available) in lists {
            let others = used.filter { port in !available.contains { $0.id == port.id } }
            for port in others + available {
                columns.add([
                    used.contains { $0.id == port.id } ? "*" : "", direction, style.safe(port.type, limit: 16),
                    // The id in full, because the user types it to choose the port.
                    style.safe(port.name), style.safe(port.id, limit: 300),
                ])
            }
        }
        return columns.text
    }

    /// The streams, one line each.
    func streamTable(_ style: Style) -> String {
        var columns = Columns(
            ["ID", "NODE", "PID", "APPLICATION", "DIRECTION", "DESCRIPTION", "TREATMENT"], numbers: [0, 1, 2],
            style: style)
        for stream in everyStream {
            let why = stream.leftAlone.map { "left alone: " + style.safe($0.below(environment("HOME")), limit: 1000) }
            columns.add([
                String(stream.id), String(stream.node), stream.process > 0 ? String(stream.process) : "-",
                style.safe(stream.application, limit: 20), style.safe(stream.direction, limit: 12),
                style.safe(stream.description, limit: 16), why ?? style.treatment(of: stream, at: nil).text,
            ])
        }
        return columns.text
    }
}
