import BenchReport
import Foundation
import TestKit

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
        var servers: [[Stage]] = []
        do {
            for place in places {
                servers.append([])
                // Small quanta leave no processor time for a second server.
                let copies = options.isShort && (quantum >= 1024 || !place.hasQuantum) ? Visit.shortServers : 1
                for _ in 0..<copies {
                    let rows = rows.filter { $0.place == place }
                    servers[servers.count - 1].append(try await Stage.start(place, rows: rows, quantum, options))
                }
            }
            await measure(&servers, options)
        } catch {
            for stage in servers.joined() { await stage.server.stop() }
            throw error
        }
        for stage in servers.joined() { await stage.server.stop() }
        let stages = servers.compactMap { stages in
            stages.dropFirst().reduce(into: stages.first) { $0?.add($1) }
        }
        results += stages.flatMap(\.results)
        entries += stages.flatMap(\.pictures)
    }
    place.load.append(RunPlace.presentLoad)
    let run = TransitionsRun(
        place: place, runs: options.runs, ending: options.ending?.rawValue ?? "usual", results: results)
    if let folder = options.pictures {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try TransitionPictures(entries: entries, place: run.place.text).html
            .write(toFile: "\(folder)/index.html", atomically: true, encoding: .utf8)
    }
    return run
}

/// Visits all places in turns until each row has been measured often enough.
private func measure(_ servers: inout [[Stage]], _ options: TransitionsOptions) async {
    let most =
        options.isShort ? max(1, Visit.shortInterruptions / (servers.compactMap(\.first?.results.count).max() ?? 1)) : 1
    let round = options.isShort ? most * Visit.shortServers : 1
    for done in stride(from: 0, to: options.runs, by: round) {
        for index in servers.indices {
            var left = min(round, options.runs - done)
            while left > 0 {
                let copies = servers[index].count
                let repeats = min(most, (left + copies - 1) / copies)
                await Stage.visit(&servers[index], repeats: repeats, options)
                left -= repeats * copies
            }
        }
        note("\(min(done + round, options.runs))/\(options.runs)")
    }
}
