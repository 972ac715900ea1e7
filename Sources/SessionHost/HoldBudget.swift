public import SessionCore

/// How long somebody may be held up altogether: several short holds after each other are one long one, until there has been
/// none for a second.
public struct HoldBudget: Sendable {
    /// All holds together.
    public static let longest = Duration.milliseconds(200)
    /// After how long without any hold the time is there anew.
    public static let pause = Duration.seconds(1)

    private var spent = Duration.zero
    private var since: Instant?
    private var ended: Instant?

    /// A budget of which nothing is spent.
    public init() {}

    /// When a hold has to end that is under way, or would begin now; not after now when there is no time left.
    public func end(at now: Instant) -> Instant {
        if let since { return since.advanced(by: Self.longest - spent) }
        if let ended, ended.advanced(by: Self.pause) > now { return now.advanced(by: Self.longest - spent) }
        return now.advanced(by: Self.longest)
    }

    /// A hold begins.
    public mutating func begin(at now: Instant) {
        guard since == nil else { return }
        if let ended, ended.advanced(by: Self.pause) <= now { spent = .zero }
        since = now
    }

    /// It is over.
    public mutating func finish(at now: Instant) {
        guard let start = since else { return }
        spent = min(spent + start.duration(to: now), Self.longest)
        since = nil
        ended = now
    }
}
