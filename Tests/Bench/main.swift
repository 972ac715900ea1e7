import Foundation

// Benchmarks: numbers to look at; only transitions has goals. One file per benchmark. Tests/bin/bench builds and starts this.

let benchmarks: [(name: String, summary: String, run: ([String]) async throws -> Void)] = [
    ("engine", "time and allocations of the engine for each event", { benchmarkEngine($0) }),
    ("crowd", "how long the loop is kept from other work where a thousand applications play", benchmarkCrowd),
    ("lives", "what is left of a hundred thousand streams and sessions", benchmarkLives),
    ("policy", "reading policy files, and telling what a stream is by many rules", benchmarkPolicy),
    ("transitions", "how music is interrupted and comes back, beside its peers", benchmarkTransitions),
    ("calls", "how long applications wait for the service, with the libraries and without", benchmarkCalls),
    ("scale", "what it costs that very many streams begin and end at a short quantum", benchmarkScale),
    ("footprint", "what the module adds to the daemon's memory, and its file's size", benchmarkFootprint),
]

let arguments = Array(CommandLine.arguments.dropFirst())
if let name = arguments.first, let benchmark = benchmarks.first(where: { $0.name == name }) {
    do {
        try await benchmark.run(Array(arguments.dropFirst()))
    } catch let error as UsageError {
        note("session-bench: \(error.message); Tests/bin/bench --help explains")
        exit(2)
    } catch {
        note("session-bench: \(error)")
        exit(1)
    }
} else {
    print("usage: session-bench BENCHMARK")
    for benchmark in benchmarks { print("  \(benchmark.name)  \(benchmark.summary)") }
    exit(2)
}
