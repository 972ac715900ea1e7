import Foundation

/// A wait that exceeded its time limit: the awaited condition and the last log lines.
public struct WaitFailure: Error, CustomStringConvertible, Sendable {
    /// The awaited condition, as the end of a sentence that begins with "waited for".
    public let awaited: String
    /// The length of the wait, or the time after which it became pointless.
    public let limit: Duration
    /// Evidence of the cause: the end of the logs, the last observation.
    public let evidence: String

    /// A failure to be thrown by a wait.
    public init(awaited: String, limit: Duration, evidence: String) {
        self.awaited = awaited
        self.limit = limit
        self.evidence = evidence
    }

    /// One line, then the evidence.
    public var description: String {
        "waited for \(awaited), in vain after \(limit)" + (evidence.isEmpty ? "" : "\n\(evidence)")
    }
}

/// Calls `probe` repeatedly until it returns a value, and throws a `WaitFailure` if there is none within `limit`.
///
/// Every wait of the kit uses this function, so none can hang and none guesses a duration. The probe is called at least
/// once after the limit, so a condition that holds does not fail on a machine that stood still.
public func waitUntil<Value>(
    _ awaited: String,
    within limit: Duration = .seconds(10),
    every pause: Duration = .milliseconds(10),
    isolation: isolated (any Actor)? = #isolation,
    evidence: () -> String = { "" },
    _ probe: () async throws -> sending Value?
) async throws -> Value {
    let deadline = ContinuousClock.now + limit
    while true {
        let isLast = ContinuousClock.now >= deadline
        if let value = try await probe() { return value }
        if isLast { throw WaitFailure(awaited: awaited, limit: limit, evidence: evidence()) }
        try await Task.sleep(for: pause)
    }
}
