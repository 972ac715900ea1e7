import PolicyEngine

/// One key of policy files: the one place that says where it is written, what it takes, what it does, and how its value is
/// read, merged and shown.
///
/// A new key is a field of its subject and a row in the subject's table, see ``Keyed/keys``.
package struct PolicyKey<Subject: Sendable>: Sendable {
    /// The object that the key is in; `nil` if it is beside the others.
    package let section: String?
    /// The key as policy files spell it.
    package let word: String
    /// The key's meaning in one sentence, which the manual page repeats.
    package let help: String
    /// The words that it takes, beside other values.
    package let words: [String]
    /// The value of a subject; `nil` for a section that has more than keys.
    package let value: @Sendable (Subject) -> PolicyValue?
    /// Whether the value of a subject has an effect that is worth showing.
    package let isShown: @Sendable (Subject) -> Bool
    /// Reads a value into a subject. Returns whether it is valid; if not, the mistake has been reported.
    let read: @Sendable (Node, inout Subject, inout Diagnosis) -> Bool
    /// Copies the value of the first subject into the second.
    let copy: @Sendable (Subject, inout Subject) -> Void

    /// Creates a key for a field.
    ///
    /// - Parameters:
    ///   - word: The key.
    ///   - section: The object that the key is in.
    ///   - form: The kind of value.
    ///   - field: The field.
    ///   - help: One sentence.
    ///   - isShown: Whether the value of a subject is worth showing; always by default.
    init<Value>(
        _ word: String, in section: String? = nil, _ form: ValueForm<Value>,
        _ field: any WritableKeyPath<Subject, Value> & Sendable, _ help: String,
        isShown: @escaping @Sendable (Subject) -> Bool = { _ in true }
    ) {
        self.init(
            word, in: section, form, help, isShown: isShown, get: { $0[keyPath: field] },
            set: { $0[keyPath: field] = $1 })
    }

    /// Creates a key for a part of a field.
    init<Outer, Value>(
        _ word: String, in section: String?, _ form: ValueForm<Value>,
        of outer: any WritableKeyPath<Subject, Outer> & Sendable, _ field: any WritableKeyPath<Outer, Value> & Sendable,
        _ help: String, isShown: @escaping @Sendable (Subject) -> Bool
    ) {
        self.init(
            word, in: section, form, help, isShown: isShown, get: { $0[keyPath: outer][keyPath: field] },
            set: { $0[keyPath: outer][keyPath: field] = $1 })
    }

    private init<Value>(
        _ word: String, in section: String?, _ form: ValueForm<Value>, _ help: String,
        isShown: @escaping @Sendable (Subject) -> Bool, get: @escaping @Sendable (Subject) -> Value,
        set: @escaping @Sendable (inout Subject, Value) -> Void
    ) {
        self.section = section
        self.word = word
        self.help = help
        self.words = form.words
        self.isShown = isShown
        value = { form.value(get($0)) }
        read = { node, subject, diagnosis in
            guard let value = form.read(node, &diagnosis) else { return false }
            set(&subject, value)
            return true
        }
        copy = { set(&$1, get($0)) }
    }

    /// Creates a section that has more than keys, and is read and written by code of its own.
    init(section word: String, _ help: String) {
        self.section = nil
        self.word = word
        self.help = help
        words = []
        isShown = { _ in true }
        value = { _ in nil }
        read = { _, _, _ in false }
        copy = { _, _ in }
    }
}

/// What a section of policy files describes, with the keys of that section.
package protocol Keyed: Sendable {
    /// All keys, in the order of the shipped policy files.
    static var keys: [PolicyKey<Self>] { get }
}

extension Keyed {
    /// The words of all keys; those in an object of their own count as that object's one word.
    static var words: [String] {
        var words: [String] = []
        for key in keys where words.last != key.section ?? key.word { words.append(key.section ?? key.word) }
        return words
    }

    /// The keys in an object.
    static func keys(in section: String?) -> [PolicyKey<Self>] { keys.filter { $0.section == section } }
}

