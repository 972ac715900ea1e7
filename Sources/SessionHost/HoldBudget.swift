public import SessionCore

/// How long the session manager may be held: once for as long as a lost output needs, and after that for no more than half of
/// the time, however often an output is lost.
public struct HoldBudget: Sendable {
    /// What one hold may take when there has been none for as long.
    public static let most = Duration.milliseconds(400)

    private var left = HoldBudget.most
    /// When what is left was last counted.
    private var counted: Instant?
    /// When the present hold began.
    private var began: Instant?

    /// Nothing was held yet.
    public init() {}

    /// Begins a hold, or goes on with it. Returns until when it may last.
    public mutating func hold(at now: Instant) -> Instant {
        if let began { return began.advanced(by: left) }
        if let counted { left = min(HoldBudget.most, left + counted.duration(to: now)) }
        began = now
        return now.advanced(by: left)
    }

    /// Ends the hold, if there is one.
    public mutating func end(at now: Instant) {
        guard let began else { return }
        left = max(.zero, left - began.duration(to: now))
        counted = now
        self.began = nil
    }
}
