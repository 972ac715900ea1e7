import SessionCore

/// A policy file, read and checked.
///
/// The syntax is PipeWire's own (SPA-JSON). A file changes one of the built-in presets, key by key; the files under
/// `policy/` show every key. All mistakes of a file are found at once; an unknown key is a warning, anything else an
/// error. Nothing in a file, however broken, makes the reader fail otherwise.
public struct PolicyFile: Sendable, Equatable {
    /// The largest file that is read, in bytes.
    public static let maximumSize = 1 << 20
    /// The most brackets inside each other.
    public static let maximumNesting = 64

    /// The name in the diagnostics.
    public let name: String
    /// The preset with all that the file changes; `nil` when the file has an error.
    public let preset: Preset?
    /// The policy that the file describes; `nil` when the file has an error.
    public let policy: Policy?
    /// Everything that is wrong with the file, in reading order.
    public let diagnostics: [Diagnostic]

    /// Reads a text.
    ///
    /// - Parameters:
    ///   - text: The contents of a file.
    ///   - name: What the diagnostics call it.
    public init(text: String, named name: String) {
        self.init(bytes: Array(text.utf8), named: name)
    }

    /// Reads the bytes of a text, which need not be valid UTF-8.
    ///
    /// - Parameters:
    ///   - bytes: The contents of a file.
    ///   - name: What the diagnostics call it.
    public init(bytes: [UInt8], named name: String) {
        var diagnosis = Diagnosis(file: name)
        let document = Document(bytes, named: name, &diagnosis)
        self.init(name, PolicyBuilder.build([document], &diagnosis), diagnosis)
    }

    /// Reads a file.
    public init(path: String) {
        switch FileContents.read(path) {
        case .success(let bytes): self.init(bytes: bytes, named: path)
        case .failure(let failure):
            var diagnosis = Diagnosis(file: path)
            diagnosis.error(at: nil, found: failure.found, expected: failure.expected)
            self.init(path, nil, diagnosis)
        }
    }

    /// Takes a policy that was read as part of another text.
    package init(_ members: [Member], named name: String) {
        var diagnosis = Diagnosis(file: name)
        self.init(name, PolicyBuilder.build([Document(members, named: name)], &diagnosis), diagnosis)
    }

    private init(_ name: String, _ built: (preset: Preset, policy: Policy)?, _ diagnosis: Diagnosis) {
        self.name = name
        preset = built?.preset
        policy = built?.policy
        diagnostics = diagnosis.diagnostics
    }
}
