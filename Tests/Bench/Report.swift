import Foundation

/// Several measurements of one thing: noise of a shared machine moves the worst, not the median.
struct Series {
    private let sorted: [Double]

    init(_ values: [Double]) { sorted = values.sorted() }

    var isEmpty: Bool { sorted.isEmpty }
    var least: Double? { sorted.first }
    var largest: Double? { sorted.last }
    var median: Double? {
        guard !sorted.isEmpty else { return nil }
        let middle = sorted.count / 2
        return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
    }
}

/// A table in Markdown, padded so that it can be read as it is: first column to the left, numbers to the right.
struct Table {
    private var rows: [[String]]

    init(_ heading: [String]) { rows = [heading] }

    mutating func add(_ row: [String]) { rows.append(row) }

    var text: String {
        let widths = rows[0].indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        func line(_ row: [String]) -> String {
            let cells = row.enumerated().map { column, cell in
                let padding = String(repeating: " ", count: widths[column] - cell.count)
                return column == 0 ? cell + padding : padding + cell
            }
            return "| " + cells.joined(separator: " | ") + " |"
        }
        let rule = widths.enumerated().map { column, width in
            column == 0 ? String(repeating: "-", count: width) : String(repeating: "-", count: width - 1) + ":"
        }
        return ([line(rows[0]), "| " + rule.joined(separator: " | ") + " |"] + rows.dropFirst().map(line))
            .joined(separator: "\n")
    }
}

/// A number with some decimals, or a dash.
func format(_ value: Double?, decimals: Int = 1) -> String {
    guard let value else { return "–" }
    let text = String(format: "%.\(decimals)f", value)
    // What is rounded to nothing has no sign.
    let isNothing = text.allSatisfy { "-0.".contains($0) }
    return text.replacing("-", with: isNothing ? "" : "−")
}
