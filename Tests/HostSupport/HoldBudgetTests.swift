import HostSupport
import PolicyEngine
import Testing

@Suite("how long the session manager may be held")
struct HoldBudgetTests {
    private func moment(_ milliseconds: Int64) -> Instant { Instant(nanoseconds: milliseconds * 1_000_000) }

    @Test("a first hold may last as long as a card's answer and its buffer take together")
    func first() {
        var budget = HoldBudget()
        #expect(budget.hold(at: moment(1_000)) == moment(1_550))
        // Longer, because another output is lost meanwhile, but not without an end.
        #expect(budget.hold(at: moment(1_300)) == moment(1_550))
        budget.end(at: moment(1_550))
        #expect(budget.hold(at: moment(1_550)) == moment(1_550))
    }

    @Test("what was held comes back in as much time")
    func refill() {
        var budget = HoldBudget()
        _ = budget.hold(at: moment(0))
        budget.end(at: moment(300))
        #expect(budget.hold(at: moment(350)) == moment(650))
        budget.end(at: moment(350))
        #expect(budget.hold(at: moment(10_000)) == moment(10_550))
    }

    @Test("whoever wants to hold all the time holds for half of it", arguments: [1, 7, 50, 200])
    func flapping(each step: Int64) {
        var budget = HoldBudget()
        var held: Int64 = 0
        for time in stride(from: Int64(0), to: 10_000, by: Int64.Stride(step)) {
            let end = min(budget.hold(at: moment(time)), moment(time + step))
            held += end.nanoseconds / 1_000_000 - time
            budget.end(at: end)
        }
        #expect(held >= 550)
        #expect(held <= 550 + 5_000)
    }
}
