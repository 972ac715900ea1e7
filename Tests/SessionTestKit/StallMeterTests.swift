import Foundation
import Synchronization
import Testing

@testable import SessionTestKit

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

    @Test(arguments: [Duration.milliseconds(40), .microseconds(3_500)])
    func `a late awakening is noted`(late: Duration) async throws {
        let sleeper = Sleeper()
        let meter = sleeper.meter(late: late)
        try await sleeper.waitForSleeps(20)
        #expect(meter.longest == late)
    }

    @Test func `awakenings in time are not`() async throws {
        let sleeper = Sleeper()
        let meter = sleeper.meter(late: .zero)
        try await sleeper.waitForSleeps(20)
        #expect(meter.longest == .zero)
    }
}
