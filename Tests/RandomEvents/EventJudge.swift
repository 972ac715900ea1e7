import PolicyEngine

/// An engine, and a judgement of all that it does.
public protocol EventJudge: Sendable {
    /// An engine without streams.
    ///
    /// - Parameter isThorough: Whether to judge also what takes long.
    init(policy: Policy, isThorough: Bool)
    /// Sends an event to the engine and judges what follows. Returns the engine's effects.
    mutating func send(_ event: Event, at now: Instant) -> [Effect]
    /// What was found wrong first; `nil` for nothing.
    var flaw: String? { get }
    /// Whether nothing is judged any more, because the policy contradicts itself.
    var isOver: Bool { get }
}
