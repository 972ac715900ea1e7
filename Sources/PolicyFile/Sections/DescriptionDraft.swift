import PolicyEngine

/// The draft of a session description, merged from the sources, with the origin of every value.
struct DescriptionDraft: Sendable, Equatable {
    let name: String
    /// Where a source first mentioned the description; `nil` if only the preset has it.
    private(set) var origin: Origin?
    /// The values that are set.
    private(set) var keys: Draft<SessionDescription>

    /// Creates an empty draft.
    init(name: String) {
        self.name = name
        keys = Draft(SessionDescription(name: name, category: .ambient))
    }

    /// Creates a draft that sets every key to the value of a description.
    init(name: String, complete description: SessionDescription) {
        self.name = name
        keys = Draft(complete: description)
    }

    /// Merges the members of an object. The caller handles keys that do not belong to a description.
    mutating func apply(_ members: [Member], at place: Place, _ diagnosis: inout Diagnosis) {
        if origin == nil { origin = diagnosis.origin(place) }
        for member in members { keys.read(member, &diagnosis) }
    }

    /// Merges another draft over this one.
    mutating func overlay(_ other: DescriptionDraft) { keys.overlay(other.keys) }

    /// The category, if one is set.
    var category: Category? { keys.setting("category") == nil ? nil : keys.values.category }

    /// The finished description; `nil` while it has no category.
    ///
    /// - Parameter defaults: The policy with the ducking where the draft sets none.
    func description(defaults: Policy) -> SessionDescription? {
        guard let category else { return nil }
        var description = SessionDescription(name: name, category: category)
        description.ducking = defaults.ducking
        keys.change(&description)
        return description
    }

    /// The finished description, after checking that its parts fit together.
    ///
    /// - Parameters:
    ///   - defaults: The policy with the ducking where the draft sets none.
    ///   - meant: The known name that a new one was most likely meant to be.
    ///   - isComplete: Whether every source could be read, so that missing values are really missing.
    ///   - ducks: Whether a rule for a pair makes it duck others.
    func finish(
        defaults: Policy, meant: (String) -> String?, isComplete: Bool, ducks: Bool, _ diagnosis: inout Diagnosis
    ) -> SessionDescription? {
        if category == nil, let origin, isComplete, !keys.wrong.contains("category") {
            diagnosis.error(
                at: origin, found: "'\(printable(name))', which is new, without a category",
                expected: "category = …", nearest: meant(name))
        }
        check(&diagnosis)
        let description = description(defaults: defaults)
        if let origin = keys.mentions["duck"], let description, !description.ducksOthers, !ducks {
            diagnosis.warning(
                at: origin, found: "duck without the option duck-others", expected: "both (it has no effect)")
        }
        return description
    }

    /// Reports parts that do not fit together. The later part is reported as wrong, because the former ones did fit.
    func check(_ diagnosis: inout Diagnosis) {
        guard let chosen = keys.setting("category"), !keys.wrong.contains("category") else { return }
        let (values, category) = (keys.values, keys.values.category)
        let word = category.rawValue
        func takers(_ takes: (Category) -> Bool) -> String { list(Category.allCases.filter(takes).map(\.rawValue)) }
        if let options = keys.setting("options") {
            for option in values.options.options where !category.takes(option) {
                guard
                    let origin = diagnosis.later(options.elements[option.rawValue] ?? options.origin, chosen.origin)
                else { continue }
                diagnosis.error(
                    at: origin, found: "the option \(option.rawValue) with category \(word)",
                    expected: "it with \(takers { $0.takes(option) }) only")
            }
        }
        if let handover = keys.setting("handover"), !category.takes(values.handover),
            let origin = diagnosis.later(handover.origin, chosen.origin)
        {
            diagnosis.error(
                at: origin, found: "handover \(values.handover.rawValue) with category \(word)",
                expected: "overlap, as a call must never be held back")
        }
        // R55: a mode that the category ignores is no error.
        if let mode = keys.setting("mode"), !category.takes(values.mode),
            let origin = diagnosis.later(mode.origin, chosen.origin)
        {
            diagnosis.warning(
                at: origin, found: "mode \(values.mode.rawValue) with category \(word)",
                expected: "it with \(takers { $0.takes(values.mode) }) only (it has no effect)")
        }
    }

    /// Whether both drafts set the same values, whatever the origins of these.
    static func == (left: DescriptionDraft, right: DescriptionDraft) -> Bool { left.keys == right.keys }
}

extension SessionDescription {
    /// The description without the parts that do not fit its category, as rules may have combined them.
    var consistent: SessionDescription {
        var result = self
        result.options = CategoryOptions(result.options.options.filter(category.takes))
        if !category.takes(handover) { result.handover = .overlap }
        return result
    }
}
