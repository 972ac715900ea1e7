import Foundation

/// A wait that exceeded its time limit: the awaited condition and the last log lines.
public struct WaitFailure: Error, CustomStringConvertible, Sendable {
    /// The awaited condition, as the end of a sentence that begins with "waited for".
    public let awaited: String
    /// Evidence of the cause: the end of the logs, the last observation.
    public let evidence: String

    /// A failure to be thrown by a wait.
    public init(awaited: String, evidence: String) {
        self.awaited = awaited
        self.evidence = evidence
    }

    /// One line, then the evidence.
    public var description: String {
        "waited for \(awaited), in vain" + (evidence.isEmpty ? "" : "\n\(evidence)")
    }
}

/// The limit of every wait. It only ends a test that hangs: whatever takes this long, on whatever machine, never comes.
public let hangLimit = Duration.seconds(
    ProcessInfo.processInfo.environment["AUDIO_SESSION_HANG_LIMIT"].flatMap { Int($0) } ?? 180)

/// Calls `probe` repeatedly until it returns a value, and throws a `WaitFailure` if there is none within `limit`.
///
/// Every wait of the kit uses this function, so none can hang and none guesses a duration. The probe is called at least
/// once after the limit, so a condition that holds does not fail on a machine that stood still. It is called again after
/// a pause of four times as long as it took, because probes that start programs take processors from those that play.
public func waitUntil<Value>(
    _ awaited: String,
    within limit: Duration = hangLimit,
    every pause: Duration = .milliseconds(10),
    isolation: isolated (any Actor)? = #isolation,
    evidence: () -> String = { "" },
    _ probe: () async throws -> sending Value?
) async throws -> Value {
    let deadline = ContinuousClock.now + limit
    while true {
        let start = ContinuousClock.now
        if let value = try await probe() { return value }
        if start >= deadline { throw WaitFailure(awaited: awaited, evidence: evidence()) }
        try await Task.sleep(for: max(pause, (ContinuousClock.now - start) * 4))
    }
}
