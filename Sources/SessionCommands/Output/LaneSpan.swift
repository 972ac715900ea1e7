/// A part of a lane that is drawn in one way.
struct LaneSpan {
    enum Kind: Equatable {
        /// Something is heard, or recorded.
        case heard
        /// The policy keeps it silent: in which word, because of whom, and how that is drawn.
        case silenced(String, by: String?, pattern: String)
        /// Its application does not want it to run.
        case paused
    }

    var kind: Kind
    var begin: Duration
    var end: Duration
    /// How loud it is from each moment on.
    var levels: [(moment: Duration, level: Double)] = []

    /// What stands in it.
    var label: String? {
        switch kind {
        case .heard: nil
        case .silenced(let word, let actor, _): actor.map { "\(word): \($0)" } ?? word
        case .paused: "paused"
        }
    }

    /// The parts of a lane in their order, with nothing between them where the stream does not exist.
    static func spans(
        of history: [VirtualServer.Entry], until end: Duration
    ) -> [LaneSpan] {
        var result: [LaneSpan] = []
        for (position, entry) in history.enumerated() {
            let next = position + 1 < history.count ? history[position + 1].moment : end
            guard next > entry.moment, let kind = kind(of: entry.state) else { continue }
            let level = (entry.moment, entry.state.gain * entry.state.volume)
            if let last = result.last, last.kind == kind, last.end == entry.moment {
                result[result.count - 1].end = next
                result[result.count - 1].levels.append(level)
            } else {
                result.append(LaneSpan(kind: kind, begin: entry.moment, end: next, levels: [level]))
            }
        }
        return result
    }

    private static func kind(of state: LaneState) -> Kind? {
        guard state.isPresent else { return nil }
        if state.silence != .none && state.isWanted {
            let pattern =
                switch state.decision.kind {
                case .held: "held"
                case .muted: "muted"
                case .superseded, .rejected: "kept"
                case .free, .ducked, .corked, .leftAlone: state.silence == .mute ? "muted" : "corked"
                }
            return .silenced(state.decision.word, by: state.decision.label, pattern: pattern)
        }
        if !state.isWanted { return .paused }
        return state.isRunning ? .heard : nil
    }
}
