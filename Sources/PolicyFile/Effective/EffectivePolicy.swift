import PolicyEngine

/// A policy with all its layers, written as one policy file. A comment after each value says where the value is from.
/// Reading this file alone gives the same policy.
public struct EffectivePolicy: Sendable {
    /// The text.
    public let text: String
    /// The files that it merges, weakest first. The arguments are called `<module arguments>`.
    public let sources: [String]
    /// All mistakes in the sources. A file with an error is not in the text.
    public let diagnostics: [Diagnostic]

    /// Whether a file or the arguments had to be left out.
    public var hasErrors: Bool { diagnostics.contains { $0.severity == .error } }

    init(_ assembly: Assembly) {
        var writer = PolicyWriter(builtIn: assembly.builder.base.value.rawValue)
        writer.comment("The policy that is in force. Behind each value is where it comes from.")
        writer.comment(
            "Sources, the later ones over the earlier ones: built-in \(assembly.builder.base.value.rawValue)")
        for name in assembly.names { writer.comment("  " + printable(name, limit: .max)) }
        writer.blank()
        writer.write(assembly.builder)
        text = writer.text
        sources = assembly.names
        diagnostics = assembly.diagnosis.diagnostics
    }

    /// Writes out what a single policy file says.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - presetFolders: Where files of presets that are not built in are looked for, the weakest first.
    public init(path: String, presetFolders: [String] = []) {
        let document =
            switch FileContents.read(path) {
            case .success(let bytes): Document(bytes, named: path)
            case .failure(let failure): Document(named: path, failure: failure)
            }
        self.init(Assembly([document], presetsFrom: Layers(folders: presetFolders)))
    }
}

/// Writes policy files, a value to a line, each with a comment on where it comes from.
struct PolicyWriter {
    private(set) var text = ""
    private var depth = 0
    /// The comment on values that no file sets.
    private let builtIn: String

    /// The descriptions of the built-in preset, by name: what those are of which a file says nothing.
    var unsaid: [String: DescriptionDraft] = [:]

    /// The column in which comments begin, unless the value is longer.
    private static let margin = 48

    init(builtIn: String) { self.builtIn = "built-in \(builtIn)" }

    mutating func blank() { text += "\n" }

    mutating func comment(_ line: String) { text += "# \(line)\n" }

    /// Writes a line without a comment.
    mutating func line(_ line: String) { text += String(repeating: "    ", count: depth) + line + "\n" }

    /// Writes a line with the origin of its value; `nil` means built in.
    mutating func line(_ line: String, from origin: Origin?) {
        let start = String(repeating: "    ", count: depth) + line
        let padding = String(repeating: " ", count: max(1, PolicyWriter.margin - start.unicodeScalars.count))
        text += "\(start)\(padding)# \(origin?.description ?? builtIn)\n"
    }

    /// Writes a block between two brackets.
    mutating func block(_ start: String, _ end: String = "}", _ content: (inout PolicyWriter) -> Void) {
        line(start)
        depth += 1
        content(&self)
        depth -= 1
        line(end)
    }

    // MARK: Values

    /// A text in the syntax of policy files: bare if it is a plain word, otherwise quoted.
    static func quoted(_ text: String) -> String {
        let isPlain = text.utf8.allSatisfy { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
            default: "._-+/".utf8.contains(byte)
            }
        }
        if isPlain, !text.isEmpty, text != "null" { return text }
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": result += "\\\(scalar)"
            case _ where scalar.value < 0x20 || scalar.value == 0x7F:
                let digits = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.utf8.count) + digits
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }

    /// A time in milliseconds.
    static func milliseconds(_ duration: Duration) -> String {
        let nanoseconds = duration.wholeNanoseconds
        let (whole, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000)
        return rest == 0 ? "\(whole)" : "\(Double(nanoseconds) / 1_000_000)"
    }

    /// A gain in decibels.
    static func decibels(_ gain: Decibels) -> String {
        Int(exactly: gain.value).map { "\($0)" } ?? "\(gain.value)"
    }

    /// The value of a key; `nil` for a list.
    static func text(_ value: PolicyValue) -> String? {
        switch value {
        case .word(let word): quoted(word)
        case .priority(let priority): PolicyWriter.priority(priority)
        case .time(let time): milliseconds(time)
        case .truth(let truth): "\(truth)"
        case .gain(let gain): decibels(gain)
        case .list: nil
        }
    }

    /// A priority by its name, if it has one.
    static func priority(_ priority: Priority) -> String {
        Priority.named.first { $0.priority == priority }?.name ?? "\(priority.rawValue)"
    }

    /// A condition's value with its modifiers.
    static func value(_ condition: PropertyCondition) -> String {
        let negation = condition.isNegated ? "!" : ""
        return switch condition.test {
        case .absent: negation + "null"
        case .equals(let text): quoted(negation + text)
        case .pattern(let pattern): quoted(negation + "~" + pattern.text)
        }
    }
}
