import PolicyEngine

// Checks whether the parts of a session description fit together.
extension DescriptionDraft {
    /// The finished description, after checking that its parts fit together.
    ///
    /// - Parameters:
    ///   - defaults: The ducking where the draft sets none.
    ///   - meant: The known name that a new one was most likely meant to be.
    ///   - isComplete: Whether every source could be read, so that missing values are really missing.
    ///   - ducks: Whether a rule for a pair makes it duck others.
    func finish(
        defaults: DuckingDraft, meant: (String) -> String?, isComplete: Bool, ducks: Bool, _ diagnosis: inout Diagnosis
    ) -> SessionDescription? {
        if category == nil, let origin, isComplete, !isCategoryWrong {
            diagnosis.error(
                at: origin, found: "'\(printable(name))', which is new, without a category",
                expected: "category = …", nearest: meant(name))
        }
        check(&diagnosis)
        let description = description(defaults: defaults)
        if let duckingOrigin, let description, !description.ducksOthers, !ducks {
            diagnosis.warning(
                at: duckingOrigin, found: "duck without the option duck-others",
                expected: "both (it has no effect)")
        }
        return description
    }

    /// Reports parts that do not fit together. The later part is reported as wrong, because the former ones did fit.
    func check(_ diagnosis: inout Diagnosis) {
        guard let category, !isCategoryWrong else { return }
        let word = category.value.rawValue
        for option in options where !category.value.takes(option.value) {
            guard let origin = diagnosis.later(option.origin, category.origin) else { continue }
            diagnosis.error(
                at: origin, found: "the option \(option.value.word) with category \(word)",
                expected: "it with \(list(option.value.takers)) only")
        }
        if let handover, !category.value.takes(handover.value),
            let origin = diagnosis.later(handover.origin, category.origin)
        {
            diagnosis.error(
                at: origin, found: "handover \(handover.value.rawValue) with category \(word)",
                expected: "overlap, as a call must never be held back")
        }
        // R55: a mode that the category ignores is no error.
        if let mode, !category.value.takes(mode.value), let origin = diagnosis.later(mode.origin, category.origin) {
            diagnosis.warning(
                at: origin, found: "mode \(mode.value.rawValue) with category \(word)",
                expected: "it with \(list(mode.value.takers)) only (it has no effect)")
        }
    }
}

extension SessionDescription {
    /// The description without the parts that do not fit its category, as rules may have combined them.
    var consistent: SessionDescription {
        var result = self
        for (_, option) in CategoryOptions.named where !category.takes(option) { result.options.remove(option) }
        if !category.takes(handover) { result.handover = .overlap }
        return result
    }
}

extension CategoryOptions {
    /// The name of a single option.
    var word: String { CategoryOptions.named.first { $0.option == self }?.name ?? "" }

    fileprivate var takers: [String] { Category.allCases.filter { $0.takes(self) }.map(\.rawValue) }
}

extension Mode {
    fileprivate var takers: [String] { Category.allCases.filter { $0.takes(self) }.map(\.rawValue) }
}
