/// The columns of the list, and how wide each is on a terminal.
struct TopColumns {
    /// What is in a column.
    enum Kind: String, CaseIterable {
        case name = "APPLICATION"
        case role = "ROLE"
        case state = "STATE"
        case gain = "GAIN"
        case bar = "LEVEL"
        case by = "BY"
        case time = "TIME"

        /// The least width.
        fileprivate var least: Int {
            switch self {
            case .name, .by: 14
            case .role, .time: 10
            case .state: 11
            case .gain: 8
            case .bar: 5
            }
        }

        /// The order in which columns get room where there is not enough for all.
        fileprivate static let importance: [Kind] = [.name, .state, .gain, .time, .by, .bar, .role]
        /// The order in which columns take the room that is left, and the widths that they reach.
        fileprivate static let growth: [(Kind, Int)] = [
            (.by, 24), (.name, 22), (.bar, 10), (.role, 14), (.by, 34), (.name, 32), (.state, 13), (.bar, 20),
            (.by, 60),
            (.role, 20),
        ]
    }

    /// The columns that are shown, from left to right, with their widths.
    let shown: [(kind: Kind, width: Int)]

    /// Divides the columns of a terminal, of which two are the mark of the selected row.
    init(width: Int) {
        var widths: [Kind: Int] = [:]
        var left = max(0, width - 2)
        for kind in Kind.importance {
            let needed = kind.least + (widths.isEmpty ? 0 : 1)
            // A less important column would look as if it were this one.
            if needed > left { break }
            widths[kind] = kind.least
            left -= needed
        }
        // A terminal that is too narrow for a name shows a part of the name.
        if widths.isEmpty { (widths[.name], left) = (left, 0) }
        for (kind, goal) in Kind.growth {
            guard let now = widths[kind], goal > now else { continue }
            widths[kind] = min(goal, now + left)
            left -= min(goal, now + left) - now
        }
        shown = Kind.allCases.compactMap { kind in widths[kind].map { (kind, $0) } }
    }

    /// A row of cells, each in its width.
    func row(_ style: Style, _ cell: (Kind) -> String) -> [String] {
        shown.map { kind, width in cell(kind).fitted(to: width, style, isRight: kind == .gain || kind == .time) }
    }
}
