/// One source of policy, parsed into a tree but not interpreted.
package struct Document: Sendable {
    package enum Kind: Sendable {
        /// A policy file.
        case file
        /// The module's arguments, which may also name the file to use.
        case arguments
    }

    let name: String
    let kind: Kind
    package let members: [Member]
    /// The mistakes in the syntax. If there are any, a seemingly missing part may be in the unreadable text.
    package private(set) var mistakes: Diagnosis

    /// Whether the syntax has no errors.
    var isWellFormed: Bool { !mistakes.hasErrors }

    /// Parses a text.
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

    /// Creates a source that cannot be read.
    init(named name: String, failure: FileContents.Failure) {
        self.name = name
        kind = .file
        members = []
        var diagnosis = Diagnosis(file: name)
        diagnosis.error(at: nil, found: failure.found, expected: failure.expected)
        mistakes = diagnosis
    }

    /// Creates a source from members that were read as part of another text.
    init(_ members: [Member], named name: String) {
        self.name = name
        kind = .file
        self.members = members
        mistakes = Diagnosis(file: name)
    }

    /// Whether it contains more than the choice of a policy, a preset or the bus.
    var hasSections: Bool { members.contains { !["policy", "preset", "dbus"].contains($0.key.text) } }

    /// Reads a file; `nil` if it does not exist.
    static func ifPresent(_ path: String) -> Document? {
        switch FileContents.read(path) {
        case .success(let bytes): Document(bytes, named: path)
        case .failure(let failure): failure.isMissing ? nil : Document(named: path, failure: failure)
        }
    }

    /// The same source with additional mistakes.
    func adding(_ report: (inout Diagnosis) -> Void) -> Document {
        var result = self
        report(&result.mistakes)
        return result
    }

    /// The last member with a key.
    package func member(_ key: String) -> Member? { members.last { $0.key.text == key } }
}
