/// The properties that rules ask for, by the place that each has in a stream's cache.
struct PropertyNames: Sendable, Equatable {
    private(set) var names: [String] = []
    private var places: [String: Int] = [:]

    /// The place of a property, which is given one if it has none.
    mutating func place(of name: String) -> Int {
        if let place = places[name] { return place }
        places[name] = names.count
        names.append(name)
        return names.count - 1
    }
}

/// A stream's properties as far as rules have asked for them: each is looked up once.
struct PropertyCache {
    private enum Entry {
        case unknown
        case missing
        case present(String, Subject)
    }

    private let names: PropertyNames
    private var entries: [Entry]

    init(_ names: PropertyNames) {
        self.names = names
        entries = Array(repeating: .unknown, count: names.names.count)
    }

    /// Looks a property up, unless it has been.
    mutating func prepare(_ place: Int, _ lookUp: (String) -> String?) {
        guard entries.indices.contains(place), case .unknown = entries[place] else { return }
        entries[place] = lookUp(names.names[place]).map { .present($0, Subject($0)) } ?? .missing
    }

    /// Whether a stream's property, which has been prepared, passes a test.
    func passes(_ place: Int, _ test: Condition.Test) -> Bool {
        guard entries.indices.contains(place), case .present(let text, let subject) = entries[place] else {
            return test == .absent
        }
        switch test {
        case .absent: return false
        case .equals(let wanted): return text == wanted
        case .pattern(let pattern): return pattern.matches(subject)
        }
    }
}
