import SessionCore
import SessionHost
import Testing

/// A card that flaps does not hold up the session manager again and again.
@Suite struct HoldBudgetTests {
    @Test func `many short holds are no longer than one`() {
        var budget = HoldBudget()
        var now = Instant(nanoseconds: 1_000_000_000)
        var held = Duration.zero
        // Each for 60 ms, ten times a second.
        for _ in 0..<50 {
            let end = min(budget.end(at: now), now.advanced(by: .milliseconds(60)))
            if end > now {
                budget.begin(at: now)
                held += now.duration(to: end)
                budget.finish(at: end)
            }
            now = now.advanced(by: .milliseconds(100))
        }
        // It had a second's rest every now and then.
        #expect(held > .milliseconds(200) && held <= .milliseconds(1_000), "\(held)")
    }

    @Test func `a hold that goes on ends when its time is over`() {
        var budget = HoldBudget()
        let start = Instant(nanoseconds: 1_000_000_000)
        budget.begin(at: start)
        let later = start.advanced(by: .milliseconds(150))
        budget.begin(at: later)
        #expect(budget.end(at: later) == start.advanced(by: .milliseconds(200)))
        budget.finish(at: start.advanced(by: .milliseconds(200)))
        let soon = start.advanced(by: .milliseconds(900))
        #expect(budget.end(at: soon) == soon)
        let rested = start.advanced(by: .milliseconds(1_200))
        #expect(budget.end(at: rested) == rested.advanced(by: .milliseconds(200)))
    }
}
