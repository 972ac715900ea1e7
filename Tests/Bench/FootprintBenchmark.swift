import BenchReport
import Foundation
import TestKit

/// `Tests/bin/bench footprint`: what the module adds to the daemon's memory, and the size of its file.
///
/// Desktops with and without it take turns. Each is looked at when its start has settled and it is idle, and when it has
/// played 1 and 10 streams for as long as it takes until its memory grows no more. What the first stream needs counts as
/// part of the start too.
func benchmarkFootprint(_ arguments: [String]) async throws {
    var rest = Arguments(arguments)
    let isCheck = rest.flag("--check")
    let runs = try rest.number("--runs", in: 1...1000) ?? (isCheck ? 3 : 7)
    let folder = URL(fileURLWithPath: try rest.text("--modules") ?? ".build/modules").path
    try rest.finish()
    if isCheck { return try await checkFootprint(modules: folder, runs: runs) }

    try readFromDisk(folder + "/libpipewire-module-audio-session.so")
    var pairs: [Pair] = []
    for run in 1...runs {
        let without = try await look(at: .forFootprint)
        var options = DesktopOptions.forFootprint
        options.modules = [ServerModule("libpipewire-module-audio-session", folder: folder)]
        let pair = Pair(without: without, with: try await look(at: options))
        pairs.append(pair)
        let added = streamCounts.indices.map { "\(pair.added(\.resident, at: $0)) KiB" }
        note("\(run)/\(runs) added RSS with \(streamCounts) streams: \(added.joined(separator: ", "))")
    }
    print(report(pairs, file: folder + "/libpipewire-module-audio-session.so"))
}

private let streamCounts = [0, 1, 10]

/// Two desktops at each of the moments.
private struct Pair {
    let without: [MemoryMap]
    let with: [MemoryMap]

    func added(_ value: KeyPath<MemoryMap.Use, Int>, at moment: Int) -> Int {
        with[moment].total[keyPath: value] - without[moment].total[keyPath: value]
    }

    func added(_ value: KeyPath<MemoryMap.Use, Int>, at moment: Int, in part: String) -> Int {
        (with[moment].parts[part]?[keyPath: value] ?? 0) - (without[moment].parts[part]?[keyPath: value] ?? 0)
    }
}

private func look(at options: DesktopOptions) async throws -> [MemoryMap] {
    try await withServer(PrivateDesktop.start(options)) { desktop in
        let file = try desktop.sandbox.write(Signal.tone(440, amplitude: 0.05, for: .seconds(60)), to: "tone.wav")
        var maps: [MemoryMap] = []
        var clients: [Client] = []
        for count in streamCounts {
            while clients.count < count {
                let client = try Client(
                    .paplay, file: file, as: ApplicationIdentity("player-\(clients.count)"), role: .music, on: desktop)
                try await client.waitForStream(in: [.running])
                clients.append(client)
            }
            if count < 2 { try await startSettles() }
            guard let daemon = desktop.pipeWire else { throw CancellationError() }
            maps.append(try await steadyMemory(of: daemon.processID))
        }
        return maps
    }
}

/// Waits until the daemon's memory has been the same for a while.
func steadyMemory(of daemon: pid_t) async throws -> MemoryMap {
    var last: ProcessMemory?
    var count = 0
    try await waitUntil("the daemon's memory to stay the same", every: .milliseconds(100)) {
        let memory = try ProcessMemory(of: daemon)
        count = memory == last ? count + 1 : 0
        last = memory
        return count >= 8 ? () : nil
    }
    return try MemoryMap(of: daemon)
}

private func report(_ pairs: [Pair], file: String) -> String {
    var added = Table(["added to the daemon, median (least to most), KiB", "RSS", "private dirty"])
    for (moment, count) in streamCounts.enumerated() {
        let name = count == 0 ? "idle" : count == 1 ? "1 stream" : "\(count) streams"
        added.add([
            name, cell(pairs.map { $0.added(\.resident, at: moment) }),
            cell(pairs.map { $0.added(\.privateDirty, at: moment) }),
        ])
    }
    let size = (try? FileManager.default.attributesOfItem(atPath: file)[.size] as? Int) ?? 0
    return """
        ## Footprint

        \(pairs.count) runs, desktops with and without the module in turns; paplay streams.

        \(added.text)

        ### Where it is

        With \(streamCounts.last ?? 0) streams, medians; parts of 8 KiB and more.

        \(parts(pairs).text)

        ### Verdict

        \(verdict(pairs, size: size).text)
        """
}

/// Which mappings differ between the desktops.
private func parts(_ pairs: [Pair]) -> Table {
    let last = streamCounts.count - 1
    let names = Set(pairs.flatMap { Array($0.with[last].parts.keys) + $0.without[last].parts.keys })
    let rows = names.map { name in
        (
            name: name,
            resident: Series(pairs.map { Double($0.added(\.resident, at: last, in: name)) }).median ?? 0,
            dirty: Series(pairs.map { Double($0.added(\.privateDirty, at: last, in: name)) }).median ?? 0
        )
    }
    var table = Table(["mapping", "added RSS (KiB)", "added private dirty (KiB)"])
    for row in rows.sorted(by: { ($0.resident, $1.name) > ($1.resident, $0.name) })
    where max(abs(row.resident), abs(row.dirty)) >= 8 {
        table.add([row.name, format(row.resident, decimals: 0), format(row.dirty, decimals: 0)])
    }
    return table
}

/// The most that is added at any of the moments, against the goals.
private func verdict(_ pairs: [Pair], size: Int) -> Table {
    func most(_ value: KeyPath<MemoryMap.Use, Int>) -> Double {
        streamCounts.indices.compactMap { moment in
            Series(pairs.map { Double($0.added(value, at: moment)) }).median
        }.max() ?? 0
    }
    var table = Table(["", "measured", "goal", "reached"])
    func add(_ name: String, _ value: Double, goal: Double) {
        table.add([name, format(value, decimals: 2), "≤ \(format(goal))", value <= goal ? "yes" : "no"])
    }
    add("added RSS (MiB)", most(\.resident) / 1024, goal: 4)
    add("added private dirty (MiB)", most(\.privateDirty) / 1024, goal: 0.5)
    add("file (MB)", Double(size) / 1e6, goal: 11)
    return table
}

private func cell(_ values: [Int]) -> String {
    let series = Series(values.map(Double.init))
    return format(series.median, decimals: 0)
        + " (\(format(series.least, decimals: 0)) to \(format(series.largest, decimals: 0)))"
}
