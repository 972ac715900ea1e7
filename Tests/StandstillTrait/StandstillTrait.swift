import SessionTestKit
import Synchronization
public import Testing

/// Has a test of real servers run again when it failed on a machine that stood still meanwhile.
///
/// A virtual machine that is not given its processors loses sound, whoever plays: a quantum of it after half a quantum.
/// Whether it stood still for so long says a ``StallMeter``. What goes wrong after that is set aside, and the test runs
/// again, three times at most; the last time, and on a machine that did not stand still, every mistake is a failure at
/// once. `Tests/run` shows at its end what ran again, and why.
public struct StandstillTrait: SuiteTrait, TestTrait, TestScoping {
    private static let stall = Duration.frames(1024) / 2
    private static let attempts = 3

    /// A meter that begins to measure, and says at any time how long the machine has stood still at most.
    private let measure: @Sendable () -> @Sendable () -> Duration

    /// - Parameter measure: Another meter, for tests of this one.
    public init(
        measuring measure: @escaping @Sendable () -> @Sendable () -> Duration = {
            let meter = StallMeter()
            return { meter.longest }
        }
    ) {
        self.measure = measure
    }

    /// Each test of a suite has it.
    public var isRecursive: Bool { true }

    /// Runs one test, until it counts.
    public func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        if test.traits.contains(where: { $0 is OwnStandstillTrait }) { return try await function() }
        for _ in 1..<StandstillTrait.attempts {
            let longest = measure()
            let firstMistake = Mutex<String?>(nil)
            try await withKnownIssue("the machine stood still", isIntermittent: true) {
                try await function()
            } matching: { issue in
                guard longest() > StandstillTrait.stall else { return false }
                firstMistake.withLock { $0 = $0 ?? "\(issue)" }
                return true
            }
            guard let mistake = firstMistake.withLock({ $0 }) else { return }
            let line = mistake.split(whereSeparator: \.isNewline).joined(separator: " ")
            print("Again: \(test.name), as the machine stood still for \(Int(longest().milliseconds)) ms: \(line)")
        }
        try await function()
    }
}

extension Trait where Self == StandstillTrait {
    /// Runs again what failed while the machine stood still.
    public static var standstills: Self { StandstillTrait() }
}

/// Says of a test that it runs again by itself what failed on a machine that stood still: a part of it, not the whole.
public struct OwnStandstillTrait: TestTrait {}

extension Trait where Self == OwnStandstillTrait {
    /// Does by itself what ``StandstillTrait`` does.
    public static var ownStandstills: Self { OwnStandstillTrait() }
}
