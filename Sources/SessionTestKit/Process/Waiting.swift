import Foundation

/// A wait that ran into its time limit: what was awaited, and what the logs said last.
public struct WaitFailure: Error, CustomStringConvertible, Sendable {
    /// What should have happened, as the rest of a sentence that begins with "waited for".
    public let awaited: String
    /// How long it was waited for, or how long until the wait became pointless.
    public let limit: Duration
    /// What helps to see why: the tail of the logs, the last observation.
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

/// Asks `probe` again and again until it answers, and throws a `WaitFailure` when it has not within `limit`.
///
/// Every wait of the kit goes through here, so none can hang and none guesses how long something takes. The probe is
/// asked at least once after the limit, so a machine that slept does not fail a condition that holds.
public func waitUntil<Value>(
    _ awaited: String,
    within limit: Duration = .seconds(10),
    every pause: Duration = .milliseconds(10),
    isolation: isolated (any Actor)? = #isolation,
    evidence: () -> String = { "" },
    _ probe: () async throws -> Value?
) async throws -> Value {
    let deadline = ContinuousClock.now + limit
    while true {
        let isLast = ContinuousClock.now >= deadline
        if let value = try await probe() { return value }
        if isLast { throw WaitFailure(awaited: awaited, limit: limit, evidence: evidence()) }
        try await Task.sleep(for: pause)
    }
}
