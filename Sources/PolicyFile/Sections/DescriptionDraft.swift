import PolicyEngine

/// The draft of a session description, merged from the sources, with the origin of every value.
struct DescriptionDraft: Sendable {
    /// Where a value was set; `nil` when that was the built-in preset.
    private struct Setting {
        var origin: Origin?
    }

    let name: String
    /// Where a source first mentioned the description; `nil` if only the preset has it.
    private(set) var origin: Origin?
    /// The values of the keys that are set. The other values mean nothing, and are always the same.
    var values: SessionDescription
    /// The options that are set, in their order.
    var options: [Sourced<CategoryOptions>] = []
    /// How others are ducked, which may be set in part only; it counts in place of that in ``values``.
    var ducking = DuckingDraft()
    /// Where a source last mentioned `duck`.
    var duckingOrigin: Origin?
    private(set) var isCategoryWrong = false
    /// In the order of ``RoleKey/all``; `nil` for keys that nothing has set.
    private var settings: [Setting?]

    /// Creates a draft from a preset's description.
    init(_ preset: SessionDescription) {
        name = preset.name
        values = preset
        options = CategoryOptions.named.map(\.option).filter(preset.options.contains).map { Sourced($0) }
        ducking = DuckingDraft(preset.ducking)
        settings = RoleKey.all.map { _ in Setting() }
    }

    /// Creates an empty draft.
    init(name: String) {
        self.name = name
        values = SessionDescription(name: name, category: .ambient)
        settings = RoleKey.all.map { _ in nil }
    }

    /// Merges the members of an object. The caller handles keys that do not belong to a description.
    mutating func apply(_ members: [Member], at place: Place, _ diagnosis: inout Diagnosis) {
        if origin == nil { origin = Origin(file: diagnosis.file, place: place) }
        for member in members {
            guard let index = RoleKey.words.firstIndex(of: member.key.text) else { continue }
            let isRead = RoleKey.all[index].read(member, &self, &diagnosis)
            if isRead { settings[index] = Setting(origin: Origin(file: diagnosis.file, place: member.value.place)) }
            if member.key.text == RoleKey.category.word { isCategoryWrong = !isRead }
        }
    }

    /// Merges another draft over this one.
    mutating func overlay(_ other: DescriptionDraft) {
        for index in other.settings.indices where other.settings[index] != nil {
            RoleKey.all[index].overlay(other, &self)
            settings[index] = other.settings[index]
        }
        duckingOrigin = other.duckingOrigin ?? duckingOrigin
        isCategoryWrong = isCategoryWrong || other.isCategoryWrong
    }

    // MARK: What is set

    /// The keys that are set, each with the origin of its value; in the order of ``RoleKey/all``.
    var keys: [(key: RoleKey, origin: Origin?)] {
        settings.indices.compactMap { index in settings[index].map { (RoleKey.all[index], $0.origin) } }
    }

    var category: Sourced<Category>? { sourced(values.category, of: .category) }
    var mode: Sourced<Mode>? { sourced(values.mode, of: .mode) }
    var handover: Sourced<Handover>? { sourced(values.handover, of: .handover) }
    /// Whether the options are set, be it to none.
    var setsOptions: Bool { setting(of: .options) != nil }

    private func sourced<Value>(_ value: Value, of key: RoleKey) -> Sourced<Value>? {
        setting(of: key).map { Sourced(value, at: $0.origin) }
    }

    private func setting(of key: RoleKey) -> Setting? {
        RoleKey.words.firstIndex(of: key.word).flatMap { settings[$0] }
    }

    // MARK: Results

    /// The finished description; `nil` while it has no category.
    ///
    /// - Parameter defaults: The ducking where the draft sets none.
    func description(defaults: DuckingDraft) -> SessionDescription? {
        guard category != nil else { return nil }
        var description = SessionDescription(name: name, category: values.category)
        defaults.change(&description.ducking)
        change(&description)
        return description
    }

    /// Applies the values that are set.
    func change(_ description: inout SessionDescription) {
        for index in settings.indices where settings[index] != nil { RoleKey.all[index].apply(self, &description) }
    }
}

extension DescriptionDraft: Equatable {
    /// Whether both drafts set the same values, whatever the origins of these.
    static func == (left: DescriptionDraft, right: DescriptionDraft) -> Bool {
        left.values == right.values && left.ducking == right.ducking
            && zip(left.settings, right.settings).allSatisfy { ($0 == nil) == ($1 == nil) }
    }
}
