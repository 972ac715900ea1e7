/// A policy with all its layers, written out as one policy file in which every value has a comment that says where it is
/// from.
public struct EffectivePolicy: Sendable {
    /// The text.
    public let text: String
    /// Everything that is wrong with what was read. A file with an error is not in the text.
    public let diagnostics: [Diagnostic]

    init(_ assembly: Assembly) {
        text = ""
        diagnostics = assembly.diagnosis.diagnostics
    }
}
