import PolicyEngine

/// A position in a source: both numbers start at 1, and columns count Unicode scalars (a tab is one).
public struct Place: Sendable, Hashable, Comparable {
    /// The line; ended by LF, CR LF or CR.
    public var line: Int
    /// The column, in Unicode scalars.
    public var column: Int

    /// Makes a position; both numbers start at 1.
    public init(line: Int, column: Int) {
        self.line = line
        self.column = column
    }

    /// In reading order.
    public static func < (left: Place, right: Place) -> Bool {
        (left.line, left.column) < (right.line, right.column)
    }
}

/// One mistake in a policy: where it is, what is there, and what should be there.
public struct Diagnostic: Sendable, Hashable {
    /// The consequence of a mistake for the policy.
    public enum Severity: String, Sendable, Hashable {
        /// The policy is not used.
        case error
        /// The policy is used without the named part.
        case warning
    }

    /// The consequence of the mistake.
    public let severity: Severity
    /// The file's name as it was opened, or the name of another source.
    public let file: String
    /// The position of the mistake; `nil` if it concerns the whole file.
    public let place: Place?
    /// What was found, as part of a sentence.
    public let found: String
    /// What was expected, as part of a sentence.
    public let expected: String
    /// The known word that is most similar to a misspelt one; `nil` for none.
    public let nearest: String?

    /// The mistake without its place: `found …, expected …; did you mean '…'?`.
    public var message: String {
        "found \(found), expected \(expected)" + (nearest.map { "; did you mean '\($0)'?" } ?? "")
    }
}

extension Diagnostic: CustomStringConvertible {
    /// One line, as compilers write it: `FILE:LINE:COLUMN: error: found …, expected …`.
    public var description: String {
        let position = place.map { ":\($0.line):\($0.column)" } ?? ""
        return "\(printable(file, limit: .max))\(position): \(severity.rawValue): \(message)"
    }
}

/// Where a value came from.
public struct Origin: Sendable, Hashable {
    /// The file's name as it was opened, or the name of another source.
    public var file: String
    /// The position in it.
    public var place: Place

    /// Makes an origin.
    public init(file: String, place: Place) {
        self.file = file
        self.place = place
    }
}

extension Origin: CustomStringConvertible {
    /// `FILE:LINE:COLUMN`, the file's name without characters that control a terminal.
    public var description: String { "\(printable(file, limit: .max)):\(place.line):\(place.column)" }
}
