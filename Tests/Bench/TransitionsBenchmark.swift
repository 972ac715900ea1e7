import BenchReport
import Foundation
import SessionTestKit

/// `Tests/bin/bench transitions`: how music is interrupted and comes back, by this module and by its peers.
///
/// All play the same sounds with the same program, in turns, so that whatever the machine does meanwhile hits all alike.
/// Ends the process with status 1 if a goal was missed.
func benchmarkTransitions(_ arguments: [String]) async throws {
    let options = try TransitionsOptions(arguments)
    let run: TransitionsRun
    if let former = options.former {
        run = try TransitionsRun(json: Data(contentsOf: URL(fileURLWithPath: former)))
    } else {
        run = try await measure(options)
    }
    print(run.markdown)
    if let file = options.json { try run.json.write(to: URL(fileURLWithPath: file)) }
    if let page = options.manual { try renew(page, with: run) }
    if !run.isGood { exit(1) }
}

/// Puts the run's table into a manual page.
private func renew(_ page: String, with run: TransitionsRun) throws {
    let file = URL(fileURLWithPath: page)
    guard let text = run.replaced(in: try String(contentsOf: file, encoding: .utf8)) else {
        throw UsageError("\(page) has no place for the table")
    }
    try text.write(to: file, atomically: true, encoding: .utf8)
}

/// Measures all rows with each quantum. Servers without a quantum take part in the first round only.
private func measure(_ options: TransitionsOptions) async throws -> TransitionsRun {
    var place = RunPlace.here()
    var results: [TransitionResult] = []
    var entries: [TransitionPictures.Entry] = []
    for (index, quantum) in options.quanta.enumerated() {
        let rows = options.rows.filter { (index == 0 || $0.place.hasQuantum) && place.has($0.place) }
        let places = TransitionRow.Place.allCases.filter { place in rows.contains { $0.place == place } }
        var stages: [Stage] = []
        do {
            for place in places {
                stages.append(
                    try await Stage.start(place, rows: rows.filter { $0.place == place }, quantum, options))
            }
            try await measure(&stages, options)
        } catch {
            for stage in stages { await stage.server.stop() }
            throw error
        }
        for stage in stages { await stage.server.stop() }
        results += stages.flatMap(\.results)
        entries += stages.flatMap(\.pictures)
    }
    place.load.append(RunPlace.presentLoad)
    let run = TransitionsRun(place: place, runs: options.runs, ending: options.ending.rawValue, results: results)
    if let folder = options.pictures {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try TransitionPictures(entries: entries, place: run.place.text).html
            .write(toFile: "\(folder)/index.html", atomically: true, encoding: .utf8)
    }
    return run
}

/// Visits all servers in turns until each row has been measured often enough.
private func measure(_ stages: inout [Stage], _ options: TransitionsOptions) async throws {
    var done = 0
    while done < options.runs {
        let most = options.isShort ? max(1, Visit.shortInterruptions / (stages.map(\.results.count).max() ?? 1)) : 1
        let repeats = min(most, options.runs - done)
        for index in stages.indices { try await stages[index].visit(repeats: repeats, options) }
        done += repeats
        note("\(done)/\(options.runs)")
    }
}
