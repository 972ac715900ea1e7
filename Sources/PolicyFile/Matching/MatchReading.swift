import PolicyEngine

// Reads conditions from nodes. If one is invalid, the mistake is reported and `nil` is returned.
extension Diagnosis {
    /// The maximum number of conditions in one source. Each may cost a few kilobytes, and some time for every stream.
    static let maximumConditions = 4096

    /// Reads an array of objects, each of which is one alternative.
    ///
    /// - Parameter count: The number of conditions in the source so far.
    mutating func matches(_ node: Node, count: inout Int) -> Matches? {
        guard case .array(let elements) = node.content else {
            error(
                at: node.place, found: node.summary,
                expected: "an array of objects, such as [ { application.name = mpv } ]")
            return nil
        }
        if elements.isEmpty {
            warning(at: node.place, found: "an empty array", expected: "an object (nothing matches)")
        }
        let errorsBefore = errorCount
        let alternatives = elements.compactMap { match($0, count: &count) }
        return errorCount == errorsBefore ? Matches(alternatives) : nil
    }

    private mutating func match(_ node: Node, count: inout Int) -> Match? {
        guard case .object(let members) = node.content else {
            error(
                at: node.place, found: node.summary, expected: "an object, such as { application.name = mpv }")
            return nil
        }
        if members.isEmpty {
            warning(at: node.place, found: "an empty object", expected: "a property (nothing matches)")
        }
        return Match(
            conditions: members.enumerated().compactMap { index, member in
                // As in `application.name = Music Player Daemon`. Properties are in lower case.
                if index > 0, !member.key.text.contains("."), member.key.text.first?.isUppercase == true {
                    warning(
                        at: member.key.place, found: "the property '\(printable(member.key.text))'",
                        expected: "a name with a dot, as all properties have; a value of several words needs quotes")
                }
                count &+= 1
                guard count <= Diagnosis.maximumConditions else {
                    if count == Diagnosis.maximumConditions &+ 1 {
                        error(
                            at: member.key.place, found: "more than \(Diagnosis.maximumConditions) conditions",
                            expected: "fewer")
                    }
                    return nil
                }
                return condition(member)
            })
    }

    /// Reads a property and its condition: `!` negates, `~` begins a regular expression, and `null` means that the
    /// property is missing.
    private mutating func condition(_ member: Member) -> PropertyCondition? {
        let property = member.key.text
        guard 1...255 ~= property.utf8.count else {
            error(
                at: member.key.place,
                found: property.isEmpty ? "an empty property" : "a property of \(property.utf8.count) bytes",
                expected: "a property of 1 to 255 bytes")
            return nil
        }
        guard case .text(let text, let isQuoted) = member.value.content else {
            error(
                at: member.value.place, found: member.value.summary,
                expected: "a value: text, \"~regular expression\", null, or one of these after '!'")
            return nil
        }
        var value = Substring(text)
        let isNegated = value.first == "!"
        if isNegated { value.removeFirst() }
        let isExpression = value.first == "~"
        if isExpression { value.removeFirst() }
        // As in PipeWire, "null" in quotes is a text unless a modifier precedes it.
        if value == "null", !isQuoted || isNegated || isExpression {
            return PropertyCondition(property: property, isNegated: isNegated, test: .absent)
        }
        guard isExpression else {
            let classes = [StreamDirection.playback, .capture].map(\.mediaClass)
            if property == "media.class", !classes.contains(String(value)) {
                warning(
                    at: member.value.place, found: "'\(printable(String(value)))'",
                    expected: classes.joined(separator: " or ") + " (nothing else matches)")
            }
            return PropertyCondition(property: property, isNegated: isNegated, test: .equals(String(value)))
        }
        do throws(Pattern.Failure) {
            return PropertyCondition(
                property: property, isNegated: isNegated, test: .pattern(try Pattern(String(value))))
        } catch {
            self.error(at: member.value.place, found: error.found, expected: error.expected)
            return nil
        }
    }
}
