import BusInterface
import PolicyFile

/// Adds properties to the variable PIPEWIRE_PROPS, which native PipeWire clients apply to their streams.
///
/// The syntax is SPA-JSON, one object with or without braces; the last value of a key counts.
enum PipeWireProperties {
    /// The variable's name.
    static let variable = "PIPEWIRE_PROPS"

    /// The new value of the variable, as JSON, which is a subset of SPA-JSON.
    ///
    /// - Parameters:
    ///   - present: The present value; its keys are kept unless they are added again.
    ///   - added: The properties to add.
    /// - Returns: `nil` and the mistakes if the present value cannot be parsed.
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
        // A bare word stays unquoted, because null, true and numbers have a meaning.
        case .text(let text, let isQuoted): isQuoted ? quoted(text) : text
        case .array(let elements): "[ \(elements.map(written).joined(separator: ", ")) ]"
        case .object(let members):
            "{ \(members.map { "\(quoted($0.key.text)): \(written($0.value))" }.joined(separator: ", ")) }"
        }
    }

    private static func quoted(_ text: String) -> String { WireValue.string(text).json }
}
