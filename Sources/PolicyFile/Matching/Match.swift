/// A condition on the value of one property. A missing property fails every condition on its value.
struct PropertyCondition: Sendable, Equatable {
    enum Test: Sendable, Equatable {
        /// The stream does not have the property.
        case absent
        /// The value equals this text.
        case equals(String)
        /// The value contains a match of this expression.
        case pattern(Pattern)
    }

    let property: String
    let isNegated: Bool
    let test: Test
}

/// Conditions of which all must be met. Without conditions, nothing matches.
struct Match: Sendable, Equatable {
    let conditions: [PropertyCondition]
}

/// Alternatives of which one must match. Without alternatives, nothing matches.
struct Matches: Sendable, Equatable {
    let alternatives: [Match]

    init(_ alternatives: [Match]) { self.alternatives = alternatives }
}
