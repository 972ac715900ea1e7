import SessionCore

// How the parts of a session description go together.
extension DescriptionDraft {
    /// The finished description, after a look at how its parts go together.
    ///
    /// - Parameters:
    ///   - defaults: What others are ducked by where the draft does not say it.
    ///   - meant: Which known name is most likely meant by a new one.
    ///   - isComplete: Whether every source could be read, so that what is not there is indeed missing.
    ///   - ducks: Whether it lowers others by what is said of pairs.
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

    /// Reports what does not go together, as far as the draft says it. Wrong parts are the later one's fault: what was
    /// there before did fit.
    func check(_ diagnosis: inout Diagnosis) {
        guard let category, !isCategoryWrong else { return }
        let word = category.value.rawValue
        for option in options ?? [] where !category.value.takes(option.value) {
            guard let origin = diagnosis.later(option.origin, category.origin) else { continue }
            diagnosis.error(
                at: origin, found: "the option \(option.value.word) with category \(word)",
                expected: "it with \(list(option.value.takers)) only")
        }
        // A call that is held back loses words.
        if category.value == .playAndRecord, let handover, handover.value == .hold,
            let origin = diagnosis.later(handover.origin, category.origin)
        {
            diagnosis.error(
                at: origin, found: "handover hold with category play-and-record",
                expected: "overlap, as a call must never be held back")
        }
        // R55: such a mode is no error.
        if let mode, !category.value.takes(mode.value), let origin = diagnosis.later(mode.origin, category.origin) {
            diagnosis.warning(
                at: origin, found: "mode \(mode.value.rawValue) with category \(word)",
                expected: "it with \(list(mode.value.takers)) only (it has no effect)")
        }
    }
}

extension SessionDescription {
    /// The description without the parts that do not go with its category, as rules may have put them together.
    var consistent: SessionDescription {
        var result = self
        for (_, option) in CategoryOptions.named where !category.takes(option) { result.options.remove(option) }
        if category == .playAndRecord { result.handover = .overlap }
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
