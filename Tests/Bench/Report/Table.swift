import Foundation

/// Several measurements of one thing: noise of a shared machine moves the worst, not the median.
public struct Series: Sendable {
    private let sorted: [Double]

    /// Takes the values in any order.
    public init(_ values: [Double]) { sorted = values.sorted() }

    /// Whether nothing was measured.
    public var isEmpty: Bool { sorted.isEmpty }
    /// The smallest value; nil of none.
    public var least: Double? { sorted.first }
    /// The largest value; nil of none.
    public var largest: Double? { sorted.last }
    /// The middle value, or the mean of the two in the middle; nil of none.
    public var median: Double? {
        guard !sorted.isEmpty else { return nil }
        let middle = sorted.count / 2
        return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
    }
}

/// A table in Markdown, padded so that it can be read as it is: first column to the left, numbers to the right.
public struct Table {
    private var rows: [[String]]

    /// A table of one row, the heading.
    public init(_ heading: [String]) { rows = [heading] }

    /// Adds a row with as many cells as the heading.
    public mutating func add(_ row: [String]) { rows.append(row) }

    /// The table's lines.
    public var text: String {
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
public func format(_ value: Double?, decimals: Int = 1) -> String {
    guard let value else { return "–" }
    let text = String(format: "%.\(decimals)f", value)
    // What is rounded to nothing has no sign.
    let isNothing = text.allSatisfy { "-0.".contains($0) }
    return text.replacing("-", with: isNothing ? "" : "−")
}
