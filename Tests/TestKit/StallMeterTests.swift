import Foundation
import Synchronization
import Testing

@testable import TestKit

/// On a clock that stands still but while the meter sleeps, as no machine's does.
@Suite struct StallMeterTests {
    private final class Sleeper: Sendable {
        let now = Mutex<UInt64>(1_000_000_000)
        let sleeps = Mutex(0)

        /// Wakes a meter at its moments, and once, the fifth time, so much later.
        func meter(late: Duration) -> StallMeter {
            StallMeter(now: { self.now.withLock { $0 } }) { deadline in
                let number = self.sleeps.withLock { sleeps in
                    sleeps += 1
                    return sleeps
                }
                self.now.withLock { $0 = deadline + (number == 5 ? UInt64(late / .nanoseconds(1)) : 0) }
                usleep(100)
            }
        }

        func waitForSleeps(_ count: Int) async throws {
            _ = try await waitUntil("\(count) sleeps") { sleeps.withLock { $0 } > count ? true : nil }
        }
    }

    @Test("a late awakening is noted", arguments: [Duration.milliseconds(40), .microseconds(3_500)])
    func lateAwakeningIsNoted(late: Duration) async throws {
        let sleeper = Sleeper()
        let meter = sleeper.meter(late: late)
        try await sleeper.waitForSleeps(20)
        #expect(meter.longest == late)
        let stalls = meter.stalls(of: late)
        #expect(stalls.map { $0.upperBound - $0.lowerBound } == [late])
        #expect(stalls.allSatisfy { $0.lowerBound > .seconds(1) && $0.lowerBound < .seconds(2) })
        #expect(meter.stalls(of: late + .nanoseconds(1)).isEmpty)
    }

    @Test("awakenings in time are not") func awakeningsInTimeAreNot() async throws {
        let sleeper = Sleeper()
        let meter = sleeper.meter(late: .zero)
        try await sleeper.waitForSleeps(20)
        #expect(meter.longest == .zero)
    }

    /// Only those that this user may have.
    static let priorities: [StallMeter.Priority] =
        [.first, .ordinary] + (StallMeter.grantsRealTime ? [.realTime] : [])

    @Test("each processor has a thread that stays there", arguments: priorities)
    func eachProcessorHasThreadThatStaysThere(priority: StallMeter.Priority) async throws {
        let meter = StallMeter(priority)
        let wanted = try #require(try allowed("/proc/self/status"))
        _ = try await waitUntil("a thread on each of \(wanted)") {
            let tasks = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").map {
                "/proc/self/task/\($0)"
            }
            // A thread may end while it is looked at.
            let places = tasks.compactMap { try? allowed("\($0)/status") }
            return wanted.allSatisfy { places.contains([$0]) } ? true : nil
        }
        withExtendedLifetime(meter) {}
    }

    /// The processors that a process or thread may use, as its file says it: `0-3,6`.
    private func allowed(_ file: String) throws -> [Int]? {
        let lines = try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n")
        guard let line = lines.first(where: { $0.hasPrefix("Cpus_allowed_list:") }) else { return nil }
        return line.drop { $0 != "\t" }.dropFirst().split(separator: ",").flatMap { part in
            let ends = part.split(separator: "-").compactMap { Int($0) }
            return Array(ends[0]...ends[ends.count - 1])
        }
    }
}
