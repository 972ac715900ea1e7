public import PolicyEngine

/// The time for which the session manager may be held: once for as long as a lost output needs, then at most half of
/// the time, however often an output is lost.
public struct HoldBudget: Sendable {
    /// The longest hold, available after an equally long time without one: a card's answer and its buffer, each as late as
    /// it may be.
    public static let most = Duration.milliseconds(550)

    private var left = HoldBudget.most
    /// When the remaining budget was last computed.
    private var counted: Instant?
    /// When the present hold began.
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
