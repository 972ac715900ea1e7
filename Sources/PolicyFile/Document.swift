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
    /// Whether the text itself could be read: if not, what seems to be missing may be in the part that was not.
    let isWellFormed: Bool

    /// Reads a text; what is wrong with it goes to `diagnosis`.
    package init(_ bytes: [UInt8], named name: String, kind: Kind = .file, _ diagnosis: inout Diagnosis) {
        self.name = name
        self.kind = kind
        let errorsBefore = diagnosis.errorCount
        diagnosis.file = name
        if bytes.count <= PolicyFile.maximumSize {
            members = Reader.read(bytes, into: &diagnosis)
        } else {
            diagnosis.error(
                at: nil, found: "\(bytes.count) bytes", expected: "at most \(PolicyFile.maximumSize)")
            members = []
        }
        isWellFormed = diagnosis.errorCount == errorsBefore
    }

    /// Takes what was read as part of another text.
    init(_ members: [Member], named name: String) {
        self.name = name
        kind = .file
        self.members = members
        isWellFormed = true
    }

    /// The last member with a key.
    package func member(_ key: String) -> Member? { members.last { $0.key.text == key } }
}
