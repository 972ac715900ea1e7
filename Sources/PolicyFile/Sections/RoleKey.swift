package import PolicyEngine

/// A key of a role in policy files: the one place that says how its value is read, merged, used and shown. What streams
/// without a role are has the same keys, and so has what a rule changes.
///
/// A new key is a field of `SessionDescription` and an entry in ``all``.
package struct RoleKey: Sendable {
    /// The key as policy files spell it.
    package let word: String
    /// Reads the value of a member into a draft. Returns whether the draft has a value of this file then; if not, the
    /// mistake has been reported.
    let read: @Sendable (Member, inout DescriptionDraft, inout Diagnosis) -> Bool
    /// Puts the first draft's value into the second draft.
    let overlay: @Sendable (DescriptionDraft, inout DescriptionDraft) -> Void
    /// Puts the draft's value into a description.
    let apply: @Sendable (DescriptionDraft, inout SessionDescription) -> Void
    /// The value in a description; `nil` if it has no effect there.
    package let value: @Sendable (SessionDescription) -> RoleValue?
    /// Whether hardly any role sets the key and the description has its usual value, so that nobody needs to read of it.
    package let isUsual: @Sendable (SessionDescription) -> Bool

    /// All keys, in the order of the shipped policy files.
    package static let all: [RoleKey] = [
        category,
        options,
        mode,
        RoleKey(
            "priority", { $0.priority }, { $0.priority = $1 }, read: { $1.priority($0) }, show: { .priority($0) }),
        duck,
        // Shorter fades would click.
        time("fade", shortest: 10, { $0.fade }, { $0.fade = $1 }),
        handover,
        word("resume", .resumptions, { $0.resumption }, { $0.resumption = $1 }),
        time("release-delay", { $0.releaseDelay }, { $0.releaseDelay = $1 }),
        truth("interruptible", { $0.isInterruptible }, { $0.isInterruptible = $1 }),
        truth("pause-player", { $0.pausesPlayer }, { $0.pausesPlayer = $1 }),
        volume,
        output,
        actsWhile,
        pairing,
    ]

    /// The words of all keys.
    static let words = all.map(\.word)

    // MARK: Keys that other code asks for

    static let category = word("category", .categories, { $0.category }, { $0.category = $1 })
    static let mode = word("mode", .modes, { $0.mode }, { $0.mode = $1 })
    static let handover = word("handover", .handovers, { $0.handover }, { $0.handover = $1 })

    /// A list, which a file replaces as a whole. The draft also keeps where each option was set.
    static let options = RoleKey(
        word: "options",
        read: { member, draft, diagnosis in
            guard let read = diagnosis.options(member.value) else { return false }
            let file = diagnosis.file
            draft.options = read.map { Sourced($0.option, at: Origin(file: file, place: $0.place)) }
            draft.values.options = CategoryOptions(read.map(\.option))
            return true
        },
        overlay: { other, draft in
            draft.options = other.options
            draft.values.options = other.values.options
        },
        apply: { $1.options = $0.values.options },
        value: { .options($0.options) })

    /// An object, which is merged key by key and may set only some of the four values.
    private static let duck = RoleKey(
        word: "duck",
        read: { member, draft, diagnosis in
            draft.ducking.apply(member.value, &diagnosis)
            draft.duckingOrigin = Origin(file: diagnosis.file, place: member.key.place)
            return !draft.ducking.isEmpty
        },
        overlay: { $1.ducking.overlay($0.ducking) },
        apply: { $0.ducking.change(&$1.ducking) },
        value: { $0.ducksOthers ? .ducking($0.ducking) : nil })

    /// How loud its streams are.
    private static let volume = RoleKey(
        "volume", { $0.level }, { $0.level = $1 }, read: { $1.gain($0) }, show: { .gain($0) },
        isUsual: { $0.level == Decibels(0) })

    /// Where its streams are heard, or any.
    private static let output = RoleKey(
        word: "output",
        read: { member, draft, diagnosis in
            if member.value.text == PolicyWord.any {
                draft.values.output = nil
                return true
            }
            guard let pattern = diagnosis.output(member.value) else { return false }
            draft.values.output = pattern
            return true
        },
        overlay: { $1.values.output = $0.values.output },
        apply: { $1.output = $0.values.output },
        value: { .text($0.output?.text ?? PolicyWord.any) }, isUsual: { $0.output == nil })

    /// When it does something to others.
    private static let actsWhile = RoleKey(
        "acts-while", { $0.actsWhileSounding }, { $0.actsWhileSounding = $1 }, read: { $1.word($0, of: .actsWhile) },
        show: { .word($0 ? "sounding" : "playing") }, isUsual: { !$0.actsWhileSounding })

    /// Whether its application is in a call while it plays and records.
    private static let pairing = RoleKey(
        "capture-pairing", { $0.isPaired }, { $0.isPaired = $1 }, read: { $1.word($0, of: .truth) },
        show: { .truth($0) }, isUsual: { !$0.isPaired })

    // MARK: Kinds of keys

    private init(
        word: String,
        read: @escaping @Sendable (Member, inout DescriptionDraft, inout Diagnosis) -> Bool,
        overlay: @escaping @Sendable (DescriptionDraft, inout DescriptionDraft) -> Void,
        apply: @escaping @Sendable (DescriptionDraft, inout SessionDescription) -> Void,
        value: @escaping @Sendable (SessionDescription) -> RoleValue?,
        isUsual: @escaping @Sendable (SessionDescription) -> Bool = { _ in false }
    ) {
        self.word = word
        self.read = read
        self.overlay = overlay
        self.apply = apply
        self.value = value
        self.isUsual = isUsual
    }

    /// A key with one value, which is a field of the description.
    private init<Value>(
        _ word: String, _ get: @escaping @Sendable (SessionDescription) -> Value,
        _ set: @escaping @Sendable (inout SessionDescription, Value) -> Void,
        read: @escaping @Sendable (Node, inout Diagnosis) -> Value?,
        show: @escaping @Sendable (Value) -> RoleValue,
        isUsual: @escaping @Sendable (SessionDescription) -> Bool = { _ in false }
    ) {
        self.init(
            word: word,
            read: { member, draft, diagnosis in
                guard let value = read(member.value, &diagnosis) else { return false }
                set(&draft.values, value)
                return true
            },
            overlay: { set(&$1.values, get($0.values)) },
            apply: { set(&$1, get($0.values)) },
            value: { show(get($0)) }, isUsual: isUsual)
    }

    /// A key with one of several words.
    private static func word<Value: RawRepresentable<String> & Sendable>(
        _ word: String, _ vocabulary: Vocabulary<Value>, _ get: @escaping @Sendable (SessionDescription) -> Value,
        _ set: @escaping @Sendable (inout SessionDescription, Value) -> Void
    ) -> RoleKey {
        RoleKey(word, get, set, read: { $1.word($0, of: vocabulary) }, show: { .word($0.rawValue) })
    }

    /// A key with a time of up to a minute.
    ///
    /// - Parameter shortest: The minimum in milliseconds.
    private static func time(
        _ word: String, shortest: Int = 0, _ get: @escaping @Sendable (SessionDescription) -> Duration,
        _ set: @escaping @Sendable (inout SessionDescription, Duration) -> Void
    ) -> RoleKey {
        RoleKey(word, get, set, read: { $1.duration($0, shortest: shortest) }, show: { .time($0) })
    }

    /// A key with a truth value.
    private static func truth(
        _ word: String, _ get: @escaping @Sendable (SessionDescription) -> Bool,
        _ set: @escaping @Sendable (inout SessionDescription, Bool) -> Void
    ) -> RoleKey {
        RoleKey(word, get, set, read: { $1.word($0, of: .truth) }, show: { .truth($0) })
    }
}

/// The value of a role's key, for whoever writes it down.
package enum RoleValue: Sendable {
    case word(String)
    case options(CategoryOptions)
    case priority(Priority)
    case ducking(Ducking)
    case time(Duration)
    case truth(Bool)
    case gain(Decibels)
    case text(String)
}

extension Diagnosis {
    /// Reads the type, name or pattern of an output.
    mutating func output(_ node: Node) -> OutputPattern? {
        if let text = node.text, let pattern = OutputPattern(text) { return pattern }
        error(
            at: node.place, found: node.summary,
            expected: "an output by its type, such as speaker, or by its name, where * stands for anything")
        return nil
    }
}
