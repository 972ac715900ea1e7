import PolicyEngine

// Reads the values of keys from nodes. If one is invalid, the mistake is reported and `nil` is returned.
extension Diagnosis {
    /// Reads one of a set of words.
    mutating func word<Value>(_ node: Node, of vocabulary: Vocabulary<Value>) -> Value? {
        if let text = node.text, let value = vocabulary[text] { return value }
        error(
            at: node.place, found: node.summary, expected: vocabulary.expected,
            nearest: node.text.flatMap { nearest(to: $0, among: vocabulary.words.map(\.word)) })
        return nil
    }

    /// Reads a level: `-20`, `-20dB` or `"-20 dB"`. From −144 dB, the range of 24 bits, to 0 dB.
    mutating func gain(_ node: Node) -> Decibels? {
        if let (number, unit) = node.text.flatMap(quantity), unit.isEmpty || unit == "db", -144...0 ~= number {
            // −0 is 0, not another gain.
            return Decibels(number == 0 ? 0 : number)
        }
        error(at: node.place, found: node.summary, expected: "a gain from -144 to 0 dB, such as -20 or \"-20 dB\"")
        return nil
    }

    /// Reads a time: `250` (milliseconds), `250ms` or `"0.25 s"`.
    ///
    /// - Parameters:
    ///   - shortest: The minimum in milliseconds.
    ///   - longest: The maximum in milliseconds; a minute by default.
    mutating func duration(_ node: Node, shortest: Int = 0, longest: Int = 60_000) -> Duration? {
        if let (number, unit) = node.text.flatMap(quantity), let scale = ["": 1, "ms": 1, "s": 1000][unit] {
            let milliseconds = number * Double(scale)
            if Double(shortest)...Double(longest) ~= milliseconds,
                let nanoseconds = Int64(exactly: (milliseconds * 1_000_000).rounded())
            {
                return .nanoseconds(nanoseconds)
            }
        }
        error(
            at: node.place, found: node.summary,
            expected: "a time from \(shortest) ms to \(longest / 1000) s, such as 250 or \"250 ms\"")
        return nil
    }

    /// Reads a priority: one of the named ones, or a number.
    mutating func priority(_ node: Node) -> Priority? {
        let named = Priority.named
        if let text = node.text {
            if let (_, priority) = named.first(where: { $0.name == text }) { return priority }
            if let number = integer(text), let value = UInt8(exactly: number) { return Priority(rawValue: value) }
        }
        error(
            at: node.place, found: node.summary,
            expected: "a priority: \(list(named.map(\.name) + ["a whole number from 0 to 255"]))",
            nearest: node.text.flatMap { nearest(to: $0, among: named.map(\.name)) })
        return nil
    }

    /// Reads an array of words; `nil` if it is none. Unknown words are reported and left out.
    mutating func array<Value>(_ node: Node, _ expected: String, of vocabulary: Vocabulary<Value>) -> [Value]? {
        guard case .array(let elements) = node.content else {
            error(at: node.place, found: node.summary, expected: expected)
            return nil
        }
        return elements.compactMap { word($0, of: vocabulary) }
    }

    /// Reads the type, name or pattern of an output.
    mutating func output(_ node: Node) -> OutputPattern? {
        if let text = node.text, let pattern = OutputPattern(text) { return pattern }
        error(
            at: node.place, found: node.summary,
            expected: "an output by its type, such as speaker, or by its name, where * stands for anything")
        return nil
    }

    /// Reads a role's name in lower case; its meaning is resolved later.
    mutating func name(of noun: String, _ node: Node) -> String? {
        if let text = node.text, !text.isEmpty { return text.lowercased() }
        error(at: node.place, found: node.text == nil ? node.summary : "an empty role", expected: noun)
        return nil
    }

    /// Reads a role's name, in lower case.
    mutating func roleName(_ text: String, at place: Place) -> String? {
        // Some letters need more bytes in lower case.
        if let role = Role(text), role.name.utf8.count <= Role.maximumLength {
            guard PolicyWord.reserved.contains(role.name) else { return role.name }
            error(
                at: place, found: "a role of the name '\(role.name)'",
                expected: "another name, as this one has a meaning of its own")
            return nil
        }
        error(
            at: place, found: text.isEmpty ? "an empty role" : "a role of \(text.utf8.count) bytes",
            expected: "a role of 1 to \(Role.maximumLength) bytes")
        return nil
    }

    /// The members of an object. Reports unknown and repeated keys.
    ///
    /// - Parameter known: The known keys; `nil` if any key is allowed.
    /// - Returns: The members with a known key. If a key is repeated, the last member wins where both set the same
    ///   value.
    package mutating func members(of object: [Member], known: [String]?) -> [Member] {
        var lines: [String: Int] = [:]
        return object.filter { member in
            let key = known == nil ? member.key.text.lowercased() : member.key.text
            if let known, !known.contains(key) {
                warning(
                    at: member.key.place, found: "the unknown key '\(printable(key))'",
                    expected: list(known), nearest: nearest(to: key, among: known))
                return false
            }
            if let line = lines[key] {
                warning(
                    at: member.key.place, found: "'\(printable(key))' again",
                    expected: "it once (it overrides line \(line))")
            }
            lines[key] = member.key.place.line
            return true
        }
    }

    /// The members of a node that must be an object.
    package mutating func object(_ node: Node, or alternatives: String...) -> [Member]? {
        if case .object(let members) = node.content { return members }
        let expected =
            "an object, { key = value … }" + (alternatives.isEmpty ? "" : ", or \(list(alternatives, lastAfter: "or"))")
        error(
            at: node.place, found: node.summary, expected: expected,
            nearest: node.text.flatMap { nearest(to: $0, among: alternatives) })
        return nil
    }
}

/// A number, in the forms that PipeWire knows.
private func quantity(_ text: String) -> (number: Double, unit: String)? {
    guard text.utf8.count <= 32 else { return nil }
    let digits = text.prefix { "+-.0123456789eE".contains($0) }
    guard let number = Double(digits), number.isFinite else { return nil }
    return (number, text.dropFirst(digits.count).drop { $0 == " " }.lowercased())
}

/// A whole number, in the forms that PipeWire knows: decimal, hexadecimal after `0x`, octal after `0`.
private func integer(_ text: String) -> Int? {
    guard text.utf8.count <= 32 else { return nil }
    if text.hasPrefix("0x") || text.hasPrefix("0X") {
        let digits = text.dropFirst(2)
        return digits.first?.isHexDigit == true ? Int(digits, radix: 16) : nil
    }
    return text.hasPrefix("0") ? Int(text, radix: 8) : Int(text)
}
