import Foundation
import Synchronization
import Testing

@testable import SessionTestKit

@Suite struct StallMeterTests {
    /// A thread that is woken 40 ms too late, once, has seen a machine that stood still for as long.
    @Test func aLateAwakeningIsNoted() async throws {
        let isLate = Mutex(false)
        let meter = StallMeter { _ in
            let wasLate = isLate.withLock { isLate in
                defer { isLate = false }
                return isLate
            }
            // Its own pauses are left out, or a busy machine would fail the test.
            if wasLate { usleep(42_000) } else { usleep(2_000) }
        }
        isLate.withLock { $0 = true }
        _ = try await waitUntil("the stall to be noted") { meter.longest >= .milliseconds(40) ? true : nil }
    }

    /// Between two awakenings in time, nothing is noted.
    @Test func awakeningsInTimeAreNot() async throws {
        let count = Mutex(0)
        // It returns before the moment, as no real one does, so that no machine can make it late.
        let meter = StallMeter { _ in count.withLock { $0 += 1 } }
        _ = try await waitUntil("some awakenings") { count.withLock { $0 } > 1_000 ? true : nil }
        #expect(meter.longest < .milliseconds(2))
    }
}
