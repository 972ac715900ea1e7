import SessionTestKit
import Synchronization
public import Testing

/// Has a test of real servers run again when its sound was not as expected on a machine that was too late for sound meanwhile.
///
/// A virtual machine that is not given its processors loses sound, whoever plays: a quantum of it after half a quantum. So
/// does a player or a recorder that waits for so long while other programs have the processors, as both do a part of their
/// work with ordinary priority. A ``Lateness`` tells whether either happened. Then a ``SoundFailure`` is set aside, and the
/// test runs again, three times at most. The last time, and on a machine that was in time, it is a failure.
///
/// Every other issue is a failure at once: a machine that is late forgets no signal, leaves no stream corked, and ends no
/// daemon. `Tests/run` shows at its end what ran again, and why, and fails if that was more than a few tests.
public struct StandstillTrait: SuiteTrait, TestTrait, TestScoping {
    /// How often a test runs at most.
    public static let attempts = 3

    /// Begins to measure, and says at any time how late the machine has been so far.
    private let measure: @Sendable () -> @Sendable () -> Lateness

    /// - Parameter measure: Another measure, for tests of this one.
    public init(measuring measure: @escaping @Sendable () -> @Sendable () -> Lateness = Lateness.measure) {
        self.measure = measure
    }

    /// Each test of a suite has it.
    public var isRecursive: Bool { true }

    /// Runs one test, until it counts.
    public func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        if test.traits.contains(where: { $0 is OwnStandstillTrait }) { return try await function() }
        for _ in 1..<StandstillTrait.attempts {
            let lateness = measure()
            let run = Mutex(Run())
            try await withKnownIssue("the machine was late", isIntermittent: true) {
                try await function()
            } matching: { issue in
                let isExcused = issue.error is SoundFailure && lateness().losesSound
                run.withLock { run in
                    if isExcused {
                        run.firstExcuse = run.firstExcuse ?? "\(issue)"
                    } else {
                        run.hasFailed = true
                    }
                }
                return isExcused
            }
            let (firstExcuse, hasFailed) = run.withLock { ($0.firstExcuse, $0.hasFailed) }
            guard let firstExcuse, !hasFailed else { return }
            let line = firstExcuse.split(whereSeparator: \.isNewline).joined(separator: " ")
            print("Again: \(test.name), as \(lateness()): \(line)")
        }
        try await function()
    }

    /// What one run of a test came to.
    private struct Run {
        var firstExcuse: String?
        var hasFailed = false
    }
}

/// How late a machine was at most: for threads with real-time priority, which only the machine itself can hold up, and for
/// those with ordinary priority, which other programs hold up too.
public struct Lateness: Sendable, Hashable, CustomStringConvertible {
    /// How long the machine stood still.
    public var standstill: Duration
    /// How long a program of ordinary priority waited for a processor.
    public var wait: Duration

    /// - Parameters: As the properties.
    public init(standstill: Duration = .zero, wait: Duration = .zero) {
        self.standstill = standstill
        self.wait = wait
    }

    /// Begins to measure, and says at any time how late the machine has been so far.
    public static let measure: @Sendable () -> @Sendable () -> Lateness = {
        let standstills = StallMeter(.realTime)
        let waits = StallMeter(.ordinary)
        return { Lateness(standstill: standstills.longest, wait: waits.longest) }
    }

    /// The longest time after which no sound is lost: half a quantum. A block of sound goes through two threads in each.
    public static let longestWithoutLoss = Duration.frames(1024) / 2

    /// Whether sound may have been lost, whatever the servers did.
    public var losesSound: Bool { max(standstill, wait) > Lateness.longestWithoutLoss }

    /// For the list of tests that ran again.
    public var description: String {
        """
        the machine stood still for \(Int(standstill.milliseconds)) ms and a program waited for \
        \(Int(wait.milliseconds)) ms
        """
    }
}

/// Expects something of sound that was measured. The issue is a ``SoundFailure``, for which a test may run again on a
/// machine that was late; expectations of anything else are made with `#expect`.
public func expectSound(
    _ isAsExpected: Bool, _ description: @autoclosure () -> String,
    sourceLocation: SourceLocation = #_sourceLocation
) {
    if !isAsExpected { Issue.record(SoundFailure(description()), sourceLocation: sourceLocation) }
}

extension Trait where Self == StandstillTrait {
    /// Runs again what failed while the machine was late.
    public static var standstills: Self { StandstillTrait() }
}

/// Says of a test that it runs again by itself what failed on a machine that was late: a part of it, not the whole.
public struct OwnStandstillTrait: TestTrait {}

extension Trait where Self == OwnStandstillTrait {
    /// Does by itself what ``StandstillTrait`` does.
    public static var ownStandstills: Self { OwnStandstillTrait() }
}
