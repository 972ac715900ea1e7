import PolicyEngine

/// A kind of value in policy files: how it is read, and how it is shown.
struct ValueForm<Value: Sendable>: Sendable {
    /// The words that it takes, beside other values.
    var words: [String] = []
    /// Reads a value; `nil` if it is wrong, which has been reported.
    let read: @Sendable (Node, inout Diagnosis) -> Value?
    /// The value for whoever writes it down.
    let value: @Sendable (Value) -> PolicyValue
}

// MARK: - Words

extension ValueForm where Value: RawRepresentable<String> & CaseIterable {
    /// One of the words of a type.
    static func word(_ noun: String) -> ValueForm {
        let vocabulary = Vocabulary<Value>(noun: noun)
        return ValueForm(words: vocabulary.words.map(\.word)) {
            $1.word($0, of: vocabulary)
        } value: {
            .word($0.rawValue)
        }
    }
}

extension ValueForm where Value == UserSay {
    static var userSay: ValueForm { .word("what the user's action does") }
}

extension ValueForm where Value == Interplay.Kind? {
    static var interplay: ValueForm {
        let vocabulary = Vocabulary<Interplay.Kind>(noun: "a kind of interplay")
        return ValueForm(words: vocabulary.words.map(\.word)) { node, diagnosis in
            diagnosis.word(node, of: vocabulary).map { .some($0) }
        } value: {
            .word($0?.rawValue ?? "")
        }
    }
}

extension ValueForm where Value == Bool {
    /// `true` or `false`, also as `yes` and `no`.
    static var yesOrNo: ValueForm {
        ValueForm(words: ["true", "false"]) { node, diagnosis in
            let truth = PolicyLoader.truth(node)
            if truth == nil { diagnosis.error(at: node.place, found: node.summary, expected: "true or false") }
            return truth
        } value: {
            .truth($0)
        }
    }

    /// `true` or `false`.
    static var truth: ValueForm {
        let vocabulary = Vocabulary(noun: "a truth value", words: [("true", true), ("false", false)])
        return ValueForm(words: vocabulary.words.map(\.word)) {
            $1.word($0, of: vocabulary)
        } value: {
            .truth($0)
        }
    }

    /// One of two words.
    static func choice(_ noun: String, _ words: (word: String, value: Bool)...) -> ValueForm {
        let vocabulary = Vocabulary(noun: noun, words: words)
        return ValueForm(words: words.map(\.word)) {
            $1.word($0, of: vocabulary)
        } value: { value in
            .word(words.first { $0.value == value }?.word ?? "")
        }
    }
}

// MARK: - Quantities

extension ValueForm where Value == Duration {
    /// A time.
    ///
    /// - Parameters:
    ///   - shortest: The minimum in milliseconds.
    ///   - longest: The maximum in seconds.
    static func time(from shortest: Int = 0, to longest: Int = 60) -> ValueForm {
        ValueForm {
            $1.duration($0, shortest: shortest, longest: longest * 1000)
        } value: {
            .time($0)
        }
    }
}

extension ValueForm where Value == Decibels {
    static var gain: ValueForm { ValueForm(read: { $1.gain($0) }, value: { .gain($0) }) }
}

extension ValueForm where Value == Priority {
    static var priority: ValueForm {
        ValueForm(words: Priority.named.map(\.name), read: { $1.priority($0) }, value: { .priority($0) })
    }
}

// MARK: - Lists

extension ValueForm where Value == Set<Category> {
    static var categories: ValueForm { .words("a category", "an array of categories, such as [ ambient ]") }
}

extension ValueForm where Value == Set<Notified> {
    static var notified: ValueForm { .words("what people are told of", "an array, such as [ output-gone ]") }
}

extension ValueForm {
    /// A list of words in any order, each at most once.
    private static func words<Word: RawRepresentable<String> & CaseIterable & Hashable & Sendable>(
        _ noun: String, _ expected: String
    ) -> ValueForm where Value == Set<Word> {
        let vocabulary = Vocabulary<Word>(noun: noun)
        return ValueForm(words: vocabulary.words.map(\.word)) { node, diagnosis in
            diagnosis.array(node, expected, of: vocabulary).map { Set($0) }
        } value: { value in
            .list(vocabulary.words.filter { value.contains($0.value) }.map(\.word))
        }
    }
}

extension ValueForm where Value == CategoryOptions {
    static var options: ValueForm {
        let vocabulary = Vocabulary<CategoryOptions>.options
        return ValueForm(words: vocabulary.words.map(\.word)) { node, diagnosis in
            diagnosis.array(node, "an array of options, such as [ duck-others ]", of: vocabulary)
                .map { CategoryOptions($0) }
        } value: {
            .list($0.names)
        }
    }
}

// MARK: - Names

extension ValueForm where Value == OutputPattern? {
    static var output: ValueForm {
        ValueForm(words: [PolicyWord.any]) { node, diagnosis in
            node.text == PolicyWord.any ? .some(nil) : diagnosis.output(node).map { .some($0) }
        } value: {
            .word($0?.text ?? PolicyWord.any)
        }
    }
}

extension ValueForm where Value == String? {
    /// `false` for none, `true` for the role phone, or a role's name, whose meaning is resolved later.
    static var pairing: ValueForm {
        ValueForm(words: ["true", "false"]) { node, diagnosis in
            switch node.text {
            case "false": .some(nil)
            case "true": Policy.callName
            default: diagnosis.name(of: "true, false or a role", node).map { .some($0) }
            }
        } value: {
            .word($0 ?? "false")
        }
    }
}
