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

    fileprivate func isMet(by property: (String) -> String?) -> Bool {
        guard let value = property(self.property) else { return (test == .absent) != isNegated }
        let isSo =
            switch test {
            case .absent: false
            case .equals(let text): value == text
            case .pattern(let pattern): pattern.matches(value)
            }
        return isSo != isNegated
    }
}

/// Conditions of which all must be met. Without conditions, nothing matches.
struct Match: Sendable, Equatable {
    let conditions: [PropertyCondition]
}

/// Alternatives of which one must match. Without alternatives, nothing matches.
struct Matches: Sendable, Equatable {
    let alternatives: [Match]

    init(_ alternatives: [Match]) { self.alternatives = alternatives }

    /// Whether one of the alternatives matches.
    ///
    /// - Parameter property: The value of a property; `nil` if there is none.
    func isMet(by property: (String) -> String?) -> Bool {
        for match in alternatives where !match.conditions.isEmpty {
            if match.conditions.allSatisfy({ $0.isMet(by: property) }) { return true }
        }
        return false
    }
}
