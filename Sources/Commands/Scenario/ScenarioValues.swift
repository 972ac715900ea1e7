import PolicyEngine
import PolicyFile

/// Reads the values of scenario files.
extension ScenarioReader {
    /// Reports a value that is not as expected; returns `nil`.
    mutating func unexpected<Value>(_ node: Node, _ expected: String, among known: [String] = []) -> Value? {
        diagnosis.error(
            at: node.place, found: node.summary, expected: expected,
            nearest: node.text.flatMap { nearest(to: $0, among: known) })
        return nil
    }

    /// The elements of an array.
    mutating func elements(_ node: Node, _ expected: String) -> [Node]? {
        if case .array(let elements) = node.content { return elements }
        return unexpected(node, "an array of \(expected)")
    }

    /// The objects in an array, each with its place in the file.
    mutating func objects(_ node: Node, _ expected: String) -> [(Place, [Member])] {
        (elements(node, expected) ?? []).compactMap { element in
            diagnosis.object(element).map { (element.place, $0) }
        }
    }

    mutating func text(_ node: Node, _ expected: String) -> String? { node.text ?? unexpected(node, expected) }

    /// The name of an output or input that can be plugged and unplugged.
    mutating func pluggablePort(_ node: Node) -> String? {
        let expected = "the name of an output or input that comes and goes, such as headphones"
        guard let name = text(node, expected) else { return nil }
        if name != VirtualPorts.speaker, name != VirtualPorts.microphone { return name }
        diagnosis.error(at: node.place, found: "\(node.summary), which is always there", expected: expected)
        return nil
    }

    mutating func stream(_ node: Node) -> Int? { index(node, among: streams.map(\.name), "streams") }
    mutating func session(_ node: Node) -> Int? { index(node, among: sessions.map(\.name), "sessions") }
    mutating func interruption(_ node: Node) -> Int? { index(node, among: interruptions.map(\.name), "interruptions") }

    /// The index of a name.
    private mutating func index(_ node: Node, among names: [String], _ kind: String) -> Int? {
        node.text.flatMap { names.firstIndex(of: $0) }
            ?? unexpected(node, "the name of one of the \(kind)", among: names)
    }

    /// One of several words.
    mutating func word(_ node: Node, among known: [String], _ what: String? = nil) -> String? {
        if let word = node.text, known.contains(word) { return word }
        return unexpected(node, (what.map { "\($0): " } ?? "") + list(known), among: known)
    }

    /// An array of words.
    mutating func words(_ node: Node, among known: [String], _ what: String) -> [String]? {
        guard let elements = elements(node, "\(what): \(list(known))") else { return nil }
        let found = elements.map { word($0, among: known, what) }
        return found.contains(nil) ? nil : found.compactMap { $0 }
    }

    mutating func truth(_ node: Node) -> Bool? { word(node, among: ["true", "false"]).map { $0 == "true" } }

    /// Whether a switch is on.
    mutating func isOn(_ node: Node) -> Bool? { word(node, among: ["on", "off"]).map { $0 == "on" } }

    mutating func moment(_ members: [Member], _ place: Place) -> Duration? {
        guard let node = members.last(where: { $0.key.text == "at" })?.value else {
            diagnosis.error(at: place, found: "no moment", expected: "at = …")
            return nil
        }
        return node.text.flatMap { ScenarioTime.read($0) }
            ?? unexpected(node, "a time from 0 to 24 h, such as 1500, 1500ms or 1.5s")
    }

    /// A factor from 0 to 1, `0.4` or `40%`.
    mutating func factor(_ node: Node) -> Double? {
        if let text = node.text {
            let isPercentage = text.hasSuffix("%")
            if let number = Double(isPercentage ? String(text.dropLast()) : text), number.isFinite {
                let factor = isPercentage ? number / 100 : number
                if 0...1 ~= factor { return factor }
            }
        }
        return unexpected(node, "a volume from 0% to 100%")
    }
}

/// Times in scenario files: as in policy files, but with longer units.
enum ScenarioTime {
    /// The longest story.
    static let longest = Duration.seconds(24 * 3600)

    /// Reads `1500`, `1500ms` (milliseconds), `1.5s` or `2min`.
    static func read(_ text: String) -> Duration? {
        let digits = text.prefix { "+-.0123456789".contains($0) }
        let unit = text.dropFirst(digits.count).drop { $0 == " " }.lowercased()
        guard let number = Double(digits), let scale = ["": 1.0, "ms": 1, "s": 1000, "min": 60_000][unit] else {
            return nil
        }
        let milliseconds = number * scale
        guard 0...longest.seconds * 1000 ~= milliseconds else { return nil }
        return .nanoseconds(Int64((milliseconds * 1_000_000).rounded()))
    }
}
