// Benchmarks: numbers to look at, not tests that pass or fail. One file per benchmark.

let benchmarks: [(name: String, summary: String, run: ([String]) -> Void)] = [
    ("engine", "time and allocations of the engine for each event", benchmarkEngine)
]

let arguments = Array(CommandLine.arguments.dropFirst())
if let name = arguments.first, let benchmark = benchmarks.first(where: { $0.name == name }) {
    benchmark.run(Array(arguments.dropFirst()))
} else {
    print("usage: session-bench BENCHMARK")
    for benchmark in benchmarks { print("  \(benchmark.name)  \(benchmark.summary)") }
}
