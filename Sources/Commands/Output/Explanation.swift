import BusInterface
import PolicyEngine
import PolicyFile

/// How a policy treats one stream, with the reasons, ready to print.
struct Explanation {
    private let policy: String
    private let direction: String
    private let properties: [String: String]
    private let result: Classification
    /// The values of the stream's description that have an effect, by their key or by the object that their keys are in,
    /// in the order of the shipped policy files.
    private var values: [(word: String, keys: [(word: String, value: PolicyValue)], isObject: Bool)] = []

    init(of properties: [Property], direction: StreamDirection, under policy: PolicyInUse) {
        let values = properties.values
        let access = ClientAccess { values[$0] }
        result = policy.classifier.classify(direction: direction, access: access) { values[$0] }
        self.policy = policy.origin
        self.direction = direction.word
        self.properties = values
        guard let description = result.description else { return }
        for key in SessionDescription.keys where key.isShown(description) {
            guard let value = key.value(description) else { continue }
            let word = key.section ?? key.word
            if self.values.last?.word != word { self.values.append((word, [], key.section != nil)) }
            self.values[self.values.count - 1].keys.append((key.word, value))
        }
    }

    /// The explanation as JSON.
    func json() throws -> String {
        let description = result.description.map { description in
            WireValue.record(
                [("name", .string(description.name))]
                    + values.flatMap { word, keys, isObject in
                        let written = keys.map { ($0.word, $0.value.written) }
                        return isObject ? [(word, .record(written))] : written
                    })
        }
        let steps = result.steps.map { step in
            WireValue.object([
                "text": .string(step.text), "file": step.origin.map { .string($0.file) },
                "line": step.origin.map { .int64(Int64($0.place.line)) },
                "column": step.origin.map { .int64(Int64($0.place.column)) },
            ])
        }
        return try WireValue.object([
            "schema": .int32(1), "policy": .string(policy), "direction": .string(direction),
            "properties": .record(properties.map { ($0.key, .string($0.value)) }), "description": description,
            "steps": .records(steps), "refusedClaim": result.refusedClaim.map { .string($0) },
        ]).report()
    }

    /// The explanation as text.
    var text: String {
        let said = properties.sorted { $0.key < $1.key }.map { "\($0.key) = \($0.value)" }
        var lines: [String] = []
        let stream = "A \(direction) stream" + (said.isEmpty ? " without properties" : " with")
        let verdict = result.description.map { "is '\(printable($0.name))':" } ?? "is left alone."
        if said.isEmpty {
            lines.append("\(stream) \(verdict)")
        } else {
            lines.append(stream)
            lines += said.map { "    \(printable($0, limit: 200))" }
            lines.append(verdict)
        }
        for (word, keys, isObject) in values {
            let texts = keys.map { (isObject ? $0.word + " " : "") + $0.value.text }
            lines.append("    \(word.padded(to: 17))\(texts.joined(separator: ", "))")
        }
        lines.append("")
        lines.append("The policy is \(policy).")
        if let refusedClaim = result.refusedClaim { lines.append("It may not claim to be \(refusedClaim).") }
        if !result.steps.isEmpty { lines.append("Why:") }
        for step in result.steps {
            let origin = step.origin.map { "\n        \($0.file):\($0.place.line):\($0.place.column)" } ?? ""
            lines.append("    \(step.text)\(origin)")
        }
        return lines.joined(separator: "\n") + "\n"
    }
}

extension PolicyValue {
    /// A number in decibels or milliseconds, a word, or a list of words.
    fileprivate var written: WireValue {
        switch self {
        case .word(let word): .string(word)
        case .list(let words): .strings(words)
        case .priority(let priority): .byte(priority.rawValue)
        case .time(let time): .double(time.milliseconds)
        case .truth(let truth): .boolean(truth)
        case .gain(let gain): .double(gain.value)
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
