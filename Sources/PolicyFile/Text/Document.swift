/// One source of policy, read but not yet understood.
package struct Document: Sendable {
    package enum Kind: Sendable {
        /// A policy file.
        case file
        /// The arguments of the module, which may also say which file to take.
        case arguments
    }

    let name: String
    let kind: Kind
    package let members: [Member]
    /// What is wrong with the text itself. If anything is, what seems to be missing may be in the part that could not be
    /// read.
    package private(set) var mistakes: Diagnosis

    /// Whether the text itself could be read.
    var isWellFormed: Bool { !mistakes.hasErrors }

    /// Reads a text.
    package init(_ bytes: [UInt8], named name: String, kind: Kind = .file) {
        self.name = name
        self.kind = kind
        var diagnosis = Diagnosis(file: name)
        if bytes.count <= PolicyFile.maximumSize {
            members = Reader.read(bytes, into: &diagnosis)
        } else {
            diagnosis.error(
                at: nil, found: "\(bytes.count) bytes", expected: "at most \(PolicyFile.maximumSize)")
            members = []
        }
        mistakes = diagnosis
    }

    /// A source that cannot be read.
    init(named name: String, failure: FileContents.Failure) {
        self.name = name
        kind = .file
        members = []
        var diagnosis = Diagnosis(file: name)
        diagnosis.error(at: nil, found: failure.found, expected: failure.expected)
        mistakes = diagnosis
    }

    /// Takes what was read as part of another text.
    init(_ members: [Member], named name: String) {
        self.name = name
        kind = .file
        self.members = members
        mistakes = Diagnosis(file: name)
    }

    /// Whether there is more in it than the choice of what it is laid over.
    var hasSections: Bool { members.contains { !["policy", "preset", "dbus"].contains($0.key.text) } }

    /// Reads a file; `nil` when there is none.
    static func ifPresent(_ path: String) -> Document? {
        switch FileContents.read(path) {
        case .success(let bytes): Document(bytes, named: path)
        case .failure(let failure): failure.isMissing ? nil : Document(named: path, failure: failure)
        }
    }

    /// The same source with something else that is wrong with it.
    func adding(_ report: (inout Diagnosis) -> Void) -> Document {
        var result = self
        report(&result.mistakes)
        return result
    }

    /// The last member with a key.
    package func member(_ key: String) -> Member? { members.last { $0.key.text == key } }
}
