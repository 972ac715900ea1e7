import AllocationCount

/// What one repetition cost.
struct Sample {
    var nanoseconds: Double
    var allocations: Double
}

/// Runs a body and says what it cost; three times or more often, and not again when two seconds have passed. One repetition
/// before it warms caches up and lets arrays grow.
func measure(repetitions: Int, _ body: () -> Void) -> [Sample] {
    body()
    let clock = ContinuousClock()
    let end = clock.now + .seconds(2)
    var samples: [Sample] = []
    while samples.count < min(3, repetitions) || samples.count < repetitions && clock.now < end {
        let allocations = allocation_count()
        let start = clock.now
        body()
        let passed = clock.now - start
        let (seconds, attoseconds) = passed.components
        samples.append(
            Sample(
                nanoseconds: Double(seconds) * 1e9 + Double(attoseconds) / 1e9,
                allocations: Double(allocation_count() - allocations)))
    }
    return samples
}

/// The middle one; 0 of none.
func median(_ values: [Double]) -> Double {
    let sorted = values.sorted()
    return sorted.isEmpty ? 0 : sorted[sorted.count / 2]
}