/// The value of a key, for whoever writes it down.
package enum PolicyValue: Sendable, Equatable {
    case word(String)
    case list([String])
    case priority(Priority)
    case time(Duration)
    case truth(Bool)
    case gain(Decibels)
}

/// Values for the keys of a section, merged from sources, with the origin of each.
struct Draft<Subject: Keyed>: Sendable {
    /// Where a value was set.
    struct Setting: Sendable {
        /// `nil` for a built-in preset.
        var origin: Origin?
        /// The origins of a list's elements.
        var elements: [String: Origin] = [:]
    }

    /// The values of the keys that are set. The other values mean nothing, and are always the same.
    private(set) var values: Subject
    /// In the order of the keys; `nil` for keys that nothing has set.
    private var settings: [Setting?]
    /// Where an object of keys was last mentioned.
    private(set) var mentions: [String: Origin] = [:]
    /// The keys whose last value was wrong.
    private(set) var wrong: Set<String> = []

    /// Creates a draft that sets nothing.
    init(_ blank: Subject) {
        values = blank
        settings = Subject.keys.map { _ in nil }
    }

    /// Creates a draft that sets every key to the value of a subject.
    init(complete subject: Subject) {
        values = subject
        settings = Subject.keys.map { _ in Setting() }
    }

    // MARK: Sources

    /// Reads a member, which is a key or an object of keys. The caller has reported unknown ones.
    mutating func read(_ member: Member, _ diagnosis: inout Diagnosis) {
        let inside = Subject.keys(in: member.key.text)
        if inside.isEmpty { return read(member, in: nil, &diagnosis) }
        mentions[member.key.text] = diagnosis.origin(member.key.place)
        guard let object = diagnosis.object(member.value) else { return }
        for part in diagnosis.members(of: object, known: inside.map(\.word)) {
            read(part, in: member.key.text, &diagnosis)
        }
    }

    private mutating func read(_ member: Member, in section: String?, _ diagnosis: inout Diagnosis) {
        guard let index = index(member.key.text, section) else { return }
        guard Subject.keys[index].read(member.value, &values, &diagnosis) else {
            wrong.insert(member.key.text)
            return
        }
        wrong.remove(member.key.text)
        var setting = Setting(origin: diagnosis.origin(member.value.place))
        if case .array(let elements) = member.value.content {
            for element in elements {
                if let word = element.text { setting.elements[word] = diagnosis.origin(element.place) }
            }
        }
        settings[index] = setting
    }

    /// Merges another draft over this one.
    mutating func overlay(_ other: Draft) {
        other.change(&values)
        for (index, setting) in other.settings.enumerated() where setting != nil { settings[index] = setting }
        mentions.merge(other.mentions) { $1 }
        wrong.formUnion(other.wrong)
    }

    // MARK: Results

    /// Applies the values that are set.
    func change(_ subject: inout Subject) {
        for (key, setting) in zip(Subject.keys, settings) where setting != nil { key.copy(values, &subject) }
    }

    /// The keys that are set.
    var set: [(key: PolicyKey<Subject>, setting: Setting)] {
        zip(Subject.keys, settings).compactMap { key, setting in setting.map { (key, $0) } }
    }

    /// The words of the keys that are set; an object's keys count as its one word.
    var words: [String] {
        Subject.words.filter { word in set.contains { $0.key.section ?? $0.key.word == word } }
    }

    /// Where a key was set; `nil` if nothing has set it.
    func setting(_ word: String, in section: String? = nil) -> Setting? {
        index(word, section).flatMap { settings[$0] }
    }

    private func index(_ word: String, _ section: String?) -> Int? {
        Subject.keys.firstIndex { $0.word == word && $0.section == section }
    }
}

extension Draft: Equatable where Subject: Equatable {
    /// Whether both drafts set the same values, whatever the origins of these.
    static func == (left: Draft, right: Draft) -> Bool {
        left.values == right.values && zip(left.settings, right.settings).allSatisfy { ($0 == nil) == ($1 == nil) }
    }
}
