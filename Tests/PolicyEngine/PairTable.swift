import PolicyEngine

/// What is heard of any two kinds of streams under a policy, as a text that a reviewer can read.
///
/// The table has one line for every ordered pair of kinds. The first one plays, then the second one begins: what is heard
/// of both while both want to play, of the first one after the second one has ended, and of the second one after the
/// first one has ended instead.
struct PairTable {
    /// A kind of stream: a role, or what has none.
    struct Kind: Hashable {
        var name: String
        var role: String?
        var isCapture = false
    }

    /// What is heard of a pair.
    struct Row: Equatable {
        var first: Heard
        var second: Heard
        var firstAfterwards: Heard
        var secondAlone: Heard
    }

    let policy: Policy
    let kinds: [Kind]

    /// The table of a policy: all its roles under their own names, then what has no role.
    init(_ policy: Policy) {
        self.policy = policy
        let named = policy.order
        var kinds = named.sorted().map { Kind(name: $0, role: $0) }
        if policy.untagged != nil { kinds.append(Kind(name: Policy.untaggedName)) }
        if policy.untaggedCapture != nil { kinds.append(Kind(name: Policy.untaggedCaptureName, isCapture: true)) }
        self.kinds = kinds
    }

    /// Plays a scene with one pair.
    func row(_ first: Kind, _ second: Kind) -> Row {
        var scenario = Scenario(policy: policy)
        scenario.appear("first", role: first.role, capture: first.isCapture)
        scenario.appear("second", role: second.role, capture: second.isCapture)
        scenario.want("first")
        scenario.advance(.seconds(10))
        scenario.want("second")
        scenario.advance(.seconds(10))
        var afterwards = scenario
        afterwards.vanish("second", for: .seconds(10))
        var alone = scenario
        alone.vanish("first", for: .seconds(10))
        return Row(
            first: scenario["first"], second: scenario["second"], firstAfterwards: afterwards["first"],
            secondAlone: alone["second"])
    }

    /// The lines of the table, without its heading: a block for each that plays first.
    var blocks: [[String]] {
        kinds.map { first in
            kinds.map { second in
                let row = row(first, second)
                let cells = [first.name, second.name, row.first.word, row.second.word, row.firstAfterwards.word]
                return PairTable.line(cells + [row.secondAlone.word])
            }
        }
    }

    /// The whole text.
    var text: String {
        let heading = [
            "The first plays, then the second begins. What is heard of both while both want to play; of the first after the",
            "second has ended; and of the second after the first has ended instead.",
            "",
            "\"free\" is at full level, a number is what it is lowered by; \"kept\" is silent until its application asks again.",
            "",
            PairTable.line(["plays", "begins", "first", "second", "first, alone", "second, alone"]),
        ]
        let lines = heading + blocks.flatMap { [""] + $0 }
        return lines.joined(separator: "\n") + "\n"
    }

    /// Cells of fixed widths; names of roles come first and are longer than what is heard.
    private static func line(_ cells: [String]) -> String {
        var line = ""
        for (cell, width) in zip(cells, [18, 20, 12, 12, 14, 0]) {
            line += cell + String(repeating: " ", count: max(0, width - cell.count))
        }
        return line
    }
}

extension Heard {
    /// As a word of the table.
    var word: String {
        switch self {
        case .free: "free"
        case .ducked(let decibels): "\(Int(decibels.rounded())) dB"
        case .muted: "muted"
        case .corked: "corked"
        case .superseded: "kept"
        case .rejected: "rejected"
        case .held: "held"
        case .inactive: "inactive"
        case .unmanaged: "unmanaged"
        }
    }

    /// Whether a listener hears the stream.
    var isAudible: Bool {
        switch self {
        case .free, .ducked, .unmanaged: true
        case .muted, .corked, .superseded, .rejected, .held, .inactive: false
        }
    }
}
