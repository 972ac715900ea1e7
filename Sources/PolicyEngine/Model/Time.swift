/// A time on the host's monotonic clock, in nanoseconds since an origin that the host chooses.
///
/// The engine never reads a clock: every event comes with its time.
public struct Instant: Sendable, Hashable, Comparable {
    /// Nanoseconds since the origin.
    public var nanoseconds: Int64

    /// Creates a moment, in nanoseconds after the origin.
    public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    /// Whether the left one comes first.
    public static func < (left: Instant, right: Instant) -> Bool { left.nanoseconds < right.nanoseconds }

    /// This moment moved by a duration; stops at the ends of the range instead of overflowing.
    public func advanced(by duration: Duration) -> Instant {
        let (sum, overflow) = nanoseconds.addingReportingOverflow(duration.wholeNanoseconds)
        return Instant(nanoseconds: overflow ? (duration < .zero ? .min : .max) : sum)
    }

    /// The time from this moment until another one, negative when the other is earlier.
    public func duration(to other: Instant) -> Duration {
        .nanoseconds(other.nanoseconds) - .nanoseconds(nanoseconds)
    }
}

extension Duration {
    /// The duration in whole nanoseconds, clamped to 64 bits.
    public var wholeNanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let (scaled, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        if overflow { return seconds < 0 ? .min : .max }
        let (sum, carry) = scaled.addingReportingOverflow(attoseconds / 1_000_000_000)
        return carry ? (seconds < 0 ? .min : .max) : sum
    }
}
