import PolicyEngine

/// A policy file, read and checked.
///
/// The syntax is PipeWire's own (SPA-JSON). A file changes a preset, key by key; `policy/desktop.conf` shows every key. All
/// mistakes of a file are found at once; an unknown key is a warning, anything else an error. Nothing in a file, however
/// broken, makes the reader fail otherwise.
public struct PolicyFile: Sendable, Equatable {
    /// The largest file that is read, in bytes.
    public static let maximumSize = 1 << 20
    /// The most brackets inside each other.
    public static let maximumNesting = 64

    /// The name in the diagnostics.
    public let name: String
    /// The policy that the file describes; `nil` when the file has an error.
    public let policy: Policy?
    /// Everything that is wrong with the file, in reading order.
    public let diagnostics: [Diagnostic]

    /// What else the policy does with streams, by the file's rules and claims; `nil` when the file has an error.
    public let classifier: Classifier?

    /// Reads the bytes of a text, which need not be valid UTF-8.
    ///
    /// - Parameters:
    ///   - bytes: The contents of a file.
    ///   - name: What the diagnostics call it.
    ///   - presetFolders: Where files of presets that are not built in are looked for, the weakest first.
    public init(bytes: [UInt8], named name: String, presetFolders: [String] = []) {
        self.init(Document(bytes, named: name), presetFolders)
    }

    /// Reads a file.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - presetFolders: Where files of presets that are not built in are looked for, the weakest first.
    public init(path: String, presetFolders: [String] = []) {
        switch FileContents.read(path) {
        case .success(let bytes): self.init(bytes: bytes, named: path, presetFolders: presetFolders)
        case .failure(let failure): self.init(Document(named: path, failure: failure), presetFolders)
        }
    }

    /// Takes a policy that was read as part of another text.
    ///
    /// - Parameters:
    ///   - members: The sections.
    ///   - name: What the diagnostics call the text.
    ///   - presetFolders: Where files of presets that are not built in are looked for, the weakest first.
    package init(_ members: [Member], named name: String, presetFolders: [String] = []) {
        self.init(Document(members, named: name), presetFolders)
    }

    private init(_ document: Document, _ presetFolders: [String]) {
        let assembly = Assembly([document], presetsFrom: Layers(folders: presetFolders))
        let contents = assembly.diagnosis.hasErrors ? nil : assembly.contents
        name = document.name
        policy = contents?.policy
        classifier = contents?.classifier
        diagnostics = assembly.diagnosis.diagnostics
    }
}
