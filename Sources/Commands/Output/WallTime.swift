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

    /// `18:39:49.123`
    var exactClock: String {
        let fraction = (microseconds % 1_000_000 + 1_000_000) % 1_000_000
        return "\(clock).\(String(1000 + fraction / 1000).dropFirst())"
    }

    /// The time alone if it is within a day of `now`, otherwise the date before it.
    func words(at now: Int64) -> String {
        let (difference, overflow) = microseconds.subtractingReportingOverflow(now)
        return !overflow && abs(difference) < 86_400_000_000 ? clock : formatted("%Y-%m-%d %H:%M:%S")
    }

    private var clock: String { formatted("%H:%M:%S") }

    private func formatted(_ format: String) -> String {
        var seconds = time_t(microseconds / 1_000_000 - (microseconds % 1_000_000 < 0 ? 1 : 0))
        var parts = tm()
        localtime_r(&seconds, &parts)
        var text = [CChar](repeating: 0, count: 80)
        let count = strftime(&text, text.count, format, &parts)
        return String(decoding: text[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
