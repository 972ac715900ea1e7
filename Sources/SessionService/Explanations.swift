import SessionCore

/// Why a stream is treated as it is, in words (N12).
enum Explanations {
    /// What is done to a stream, by whom, by which rule.
    ///
    /// - Parameters:
    ///   - victim: The stream's session; `nil` where that is not to be seen.
    ///   - acting: The session that is the cause of it; `nil` where there is none to be seen.
    static func text(
        _ stream: Report.Stream, of victim: Report.Session?, by acting: Report.Session?, policy: Policy, name: String,
        seconds: Int?
    ) -> String {
        var text = "stream \(stream.id.rawValue) of \(name) (\(stream.description)) is "
        let since = seconds.map { $0 == 0 ? " since this moment" : " since \($0) s ago" } ?? ""
        let treatment = stream.treatment
        let actor = stream.interrupter?.label ?? "another session"
        let reason = treatment.reason.words(cause: treatment.cause, actor: actor)
        switch treatment.reason {
        case .none: text += "not touched"
        case .ducked: text += "lowered by \(-treatment.gain.decibels) dB\(since): \(reason.clause)"
        case .handover: text += "held back\(since): \(reason.clause)"
        default: text += "\(verb(treatment))\(since): \(reason.clause)"
        }
        if let rule = rule(stream, of: victim, by: acting, policy) { text += "; \(rule)" }
        return text
    }

    private static func verb(_ treatment: Treatment) -> String {
        switch treatment.silence {
        case .none: "heard"
        case .mute: "muted"
        case .cork: "stopped"
        case .pausePlayer: "stopped by pausing its player"
        }
    }

    /// Which rule lets the actor do that.
    private static func rule(
        _ stream: Report.Stream, of victim: Report.Session?, by acting: Report.Session?, _ policy: Policy
    ) -> String? {
        guard let victim, let acting else { return nil }
        let own = acting.description
        let other = victim.description
        let rule = policy.interplay.rule(actor: own, other: other)
        let said = [rule?.playing, rule?.newcomer].compactMap { $0?.kind }
        if said.contains(where: { $0 != .usual }) {
            return "the policy says so of \(own.name) and \(other.name)"
        }
        if stream.treatment.reason == .ducked { return "\(own.name) has the option duck-others" }
        if other.mode == .spokenAudio && own.interruptsSpokenAudio {
            return "speech is stopped rather than spoken over"
        }
        if own.priority > other.priority {
            return "its priority \(own.priority.rawValue) is above \(other.priority.rawValue)"
        }
        if own.category == .record { return "a recording silences all playback" }
        return "neither of the two mixes with others"
    }
}
