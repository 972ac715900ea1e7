import PolicyFile
import SessionWire

/// Adds to the variable PIPEWIRE_PROPS, from which native clients of PipeWire take properties of their streams.
///
/// Its syntax is SPA-JSON, one object with or without braces; of a key that comes twice, the last one counts.
enum PipeWireProperties {
    /// The variable's name.
    static let variable = "PIPEWIRE_PROPS"

    /// What the variable has to be, as JSON, which SPA-JSON contains.
    ///
    /// - Parameters:
    ///   - present: What it is now; its own keys stay, but for those that are added.
    ///   - added: The properties to add.
    /// - Returns: `nil`, and what is wrong, when what it is now cannot be read.
    static func adding(_ added: [Property], to present: String?) -> (value: String?, mistakes: [Diagnostic]) {
        let document = Document(Array((present ?? "").utf8), named: variable)
        let mistakes = document.mistakes.diagnostics.filter { $0.severity == .error }
        guard mistakes.isEmpty else { return (nil, mistakes) }
        let kept = document.members.filter { member in !added.contains { $0.key == member.key.text } }
        let entries =
            kept.map { "\(quoted($0.key.text)): \(written($0.value))" }
            + added.map { "\(quoted($0.key)): \(quoted($0.value))" }
        return ("{ \(entries.joined(separator: ", ")) }", [])
    }

    private static func written(_ node: Node) -> String {
        switch node.content {
        // A bare word stays bare: null, true and numbers have a meaning.
        case .text(let text, let isQuoted): isQuoted ? quoted(text) : text
        case .array(let elements): "[ \(elements.map(written).joined(separator: ", ")) ]"
        case .object(let members):
            "{ \(members.map { "\(quoted($0.key.text)): \(written($0.value))" }.joined(separator: ", ")) }"
        }
    }

    private static func quoted(_ text: String) -> String { WireValue.string(text).json }
}
