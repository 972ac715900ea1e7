import Foundation
import SessionOracle
import Synchronization

// Plays random sequences against the oracle: judge-sequences COUNT [FIRST SEED] [--threads N] [--failures N] [--count]
// Prints the shortest way to each difference; with --count only how many sequences differ.

var arguments = Array(CommandLine.arguments.dropFirst())
@MainActor func value(_ name: String) -> Int? {
    guard let place = arguments.firstIndex(of: name), place + 1 < arguments.count else { return nil }
    let value = Int(arguments[place + 1])
    arguments.removeSubrange(place...(place + 1))
    return value
}
let isCounting = arguments.contains("--count")
arguments.removeAll { $0 == "--count" }
let threads = value("--threads") ?? ProcessInfo.processInfo.activeProcessorCount
let maximumFailures = value("--failures") ?? (isCounting ? .max : 5)
let count = arguments.first.flatMap { Int($0) } ?? 20_000
let first = arguments.dropFirst().first.flatMap { UInt64($0) } ?? 0

let next = Atomic<Int>(0)
let failures = Atomic<Int>(0)
let events = Atomic<Int>(0)
// Sequences in which a policy makes sessions silence each other in a circle; they end there.
let contradictions = Atomic<Int>(0)
let start = Date()
DispatchQueue.concurrentPerform(iterations: threads) { _ in
    while failures.load(ordering: .relaxed) < maximumFailures {
        let index = next.add(1, ordering: .relaxed).oldValue
        guard index < count else { return }
        var sequence = RandomSequence(seed: first + UInt64(index))
        sequence.play()
        events.add(sequence.events.moments.count, ordering: .relaxed)
        if sequence.isContradictory { contradictions.add(1, ordering: .relaxed) }
        guard sequence.failure != nil else { continue }
        failures.add(1, ordering: .relaxed)
        if !isCounting, let report = sequence.report() { print(report + "\n") }
    }
}
let seconds = Date().timeIntervalSince(start)
print(
    "\(min(next.load(ordering: .relaxed), count)) sequences, \(events.load(ordering: .relaxed)) events,",
    "\(contradictions.load(ordering: .relaxed)) ended by a policy that contradicts itself,",
    "\(failures.load(ordering: .relaxed)) differences,", String(format: "%.1f s", seconds))
exit(failures.load(ordering: .relaxed) == 0 ? 0 : 1)
