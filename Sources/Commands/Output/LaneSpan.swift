/// A part of a stream's lane that is drawn in one style.
struct LaneSpan {
    enum Kind: Equatable {
        /// The stream is audible, or recording.
        case heard
        /// The policy silences the stream: the treatment's word, the cause, and the fill pattern.
        case silenced(String, by: String?, pattern: String)
        /// The application does not want the stream to run.
        case paused
    }

    var kind: Kind
    var begin: Duration
    var end: Duration
    /// The level from each moment on.
    var levels: [(moment: Duration, level: Double)] = []

    /// The text inside.
    var label: String? {
        switch kind {
        case .heard: nil
        case .silenced(let word, let actor, _): actor.map { "\(word): \($0)" } ?? word
        case .paused: "paused"
        }
    }

    /// The spans of a lane in order, with gaps where the stream does not exist.
    static func spans(
        of history: [VirtualServer.Entry<LaneState>], until end: Duration
    ) -> [LaneSpan] {
        var result: [LaneSpan] = []
        for (position, entry) in history.enumerated() {
            let next = position + 1 < history.count ? history[position + 1].moment : end
            guard next > entry.moment, let kind = kind(of: entry.state) else { continue }
            let level = (entry.moment, entry.state.gain * entry.state.ownVolume)
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
        if (state.isHeld || state.gain == 0) && state.isWanted {
            let pattern =
                switch state.decision.kind {
                case .held: "held"
                case .muted: "muted"
                case .superseded, .rejected: "kept"
                case .free, .ducked, .corked, .leftAlone: state.isHeld ? "corked" : "muted"
                }
            return .silenced(state.decision.kind.rawValue, by: state.decision.label, pattern: pattern)
        }
        if !state.isWanted { return .paused }
        return state.isRunning ? .heard : nil
    }
}
