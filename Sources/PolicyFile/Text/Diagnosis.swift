/// All mistakes found so far, by file. Everything that reads a source reports here.
package struct Diagnosis: Sendable {
    /// The maximum number of mistakes kept for one file, so that a megabyte of garbage does not become megabytes of
    /// messages.
    static let limit = 256

    private struct Mistakes: Sendable {
        /// The place among the files.
        var rank: Int
        var errorCount = 0
        var kept: [Diagnostic] = []
        var omitted = 0
    }

    /// The source being read. Later sources are stronger.
    var file: String {
        didSet { register(file) }
    }
    /// Whether the source being read is a built-in preset: its values have no origin.
    var isBuiltIn = false
    private var mistakes: [String: Mistakes] = [:]

    package init(file: String) {
        self.file = file
        register(file)
    }

    private mutating func register(_ file: String) {
        if mistakes[file] == nil { mistakes[file] = Mistakes(rank: mistakes.count) }
    }

    /// The origin of a value of the source being read; `nil` for a built-in preset.
    func origin(_ place: Place) -> Origin? { isBuiltIn ? nil : Origin(file: file, place: place) }

    // MARK: Reports

    /// Reports an error in the source being read.
    package mutating func error(
        at place: Place?, found: @autoclosure () -> String, expected: @autoclosure () -> String,
        nearest: @autoclosure () -> String? = nil
    ) {
        keep(.error, file, place, found, expected, nearest)
    }

    /// Reports an error in any source.
    mutating func error(
        at origin: Origin, found: @autoclosure () -> String, expected: @autoclosure () -> String,
        nearest: @autoclosure () -> String? = nil
    ) {
        keep(.error, origin.file, origin.place, found, expected, nearest)
    }

    /// Reports a part without effect in the source being read.
    package mutating func warning(
        at place: Place?, found: @autoclosure () -> String, expected: @autoclosure () -> String,
        nearest: @autoclosure () -> String? = nil
    ) {
        keep(.warning, file, place, found, expected, nearest)
    }

    /// Reports a part without effect in any source.
    mutating func warning(
        at origin: Origin, found: @autoclosure () -> String, expected: @autoclosure () -> String,
        nearest: @autoclosure () -> String? = nil
    ) {
        keep(.warning, origin.file, origin.place, found, expected, nearest)
    }

    private mutating func keep(
        _ severity: Diagnostic.Severity, _ file: String, _ place: Place?, _ found: () -> String,
        _ expected: () -> String, _ nearest: () -> String?
    ) {
        register(file)
        mistakes[file]?.errorCount &+= severity == .error ? 1 : 0
        guard mistakes[file]?.kept.count ?? 0 < Diagnosis.limit else {
            mistakes[file]?.omitted &+= 1
            return
        }
        mistakes[file]?.kept.append(
            Diagnostic(
                severity: severity, file: file, place: place, found: found(), expected: expected(), nearest: nearest()))
    }

    /// Adds the mistakes that another reader found in a file.
    mutating func add(_ file: String, from other: Diagnosis) {
        register(file)
        guard let theirs = other.mistakes[file], var ours = mistakes[file] else { return }
        let all = ours.kept + theirs.kept
        ours.errorCount &+= theirs.errorCount
        ours.kept = Array(all.prefix(Diagnosis.limit))
        ours.omitted &+= theirs.omitted &+ all.count &- ours.kept.count
        mistakes[file] = ours
    }

    // MARK: Results

    /// The number of errors found, including those beyond the limit.
    var errorCount: Int { mistakes.values.reduce(0) { $0 &+ $1.errorCount } }

    /// Whether any error was found.
    package var hasErrors: Bool { mistakes.values.contains { $0.errorCount > 0 } }

    /// The files in which errors were found.
    var filesWithErrors: Set<String> { Set(mistakes.filter { $0.value.errorCount > 0 }.keys) }

    /// All mistakes, file by file, each file's in reading order.
    package var diagnostics: [Diagnostic] {
        mistakes.sorted { $0.value.rank < $1.value.rank }.flatMap { sorted($0.value, of: $0.key) }
    }

    private func sorted(_ mistakes: Mistakes, of file: String) -> [Diagnostic] {
        let start = Place(line: 0, column: 0)
        var result: [Diagnostic] = []
        var seen: Set<Diagnostic> = []
        let kept = mistakes.kept.enumerated().sorted { left, right in
            (left.element.place ?? start, left.offset) < (right.element.place ?? start, right.offset)
        }
        // A mistake that a rule inherits from a role is found twice, but reported once.
        for (_, diagnostic) in kept where seen.insert(diagnostic).inserted { result.append(diagnostic) }
        if mistakes.omitted > 0 {
            result.append(
                Diagnostic(
                    severity: mistakes.errorCount > 0 ? .error : .warning, file: file, place: nil,
                    found: "\(mistakes.omitted) more mistakes",
                    expected: "at most \(Diagnosis.limit) to be worth showing", nearest: nil))
        }
        return result
    }

    /// The later of two origins; the first if both are in the same file. `nil` means built in.
    func later(_ first: Origin?, _ second: Origin?) -> Origin? {
        guard let first else { return second }
        guard let second else { return first }
        return rank(first) < rank(second) ? second : first
    }

    private func rank(_ origin: Origin) -> Int { mistakes[origin.file]?.rank ?? -1 }
}
