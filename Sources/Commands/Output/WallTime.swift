import Glibc

/// A time of day and date in the user's time zone.
struct WallTime {
    /// Since 1970.
    var microseconds: Int64

    /// This moment.
    static var now: WallTime {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return WallTime(microseconds: Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000)
    }

    /// `18:39:49`
    var clock: String {
        let parts = parts
        return [parts.tm_hour, parts.tm_min, parts.tm_sec].map { Self.digits($0, 2) }.joined(separator: ":")
    }

    /// `18:39:49.123`
    var exactClock: String {
        let fraction = (microseconds % 1_000_000 + 1_000_000) % 1_000_000
        return "\(clock).\(Self.digits(Int32(fraction / 1000), 3))"
    }

    /// The time alone if it is within a day of `now`, otherwise the date before it.
    func words(at now: Int64) -> String {
        let (difference, overflow) = microseconds.subtractingReportingOverflow(now)
        if !overflow, abs(difference) < 86_400_000_000 { return clock }
        let parts = parts
        return
            "\(Int(parts.tm_year) + 1900)-\(Self.digits(parts.tm_mon + 1, 2))-\(Self.digits(parts.tm_mday, 2)) \(clock)"
    }

    private var parts: tm {
        var seconds = time_t(microseconds / 1_000_000 - (microseconds % 1_000_000 < 0 ? 1 : 0))
        var result = tm()
        localtime_r(&seconds, &result)
        return result
    }

    private static func digits(_ number: Int32, _ count: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, count - text.count)) + text
    }
}
