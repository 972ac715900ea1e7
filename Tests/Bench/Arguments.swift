import Foundation

/// A command line that is not understood.
struct UsageError: Error {
    let message: String

    init(_ message: String) { self.message = message }
}

/// The options of one benchmark, taken one after the other; what is left over in the end is a mistake.
struct Arguments {
    private var rest: [String]

    init(_ arguments: [String]) { rest = arguments }

    /// Takes `--name VALUE`.
    mutating func text(_ name: String) throws -> String? {
        guard let place = rest.firstIndex(of: name) else { return nil }
        guard place + 1 < rest.count else { throw UsageError("\(name) needs a value") }
        defer { rest.removeSubrange(place...place + 1) }
        return rest[place + 1]
    }

    /// Takes `--name NUMBER`.
    mutating func number(_ name: String, in range: ClosedRange<Int>) throws -> Int? {
        guard let text = try text(name) else { return nil }
        guard let number = Int(text), range.contains(number) else {
            throw UsageError("\(name) needs a number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    /// Takes `--name`, which has no value.
    mutating func flag(_ name: String) -> Bool {
        guard let place = rest.firstIndex(of: name) else { return false }
        rest.remove(at: place)
        return true
    }

    /// To be called when all options have been taken.
    func finish() throws {
        if let first = rest.first { throw UsageError("what is \(first)?") }
    }
}

/// Tells how far a benchmark is, apart from its result.
func note(_ text: String) { FileHandle.standardError.write(Data("\(text)\n".utf8)) }
