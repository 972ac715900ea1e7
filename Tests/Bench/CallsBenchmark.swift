import AudioSession
import BenchReport
import Foundation
import TestKit

/// `Tests/bin/bench calls`: how long applications wait for the service, with both libraries and with sd-bus alone.
///
/// The service is the module's, in a PipeWire of its own. Programs that use sd-bus and the C library (`calls.c`) and this
/// program, which uses the Swift library, take turns.
func benchmarkCalls(_ arguments: [String]) async throws {
    var rest = Arguments(arguments)
    let runs = try rest.number("--runs", in: 1...1000) ?? 11
    let count = try rest.number("--calls", in: 1...100_000) ?? 1000
    let folder = URL(fileURLWithPath: try rest.text("--modules") ?? ".build/modules").path
    let program = URL(fileURLWithPath: try rest.text("--program") ?? ".build/calls/calls").path
    try rest.finish()

    var options = DesktopOptions()
    options.modules = [ServerModule("libpipewire-module-audio-session", folder: folder)]
    var medians: [String: [Double]] = [:]
    try await withServer(PrivateDesktop.start(options)) { desktop in
        setenv("DBUS_SESSION_BUS_ADDRESS", desktop.sandbox.busAddress, 1)
        let session = AudioSession(displayName: "Benchmark")
        try await waitUntil("the service") { (try? session.sampleRate).map { _ in () } }
        for run in 1...runs {
            let output = try await desktop.sandbox.run(Invocation(program, [String(count)]))
            for line in String(decoding: output, as: UTF8.self).split(separator: "\n") {
                let words = line.split(separator: " ")
                medians[String(words[0]), default: []] += [median(words.dropFirst().compactMap { Double($0) })]
            }
            medians["set-swift", default: []] += [
                try time(count) { try session.setPreferredSampleRate($0 % 2 == 0 ? 44100 : 48000) }
            ]
            medians["get-swift", default: []] += [try time(count) { _ in _ = try session.sampleRate }]
            note("\(run)/\(runs)")
        }
        session.close()
    }
    var table = Table(["µs for a call, median of \(runs) runs of \(count) (least to most)", "sd-bus", "C", "Swift"])
    for (name, key) in [("a preference is set", "set"), ("a value is read", "get")] {
        table.add([name] + ["bus", "library", "swift"].map { microseconds(medians["\(key)-\($0)"] ?? []) })
    }
    print("## Calls\n\n" + table.text)
}

/// The median time of a call, in nanoseconds.
private func time(_ count: Int, _ call: (Int) throws -> Void) rethrows -> Double {
    let clock = ContinuousClock()
    return median(
        try (0..<count).map { turn in
            let time = try clock.measure { try call(turn) }
            return Double(time.components.attoseconds) / 1e9 + Double(time.components.seconds) * 1e9
        })
}

private func microseconds(_ nanoseconds: [Double]) -> String {
    let series = Series(nanoseconds.map { $0 / 1000 })
    return "\(format(series.median)) (\(format(series.least))–\(format(series.largest)))"
}
