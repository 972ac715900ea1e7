import PolicyEngine

/// What the user has said of single programs: the text of a policy file that only `audio-session treat` writes.
package struct TreatedPrograms: Equatable {
    /// What a program is.
    package enum Treatment: String, CaseIterable, Sendable {
        /// Its recordings are a call, or what it plays, for one that only plays.
        case call
        /// It plays music.
        case music
        /// It plays speech, which is stopped rather than spoken over.
        case speech
        /// It is never touched.
        case alone

        /// What a rule says of its streams.
        fileprivate var update: String {
            switch self {
            case .call: "role = phone"
            case .music: "role = music"
            case .speech: "role = music  mode = spoken-audio"
            case .alone: "role = none"
            }
        }
    }

    /// One program.
    package struct Program: Equatable {
        /// Its name, for people.
        package let name: String
        /// What it is.
        package let treatment: Treatment
        /// Whether only its recordings are meant.
        package let isOfRecordings: Bool
        /// The conditions on its properties, as policy files have them.
        package let conditions: [Property]

        /// A property and the condition on it.
        package struct Property: Equatable {
            package let key: String
            package let condition: String
        }

        /// A program with these values of its properties.
        package init(
            _ name: String, as treatment: Treatment, ofRecordings isOfRecordings: Bool,
            knownBy properties: [(key: String, value: String)]
        ) {
            self.init(name, treatment, isOfRecordings, properties.map { ($0, Self.condition(on: $1)) })
        }

        fileprivate init(
            _ name: String, _ treatment: Treatment, _ isOfRecordings: Bool, _ conditions: [(String, String)]
        ) {
            self.name = printable(name, limit: 256)
            self.treatment = treatment
            self.isOfRecordings = isOfRecordings
            self.conditions = conditions.map(Property.init)
        }

        /// The condition that holds for this value only. A value that begins like an expression needs one.
        private static func condition(on value: String) -> String {
            guard value.hasPrefix("!") || value.hasPrefix("~") else { return value }
            return "~^" + value.reduce(into: "") { $0 += #".[]{}()\*+?^$|"#.contains($1) ? "\\\($1)" : String($1) }
                + "$"
        }

        /// Its line of the file.
        fileprivate var line: String {
            var members = conditions.map { "\(PolicyWriter.quoted($0.key)) = \(PolicyWriter.quoted($0.condition))" }
            if isOfRecordings { members.append("media.class = \"\(StreamDirection.capture.mediaClass)\"") }
            return "    { matches = [ { \(members.joined(separator: "  ")) } ]  "
                + "actions = { update-session = { \(treatment.update) } } }"
        }

        /// Reads its two lines; `nil` if they are not what would be written.
        fileprivate init?(_ comment: Substring, _ line: Substring) {
            let tree = Document(Array("rule = \(line)".utf8), named: "").member("rule")?.value
            guard case .object(let rule) = tree?.content, let matches = rule.first?.value,
                case .array(let alternatives) = matches.content,
                case .object(let members) = alternatives.first?.content
            else { return nil }
            let isOfRecordings = members.last?.key.text == "media.class"
            let conditions = members.dropLast(isOfRecordings ? 1 : 0).map { ($0.key.text, $0.value.text ?? "") }
            let name = String(comment.dropFirst(Self.mark.count))
            let found = Treatment.allCases.lazy.map { Program(name, $0, isOfRecordings, conditions) }.first {
                $0.line == line && $0.comment == comment
            }
            guard let found else { return nil }
            self = found
        }

        private static let mark = "    # "
        /// The line above it.
        fileprivate var comment: String { Self.mark + name }
    }

    /// The programs, the one that was said last at the end.
    package var programs: [Program] = []

    private static let head = [
        "# Written by \"audio-session treat\", which lists these programs, changes them and takes them back. Rules of your own",
        "# belong into another file, such as 60-mine.conf.", "rules = [",
    ]

    /// Knows no program.
    package init() {}

    /// The lines of the file.
    private var lines: [String] { Self.head + programs.flatMap { [$0.comment, $0.line] } + ["]"] }

    /// The file's text.
    package var text: String { lines.map { $0 + "\n" }.joined() }

    /// The number of a program's line in the file.
    package func line(of program: Program) -> Int? {
        programs.firstIndex(of: program).map { Self.head.count + 2 * $0 + 2 }
    }

    /// Whether something else than a written text was read.
    package struct Foreign: Error, Equatable {
        /// The first line that is not what would be written.
        package let line: Int
    }

    /// Reads the text of the file.
    ///
    /// - Throws: ``Foreign`` if somebody else has changed it, whose lines another text would lose.
    package init(_ text: String) throws(Foreign) {
        let found = text.split(separator: "\n", omittingEmptySubsequences: false)
        var rest = found.dropFirst(Self.head.count)
        while let comment = rest.popFirst(), let line = rest.popFirst(), let program = Program(comment, line) {
            programs.append(program)
        }
        let expected = lines + [""]
        guard let wrong = zip(found, expected).enumerated().first(where: { $0.element.0 != $0.element.1 })?.offset
        else {
            guard found.count == expected.count else { throw Foreign(line: min(found.count, expected.count) + 1) }
            return
        }
        throw Foreign(line: wrong + 1)
    }
}
