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
        switch treatment.reason {
        case .none: text += "not touched"
        case .ducked: text += "lowered by \(-treatment.gain.decibels) dB\(since): \(actor) lowers others"
        case .interrupted: text += "\(verb(treatment))\(since): \(actor) is heard"
        case .superseded where !isOfSession(treatment.cause):
            text +=
                "\(verb(treatment))\(since): its output has not come back in time, and its own application has to go on"
        case .superseded: text += "\(verb(treatment))\(since): \(actor) took over, and its own application has to go on"
        case .rejected:
            text += "\(verb(treatment))\(since): \(actor) did not let it begin, and its application has to ask again"
        case .inactive: text += "\(verb(treatment))\(since): its application's session is not active"
        case .noDevice:
            text += "\(verb(treatment))\(since): its session is one of audio-processing, which has no device"
        case .routeDisconnected where treatment.cause == .route:
            text += "\(verb(treatment))\(since): the route has changed, and its own application has to go on"
        case .routeDisconnected:
            text +=
                "\(verb(treatment))\(since): the output on which it was heard has gone, and nothing else takes its place"
        case .noInput:
            text += "\(verb(treatment))\(since): it records, and the category of its session only plays"
        case .noOutput:
            text += "\(verb(treatment))\(since): it plays, and the category of its session only records"
        case .inputMuted: text += "\(verb(treatment))\(since): the input that it records from is muted"
        case .silentSwitch: text += "\(verb(treatment))\(since): the silent switch is on"
        case .screenLock: text += "\(verb(treatment))\(since): the screen is locked"
        case .doNotDisturb: text += "\(verb(treatment))\(since): do not disturb is on"
        case .handover: text += "held back\(since) until the others are silent"
        }
        if let rule = rule(stream, of: victim, by: acting, policy) { text += "; \(rule)" }
        return text
    }

    private static func isOfSession(_ cause: Cause?) -> Bool { cause?.sessionNumber != nil }

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
