public import PolicyEngine

/// How long the session manager may be held: once for as long as a lost output needs, then at most half of the time.
public struct HoldBudget: Sendable {
    /// The longest hold, after an equally long time without one: a card's answer and its buffer, each as late as
    /// may be.
    public static let most = Duration.milliseconds(550)

    private var left = HoldBudget.most
    private var counted: Instant?
    private var began: Instant?

    /// Creates a full budget.
    public init() {}

    /// Begins or continues a hold. Returns until when it may last.
    public mutating func hold(at now: Instant) -> Instant {
        if let began { return began.advanced(by: left) }
        if let counted { left = min(HoldBudget.most, left + counted.duration(to: now)) }
        began = now
        return now.advanced(by: left)
    }

    /// Ends the present hold, if any.
    public mutating func end(at now: Instant) {
        guard let began else { return }
        left = max(.zero, left - began.duration(to: now))
        counted = now
        self.began = nil
    }
}
