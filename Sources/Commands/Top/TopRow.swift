import BusInterface

/// The cells of one row of `audio-session top`.
struct TopRow {
    let style: Style
    /// Microseconds since 1970, and those that have passed since the service was asked.
    let now: Int64
    let age: Int64

    /// The cells of a session.
    func session(_ session: SessionRecord, _ kind: TopColumns.Kind) -> String {
        switch kind {
        case .name: return style.safe(session.label)
        case .role:
            // A session without a role is named after its category.
            return style.safe(session.description.isEmpty ? session.category : session.description)
        case .state: return style.safe(session.state)
        case .gain, .bar: return ""
        case .by: return session.by.isEmpty ? "" : "by \(style.safe(session.by))"
        case .time: return remaining(session.remaining).map { "\($0) left" } ?? ""
        }
    }

    /// The cells of a stream, which belongs to the session above it unless it is a stray.
    func stream(_ stream: StreamRecord, _ kind: TopColumns.Kind, isStray: Bool, width: Int) -> String {
        switch kind {
        case .name:
            return isStray
                ? "\(stream.id) \(style.safe(stream.application))" : "  \(stream.id) \(style.safe(stream.direction))"
        case .role: return style.safe(stream.description)
        case .state: return Self.state(of: stream, style)
        case .gain:
            if stream.isCapture && stream.isFree || stream.leftAlone != nil { return "" }
            return style.decibels(stream.isFree && stream.fadeRemaining == 0 ? 0 : stream.presentGain)
        case .bar:
            return stream.isCapture || stream.leftAlone != nil ? "" : bar(stream.level(atThisMoment: true), width)
        case .by where stream.leftAlone != nil:
            return style.safe(stream.leftAlone?.split(separator: "; ").last.map(String.init) ?? "", limit: 300)
        case .by: return stream.isFree && stream.muted ? "by user or application" : style.cause(of: stream)
        case .time:
            if let left = remaining(stream.fadeRemaining) { return "fade \(left)" }
            return stream.isFree || stream.since == 0 ? "" : style.age(from: stream.since, to: now)
        }
    }

    /// What is done to a stream, or what it does while nothing is done to it.
    private static func state(of stream: StreamRecord, _ style: Style) -> String {
        if !stream.isFree { return stream.treatment == "player-paused" ? "paused" : style.safe(stream.treatment) }
        if stream.leftAlone != nil { return "left alone" }
        // Its user or application has muted it, whatever the policy does.
        if stream.muted { return "muted" }
        if stream.fadeRemaining > 0 { return "fading in" }
        if stream.running { return stream.isCapture ? "recording" : "playing" }
        return stream.wanted ? "waiting" : "idle"
    }

    /// How the state of a row is coloured.
    static func meaning(of stream: StreamRecord) -> Style.Meaning? {
        if stream.isFree { return !stream.running || stream.muted ? .faint : stream.beside.isEmpty ? nil : .good }
        return stream.isSilenced ? .silenced : .lowered
    }

    /// A bar of a level in percent.
    private func bar(_ percent: Int, _ width: Int) -> String {
        let filled = min(width, max(0, (percent * width + 50) / 100))
        let (full, empty) = style.isUnicode ? ("█", "░") : ("#", "-")
        return String(repeating: full, count: filled) + String(repeating: empty, count: width - filled)
    }

    /// The rest of a time that was read a while ago, such as `0.4 s`; `nil` if it is over or there is none.
    private func remaining(_ milliseconds: Int64) -> String? {
        let left = milliseconds - age / 1000
        guard milliseconds > 0, left > 0 else { return nil }
        if left < 10_000 { return "\(left / 1000).\(left % 1000 / 100) s" }
        return left < 120_000 ? "\(left / 1000) s" : "\(left / 60_000) min"
    }
}
