import SessionTestKit
import Testing

extension Desk {
    /// Runs a scenario that counts frames, and checks what it counted. `body` answers what is wrong with it; nil when
    /// nothing is.
    ///
    /// A wrong count is taken again, three times at the most, if the machine itself has stood still for longer than half a
    /// quantum meanwhile, by a ``StallMeter``: then a server has lost a quantum, whoever played. On a machine that did
    /// not, it is a failure at once, and so is everything else that goes wrong.
    static func countFrames(_ body: () async throws -> String?) async throws {
        let half = Duration.frames(1024) / 2
        for attempt in 1...3 {
            let meter = StallMeter()
            guard let mistake = try await body() else { return }
            let stall = meter.longest
            guard stall > half, attempt < 3 else {
                Issue.record("\(mistake) (attempt \(attempt); the machine stood still for \(stall.milliseconds) ms)")
                return
            }
            print("counted again, as the machine stood still for \(stall.milliseconds) ms: \(mistake)")
        }
    }
}
