import SessionTestKit
import StandstillTrait
import Synchronization
import Testing

@Suite struct StandstillTraitTests {
    struct DaemonEnded: Error {}

    /// How a test may fail.
    enum Failure: String, CaseIterable, CustomTestStringConvertible {
        /// It throws the error of a wait for sound.
        case soundThrown
        /// It measures sound that is not as expected, and goes on.
        case soundExpected
        /// It waits in vain for a signal or a line of a log.
        case wait
        /// A program or the daemon has ended.
        case daemon
        /// It expects something of a signal, a count, a leak, or a daemon.
        case expectation
        /// It requires such a thing.
        case requirement

        static let ofSound: [Failure] = [.soundThrown, .soundExpected]
        static let others: [Failure] = [.wait, .daemon, .expectation, .requirement]

        var testDescription: String { rawValue }

        func fail() throws {
            let isAsExpected = Bool("false") ?? true
            switch self {
            case .soundThrown: throw SoundFailure("a tone with a gap")
            case .soundExpected: expectSound(isAsExpected, "a click")
            case .wait: throw WaitFailure(awaited: "a signal", limit: .seconds(10), evidence: "")
            case .daemon: throw DaemonEnded()
            case .expectation: #expect(isAsExpected)
            case .requirement: try #require(isAsExpected)
            }
        }
    }

    private final class Counts: Sendable {
        let runs = Mutex(0)
        let mistakes = Mutex(0)
    }

    /// What came of a test that is run with the trait: how often it ran, and how many issues were failures.
    private func run(
        failing failures: [[Failure]], on lateness: Lateness
    ) async throws -> (runs: Int, mistakes: Int) {
        let counts = Counts()
        let test = try #require(Test.current)
        try await withKnownIssue("failures that are wanted", isIntermittent: true) {
            try await StandstillTrait { { lateness } }.provideScope(for: test, testCase: nil) {
                let run = counts.runs.withLock { runs in
                    runs += 1
                    return runs
                }
                for failure in run <= failures.count ? failures[run - 1] : [] { try failure.fail() }
            }
        } matching: { issue in
            // With Swift 6.0, what `#require` throws is an issue of its own, after the one that it records.
            if !(issue.error is ExpectationFailedError) { counts.mistakes.withLock { $0 += 1 } }
            return true
        }
        return (counts.runs.withLock(\.self), counts.mistakes.withLock(\.self))
    }

    /// Just too late for sound, in each way.
    static let late = [Lateness(standstill: .milliseconds(11)), Lateness(wait: .milliseconds(11))]
    /// As late as no sound minds.
    static let inTime = Lateness(standstill: .milliseconds(10), wait: .milliseconds(10))
    /// So late that anything might be excused.
    static let veryLate = Lateness(standstill: .seconds(1), wait: .seconds(1))

    @Test("what passes runs once", arguments: [Lateness(), veryLate])
    func passes(lateness: Lateness) async throws {
        #expect(try await run(failing: [], on: lateness) == (1, 0))
    }

    @Test(
        "sound that is not as expected while the machine is late is tried again, twice at most",
        arguments: Failure.ofSound, 1...2)
    func runsAgain(failure: Failure, times: Int) async throws {
        let failures = Array(repeating: [failure], count: times)
        for lateness in StandstillTraitTests.late {
            #expect(try await run(failing: failures, on: lateness) == (times + 1, 0))
        }
    }

    @Test("sound that is never as expected is a failure", arguments: Failure.ofSound)
    func fails(failure: Failure) async throws {
        let failures = Array(repeating: [failure], count: 3)
        for lateness in StandstillTraitTests.late {
            #expect(try await run(failing: failures, on: lateness) == (3, 1))
        }
    }

    @Test("on a machine that is in time every failure counts at once", arguments: Failure.allCases)
    func failsOnAMachineInTime(failure: Failure) async throws {
        #expect(try await run(failing: [[failure]], on: StandstillTraitTests.inTime) == (1, 1))
    }

    @Test(
        "whatever is not about sound is a failure at once, also while the machine is late",
        arguments: Failure.others)
    func excusesNothingElse(failure: Failure) async throws {
        #expect(try await run(failing: [[failure]], on: StandstillTraitTests.veryLate) == (1, 1))
        // Nor does a failure of sound before it excuse it.
        #expect(try await run(failing: [[.soundExpected, failure]], on: StandstillTraitTests.veryLate) == (1, 1))
    }
}
