/// One property and what its value has to be: one that is missing is as good as any other wrong value.
struct PropertyCondition: Sendable, Equatable {
    enum Test: Sendable, Equatable {
        /// The stream has no such property.
        case absent
        /// It is exactly this.
        case equals(String)
        /// This is found in it.
        case pattern(Pattern)
    }

    let property: String
    let isNegated: Bool
    let test: Test
}

/// Properties of which all have to be as it says. Without any, it matches nothing.
struct Match: Sendable, Equatable {
    let conditions: [PropertyCondition]
}

/// Matches of which one is enough. Without any, nothing matches.
struct Matches: Sendable, Equatable {
    let alternatives: [Match]

    init(_ alternatives: [Match]) { self.alternatives = alternatives }
}
