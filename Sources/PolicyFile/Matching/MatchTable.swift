/// Many matches, laid out so that hundreds of them are decided in microseconds: a new stream waits for that.
///
/// All texts that a property is compared with have numbers, so that a property's value is looked up once and then only
/// numbers are compared. Expressions are tried on values that contain the letters that they require.
struct MatchTable: Sendable {
    private struct Property {
        let name: String
        /// The number of each text that it is compared with.
        var texts: [String: Int32] = [:]
    }

    private enum Test: UInt8 {
        case absent
        case equals
        case pattern
    }

    /// One condition. Plain numbers: nothing has to be counted when it is passed on.
    private struct Entry {
        var property: Int
        var test: Test
        var isNegated: Bool
        /// The number of a text or a pattern.
        var operand: Int32 = 0
        /// The letters that the pattern requires.
        var letters = Letters()
    }

    private var properties: [Property] = []
    private var entries: [Entry] = []
    /// The entries of each match that has any.
    private var alternatives: [Range<Int>] = []
    /// The alternatives of each set of matches.
    private var sets: [Range<Int>] = []
    private var patterns: [Pattern] = []

    /// Lays out sets of matches, which are known by their place from then on.
    init(_ sets: [Matches]) {
        var places: [String: Int] = [:]
        for set in sets {
            let start = alternatives.count
            for match in set.alternatives where !match.conditions.isEmpty {
                let first = entries.count
                for condition in match.conditions {
                    let place = places[condition.property] ?? properties.count
                    if place == properties.count {
                        places[condition.property] = place
                        properties.append(Property(name: condition.property))
                    }
                    entries.append(entry(condition, place))
                }
                alternatives.append(first..<entries.count)
            }
            self.sets.append(start..<alternatives.count)
        }
    }

    private mutating func entry(_ condition: PropertyCondition, _ place: Int) -> Entry {
        switch condition.test {
        case .absent:
            return Entry(property: place, test: .absent, isNegated: condition.isNegated)
        case .equals(let text):
            let next = Int32(truncatingIfNeeded: properties[place].texts.count)
            let number = properties[place].texts[text] ?? next
            properties[place].texts[text] = number
            return Entry(property: place, test: .equals, isNegated: condition.isNegated, operand: number)
        case .pattern(let pattern):
            let number = Int32(truncatingIfNeeded: patterns.count)
            patterns.append(pattern)
            return Entry(
                property: place, test: .pattern, isNegated: condition.isNegated, operand: number,
                letters: pattern.letters)
        }
    }

    /// What is known of a stream's properties: each is looked up once, when it is asked for first.
    struct Stream {
        fileprivate enum State: UInt8 {
            case unknown
            case missing
            case present
        }

        fileprivate struct Value {
            var state = State.unknown
            /// The number of its text, −1 when nothing is compared with that.
            var number: Int32 = -1
            var letters = Letters()
        }

        fileprivate var values: [Value]
        fileprivate var subjects: [Subject?]

        /// A stream of which nothing is known yet.
        init(_ table: MatchTable) {
            values = Array(repeating: Value(), count: table.properties.count)
            subjects = Array(repeating: nil, count: table.properties.count)
        }
    }

    /// Whether one of a set's matches is met.
    ///
    /// - Parameters:
    ///   - set: The place of the set.
    ///   - stream: What is known of the stream so far.
    ///   - property: The value of a property; `nil` where there is none.
    func isMet(_ set: Int, by stream: inout Stream, _ property: (String) -> String?) -> Bool {
        guard sets.indices.contains(set) else { return false }
        for alternative in sets[set] where isMet(alternatives[alternative], &stream, property) { return true }
        return false
    }

    private func isMet(_ range: Range<Int>, _ stream: inout Stream, _ property: (String) -> String?) -> Bool {
        for index in range where !isMet(entries[index], &stream, property) { return false }
        return true
    }

    private func isMet(_ entry: Entry, _ stream: inout Stream, _ property: (String) -> String?) -> Bool {
        if stream.values[entry.property].state == .unknown { lookUp(entry.property, &stream, property) }
        let value = stream.values[entry.property]
        guard value.state == .present else { return (entry.test == .absent) != entry.isNegated }
        switch entry.test {
        case .absent: return entry.isNegated
        case .equals: return (value.number == entry.operand) != entry.isNegated
        case .pattern:
            let isFound =
                value.letters.contains(entry.letters)
                && stream.subjects[entry.property].map(patterns[Int(entry.operand)].matches) == true
            return isFound != entry.isNegated
        }
    }

    private func lookUp(_ place: Int, _ stream: inout Stream, _ property: (String) -> String?) {
        guard let text = property(properties[place].name) else {
            stream.values[place].state = .missing
            return
        }
        let subject = Subject(text)
        stream.values[place] = Stream.Value(
            state: .present, number: properties[place].texts[text] ?? -1, letters: subject.letters)
        stream.subjects[place] = subject
    }
}

/// Which letters a text has, roughly: two that share a bit are taken for the same.
struct Letters: Sendable, Equatable {
    private var bits: UInt64 = 0

    init() {}

    init(_ bytes: some Sequence<UInt8>) {
        for byte in bytes { bits |= 1 << UInt64(byte & 63) }
    }

    /// Whether all letters of another set may be in this one.
    func contains(_ other: Letters) -> Bool { other.bits & ~bits == 0 }

    /// The letters that are in both.
    func intersection(_ other: Letters) -> Letters {
        var result = self
        result.bits &= other.bits
        return result
    }
}
