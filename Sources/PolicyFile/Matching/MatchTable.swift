/// Tests hundreds of conditions in microseconds, because a new stream waits for the result.
///
/// Every text in a condition has a number. A property's value is looked up once, and then only numbers are compared.
/// Expressions are tried only on values that contain the letters that the expression requires.
struct MatchTable: Sendable {
    private struct Property {
        let name: String
        /// The number of each text with which the property is compared.
        var texts: [String: Int32] = [:]
    }

    private enum Test: UInt8 {
        case absent
        case equals
        case pattern
    }

    /// One condition, as plain numbers, so that copying it needs no reference counting.
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
    /// The range of entries of each alternative.
    private var alternatives: [Range<Int>] = []
    /// The range of alternatives of each set.
    private var sets: [Range<Int>] = []
    private var patterns: [Pattern] = []

    /// Creates a table of sets, which are then identified by their index.
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

    /// The properties of a stream as far as they have been read. Each is read once, on first use.
    struct Stream {
        fileprivate enum State: UInt8 {
            case unknown
            case missing
            case present
        }

        fileprivate struct Value {
            var state = State.unknown
            /// The number of the value's text; −1 if no condition compares with it.
            var number: Int32 = -1
            var letters = Letters()
        }

        fileprivate var values: [Value]
        fileprivate var subjects: [Subject?]

        /// Creates a stream of which no property has been read.
        init(_ table: MatchTable) {
            values = Array(repeating: Value(), count: table.properties.count)
            subjects = Array(repeating: nil, count: table.properties.count)
        }
    }

    /// Whether one of a set's alternatives matches.
    ///
    /// - Parameters:
    ///   - set: The index of the set.
    ///   - stream: The properties read so far.
    ///   - property: The value of a property; `nil` if there is none.
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

/// An approximate set of the letters in a text: letters that share a bit count as equal.
struct Letters: Sendable, Equatable {
    private var bits: UInt64 = 0

    init() {}

    init(_ bytes: some Sequence<UInt8>) {
        for byte in bytes { bits |= 1 << UInt64(byte & 63) }
    }

    /// Whether this set may contain all letters of another.
    func contains(_ other: Letters) -> Bool { other.bits & ~bits == 0 }

    /// The letters that are in both.
    func intersection(_ other: Letters) -> Letters {
        var result = self
        result.bits &= other.bits
        return result
    }
}
