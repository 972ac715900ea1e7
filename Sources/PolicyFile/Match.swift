/// One property and what its value has to be.
struct Condition: Sendable, Equatable {
    enum Test: Sendable, Equatable {
        /// The stream has no such property.
        case absent
        /// It is exactly this.
        case equals(String)
        /// This is found in it.
        case pattern(Pattern)
    }

    let property: String
    /// The property's place in the ``PropertyCache``, once the rules are complete.
    var place = 0
    let isNegated: Bool
    let test: Test

    init(property: String, isNegated: Bool, test: Test) {
        self.property = property
        self.isNegated = isNegated
        self.test = test
    }

    /// Whether a stream's properties are as they have to be: one that is missing is as good as any other wrong value.
    func holds(_ properties: inout PropertyCache, _ lookUp: (String) -> String?) -> Bool {
        properties.prepare(place, lookUp)
        return properties.passes(place, test) != isNegated
    }
}

/// Properties of which all have to be as it says. Without any, it matches nothing.
struct Match: Sendable, Equatable {
    var conditions: [Condition]
}

/// Matches of which one is enough. Without any, it matches nothing.
struct Matches: Sendable, Equatable {
    private(set) var alternatives: [Match]

    init(_ alternatives: [Match]) { self.alternatives = alternatives }

    /// Gives each property its place.
    mutating func arrange(_ names: inout PropertyNames) {
        for match in alternatives.indices {
            for condition in alternatives[match].conditions.indices {
                let name = alternatives[match].conditions[condition].property
                alternatives[match].conditions[condition].place = names.place(of: name)
            }
        }
    }

    /// Whether a stream's properties are as they have to be.
    func hold(_ properties: inout PropertyCache, _ lookUp: (String) -> String?) -> Bool {
        for match in alternatives where !match.conditions.isEmpty {
            var holds = true
            for condition in match.conditions where !condition.holds(&properties, lookUp) {
                holds = false
                break
            }
            if holds { return true }
        }
        return false
    }
}
