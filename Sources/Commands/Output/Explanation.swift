import PolicyEngine
import PolicyFile

/// How a policy treats one stream, with the reasons, ready to print.
struct Explanation: Encodable {
    /// The version of this JSON schema.
    let schema = 1
    /// A session description in the keys and values of policy files.
    struct Described: Encodable {
        let name: String
        /// The values that have an effect, by their key or by the object that their keys are in, in the order of the shipped
        /// policy files.
        private(set) var values: [(word: String, keys: [(word: String, value: PolicyValue)], isObject: Bool)] = []

        init(_ description: SessionDescription) {
            name = description.name
            for key in SessionDescription.keys where key.isShown(description) {
                guard let value = key.value(description) else { continue }
                let word = key.section ?? key.word
                if values.last?.word != word { values.append((word, [], key.section != nil)) }
                values[values.count - 1].keys.append((key.word, value))
            }
        }

        private struct Word: CodingKey {
            let stringValue: String
            var intValue: Int? { nil }

            init(stringValue: String) { self.stringValue = stringValue }
            init?(intValue: Int) { nil }
        }

        func encode(to encoder: any Encoder) throws {
            var object = encoder.container(keyedBy: Word.self)
            try object.encode(name, forKey: Word(stringValue: "name"))
            for (word, keys, isObject) in values {
                if isObject {
                    var inner = object.nestedContainer(keyedBy: Word.self, forKey: Word(stringValue: word))
                    for (word, value) in keys { try inner.encode(value, forKey: Word(stringValue: word)) }
                } else {
                    for (_, value) in keys { try object.encode(value, forKey: Word(stringValue: word)) }
                }
            }
        }

        /// The keys with their values as text.
        var rows: [(key: String, value: String)] {
            values.map { word, keys, isObject in
                (word, keys.map { (isObject ? $0.word + " " : "") + $0.value.text }.joined(separator: ", "))
            }
        }
    }

    /// One step of the classification.
    struct Step: Encodable {
        var text: String
        var file: String?
        var line: Int?
        var column: Int?

        /// `FILE:LINE:COLUMN`.
        var origin: String? {
            guard let file, let line, let column else { return file }
            return "\(file):\(line):\(column)"
        }
    }

    var policy: String
    var direction: String
    var properties: [String: String]
    /// `nil` for a stream that is left alone.
    var description: Described?
    var steps: [Step]
    /// The claim that was refused (N11).
    var refusedClaim: String?

    init(of properties: [Property], direction: StreamDirection, under policy: PolicyInUse) {
        // As in a server, the last property of a name counts.
        let values = Dictionary(properties.map { ($0.key, $0.value) }) { $1 }
        let access = ClientAccess { values[$0] }
        let result = policy.classifier.classify(direction: direction, access: access) { values[$0] }
        self.policy = policy.origin
        self.direction = direction.word
        self.properties = values
        description = result.description.map(Described.init)
        steps = result.steps.map {
            Step(text: $0.text, file: $0.origin?.file, line: $0.origin?.place.line, column: $0.origin?.place.column)
        }
        refusedClaim = result.refusedClaim
    }

    /// The explanation as text.
    var text: String {
        let said = properties.sorted { $0.key < $1.key }.map { "\($0.key) = \($0.value)" }
        var lines: [String] = []
        let stream = "A \(direction) stream" + (said.isEmpty ? " without properties" : " with")
        let verdict = description.map { "is '\(printable($0.name))':" } ?? "is left alone."
        if said.isEmpty {
            lines.append("\(stream) \(verdict)")
        } else {
            lines.append(stream)
            lines += said.map { "    \(printable($0, limit: 200))" }
            lines.append(verdict)
        }
        if let description { lines += description.rows.map { "    \(padded($0.key, to: 15))\($0.value)" } }
        lines.append("")
        lines.append("The policy is \(policy).")
        if let refusedClaim { lines.append("It may not claim to be \(refusedClaim).") }
        if !steps.isEmpty {
            lines.append("Why:")
            for step in steps {
                lines.append("    \(step.text)" + (step.origin.map { "\n        \($0)" } ?? ""))
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }
}

extension PolicyValue: Encodable {
    /// A number in decibels or milliseconds, a word, or a list of words.
    package func encode(to encoder: any Encoder) throws {
        var value = encoder.singleValueContainer()
        switch self {
        case .word(let word): try value.encode(word)
        case .list(let words): try value.encode(words)
        case .priority(let priority): try value.encode(priority.rawValue)
        case .time(let time): try value.encode(time.milliseconds)
        case .truth(let truth): try value.encode(truth)
        case .gain(let gain): try value.encode(gain.value)
        }
    }

    /// The value as people read it.
    fileprivate var text: String {
        switch self {
        case .word(let word): word
        case .list(let words): words.isEmpty ? "none" : words.joined(separator: ", ")
        case .priority(let priority): priority.words
        case .time(let time): time.text
        case .truth(let truth): String(truth)
        case .gain(let gain): gain.words
        }
    }
}

extension Duration {
    fileprivate var milliseconds: Double { Double(wholeNanoseconds) / 1_000_000 }

    /// In milliseconds with their fraction, `12.5 ms`.
    fileprivate var text: String { "\(milliseconds.short) ms" }
}

/// The text, padded with blanks on the right.
func padded(_ text: String, to width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.count))
}
