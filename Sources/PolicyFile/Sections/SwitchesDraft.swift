import PolicyEngine

/// The draft of which categories the user's switches silence, merged from the sources (N16).
struct SwitchesDraft: Sendable {
    static let keys = ["silent", "lock", "do-not-disturb"]

    private(set) var silent: Sourced<Set<Category>>
    private(set) var locked: Sourced<Set<Category>>
    private(set) var undisturbed: Sourced<Set<Category>>

    init(_ rules: SwitchRules) {
        silent = Sourced(rules.silent)
        locked = Sourced(rules.locked)
        undisturbed = Sourced(rules.undisturbed)
    }

    /// The finished rules.
    var rules: SwitchRules {
        SwitchRules(silent: silent.value, locked: locked.value, undisturbed: undisturbed.value)
    }

    /// Every key with its categories, in their usual order.
    var lists: [(key: String, words: [String], origin: Origin?)] {
        zip(SwitchesDraft.keys, [silent, locked, undisturbed]).map { key, list in
            (key, Category.allCases.filter(list.value.contains).map(\.rawValue), list.origin)
        }
    }

    /// Reads an object; each list replaces the former one.
    mutating func apply(_ node: Node, _ diagnosis: inout Diagnosis) {
        guard let object = diagnosis.object(node) else { return }
        for member in diagnosis.members(of: object, known: SwitchesDraft.keys) {
            guard let categories = diagnosis.categories(member.value) else { continue }
            let list = Sourced(categories, at: Origin(file: diagnosis.file, place: member.value.place))
            switch member.key.text {
            case "silent": silent = list
            case "lock": locked = list
            default: undisturbed = list
            }
        }
    }
}

extension Diagnosis {
    /// Reads an array of categories; `nil` when it is none.
    fileprivate mutating func categories(_ node: Node) -> Set<Category>? {
        guard case .array(let elements) = node.content else {
            error(at: node.place, found: node.summary, expected: "an array of categories, such as [ ambient ]")
            return nil
        }
        var result: Set<Category> = []
        for element in elements { if let category = word(element, of: .categories) { result.insert(category) } }
        return result
    }
}
