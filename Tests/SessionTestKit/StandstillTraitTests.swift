import StandstillTrait
import Synchronization
import Testing

@Suite struct StandstillTraitTests {
    /// Runs a test that fails its first times, and answers how often it ran.
    private func run(failing failures: Int, on longestStall: Duration) async throws -> Int {
        let runs = Mutex(0)
        let test = try #require(Test.current)
        try await StandstillTrait { { longestStall } }.provideScope(for: test, testCase: nil) {
            let run = runs.withLock { runs in
                runs += 1
                return runs
            }
            try #require(run > failures)
        }
        return runs.withLock(\.self)
    }

    @Test("what passes runs once", arguments: [Duration.zero, .seconds(1)])
    func passes(stall: Duration) async throws {
        #expect(try await run(failing: 0, on: stall) == 1)
    }

    @Test("what fails while the machine stands still runs again, twice at most", arguments: 1...2)
    func runsAgain(failures: Int) async throws {
        #expect(try await run(failing: failures, on: .milliseconds(11)) == failures + 1)
    }

    @Test("what fails always is a failure, and what fails on a machine that goes on is one at once")
    func fails() async throws {
        for (failures, stall) in [(3, Duration.milliseconds(11)), (1, .milliseconds(10))] {
            // Which fails unless there is a failure that is not excused already.
            await withKnownIssue("this is the failure that is wanted") {
                _ = try await run(failing: failures, on: stall)
            }
        }
    }
}
