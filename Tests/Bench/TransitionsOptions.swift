import BenchReport
import Foundation

/// What the command line of `transitions` asks for.
struct TransitionsOptions {
    var runs = 20
    var quanta = [1024]
    /// How every interrupter ends; nil for what ``ending(in:)`` says.
    var ending: Ending?
    var modules = ".build/modules"
    /// The rows to measure.
    var rows = TransitionRow.all
    /// Whether the interrupter is short, and interruptions follow each other in one recording.
    var isShort = false
    /// Where to write the run.
    var json: String?
    /// The folder of the page of pictures.
    var pictures: String?
    /// The manual page whose table is renewed.
    var manual: String?
    /// The JSON file of an earlier run, which is printed in place of a new one.
    var former: String?

    init(_ arguments: [String]) throws {
        var rest = Arguments(arguments)
        runs = try rest.number("--runs", in: 1...100_000) ?? runs
        if let text = try rest.text("--quantum") { quanta = try Self.quanta(text) }
        if rest.flag("--all-quanta") { quanta = [64, 256, 1024, 4096, 8192] }
        if let text = try rest.text("--ending") {
            guard let ending = Ending(rawValue: text) else { throw UsageError("--ending played or killed?") }
            self.ending = ending
        }
        if let text = try rest.text("--only") { rows = try Self.rows(text) }
        isShort = rest.flag("--short")
        modules = try rest.text("--modules") ?? modules
        json = try rest.text("--json")
        pictures = try rest.text("--pictures")
        manual = try rest.text("--manual")
        former = try rest.text("--from")
        try rest.finish()
    }

    /// How interrupters end in a place. PulseAudio notices that a card has played all of a stream when the card asks for
    /// sound again: up to a second later, by chance. That says nothing of any policy.
    func ending(in place: TransitionRow.Place) -> Ending { ending ?? (place.hasQuantum ? .played : .killed) }

    /// Reads `64,256`.
    static func quanta(_ text: String) throws -> [Int] {
        try text.split(separator: ",").map { word in
            guard let number = Int(word), (32...8192).contains(number) else {
                throw UsageError("--quantum needs numbers from 32 to 8192, with commas between them")
            }
            return number
        }
    }

    /// The rows whose ids contain one of some words.
    static func rows(_ text: String) throws -> [TransitionRow] {
        let words = text.split(separator: ",")
        for word in words where !TransitionRow.all.contains(where: { $0.id.contains(word) }) {
            throw UsageError(
                "--only: no row is named \(word); there are \(TransitionRow.all.map(\.id).joined(separator: " "))")
        }
        return TransitionRow.all.filter { row in words.contains { row.id.contains($0) } }
    }
}

/// How the interrupter ends.
enum Ending: String, Sendable {
    /// It plays to the end of its file and leaves as it usually does.
    case played
    /// It is killed in the middle of its tone.
    case killed
}
