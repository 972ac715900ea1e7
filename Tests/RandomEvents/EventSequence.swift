import PolicyEngine

/// A recorded sequence of events. It can be played again without some of them.
public struct EventSequence: Sendable {
    /// An event and its time.
    public struct Moment: Sendable {
        /// What happened.
        public var event: Event
        /// When it happened.
        public var now: Instant

        /// Creates a moment.
        public init(_ event: Event, at now: Instant) {
            self.event = event
            self.now = now
        }
    }

    /// The policy in force at the start.
    public var policy: Policy
    /// The events in their order.
    public var moments: [Moment] = []

    /// Creates an empty sequence.
    public init(policy: Policy) { self.policy = policy }

    /// What a judge finds wrong first when the events are played, and the number of events up to it; `nil` for nothing.
    public func flaw<Judge: EventJudge>(
        by type: Judge.Type, _ moments: [Moment]? = nil
    ) -> (count: Int, flaw: String)? {
        var judge = Judge(policy: policy, isThorough: true)
        for (index, moment) in (moments ?? self.moments).enumerated() {
            _ = judge.send(moment.event, at: moment.now)
            if judge.isOver { return nil }
            if let flaw = judge.flaw { return (index + 1, flaw) }
        }
        return nil
    }

    /// The same sequence without the events that a flaw does not need. Every order of events is valid, so any event can be
    /// left out.
    ///
    /// - Parameter find: The number of events up to the flaw; `nil` if there is none.
    public func shrunk(_ find: ([Moment]) -> Int?) -> EventSequence {
        guard let count = find(moments) else { return self }
        var rest = Array(moments.prefix(count))
        var size = max(1, rest.count / 2)
        while true {
            var isSmaller = false
            var end = rest.count
            while end > 0 {
                let start = max(0, end - size)
                var fewer = rest
                fewer.removeSubrange(start..<end)
                if let count = find(fewer) {
                    rest = Array(fewer.prefix(count))
                    isSmaller = true
                }
                end = min(start, rest.count)
            }
            if size > 1 { size /= 2 } else if !isSmaller { break }
        }
        var result = self
        result.moments = rest
        return result
    }

    /// The events with the engine's effects, up to what a judge finds wrong.
    public func trace<Judge: EventJudge>(by type: Judge.Type) -> String {
        var judge = Judge(policy: policy, isThorough: true)
        var lines: [String] = []
        for moment in moments {
            let effects = judge.send(moment.event, at: moment.now)
            lines.append("\(moment.now.nanoseconds / 1_000_000) \(Self.short(moment.event))")
            lines += effects.map { "        → \(Self.plain("\($0)"))" }
            if let flaw = judge.flaw {
                lines.append(Self.plain(flaw))
                break
            }
        }
        return lines.joined(separator: "\n")
    }

    /// An event in a few words.
    public static func short(_ event: Event) -> String {
        switch event {
        case .policyChanged(let policy, let streams):
            let known = streams.sorted { $0.key.rawValue < $1.key.rawValue }
            let rules = policy.interplay.rules.map { "\($0.key.actor) → \($0.key.other): \(plain("\($0.value)"))" }
            return
                "policyChanged(\(policy.name), \(plain("\(rules)")), \(known.map { "\($0.key.rawValue): \(short($0.value))" }))"
        case .streamAppeared(let id, let application, let description, let direction):
            return "streamAppeared(\(id.rawValue), \(application.name), \(direction), \(short(description)))"
        case .sessionOpened(let id, let application, .system(let description, let by)):
            return "sessionOpened(\(id.rawValue), \(application.name), system by \(by?.name ?? "nobody"), "
                + "\(short(description)))"
        case .sessionConfigured(let id, .category(let category, let options, let mode)):
            return "sessionConfigured(\(id.rawValue), \(category), \(names(options)), \(mode.map { "\($0)" } ?? "-"))"
        default: return plain("\(event)")
        }
    }

    private static func names(_ options: CategoryOptions) -> [String] {
        options.names
    }

    /// A description in a few words, without the values that are usual.
    private static func short(_ description: SessionDescription) -> String {
        var words = [description.name, description.category.rawValue] + names(description.options)
        if description.mode != .default { words.append(description.mode.rawValue) }
        if description.priority != .normal { words.append("priority \(description.priority.rawValue)") }
        if description.handover == .hold { words.append("holds") }
        if description.resumption != .transient { words.append("resume \(description.resumption)") }
        if description.releaseDelay != .milliseconds(300) { words.append("release \(description.releaseDelay)") }
        if !description.isInterruptible { words.append("uninterruptible") }
        if description.avoidsAlerts { words.append("avoids alerts") }
        if description.pausesPlayer { words.append("player") }
        if Pairs.ducks(description) { words.append("\(description.ducking.gain.value) dB") }
        return words.joined(separator: " ")
    }

    /// Removes the names of types and labels that Swift prints.
    public static func plain(_ text: String) -> String {
        var result = ""
        var rest = text[...]
        while let next = rest.first {
            if let noise = noise.first(where: { rest.hasPrefix($0) }) {
                rest = rest.dropFirst(noise.count)
            } else {
                result.append(next)
                rest = rest.dropFirst()
            }
        }
        return result
    }

    private static let noise = [
        "PolicyEngine.", "ApplicationID", "StreamID", "SessionID", "rawValue: ", "PortID",
        "SessionReference", "Silence.", "Category.", "Cause.", "Optional", "SessionKey.", "LinearGain", "Reason.",
        "Treatment", "SessionNumber", "Instant", "application: ", "name: ",
        ", id: nil",
        ", after: 0.0 seconds", "gain: (value: 1.0), ",
    ]
}
